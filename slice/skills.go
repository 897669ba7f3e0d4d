package slice

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// skillCalls are the ::names of a prompt and what they stand for.
type skillCalls struct {
	rest string // the prompt without them
	keys map[string]bool
}

func (s *skillCalls) wants(r *catalog.Record) bool { return s.keys[r.Key] }

// skillCall is one ::name.
type skillCall struct {
	name     string
	from, to int
}

// findCalls finds ::name where nothing but a space or an opening sign stands
// before it, so that std::vector and a::b are none.
func findCalls(s string) []skillCall {
	var out []skillCall
	for i := 0; i+2 < len(s); {
		j := strings.Index(s[i:], "::")
		if j < 0 {
			break
		}
		at := i + j
		i = at + 2
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		if at > 0 && !unicode.IsSpace(before) && !strings.ContainsRune("([{\"'`、。「（,;", before) && !isGram(string(before)) {
			continue
		}
		end := i
		for end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && !strings.ContainsRune("-_./", r) {
				break
			}
			end += n
		}
		name := strings.TrimRight(s[i:end], "-_./")
		if name == "" || strings.HasPrefix(s[end:], "(") || strings.HasPrefix(s[end:], "::") {
			continue
		}
		// "::a:b" is another product's command.
		if next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(s[end:], ":")); strings.HasPrefix(s[end:], ":") && wordRune(next) {
			continue
		}
		out = append(out, skillCall{name, at, i + len(name)})
		i += len(name)
		if len(out) == 8 {
			break
		}
	}
	return out
}

// skillCalls puts the bodies of called skills on the page; a name that is
// unknown or ambiguous is answered with the nearest names here, and with
// nothing from elsewhere.
func (p *planner) skillCalls(prompt string) skillCalls {
	s := skillCalls{rest: prompt, keys: map[string]bool{}}
	calls := findCalls(prompt)
	if len(calls) == 0 {
		return s
	}
	var all []catalog.Record
	err := p.in.Source.All(func(r catalog.Record) bool {
		if r.Kind == knowledge.Skill {
			all = append(all, r)
		}
		return true
	})
	if err != nil {
		p.errs = append(p.errs, err)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Key < all[j].Key })
	var b strings.Builder
	at := 0
	for _, c := range calls {
		found := p.skillNamed(all, c.name)
		if len(found) == 0 && (pseudoElement(c.name) || len(all) == 0) {
			continue
		}
		b.WriteString(prompt[at:c.from])
		at = c.to
		if len(found) == 1 {
			r := found[0]
			if s.keys[r.Key] {
				continue
			}
			s.keys[r.Key] = true
			it, ok := p.item(r, Body, rankNamed, []Why{{"skill", rankNamed}})
			if ok {
				p.page.items = append(p.page.items, unit{item: it, keep: true, best: true, called: true})
			}
			continue
		}
		name := plaintext.Line(c.name, 60)
		text := "No skill is called ::" + name + " here."
		near := nearest(all, c.name, nearestNames)
		if len(found) > 1 {
			text = "More than one skill is called ::" + name + " here."
			near = near[:0]
			for _, r := range found {
				near = append(near, r.ID)
			}
		}
		if len(near) > 0 {
			text += " Nearest: ::" + plaintext.Line(strings.Join(near, ", ::"), 300) + "."
		}
		p.page.notes = append(p.page.notes, note{text: text, drop: 3})
	}
	b.WriteString(prompt[at:])
	s.rest = b.String()
	return s
}

// skillNamed finds the skills that a name may mean: its id or name; else the
// last part of an id. The closest workspace wins over an outer one.
func (p *planner) skillNamed(all []catalog.Record, name string) []*catalog.Record {
	want := terms.Fold(name)
	pick := func(match func(r *catalog.Record) bool) []*catalog.Record {
		var out []*catalog.Record
		for i := range all {
			r := &all[i]
			if !match(r) {
				continue
			}
			same := slices.IndexFunc(out, func(o *catalog.Record) bool { return o.ID == r.ID })
			if same < 0 {
				out = append(out, r)
			} else if len(r.Prefix) > len(out[same].Prefix) && inside(p.in.Cwd, r.Prefix) {
				out[same] = r
			}
		}
		return out
	}
	id := func(r *catalog.Record) string { return terms.Fold(strings.TrimPrefix(r.ID, knowledge.PersonalPrefix)) }
	if out := pick(func(r *catalog.Record) bool { return id(r) == want || terms.Fold(r.ID) == want }); len(out) > 0 {
		return out
	}
	if out := pick(func(r *catalog.Record) bool {
		return terms.Fold(r.Title) == want || knowledge.Slug(r.Title) == want
	}); len(out) > 0 {
		return out
	}
	return pick(func(r *catalog.Record) bool {
		s := id(r)
		return s[strings.LastIndexByte(s, '/')+1:] == want
	})
}

func inside(path, dir string) bool {
	return dir == "" || path == dir || strings.HasPrefix(path, dir+"/")
}

// nearest are the names most like one, best first; with nothing alike, the
// first few there are.
func nearest(all []catalog.Record, name string, n int) []string {
	want := terms.Fold(name)
	parts := terms.Query(name)
	type scored struct {
		id    string
		score int
	}
	var list []scored
	for i := range all {
		id := terms.Fold(strings.TrimPrefix(all[i].ID, knowledge.PersonalPrefix))
		score := 0
		switch d := distance(want, id); {
		case d <= 1+len(want)/4:
			score = 40 - d
		case strings.HasPrefix(id, want) || strings.HasPrefix(want, id):
			score = 30
		case strings.Contains(id, want) || strings.Contains(want, id):
			score = 20
		}
		for _, seg := range strings.FieldsFunc(id, func(r rune) bool { return r == '-' || r == '_' || r == '/' || r == '.' }) {
			if score < 25 && len(seg) >= 3 && distance(want, seg) <= 1+len(want)/4 {
				score = 25
			}
		}
		mine := terms.Query(id + " " + all[i].Title)
		for _, t := range parts {
			if slices.ContainsFunc(mine, func(m terms.Term) bool { return m.Text == t.Text }) {
				score += 10
			}
		}
		list = append(list, scored{all[i].ID, score})
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].score != list[j].score {
			return list[i].score > list[j].score
		}
		return list[i].id < list[j].id
	})
	var out []string
	for _, s := range list {
		if len(out) == n || len(out) > 0 && s.score == 0 && list[0].score > 0 {
			break
		}
		if !slices.Contains(out, s.id) {
			out = append(out, s.id)
		}
	}
	return out
}

// distance is the edit distance of two short names, counted up to 60 bytes.
func distance(a, b string) int {
	if len(a) > 60 || len(b) > 60 {
		return 60
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost = 1 + min(diag, row[j], row[j-1])
			}
			diag, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}

// pseudoElement reports the ::names of CSS, which no one means as a skill.
func pseudoElement(name string) bool {
	switch name {
	case "before", "after", "placeholder", "selection", "marker", "backdrop", "first-line", "first-letter", "cue", "part", "slotted",
		"file-selector-button", "view-transition", "details-content", "scroll-marker", "grammar-error", "spelling-error", "target-text":
		return true
	}
	return strings.HasPrefix(name, "-webkit-") || strings.HasPrefix(name, "-moz-") || strings.HasPrefix(name, "webkit-")
}

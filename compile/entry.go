package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/internal/codefence"
	"pathrule/internal/managed"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// entry is one note on its way into a file.
type entry struct {
	rec   catalog.Record
	scope workspace.Scope
	title string // clean, one line
	body  string // whole text with its heading, clean, with a line end
	// version is the hash of the text, see managed.TextHash.
	version string
}

func (e *entry) personal() bool { return e.rec.Owner == catalog.Personal }

// load reads the workspace's own entries, in the order in which they matter:
// rules by weight, then memories, then skills; by id within.
//
// With personal, the user's own entries join them.
func load(ws *workspace.Workspace, src catalog.Source, personal bool) ([]entry, error) {
	var out []entry
	var failed error
	err := src.All(func(r catalog.Record) bool {
		own := r.Owner == ws.ID && !strings.HasPrefix(r.ID, knowledge.PersonalPrefix)
		if !own && !(personal && r.Owner == catalog.Personal) {
			return true
		}
		// Paths are read from the workspace's root, where the output lies too.
		scope, err := workspace.ParseScope(r.Paths)
		if err != nil {
			failed = fmt.Errorf("%s: %w", r.File, err)
			return false
		}
		doc, err := src.Load(r)
		switch {
		case errors.Is(err, catalog.ErrGone):
			return true
		case err != nil:
			failed = fmt.Errorf("read %s: %w; run \"pathrule index\" and compile again", r.File, err)
			return false
		}
		out = append(out, newEntry(r, scope, doc))
		return true
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		if d := weight(&a.rec) - weight(&b.rec); d != 0 {
			return d
		}
		return strings.Compare(a.rec.ID, b.rec.ID)
	})
	return out, nil
}

// weight sorts what binds before what informs.
func weight(r *catalog.Record) int {
	switch r.Kind {
	case knowledge.Rule:
		w := 2
		switch r.Priority {
		case knowledge.High:
			w = 1
		case knowledge.Low:
			w = 3
		}
		if r.Enforcement == knowledge.Strict {
			w = 0
		}
		return w
	case knowledge.Memory:
		return 4
	}
	return 5
}

// binds reports a rule that is always told whole: strict, or of high priority.
func (e *entry) binds() bool { return weight(&e.rec) <= 1 }

const (
	maxTitle       = 160 // characters
	maxLine        = 200
	maxDescription = 300
)

func newEntry(r catalog.Record, scope workspace.Scope, doc catalog.Doc) entry {
	e := entry{rec: r, scope: scope, title: plaintext.Line(doc.Title, maxTitle), version: managed.TextHash(doc.Title, knowledge.Strip(doc.Body))}
	e.body = fmt.Sprintf("## %s: %s\nid: `%s`\n", upperFirst(labelOf(&r)), e.title, r.ID)
	if body := cleanBody(doc.Body, e.title); body != "" {
		e.body += "\n" + body + "\n"
	}
	return e
}

// place gives an entry its forms: at most the given one. paths says in the
// lines for which paths the note is, where the file itself does not.
func (e *entry) place(most form, paths bool) placed {
	label := fmt.Sprintf("- %s `%s`", labelOf(&e.rec), e.rec.ID)
	if paths && !(e.scope.Whole() && len(negative(e.rec.Paths)) == 0) {
		label += " for " + codeList(positive(e.rec.Paths))
		if not := negative(e.rec.Paths); len(not) > 0 {
			label += " but not " + codeList(not)
		}
	}
	p := placed{entry: e, form: most}
	p.texts[formName] = label + ": " + e.title + "\n"
	p.texts[formCard] = p.texts[formName]
	if line := e.line(); line != "" && line != e.title {
		p.texts[formCard] = label + ": " + strings.TrimRight(e.title, ".。!?") + ". " + line + "\n"
	}
	p.texts[formBody] = e.body
	return p
}

// line is the one line that carries the decision; a skill's is its description.
func (e *entry) line() string {
	if e.rec.Description != "" {
		return plaintext.Line(e.rec.Description, maxDescription)
	}
	return plaintext.Line(e.rec.Line, maxLine)
}

// labelOf names the kind, and of a rule how much it weighs.
func labelOf(r *catalog.Record) string {
	if r.Kind != knowledge.Rule {
		return string(r.Kind)
	}
	weight := string(r.Priority)
	if weight == "" {
		weight = string(knowledge.Medium)
	}
	if r.Enforcement == knowledge.Strict {
		weight = "strict, " + weight
	}
	return "rule (" + weight + ")"
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// cleanBody makes a body safe to stand among others: no hidden characters, no
// heading above ours, no look-alike of our markers, no fence left open.
func cleanBody(body, title string) string {
	text := plaintext.Clean(knowledge.Strip(body))
	var b strings.Builder
	var fences codefence.Fences
	first := true
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if !fences.Code(line) {
			if level, heading, ok := atxHeading(line); ok {
				// The first heading usually repeats the title.
				if first && plaintext.Line(heading, maxTitle) == title {
					continue
				}
				line = strings.Repeat("#", min(level+2, 6)) + " " + heading
			}
		}
		if strings.TrimSpace(line) != "" {
			first = false
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	if open := fences.Open(); open != "" {
		b.WriteString(open + "\n")
	}
	return strings.Trim(plaintext.Fenced(b.String(), marker), "\n")
}

// atxHeading reads "## Title ##".
func atxHeading(line string) (level int, text string, ok bool) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return 0, "", false
	}
	level = len(s) - len(strings.TrimLeft(s, "#"))
	rest := s[level:]
	if level < 1 || level > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return 0, "", false
	}
	rest = strings.TrimSpace(rest)
	if cut := strings.TrimRight(rest, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		rest = strings.TrimSpace(cut)
	}
	return level, rest, true
}

// size counts what every limit here is given in. UTF-16 units are never fewer
// than characters, so one bound holds for both readings of "12,000 characters".
func size(s string) int { return host.UTF16.Measure(s) }

package main

import (
	"regexp"
	"strings"

	"pathrule/knowledge"
)

// form is how much of an entry a text tells.
type form int

const (
	nothing form = iota
	name
	card
	part // some of its sections, each whole
	body
)

// given is what one text delivers, by entry key, and the keys in the order of
// the text.
type given struct {
	forms map[string]form
	order []string
}

func (g *given) add(key string, f form) {
	if g.forms == nil {
		g.forms = map[string]form{}
	}
	if _, ok := g.forms[key]; !ok {
		g.order = append(g.order, key)
	}
	g.forms[key] = max(g.forms[key], f)
}

func (g *given) join(o given) {
	for _, k := range o.order {
		g.add(k, o.forms[k])
	}
}

// reader finds the entries that a delivered text tells.
type reader struct {
	byTitle map[string][]*knowledge.Entry
	skills  map[string]string // name or id -> key
	keys    map[string]bool
	// byOpening are the entries whose text begins unlike every other's.
	byOpening map[string]string
}

func newReader(entries []knowledge.Entry) *reader {
	r := &reader{byTitle: map[string][]*knowledge.Entry{}, skills: map[string]string{}, keys: map[string]bool{}, byOpening: map[string]string{}}
	for i := range entries {
		e := &entries[i]
		r.keys[e.Key()] = true
		r.byTitle[fold(e.Title)] = append(r.byTitle[fold(e.Title)], e)
		if o := opening(e.Body); r.byOpening[o] == "" {
			r.byOpening[o] = e.Key()
		} else {
			r.byOpening[o] = "?" // two say the same
		}
		if e.Kind == knowledge.Skill {
			r.skills[e.ID] = e.Key()
		}
	}
	return r
}

var (
	fence   = regexp.MustCompile(`^--- [0-9a-f]{16}$`)
	keyMark = regexp.MustCompile(`\[((?:memory|rule|skill):[^\]\s]+)\]`)
	excerpt = regexp.MustCompile(`, \d+ of \d+ sections: `)
	loading = regexp.MustCompile(`::([^\s,;]+)`)
)

// read walks the text line by line: a fence opens a body, or sections of one,
// whose heading is the line before it; outside bodies an id in brackets marks a card (a list item of
// its own) or a name, and ::name a skill.
func (r *reader) read(text string) given {
	var g given
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if fence.MatchString(lines[i]) {
			end := i + 1
			for end < len(lines) && lines[end] != lines[i] {
				end++
			}
			heading := ""
			if i > 0 {
				heading = lines[i-1]
			}
			f := body
			if excerpt.MatchString(heading) {
				f = part
			}
			if k := r.entry(heading, strings.Join(lines[i+1:min(end, len(lines))], "\n")); r.keys[k] {
				g.add(k, f)
			}
			i = end
			continue
		}
		for _, m := range keyMark.FindAllStringSubmatch(lines[i], -1) {
			f := name
			if strings.HasPrefix(lines[i], "- ") {
				f = card
			}
			if r.keys[m[1]] {
				g.add(m[1], f)
			}
		}
		for _, m := range loading.FindAllStringSubmatch(lines[i], -1) {
			if k := r.skills[strings.TrimRight(m[1], ".,:;)")]; k != "" {
				g.add(k, name)
			}
		}
	}
	return g
}

// entry finds whose body stands under a heading: by its id when the heading has
// one, else by title, else by the text.
func (r *reader) entry(heading, text string) string {
	if m := keyMark.FindStringSubmatch(heading); m != nil && r.keys[m[1]] {
		return m[1]
	}
	best := ""
	for title, list := range r.byTitle {
		if !strings.HasSuffix(fold(heading), title) || title == "" {
			continue
		}
		for _, e := range list {
			if opening(e.Body) == opening(text) {
				return e.Key()
			}
			best = e.Key()
		}
	}
	if best == "" { // the text begins with the title, so that the heading need not say it
		best = r.byOpening[opening(text)]
	}
	return best
}

// opening is enough of a text to tell it from others, whatever was cleaned.
func opening(s string) string {
	var words []string
	for _, w := range strings.Fields(knowledge.Strip(s)) {
		if words = append(words, w); len(words) == 30 {
			break
		}
	}
	return strings.Join(words, " ")
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

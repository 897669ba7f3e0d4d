package frontmatter

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// Limits of what is written; a file that a person wrote longer only gets a
// warning.
const (
	MaxTitle       = knowledge.MaxTitle       // runes
	MaxDescription = knowledge.MaxDescription // runes
	MaxRelated     = knowledge.MaxRelated
)

func parse(data []byte, kind knowledge.Kind, id, file string) (knowledge.Entry, []workspace.Problem, error) {
	return parseBy(data, kind, id, file, false)
}

func parseBy(data []byte, kind knowledge.Kind, id, file string, always bool) (knowledge.Entry, []workspace.Problem, error) {
	e := knowledge.Entry{Kind: kind, ID: id, File: file}
	if err := knowledge.Text(data, file); err != nil {
		return e, nil, err
	}
	d := readBy(data, always)
	err := knowledge.Fill(&e, d.fields, func(p workspace.Problem) { d.problems = append(d.problems, p) })
	d.guards(&e)
	d.unknown(kind)
	knowledge.Finish(&e, data, d.sp.Body)
	d.lint(&e)
	sort.SliceStable(d.problems, func(i, j int) bool { return d.problems[i].Line < d.problems[j].Line })
	for i := range d.problems {
		d.problems[i].File = file
	}
	return e, d.problems, err
}

// unknown names keys that nobody reads.
func (d *document) unknown(kind knowledge.Kind) {
	keys := knowledge.Keys(kind)
	for _, f := range d.fields {
		if contains(keys, f.Key) || knowledge.Foreign(kind, f.Key) {
			continue
		}
		msg := fmt.Sprintf("unknown key %q", f.Key)
		remedy := "known keys of a " + string(kind) + ": " + strings.Join(keys, ", ")
		switch near := nearest(f.Key, keys); {
		case contains(knowledge.Keys(knowledge.Rule), f.Key) && f.Key != "title":
			msg = fmt.Sprintf("%q counts only in a rule", f.Key)
			remedy = "take it out, or make a rule of this " + string(kind)
		case near != "":
			remedy = fmt.Sprintf("did you mean %q?", near)
		}
		d.warn(f.Line, msg, remedy)
	}
}

// lint warns of what can be read and is hardly meant.
func (d *document) lint(e *knowledge.Entry) {
	lineOf := func(key string) int {
		for _, f := range d.fields {
			if f.Key == key {
				return f.Line
			}
		}
		return 0
	}
	if n := utf8.RuneCountInString(e.Title); n > MaxTitle {
		d.warn(lineOf(knowledge.TitleKey(e.Kind)), fmt.Sprintf("title has %d characters", n), fmt.Sprintf("keep it below %d", MaxTitle))
	}
	if n := utf8.RuneCountInString(e.Description); n > MaxDescription {
		d.warn(lineOf("description"), fmt.Sprintf("description has %d characters", n), fmt.Sprintf("keep it below %d", MaxDescription))
	}
	if e.Kind == knowledge.Skill && e.Description == "" {
		d.warn(0, "skill has no description, so nobody can tell when to use it", "add the key description")
	}
	if len(e.Related) > MaxRelated {
		d.warn(lineOf("related"), fmt.Sprintf("%d related entries", len(e.Related)), fmt.Sprintf("keep at most %d", MaxRelated))
	}
	empty := strings.TrimSpace(e.Body) == ""
	if !empty && (strings.Contains(e.Body, "<!--") || strings.Contains(e.Body, "## Bindings")) {
		empty = knowledge.Strip(e.Body) == ""
	}
	if empty {
		d.warn(0, "entry has no text, so there is nothing to tell", "write what the team should know")
	}
	for _, w := range workspace.Warnings(e.Paths) {
		d.warn(lineOf("paths"), fmt.Sprintf("%q %s", w.Pattern, w.Msg), fmt.Sprintf("did you mean %q?", w.Suggest))
	}
	for _, p := range e.Paths {
		if len(workspace.SplitPatterns(p)) > 1 {
			d.warn(lineOf("paths"), fmt.Sprintf("%q is one pattern with a comma in it", p), "give every pattern its own item")
		}
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// nearest is the key that was probably meant, "" when none is close: another
// client's word for it, or a slip of the fingers.
func nearest(key string, keys []string) string {
	k := strings.ToLower(strings.ReplaceAll(key, "_", "-"))
	meant := ""
	switch k {
	case "globs", "glob", "path", "applyto", "apply-to", "scope", "files", "file", "folders", "folder":
		meant = "paths"
	case "name":
		meant = "title"
	case "title":
		meant = "name"
	case "tag", "labels", "label", "keywords":
		meant = "tags"
	case "desc", "summary":
		meant = "description"
	case "severity", "importance", "level":
		meant = "priority"
	case "blocks", "deny", "forbid":
		meant = "block"
	case "checks", "command":
		meant = "check"
	case "see", "see-also", "links":
		meant = "related"
	case "workspace":
		meant = "workspaces"
	}
	if contains(keys, meant) {
		return meant
	}
	best, dist := "", 3
	for _, c := range keys {
		if n := Distance(k, c); n < dist && n < len(c)-1 {
			best, dist = c, n
		}
	}
	return best
}

// Distance counts the letters to change, put in, leave out or swap with their
// neighbour to make b of a.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur := make([]int, len(y)+1)
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev = prev, cur
	}
	return prev[len(y)]
}

package knowledge

import (
	"strings"

	"pathrule/internal/head"
	"pathrule/workspace"
)

// Keys are the keys that an entry of the kind may have, in the order in which
// a new file gets them.
func Keys(kind Kind) []string {
	switch kind {
	case Rule:
		return []string{"title", "description", "paths", "tags", "related", "priority", "enforcement", "block", "check", "source", "workspaces", "created", "updated"}
	case Skill:
		return []string{"name", "description", "paths", "tags", "related", "source", "workspaces", "created", "updated"}
	}
	return []string{"title", "description", "paths", "tags", "related", "source", "workspaces", "created", "updated"}
}

// TitleKey is "name" for a skill, else "title".
func TitleKey(kind Kind) string {
	if kind == Skill {
		return "name"
	}
	return "title"
}

// Fill sets an entry from the fields of its head, all but block and check. Both
// readers go through it, so that they agree. report takes what is wrong with a
// single key, which then does not count (nil: nobody asks). The error is a
// *ParseError: the scope cannot be understood, so the entry must not be used,
// because it might be told everywhere.
func Fill(e *Entry, fields []head.Field, report func(workspace.Problem)) error {
	if report == nil {
		report = func(workspace.Problem) {}
	}
	var fatal error
	seen := make(map[string]int, len(fields))
	for i := range fields {
		f := &fields[i]
		key := f.Key
		if !known(e.Kind, key) {
			continue
		}
		if first, twice := seen[key]; twice {
			report(workspace.Problem{File: e.File, Line: f.Line, Warning: true,
				Msg:    "key \"" + key + "\" stands here a second time; line " + number(first) + " counts",
				Remedy: "take one of the two out"})
			continue
		}
		seen[key] = f.Line
		bad := func(msg, remedy string) {
			report(workspace.Problem{File: e.File, Line: f.Line, Msg: msg, Remedy: remedy})
		}
		text := func(to *string) {
			if f.Nested || f.IsList {
				bad("\""+key+"\" must be text", "write it on one line: "+key+": …")
				return
			}
			*to = clean(f.Text)
		}
		list := func(to *[]string) {
			if f.Nested {
				bad("\""+key+"\" must be a list", "write it as a list: "+key+": [one, two]")
				return
			}
			*to = items(f, splitComma)
		}
		switch key {
		case "title", "name":
			text(&e.Title)
		case "description":
			text(&e.Description)
		case "source":
			text(&e.Source)
		case "created":
			text(&e.Created)
		case "updated":
			text(&e.Updated)
		case "tags":
			list(&e.Tags)
		case "related":
			list(&e.Related)
		case "workspaces":
			list(&e.Workspaces)
		case "paths":
			if f.Nested {
				fatal = &ParseError{Path: e.File, Line: f.Line, Msg: "\"paths\" must be a list of patterns",
					Remedy: "write it as a list: paths: [\"src/api\", \"**/*.sql\"]"}
				continue
			}
			e.Paths = items(f, workspace.SplitPatterns)
			if _, err := workspace.ParseScope(e.Paths); err != nil {
				line := f.Line
				if len(f.Items) == len(e.Paths) {
					for j, p := range e.Paths {
						if _, err := workspace.ParseScope([]string{p}); err != nil {
							line = f.Items[j].Line
							break
						}
					}
				}
				fatal = &ParseError{Path: e.File, Line: line, Msg: "paths: " + err.Error(), Remedy: "mend the pattern; the entry is left out until then"}
			}
		case "priority":
			var v string
			text(&v)
			switch p := Priority(strings.ToLower(v)); p {
			case "", High, Medium, Low:
				e.Priority = p
			default:
				bad("unknown priority \""+v+"\"", "write high, medium or low")
			}
		case "enforcement":
			var v string
			text(&v)
			switch v = strings.ToLower(v); v {
			case "", Advisory, Strict:
				e.Enforcement = v
			default:
				bad("unknown enforcement \""+v+"\"", "write advisory or strict")
			}
		}
	}
	if e.Priority == "" {
		e.Priority = Medium
	}
	if e.Kind == Rule && e.Enforcement == "" {
		e.Enforcement = Advisory
	}
	return fatal
}

// The enforcements of a rule; an empty one reads as Advisory.
const (
	Advisory = "advisory"
	Strict   = "strict"
)

func known(kind Kind, key string) bool {
	switch key {
	case "title":
		return kind != Skill
	case "name":
		return kind == Skill
	case "priority", "enforcement", "block", "check":
		return kind == Rule
	case "description", "paths", "tags", "related", "source", "workspaces", "created", "updated":
		return true
	}
	return false
}

// items is a list, or the parts of a comma string. Empty ones go.
func items(f *head.Field, split func(string) []string) []string {
	var in []string
	switch {
	case f.IsList:
		in = f.List
	case f.Null:
		return nil
	default:
		in = split(f.Text)
	}
	var out []string
	for _, s := range in {
		if s = clean(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func splitComma(s string) []string { return strings.Split(s, ",") }

// clean folds a value to one line without control characters.
func clean(s string) string {
	if strings.IndexFunc(s, control) < 0 {
		return strings.TrimSpace(s)
	}
	s = strings.Map(func(r rune) rune {
		if control(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func control(r rune) bool {
	return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
}

func number(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return number(n/10) + string(rune('0'+n%10))
}

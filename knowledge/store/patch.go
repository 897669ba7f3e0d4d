package store

import (
	"fmt"
	"slices"
	"strings"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

// patched is the entry's file with the changes; everything else stays byte for
// byte.
func (s *store) patched(f knowledge.FileRef, old []byte, p Patch) ([]byte, error) {
	if p.Body != nil && p.Content != nil {
		return nil, invalid("content_edit", "comes together with a whole body", "send one of the two")
	}
	edits, err := s.edits(f.Kind, p)
	if err != nil {
		return nil, err
	}
	if err := knowledge.Text(old, s.show(f.File)); err != nil {
		return nil, err
	}
	raw := old
	if p.Body != nil || p.Content != nil {
		// Of a file whose scope cannot be read the body is known all the same.
		e, _, _ := frontmatter.Parse(old, f.Kind, f.ID, f.File)
		var body string
		if p.Body != nil {
			body, err = wholeBody(e.Body, *p.Body)
		} else {
			body, err = editBody(e.Body, *p.Content)
		}
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(body) == "" {
			return nil, invalid("body", "would be empty", "delete the entry if it is no longer needed")
		}
		if body != e.Body {
			raw = splice(raw, e.BodyOffset, body)
			if now, _, err := frontmatter.Parse(raw, f.Kind, f.ID, f.File); err != nil || now.Body != body {
				raw = frontmatter.SetBody(old, body)
			}
		}
	}
	raw, err = frontmatter.Apply(raw, edits...)
	if err != nil {
		return nil, &knowledge.RefusedError{Path: s.show(f.File), Msg: err.Error(), Remedy: "open the file in an editor"}
	}
	if len(raw) > knowledge.MaxFile {
		return nil, invalid("body", "makes the file larger than 1 MiB", "split the entry")
	}
	if sp := head.Find(raw, knowledge.MaxHead); len(edits) > 0 && !sp.Found {
		return nil, invalid("paths", "makes the frontmatter larger than 64 KiB", "use fewer values")
	}
	return raw, s.checkNew(raw, f.Kind, old)
}

func splice(raw []byte, off int, body string) []byte {
	return append(append([]byte{}, raw[:off]...), body...)
}

// edits turns a patch into edits of keys, checked like a draft.
func (s *store) edits(kind knowledge.Kind, p Patch) ([]frontmatter.Edit, error) {
	probe := knowledge.Entry{Kind: kind, Title: "x"}
	var edits []frontmatter.Edit
	text := func(key string, v *string, to *string) {
		if v != nil {
			*to = tidy(*v)
			edits = append(edits, frontmatter.Edit{Key: key, Value: *to})
		}
	}
	list := func(key string, v *[]string, to *[]string) {
		if v != nil {
			*to = trimAll(*v)
			edits = append(edits, frontmatter.Edit{Key: key, Value: *to})
		}
	}
	text(knowledge.TitleKey(kind), p.Title, &probe.Title)
	text("description", p.Description, &probe.Description)
	list("paths", p.Paths, &probe.Paths)
	list("tags", p.Tags, &probe.Tags)
	list("related", p.Related, &probe.Related)
	if p.Priority != nil {
		probe.Priority = *p.Priority
		edits = append(edits, frontmatter.Edit{Key: "priority", Value: string(*p.Priority)})
	}
	text("enforcement", p.Enforcement, &probe.Enforcement)
	if p.Block != nil {
		probe.Block = *p.Block
		edits = append(edits, frontmatter.Edit{Key: "block", Value: *p.Block})
	}
	if p.Check != nil {
		if strings.TrimSpace(p.Check.Command) != "" {
			probe.Check = p.Check
		}
		edits = append(edits, frontmatter.Edit{Key: "check", Value: p.Check})
	}
	text("source", p.Source, new(string))
	list("workspaces", p.Workspaces, &probe.Workspaces)
	if kind == knowledge.Skill && p.Description != nil && probe.Description == "" {
		return nil, invalid("description", "a skill needs one", "say when to use the skill")
	}
	return edits, s.valid(&probe)
}

// wholeBody keeps the blank line at the top and the newline at the end as the
// old body had them.
func wholeBody(old, text string) (string, error) {
	eol := eolOf(old)
	text = strings.Trim(unix(text), "\n")
	if strings.TrimSpace(text) == "" {
		return "", invalid("body", "is empty", "delete the entry if it is no longer needed")
	}
	lead := ""
	if old == "" || strings.HasPrefix(old, eol) {
		lead = "\n"
	}
	if old == "" || strings.HasSuffix(old, "\n") {
		text += "\n"
	}
	return strings.ReplaceAll(lead+text, "\n", eol), nil
}

func eolOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// editBody changes a part of a body. Bytes outside it stay, mixed line endings
// included.
func editBody(body string, c ContentEdit) (string, error) {
	eol := eolOf(body)
	text := strings.ReplaceAll(unix(c.Text), "\n", eol)
	switch c.Op {
	case "append":
		return appendText(body, text, eol)
	case "prepend":
		t := strings.Trim(text, "\r\n")
		if t == "" {
			return "", invalid("content_edit", "text is empty", "send the text to add")
		}
		i := 0
		for strings.HasPrefix(body[i:], eol) {
			i += len(eol)
		}
		return body[:i] + t + between(t, body[i:], eol) + body[i:], nil
	case "str_replace":
		return replaceText(body, c, text)
	case "replace_section":
		return replaceSection(body, c, text, eol)
	}
	return "", invalid("content_edit", "unknown op \""+c.Op+"\"", "append, prepend, str_replace or replace_section")
}

// appendText adds at the end, but before a "## Bindings" section, which is not
// delivered.
func appendText(body, text, eol string) (string, error) {
	t := strings.Trim(text, "\r\n")
	if t == "" {
		return "", invalid("content_edit", "text is empty", "send the text to add")
	}
	at := len(body)
	if i := knowledge.Bindings(body); i >= 0 {
		at = i
	}
	front, tail := body[:at], body[at:]
	end := ""
	if tail != "" {
		end = eol + eol
	} else if front == "" || strings.HasSuffix(front, "\n") {
		end = eol
	}
	front = strings.TrimRight(front, "\r\n")
	if front == "" {
		return eol + t + end + tail, nil
	}
	return front + between(front, t, eol) + t + end + tail, nil
}

// between is what separates two texts: nothing but a line end inside a list,
// else a blank line.
func between(a, b, eol string) string {
	if strings.TrimSpace(b) == "" {
		return eol
	}
	last := a[strings.LastIndexByte(a, '\n')+1:]
	first, _, _ := strings.Cut(b, "\n")
	if listItem(last) && listItem(first) {
		return eol
	}
	return eol + eol
}

func listItem(line string) bool {
	t := strings.TrimLeft(line, " \t")
	if strings.HasPrefix(t, "- ") || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "+ ") {
		return true
	}
	n := len(t) - len(strings.TrimLeft(t, "0123456789"))
	return n > 0 && (strings.HasPrefix(t[n:], ". ") || strings.HasPrefix(t[n:], ") "))
}

// replaceText wants exactly one match. Line endings need not be the file's.
func replaceText(body string, c ContentEdit, text string) (string, error) {
	old := unix(c.Old)
	if old == "" {
		return "", invalid("content_edit", "old text is empty", "send the text to replace; it must stand in the body exactly once")
	}
	flat := unix(body)
	var at []int
	for i := 0; ; {
		j := strings.Index(flat[i:], old)
		if j < 0 {
			break
		}
		at = append(at, i+j)
		i += j + 1
	}
	switch len(at) {
	case 1:
	case 0:
		return "", invalid("content_edit", "old text matches 0 times", "read the entry again and copy the text exactly")
	default:
		var where []string
		for _, i := range at[:min(len(at), 5)] {
			where = append(where, fmt.Sprint(head.LineAt([]byte(flat), i)))
		}
		where = slices.Compact(where)
		word := "line"
		if len(where) > 1 {
			word = "lines"
		}
		return "", invalid("content_edit", fmt.Sprintf("old text matches %d times (%s %s of the body)", len(at), word, strings.Join(where, ", ")), "add text around it until it is the only one")
	}
	from, to := origin(body, at[0]), origin(body, at[0]+len(old))
	return body[:from] + text + body[to:], nil
}

// origin is the offset in body of an offset in unix(body).
func origin(body string, flat int) int {
	n := 0
	for i := 0; i < len(body); i++ {
		if n == flat {
			return i
		}
		if body[i] == '\r' && i+1 < len(body) && body[i+1] == '\n' {
			continue
		}
		n++
	}
	return len(body)
}

// replaceSection replaces what stands under a heading.
func replaceSection(body string, c ContentEdit, text, eol string) (string, error) {
	want := strings.TrimSpace(c.Section)
	level := len(want) - len(strings.TrimLeft(want, "#"))
	name := strings.TrimSpace(want[level:])
	if name == "" {
		return "", invalid("content_edit", "section is empty", "name the heading whose text is replaced")
	}
	all := knowledge.Headings(body)
	var hits []int
	var names []string
	for i, h := range all {
		names = append(names, strings.Repeat("#", h.Level)+" "+h.Text)
		if strings.EqualFold(h.Text, name) && (level == 0 || level == h.Level) {
			hits = append(hits, i)
		}
	}
	if len(hits) != 1 {
		remedy := "the entry has no headings; replace a piece of its text instead"
		if len(names) > 0 {
			remedy = "name one of: " + strings.Join(names[:min(len(names), 12)], ", ")
		}
		return "", invalid("content_edit", fmt.Sprintf("section %q matches %d headings", want, len(hits)), remedy)
	}
	h := all[hits[0]]
	end := len(body)
	for _, next := range all[hits[0]+1:] {
		if next.Level <= h.Level {
			end = next.Start
			break
		}
	}
	t := strings.Trim(text, "\r\n")
	start := h.End
	// A text that brings the heading along replaces it too.
	if first := knowledge.Headings(t); len(first) > 0 && first[0].Start == 0 && strings.EqualFold(first[0].Text, h.Text) {
		start = h.Start
	} else if t != "" {
		t = eol + t
		if start > 0 && body[start-1] != '\n' {
			t = eol + t
		}
	}
	if t != "" {
		t += eol
	}
	if end < len(body) {
		t += eol
	} else if body != "" && !strings.HasSuffix(body, "\n") {
		t = strings.TrimSuffix(t, eol)
	}
	return body[:start] + t + body[end:], nil
}

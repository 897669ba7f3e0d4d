package host

import (
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
)

// Change is text that a tool call would put into one file, as the payload says
// it. What of it is new is for the reader to find out (guard.Added), who may
// look at the file.
type Change struct {
	Path string // as the payload spells it; relative ones start at Event.Cwd
	// New is what goes in and Old the passage that it takes the place of.
	Old, New string
	// Whole: New is the whole file, or a sketch of it; what the file says now is
	// old.
	Whole bool
	// Added: New holds added lines alone, in one run.
	Added bool
	// Cell is the notebook's cell that New is the source of; Path is a notebook
	// then, and what the cell says now is old.
	Cell string
}

// maxChanges bounds one event's changes. A payload has at most 8 MiB, so more
// pieces than this are no edit that a model writes.
const maxChanges = 20_000

// Changes are the changes that a tool call of any client would make: one edit,
// many, a whole file, the added lines of a patch, also of one that is typed into
// a shell. nil for a tool that edits nothing.
func Changes(payload []byte, env sysenv.Env) []Change {
	in := toolInput(payload)
	if in.Kind() == '"' {
		return patchChanges(in.Text(), "")
	}
	for _, name := range [...]string{"command", "input", "patch", "patchText", "patch_text", "commands", "cmd", "command_line", "script"} {
		switch v := unwrapped(in.Get(name)); v.Kind() {
		case '"':
			if c := lineChanges(v.Text(), shellOf(env)); c != nil {
				return c
			}
		case '[':
			var all []Change
			argv := texts(v)
			if name != "commands" && !strings.Contains(strings.Join(argv, " "), patchBegin) {
				continue
			}
			for _, a := range argv {
				all = append(all, lineChanges(a, shellOf(env))...)
			}
			if all != nil {
				return all
			}
		}
	}
	path, _ := pathOf(in)
	var all []Change
	// MultiEdit and its kin: each edit may name a file of its own.
	for _, name := range [...]string{"edits", "replacements", "changes"} {
		for e := range unwrapped(in.Get(name)).Elements {
			p := path
			if own, ok := pathOf(e); ok {
				p = own
			}
			all = editChange(all, e, p)
		}
	}
	if all == nil {
		all = editChange(nil, in, path)
	}
	return all
}

// pathOf is the file that an edit names.
func pathOf(in rawjson.Value) (string, bool) {
	for _, n := range [...]string{"file_path", "path", "filePath", "notebook_path", "target_file", "TargetFile", "target_notebook", "fileName", "file", "uri"} {
		if s := in.Get(n).Text(); s != "" {
			return strings.TrimPrefix(s, "file://"), true
		}
	}
	return "", false
}

// editChange reads one edit's texts under the names that clients give them.
func editChange(list []Change, in rawjson.Value, path string) []Change {
	if path == "" || len(list) >= maxChanges {
		return list
	}
	if mode := in.Get("edit_mode").Text(); mode == "delete" {
		return list
	}
	if s, ok := textOf(in, "new_source"); ok {
		c := Change{Path: path, New: s, Cell: first(in, "cell_id", "cell_number")}
		if in.Get("edit_mode").Text() == "insert" {
			c.Cell, c.Added = "", true
		}
		return append(list, c)
	}
	// VS Code's edit_notebook_file: newCode is one text or a list of lines.
	if code := in.Get("newCode"); code.Kind() == '"' || code.Kind() == '[' {
		if in.Get("editType").Text() == "delete" {
			return list
		}
		c := Change{Path: path, New: code.Text(), Cell: in.Get("cellId").Text()}
		if code.Kind() == '[' {
			c.New = strings.Join(texts(code), "\n")
		}
		if c.Cell == "" || in.Get("editType").Text() == "insert" {
			c.Cell, c.Added = "", true
		}
		return append(list, c)
	}
	if s, ok := textOf(in, "diff"); ok {
		return searchReplace(list, s, path)
	}
	if s, ok := textOf(in, "new_string", "new_str", "newString", "newStr", "new_text", "newText", "insert_text", "replacement"); ok {
		old, has := textOf(in, "old_string", "old_str", "oldString", "oldStr", "old_text", "oldText")
		switch {
		case has && old != "":
			return append(list, Change{Path: path, Old: old, New: s})
		case in.Get("insert_line").Kind() != 0, in.Get("command").Text() == "append":
			return append(list, Change{Path: path, New: s, Added: true})
		}
		// Without an old text the tool makes the file.
		return append(list, Change{Path: path, New: s, Whole: true})
	}
	if s, ok := textOf(in, "content", "file_text", "contents", "code", "code_edit", "text", "CodeContent", "newContent"); ok {
		return append(list, Change{Path: path, New: s, Whole: true})
	}
	return list
}

// searchReplace reads the blocks of replace_in_file:
//
//	------- SEARCH (or <<<<<<< SEARCH) / ======= / +++++++ REPLACE (or >>>>>>>)
func searchReplace(list []Change, text, path string) []Change {
	const (
		outside = iota
		search
		replace
	)
	at := outside
	var c Change
	for line := range strings.Lines(text) {
		switch bare := strings.TrimRight(line, " \t\r\n"); {
		case (strings.HasPrefix(bare, "<<<<<<<") || strings.HasPrefix(bare, "-------")) && strings.Contains(bare, "SEARCH"):
			at, c = search, Change{Path: path}
		case bare == "=======" && at == search:
			at = replace
		case (strings.HasPrefix(bare, ">>>>>>>") || strings.HasPrefix(bare, "+++++++")) && strings.Contains(bare, "REPLACE") && at == replace:
			if len(list) < maxChanges {
				list = append(list, c)
			}
			at = outside
		case at == search:
			c.Old += line
		case at == replace:
			c.New += line
		}
	}
	if at == replace && len(list) < maxChanges {
		list = append(list, c) // cut off: what was read goes in all the same
	}
	return list
}

// lineChanges are the changes of a patch text, or of the patches in a command
// line.
func lineChanges(s string, sh shell) []Change {
	if !strings.Contains(s, patchBegin) {
		return nil
	}
	if strings.HasPrefix(strings.TrimSpace(s), patchBegin) {
		return patchChanges(s, "")
	}
	var all []Change
	r := &shellReader{sh: sh, changes: &all}
	r.read(s)
	return all
}

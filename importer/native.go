package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	loads "pathrule/internal/managed"
	"pathrule/internal/managed/render"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
)

// After an import the files stay where they are, and their clients go on loading
// them. imported.json beside the entries says which entry's whole text stands in
// which of them, in the lines of managed.json, so that a hook does not tell it to
// that client a second time. Once the file or the entry changes, the line fits no
// more and the hook tells.

// native is the compile target whose readers load a file of this place, "" for
// places of which it is not sure enough that all of them do. A folder's own guide
// comes when work reaches the folder, as far as its readers look there.
func native(rel string) string {
	switch rel {
	case "CLAUDE.md", ".claude/CLAUDE.md":
		return "claude"
	case "AGENTS.md":
		return "agents"
	case "GEMINI.md":
		return "gemini"
	case "QWEN.md":
		return "qwen"
	case ".github/copilot-instructions.md":
		return "copilot"
	case ".rules":
		return "zed"
	}
	for _, t := range [...]struct{ dir, ext, target string }{
		{".claude/rules/", ".md", "claude-rules"},
		{".cursor/rules/", ".mdc", "cursor"},
		{".github/instructions/", ".instructions.md", "copilot"},
		{".qwen/rules/", ".md", "qwen"},
		{".windsurf/rules/", ".md", "windsurf"},
		{".devin/rules/", ".md", "devin-local"},
	} {
		if strings.HasPrefix(rel, t.dir) && strings.HasSuffix(rel, t.ext) {
			return t.target
		}
	}
	switch path.Base(rel) {
	case "CLAUDE.md":
		return "claude"
	case "AGENTS.md":
		return "agents"
	case "GEMINI.md":
		return "gemini"
	}
	return ""
}

// nativeFiles are the lines for one unit of the project at root.
func nativeFiles(u *Unit, root string) []loads.File {
	if u.src == nil || u.Personal || u.Kind == knowledge.Skill || u.raw == nil {
		return nil
	}
	e, _, err := frontmatter.Parse(u.raw, u.Kind, u.ID, knowledge.FileOf(u.Kind, u.ID))
	if err != nil {
		return nil
	}
	text := knowledge.Strip(e.Body)
	whole := loads.UnixLines([]byte(strings.TrimSpace(text)))
	hold := loads.Hold(string(u.Kind), u.ID, loads.TextHash(e.Title, text))
	var out []loads.File
	for i := range u.placed {
		at := &u.placed[i]
		// What "@" lines lead to is loaded as the first file on the way is.
		first := at.rel
		if at.via != "" {
			first = at.chain[0]
		}
		form, fields := at.form, at.src.fields
		if at.via != "" {
			form, _ = formOf(first)
			fields = nil
		}
		target, when := native(first), momentOf(&form, first, fields)
		if form.role == guide && when == ForPaths && form.dir != path.Dir(first) {
			continue // a guide in a client's own folder below the root
		}
		if target == "" || when == Never || when == ForPaths && (len(at.paths) == 0 || at.paths[0] == "/") {
			continue
		}
		data, err := regular.Read(at.src.real)
		if err != nil || !bytes.Contains(loads.UnixLines(data), whole) {
			continue // another encoding, or a copy with other blanks: not what the client shows
		}
		f := loads.File{Path: at.rel, Target: target, SHA256: loads.Hash(data), Holds: []string{hold}}
		if when == ForPaths {
			f.For = at.paths
		}
		for _, name := range at.chain {
			data, e := regular.Read(filepath.Join(root, filepath.FromSlash(name)))
			err = errors.Join(err, e)
			f.With = append(f.With, loads.Named(name, data))
		}
		if err == nil {
			out = append(out, f)
		}
	}
	return out
}

// noteNative brings imported.json up to date: what this import looked at is
// written anew, the rest stays.
func noteNative(r *Report, to *store.Store, by string) (changed bool, err error) {
	name := filepath.Join(to.Dir(), loads.Imported)
	var m struct {
		Version int          `json:"version"`
		Files   []loads.File `json:"files"`
	}
	old, err := regular.Read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("read %s: %w", loads.Imported, err)
	}
	if err == nil && json.Unmarshal(old, &m) != nil {
		m.Files = nil // a merge gone wrong: what it said costs a text told twice
	}
	looked := map[string]bool{}
	for _, f := range r.Files {
		looked[path.Clean(f.Path)] = true
	}
	m.Files = slices.DeleteFunc(m.Files, func(f loads.File) bool { return looked[f.Path] })
	lines := map[string]int{}
	for i := range r.Units {
		if r.Units[i].Action == Edited {
			continue
		}
		for _, f := range nativeFiles(&r.Units[i], r.root) {
			// Parts of one file that was split stand in one line.
			line := strings.Join(slices.Concat([]string{f.Path, f.Target, ""}, f.With, []string{""}, f.For), "\x00")
			if at, ok := lines[line]; ok {
				if !slices.Contains(m.Files[at].Holds, f.Holds[0]) {
					m.Files[at].Holds = append(m.Files[at].Holds, f.Holds...)
				}
				continue
			}
			lines[line] = len(m.Files)
			m.Files = append(m.Files, f)
		}
	}
	if len(m.Files) == 0 && old == nil {
		return false, nil
	}
	slices.SortStableFunc(m.Files, func(a, b loads.File) int { return strings.Compare(a.Path, b.Path) })
	text, err := render.Manifest(m.Files)
	if err != nil || bytes.Equal(loads.UnixLines(old), text) {
		return false, err
	}
	return true, to.WriteFile(loads.Imported, text, by)
}

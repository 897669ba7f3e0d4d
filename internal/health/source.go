package health

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"pathrule/internal/managed"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// importedFiles are the files of a workspace that entries were imported from, as
// import noted them.
func importedFiles(ws *workspace.Workspace) []managed.File {
	var m struct{ Files []managed.File }
	b, err := regular.Read(filepath.Join(ws.Store, managed.Imported))
	if err != nil || json.Unmarshal(b, &m) != nil {
		return nil
	}
	return m.Files
}

// sources finds entries that stand as they were imported while their file went
// on: who does not load the file is told what it no longer says, and who does has
// both.
func (c *checker) sources() {
	byName := map[string]*knowledge.Entry{}
	for i := range c.in.Entries {
		byName[name(&c.in.Entries[i])] = &c.in.Entries[i]
	}
	told := map[string]bool{}
	for i := range c.in.Imported {
		f := &c.in.Imported[i]
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			continue
		}
		b, err := regular.Read(filepath.Join(c.in.Project.Root, filepath.FromSlash(f.Path)))
		if err != nil || f.Unmodified(b) {
			continue
		}
		for _, h := range f.Holds {
			key, version := managed.CutHold(h)
			e := byName[key]
			if e == nil || told[key] {
				continue
			}
			text := knowledge.Strip(c.text(e))
			if managed.TextHash(e.Title, text) != version || stands(b, text) {
				continue // the entry goes its own way, or compile wrote beside the text
			}
			told[key] = true
			c.add(Source, e, Finding{Other: f.Path, Remedy: "pathrule import",
				Why: f.Path + ", which it was imported from, says something else by now; clients that do not load the file are told the old text"})
		}
	}
}

// stands reports that a file changed by nothing but a part of ours.
func stands(file []byte, text string) bool {
	r, err := managed.FindRegion(file)
	return err == nil && r.Found && bytes.Contains(managed.UnixLines(file), managed.UnixLines([]byte(strings.TrimSpace(text))))
}

package compile

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"pathrule/internal/atomicfile"
	"pathrule/internal/regular"
	"pathrule/workspace"
)

// What is to become of a Backup.
const (
	Restore = "restore" // nothing stands in its place
	Discard = "discard" // the same bytes stand there
	Choose  = "choose"  // a person has to look
)

// Backup is a copy of somebody's file that the older product left below
// backups/ in the store when it took the file over.
type Backup struct {
	Path   string `json:"path"`   // where it belongs, from the project's root
	File   string `json:"file"`   // the copy, absolute
	Action string `json:"action"` // Restore, Discard or Choose
	Why    string `json:"why"`
	data   []byte
}

// Backups are the copies that nobody restored or discarded, sorted by path.
func Backups(ws *workspace.Workspace) []Backup {
	var out []Backup
	dir := filepath.Join(ws.Store, "backups")
	_ = filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if rel, err := filepath.Rel(dir, file); err == nil && rel != "." {
			b := Backup{Path: filepath.ToSlash(rel), File: file, Action: Choose}
			b.judge(ws)
			out = append(out, b)
		}
		return nil
	})
	slices.SortFunc(out, func(a, b Backup) int { return bytes.Compare([]byte(a.Path), []byte(b.Path)) })
	return out
}

// judge decides. Rule files alone go back without a look: a copy of a settings
// file or a git hook, which a repository can bring along, would run commands.
func (b *Backup) judge(ws *workspace.Workspace) {
	if !slices.ContainsFunc(targetTable, func(t target) bool { return t.spot(b.Path) }) {
		b.Why = "no rule file of a client; take it back by hand, or delete the copy"
		return
	}
	data, err := regular.Read(b.File)
	if err != nil {
		b.Why = fmt.Sprintf("the copy cannot be read (%v)", err)
		return
	}
	p := planner{ws: ws}
	now, refused := p.read(b.Path)
	switch {
	case refused != "":
		b.Why = refused
	case now != nil && bytes.Equal(now, data):
		b.Action, b.Why = Discard, "the same text stands in its place"
	case now != nil:
		b.Why = "differs from what stands in its place; keep one of the two, then delete the copy"
	default:
		if st, err := os.Stat(filepath.Join(ws.Root, filepath.FromSlash(path.Dir(b.Path)))); err != nil || !st.IsDir() {
			b.Why = "its folder is gone; take it back by hand, or delete the copy"
			return
		}
		b.Action, b.Why, b.data = Restore, "nothing stands in its place", data
	}
}

// Settle does what Backups said, unless something changed since; what a person
// has to choose stays. Folders of backups that it empties go too.
func Settle(ws *workspace.Workspace, list []Backup) error {
	for _, b := range list {
		if b.Action == Choose {
			continue
		}
		again := Backup{Path: b.Path, File: b.File, Action: Choose}
		again.judge(ws)
		if again.Action != b.Action || !bytes.Equal(again.data, b.data) {
			return fmt.Errorf("%s changed meanwhile; run the command again", b.Path)
		}
		if b.Action == Restore {
			if err := atomicfile.Write(filepath.Join(ws.Root, filepath.FromSlash(b.Path)), b.data, 0o644, 0); err != nil {
				return fmt.Errorf("restore %s: %w", b.Path, err)
			}
		}
		if err := os.Remove(b.File); err != nil {
			return fmt.Errorf("remove the copy of %s: %w", b.Path, err)
		}
		for dir := filepath.Dir(b.File); dir != ws.Store; dir = filepath.Dir(dir) {
			if os.Remove(dir) != nil {
				break
			}
		}
	}
	return nil
}

// Package inbox holds writes that wait for a person: with the setting
// "writes: review" an assistant's write becomes one file here instead of an
// entry. Nothing in it reaches a model or an index.
package inbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// Format is the version of a proposal's file.
//
//	1: first
const Format = 1

// Actions of a proposal.
const (
	Create  = "create"
	Update  = "update"
	Delete  = "delete"
	Restore = "restore"
)

// Max is how many proposals may wait in one inbox: more than a person goes
// through, and less than a model in a loop would write.
const Max = 300

var (
	// ErrNotFound: no proposal has this id.
	ErrNotFound = errors.New("no such proposal")
	// ErrFull: Max proposals wait already.
	ErrFull = fmt.Errorf("%d proposals wait already", Max)
)

// Proposal is one write that was asked for.
type Proposal struct {
	Format int       `json:"format"`
	ID     string    `json:"id"` // 12 hex; the same write proposed again keeps it
	At     time.Time `json:"at"`
	By     string    `json:"by"` // "mcp:<client>"
	// Personal: for the user's own store instead of the workspace's.
	Personal bool           `json:"personal,omitempty"`
	Action   string         `json:"action"`
	Kind     knowledge.Kind `json:"kind"`
	Entry    string         `json:"entry,omitempty"`    // id; "" for a create without one
	Expected string         `json:"expected,omitempty"` // version that was read
	Draft    *store.Draft   `json:"draft,omitempty"`
	Patch    *store.Patch   `json:"patch,omitempty"`
	// AllowDuplicate of a create.
	AllowDuplicate bool `json:"allow_duplicate,omitempty"`
}

// Dir is the inbox of a workspace.
func Dir(dirs workspace.Dirs, workspaceID string) string {
	return dirs.Below("inbox", workspaceID)
}

// Rel is where a proposal lies below the pathrule home, as a slash path.
func Rel(workspaceID, id string) string { return "inbox/" + workspaceID + "/" + id + ".json" }

// Put stores p and returns it with its id. ErrFull when Max others wait.
func Put(dirs workspace.Dirs, workspaceID string, p Proposal) (Proposal, error) {
	p.Format, p.ID = Format, ""
	// The id comes from what is proposed, not from when, so that a model that
	// repeats itself does not fill the inbox.
	same := p
	same.At = time.Time{}
	raw, err := json.Marshal(same)
	if err != nil {
		return p, fmt.Errorf("encode proposal: %w", err)
	}
	sum := sha256.Sum256(raw)
	p.ID = hex.EncodeToString(sum[:6])
	if raw, err = json.MarshalIndent(p, "", "  "); err != nil {
		return p, fmt.Errorf("encode proposal: %w", err)
	}
	path := filepath.Join(Dir(dirs, workspaceID), p.ID+".json")
	if _, err := os.Lstat(path); err != nil && count(filepath.Dir(path)) >= Max {
		return p, ErrFull
	}
	if err := atomicfile.Write(path, append(raw, '\n'), 0o600, 0o700); err != nil {
		return p, fmt.Errorf("store proposal: %w", err)
	}
	return p, nil
}

// count is how many files of proposals a folder holds.
func count(dir string) (n int) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), ".json"); ok && validID(id) {
			n++
		}
	}
	return n
}

// List reads all proposals, oldest first. A file that cannot be read is a
// Problem.
func List(dirs workspace.Dirs, workspaceID string) ([]Proposal, []workspace.Problem) {
	dir := Dir(dirs, workspaceID)
	files, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, []workspace.Problem{{File: dir, Msg: err.Error()}}
	}
	var all []Proposal
	var problems []workspace.Problem
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok || !validID(id) {
			continue
		}
		p, err := Get(dirs, workspaceID, id)
		if err != nil {
			problems = append(problems, workspace.Problem{File: filepath.Join(dir, f.Name()), Msg: err.Error(), Remedy: "remove the file"})
			continue
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b Proposal) int { return a.At.Compare(b.At) })
	return all, problems
}

// Get reads one proposal.
func Get(dirs workspace.Dirs, workspaceID, id string) (Proposal, error) {
	var p Proposal
	if !validID(id) {
		return p, ErrNotFound
	}
	raw, err := os.ReadFile(filepath.Join(Dir(dirs, workspaceID), id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return p, ErrNotFound
	}
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, fmt.Errorf("read proposal %s: %w", id, err)
	}
	if p.Format != Format {
		return p, fmt.Errorf("read proposal %s: format %d is not %d", id, p.Format, Format)
	}
	return p, nil
}

// Remove takes a proposal out, after it was applied or turned down.
func Remove(dirs workspace.Dirs, workspaceID, id string) error {
	if !validID(id) {
		return ErrNotFound
	}
	err := os.Remove(filepath.Join(Dir(dirs, workspaceID), id+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

// Keep is how long a proposal waits for a person before Prune takes it: by then
// the entries that it speaks of are others.
const Keep = 180 * 24 * time.Hour

// Workspaces are the ids of the workspaces that have an inbox.
func Workspaces(dirs workspace.Dirs) []string {
	list, _ := os.ReadDir(dirs.Below("inbox"))
	var out []string
	for _, d := range list {
		if d.IsDir() {
			out = append(out, d.Name())
		}
	}
	return out
}

// Prune removes proposals older than Keep and what killed writes left, and says
// how many files went; with dry it only counts the proposals.
func Prune(dirs workspace.Dirs, workspaceID string, now time.Time, dry bool) (removed int) {
	dir := Dir(dirs, workspaceID)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		st, err := f.Info()
		if !ok || !validID(id) || err != nil || now.Sub(st.ModTime()) < Keep {
			continue
		}
		if dry || os.Remove(filepath.Join(dir, f.Name())) == nil {
			removed++
		}
	}
	if !dry {
		removed += atomicfile.Sweep(dir, now.Add(-time.Hour))
	}
	return removed
}

// Apply does what p asks for in st, the store it is meant for. The caller
// removes the proposal and publishes the index. by names the writer together
// with the person who let it in.
func Apply(p Proposal, st *store.Store, by string) (knowledge.Entry, error) {
	switch {
	case p.Action == Create && p.Draft != nil:
		e, _, err := st.Create(*p.Draft, store.CreateOptions{AllowDuplicate: p.AllowDuplicate, By: by})
		return e, err
	case p.Action == Update && p.Patch != nil:
		return st.Update(p.Kind, p.Entry, *p.Patch, p.Expected, by)
	case p.Action == Delete:
		_, err := st.Delete(p.Kind, p.Entry, p.Expected, by)
		return knowledge.Entry{Kind: p.Kind, ID: p.Entry}, err
	case p.Action == Restore:
		return st.Restore(p.Kind, p.Entry, by)
	}
	return knowledge.Entry{}, fmt.Errorf("apply proposal %s: unknown action %q", p.ID, p.Action)
}

var idForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{12}$`) })

func validID(id string) bool { return idForm().MatchString(id) }

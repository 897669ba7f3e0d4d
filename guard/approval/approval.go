// Package approval keeps what a person approved: for one rule, the SHA-256 of
// its whole file and, taken from that very file, the blocks and the check that
// thereby count. Any edit of the file revokes it by itself. Several hashes may
// stand for one rule, since branches hold it in different versions.
//
// The parsed blocks and check lie beside the hash because they are a function
// of it: a hook that has compared the hash needs no YAML to know what the file
// says, and nothing between the file and the decision can be stale.
//
// Pins of one workspace never count in another: a file holds one workspace's,
// is named by its id and repeats its root. Writing is for the command line after
// it has asked a person; nothing else calls Approve.
package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// Personal is the owner of rules in the user's own store.
const Personal = "personal"

// Dir is the folder below the pathrule home.
const Dir = "approvals"

// Place is one store whose rules can be approved.
type Place struct {
	Owner string // the workspace's id, or Personal
	Root  string // the workspace's root, or the personal store
}

// PlaceOf is a workspace's place.
func PlaceOf(ws *workspace.Workspace) Place { return Place{Owner: ws.ID, Root: ws.Root} }

// PersonalPlace is the place of the user's own store.
func PersonalPlace(dirs workspace.Dirs) Place { return Place{Owner: Personal, Root: dirs.Personal()} }

// Pin is one approved version of one rule.
type Pin struct {
	// ID is the rule's id, with knowledge.PersonalPrefix in the personal store.
	ID string
	// Sum is SHA-256 of the file, 64 hex digits.
	Sum string
	// File is the file's slash path in its store.
	File string
	At   time.Time
	// Title and the rest are what the file of that hash says.
	Title      string
	Paths      []string
	Workspaces []string
	Blocks     []knowledge.Block
	Check      *knowledge.Check
}

// Same reports that two pins approve the same content of the same rule.
func (p *Pin) Same(q *Pin) bool { return p.ID == q.ID && p.Sum == q.Sum }

// Sum is the hash that a pin holds for a file's bytes.
func Sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// State says whether what was approved still stands.
type State string

// The states of a pin.
const (
	Approved State = "approved" // the file is what a person approved
	Changed  State = "changed"  // the file was edited since: nothing of it counts
	Gone     State = "gone"     // there is no such file
)

// StateIn compares a pin with the file in a store folder now. A file that
// cannot be read is Gone, one that is larger than an entry may be is Changed.
func (p *Pin) StateIn(store string) State {
	f, err := os.Open(filepath.Join(store, filepath.FromSlash(p.File)))
	if err != nil {
		return Gone
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return Gone
	}
	if st.Size() > knowledge.MaxFile {
		return Changed
	}
	raw := make([]byte, st.Size()+1)
	n := 0
	for n < len(raw) {
		m, err := f.Read(raw[n:])
		n += m
		if err != nil || m == 0 {
			break
		}
	}
	if int64(n) != st.Size() || Sum(raw[:n]) != p.Sum {
		return Changed
	}
	return Approved
}

// Any reports whether anything was ever approved on this machine. It is the one
// look that every event of everybody else pays for.
func Any(dirs workspace.Dirs) bool {
	if dirs.Home == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(dirs.Home, Dir))
	return err == nil
}

// Needs says which kinds of guardrail anything approved on this machine is: what
// clients have to ask us before a tool, and at the end of a turn. Files that
// cannot be understood need nothing.
func Needs(dirs workspace.Dirs) (blocks, checks bool) {
	if dirs.Home == "" {
		return false, false
	}
	d, err := os.Open(filepath.Join(dirs.Home, Dir))
	if err != nil {
		return false, false
	}
	defer d.Close()
	names, _ := d.Readdirnames(10_000)
	for _, name := range names {
		if name == "" || name[0] == '.' {
			continue
		}
		raw, err := readAll(filepath.Join(dirs.Home, Dir, name))
		if err != nil {
			continue
		}
		pins, err := decode(string(raw), Place{Owner: name, Root: rootIn(string(raw))})
		if err != nil {
			continue
		}
		for _, p := range pins {
			blocks = blocks || len(p.Blocks) > 0
			checks = checks || p.Check != nil
		}
	}
	return blocks, checks
}

// Read reads a place's pins, in the order in which they were approved; none
// without a file. A file that another place's name or root was put on, or that
// cannot be understood, grants nothing and is an error.
func Read(dirs workspace.Dirs, at Place) ([]Pin, error) {
	if dirs.Home == "" {
		return nil, nil
	}
	raw, err := readAll(fileOf(dirs, at))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decode(string(raw), at)
}

// ErrForeign: the file of pins was made for another place.
var ErrForeign = errors.New("these approvals were made for another workspace")

// ErrDamaged: the file of pins is not what was written.
var ErrDamaged = errors.New("the file of approvals cannot be understood")

const maxFile = 4 << 20

func fileOf(dirs workspace.Dirs, at Place) string {
	return filepath.Join(dirs.Home, Dir, at.Owner)
}

func readAll(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, ErrDamaged
	}
	return os.ReadFile(name)
}

// PinOf is the pin for an entry that was parsed from raw.
func PinOf(e knowledge.Entry, raw []byte, at time.Time) Pin {
	return Pin{ID: e.ID, Sum: Sum(raw), File: e.File, At: at, Title: e.Title, Paths: e.Paths,
		Workspaces: e.Workspaces, Blocks: e.Block, Check: e.Check}
}

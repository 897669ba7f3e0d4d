// Package hookfile finds the files of user hooks (hooks.json in the project and
// in the pathrule home), knows the catalogue of their events, and keeps what a
// person trusted. It is all that pathrule-hook needs to tell whether an event is
// worth handing to the program that can run hooks (package userhooks), and costs
// one look per place when there is no such file.
//
// A project's file is inert until "pathrule trust" pinned it: by the SHA-256 of
// its bytes together with that of every regular file in the workspace that a
// command word of it resolves to. The user's own file counts by lying in the
// pathrule home, like every other setting there.
package hookfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/rawjson"
	"pathrule/workspace"
)

// Name is the file's name in a store and in the pathrule home.
const Name = "hooks.json"

// MaxFile is the most bytes that a file of hooks may have.
const MaxFile = 256 << 10

// Origin says whose a file is.
type Origin string

// The origins.
const (
	User    Origin = "user"    // <home>/hooks.json
	Project Origin = "project" // .pathrule/hooks.json
)

// File is one file of hooks that is there.
type File struct {
	Origin Origin
	Path   string // absolute
	// Root is the workspace's root, "" for the user's own file.
	Root string
	Raw  []byte
	// Err is why it cannot be read: a link, too large, no rights.
	Err error
}

// Find reads the files of hooks that are there for a workspace (nil: the user's
// own alone): the user's, then the workspaces' from the outermost inward. That
// is also the order of hooks with the same priority.
func Find(ws *workspace.Workspace, dirs workspace.Dirs) []File {
	var out []File
	if dirs.Home != "" {
		if f, ok := read(User, filepath.Join(dirs.Home, Name), ""); ok {
			out = append(out, f)
		}
	}
	var inner []File
	for w := ws; w != nil; w = w.Outer {
		if f, ok := read(Project, filepath.Join(w.Store, Name), w.Root); ok {
			inner = append(inner, f)
		}
	}
	slices.Reverse(inner)
	return append(out, inner...)
}

var (
	errLink  = errors.New("is no regular file; a link is not followed")
	errLarge = fmt.Errorf("is larger than %d KiB", MaxFile>>10)
)

func read(o Origin, path, root string) (File, bool) {
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return File{}, false
	}
	f := File{Origin: o, Path: path, Root: root, Err: err}
	switch {
	case err != nil:
	case !st.Mode().IsRegular():
		f.Err = errLink
	case st.Size() > MaxFile:
		f.Err = errLarge
	default:
		f.Raw, f.Err = readAll(path)
	}
	return f, true
}

func readAll(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err == nil && len(b) > MaxFile {
		return nil, errLarge
	}
	return b, err
}

// Sum is the SHA-256 of bytes in hex, as a pin holds it.
func Sum(raw []byte) string {
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// Events are the canonical names of the events that a file's hooks are for, as
// far as it can be read without its schema; nothing is decided by it but whether
// somebody should look closer. Hooks that are switched off are for none.
func Events(raw []byte) []string {
	var out []string
	each(raw, func(e Event, _ rawjson.Value) {
		if !slices.Contains(out, e.Canonical()) {
			out = append(out, e.Canonical())
		}
	})
	return out
}

// each visits the hooks of a file that are switched on.
func each(raw []byte, visit func(Event, rawjson.Value)) {
	v, err := rawjson.Parse(trimBOM(raw))
	if err != nil || v.Get("enabled").Kind() == 'f' {
		return
	}
	v.Get("hooks").Elements(func(h rawjson.Value) bool {
		if e, ok := Lookup(h.Get("event").Text()); ok && h.Get("enabled").Kind() != 'f' {
			visit(e, h)
		}
		return true
	})
}

// Wants are the events of a file as setup must know them: the canonical names,
// and a name with "*" behind it for one that must come with every tool, because a
// hook has no matcher, or one that may mean other tools than those that clients
// are asked about anyway.
func Wants(raw []byte, tools []string) []string {
	out := Events(raw)
	each(raw, func(e Event, h rawjson.Value) {
		if !e.tools() || listed(h.Get("matcher").Text(), tools) {
			return
		}
		if all := e.Canonical() + "*"; !slices.Contains(out, all) {
			out = append(out, all)
		}
	})
	return out
}

// listed reports that a matcher is ^NAME$ or ^(NAME|NAME)$ with names of tools
// alone. Without the anchors it would match inside other names as well.
func listed(matcher string, tools []string) bool {
	in, begins := strings.CutPrefix(matcher, "^")
	in, ends := strings.CutSuffix(in, "$")
	if !begins || !ends {
		return false
	}
	if open, has := strings.CutPrefix(in, "("); has {
		if in, has = strings.CutSuffix(open, ")"); !has {
			return false
		}
	} else if strings.Contains(in, "|") {
		return false
	}
	for name := range strings.SplitSeq(in, "|") {
		if !slices.Contains(tools, name) {
			return false
		}
	}
	return true
}

func trimBOM(b []byte) []byte {
	if len(b) >= 3 && string(b[:3]) == "\xEF\xBB\xBF" {
		return b[3:]
	}
	return b
}

// Wanted reports that a file may have a hook for one of the events, and that it
// may count: it is the user's own, or these very bytes were trusted. Whether the
// files that its commands run are as they were is for whoever runs them.
func (f *File) Wanted(dirs workspace.Dirs, events []string) bool {
	if f.Err != nil {
		return false
	}
	has := false
	for _, e := range Events(f.Raw) {
		has = has || slices.Contains(events, e)
	}
	if !has || f.Origin == User {
		return has
	}
	pins, _ := Pins(dirs, f.Root)
	sum := Sum(f.Raw)
	return slices.ContainsFunc(pins, func(p Pin) bool { return p.Sum == sum })
}

package hookfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/linetree"
	"pathrule/internal/shasum"
	"pathrule/workspace"
)

// Pin is one trusted version of a project's file of hooks.
type Pin struct {
	Sum string // of hooks.json
	At  time.Time
	// Events are the events its hooks are for, as Wants names them; setup registers
	// what they need.
	Events []string
	// Files are the workspace's files that its commands run, by path.
	Files []Sealed
}

// Sealed is one file that a command runs, with the hash that was trusted.
type Sealed struct {
	Path string // slash path from the workspace's root; absolute for what a link in it leads to outside
	Sum  string
}

// A record of trusted hooks is <home>/trust/hooks-<SHA-256 of the root>: lines
// of tab-separated fields (linetree's escapes), understood whole or not at all.
//
//	pathrule-hooks <format>
//	root  ROOT
//	pin   SUM SECONDS EVENTS
//	file  SUM PATH                of the pin above
//	end
//
//	1: first
const magic = "pathrule-hooks 1"

const (
	prefix      = "hooks-"
	maxVersions = 16
	maxRecord   = 4 << 20
	lockWait    = 2 * time.Second
)

// ErrDamaged: the record is not what was written; it grants nothing.
var ErrDamaged = errors.New("the record of trusted hooks cannot be understood")

var errNoHome = errors.New("the home folder is unknown; set PATHRULE_HOME to an absolute path")

func recordOf(dirs workspace.Dirs, root string) string {
	return filepath.Join(dirs.Home, "trust", prefix+Sum([]byte(root)))
}

// Pins are the trusted versions of a workspace's hooks, oldest first; none
// without a record.
func Pins(dirs workspace.Dirs, root string) ([]Pin, error) {
	if dirs.Home == "" {
		return nil, nil
	}
	raw, err := readRecord(recordOf(dirs, root))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decode(raw, root)
}

func readRecord(name string) (string, error) {
	st, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	if !st.Mode().IsRegular() || st.Size() > maxRecord {
		return "", ErrDamaged
	}
	b, err := os.ReadFile(name)
	return string(b), err
}

// Stands is a word for a file of hooks and what its commands run, as they are now;
// it is another one once any of them was written anew. The latter are not read:
// size and time tell.
func (f *File) Stands(dirs workspace.Dirs) string {
	sum := Sum(f.Raw)
	if f.Origin == User {
		return sum
	}
	b := []byte(sum)
	pins, _ := Pins(dirs, f.Root)
	for _, p := range pins {
		if p.Sum != sum {
			continue
		}
		for _, s := range p.Files {
			name := filepath.FromSlash(s.Path)
			if !filepath.IsAbs(name) {
				name = filepath.Join(f.Root, name)
			}
			size, mod := int64(-1), int64(0)
			if st, err := os.Stat(name); err == nil {
				size, mod = st.Size(), st.ModTime().UnixNano()
			}
			b = fmt.Appendf(b, " %d %d", size, mod)
		}
	}
	return Sum(b)
}

// Trust adds a pin; the command line calls it after it asked a person, and
// nobody else.
func Trust(dirs workspace.Dirs, root string, p Pin) error {
	return change(dirs, root, func(pins []Pin) []Pin {
		pins = slices.DeleteFunc(pins, func(q Pin) bool { return q.Sum == p.Sum && slices.Equal(q.Files, p.Files) })
		pins = append(pins, p)
		return pins[max(0, len(pins)-maxVersions):]
	})
}

// Revoke takes all pins of a workspace back and says how many there were.
func Revoke(dirs workspace.Dirs, root string) (n int, err error) {
	if dirs.Home == "" {
		return 0, nil
	}
	if _, err := os.Lstat(recordOf(dirs, root)); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	pins, _ := Pins(dirs, root)
	if err := os.Remove(recordOf(dirs, root)); err != nil {
		return 0, fmt.Errorf("take trust of hooks back: %w", err)
	}
	return len(pins), nil
}

func change(dirs workspace.Dirs, root string, edit func([]Pin) []Pin) error {
	if dirs.Home == "" {
		return fmt.Errorf("record trust of hooks: %w", errNoHome)
	}
	name := recordOf(dirs, root)
	lock, err := filelock.Acquire(filepath.Join(filepath.Dir(name), "."+prefix+"lock"), lockWait)
	if err != nil {
		return fmt.Errorf("record trust of hooks: %w", err)
	}
	defer lock.Unlock()
	pins, err := Pins(dirs, root)
	if err != nil && !errors.Is(err, ErrDamaged) {
		return fmt.Errorf("record trust of hooks: %w", err)
	}
	if err := atomicfile.Write(name, encode(root, edit(pins)), 0o600, 0o700); err != nil {
		return fmt.Errorf("record trust of hooks: %w", err)
	}
	return nil
}

// Needs are the events that hooks on this machine are for, as Wants names them:
// the user's own and those of every trusted project. Setup registers what emits
// them.
func Needs(dirs workspace.Dirs, tools []string) []string {
	var out []string
	add := func(events []string) {
		for _, e := range events {
			if !slices.Contains(out, e) {
				out = append(out, e)
			}
		}
	}
	for _, f := range Find(nil, dirs) {
		if f.Err == nil {
			add(Wants(f.Raw, tools))
		}
	}
	if dirs.Home != "" {
		list, _ := os.ReadDir(filepath.Join(dirs.Home, "trust"))
		for _, e := range list {
			if !strings.HasPrefix(e.Name(), prefix) {
				continue
			}
			raw, err := readRecord(filepath.Join(dirs.Home, "trust", e.Name()))
			if err != nil {
				continue
			}
			pins, err := decode(raw, "")
			if err != nil {
				continue
			}
			for _, p := range pins {
				add(p.Events)
			}
		}
	}
	slices.Sort(out)
	return out
}

func encode(root string, pins []Pin) []byte {
	b := append([]byte(magic), '\n')
	text := func(s string) string { return string(linetree.AppendField(nil, s)) }
	b = append(b, "root\t"+text(root)+"\n"...)
	for _, p := range pins {
		b = append(b, "pin\t"+p.Sum+"\t"+strconv.FormatInt(p.At.Unix(), 10)+"\t"+string(linetree.AppendList(nil, p.Events))+"\n"...)
		for _, f := range p.Files {
			b = append(b, "file\t"+f.Sum+"\t"+text(f.Path)+"\n"...)
		}
	}
	return append(b, "end\n"...)
}

// decode reads a record; root "" takes any.
func decode(s, root string) ([]Pin, error) {
	var pins []Pin
	rooted := false
	ok := linetree.Whole(s, magic, func(f []string) bool {
		switch {
		case !rooted:
			rooted = f[0] == "root" && len(f) == 2 && (root == "" || linetree.Unescape(f[1]) == root)
			return rooted
		case f[0] == "pin" && len(f) == 4 && shasum.Valid(f[1]):
			at, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				return false
			}
			pins = append(pins, Pin{Sum: f[1], At: time.Unix(at, 0).UTC(), Events: linetree.SplitList(f[3])})
		case f[0] == "file" && len(f) == 3 && len(pins) > 0 && shasum.Valid(f[1]):
			p := &pins[len(pins)-1]
			p.Files = append(p.Files, Sealed{Path: linetree.Unescape(f[2]), Sum: f[1]})
		default:
			return false
		}
		return true
	})
	if !ok || !rooted {
		return nil, ErrDamaged
	}
	return pins, nil
}

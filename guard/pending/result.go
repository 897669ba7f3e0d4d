package pending

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/linetree"
)

// Result is what "pathrule check run" came to: the exit code, and the state of
// every file that waited for it as the run found them. It counts for exactly
// these states, in whatever session they were edited.
type Result struct {
	// In is the id of the outermost workspace: a rule of the user's own is a check
	// of many.
	In    string
	Check Check
	Sum   string // of the rule's file, as it was approved
	Exit  int
	At    time.Time
	// Files are the states by path in base coordinates.
	Files map[string]string
}

// Covers reports that the run passed with every path as it is now. state gives
// a path's present state (StateOf).
func (r *Result) Covers(sum string, paths []string, state func(path string) string) bool {
	if r == nil || r.Exit != 0 || r.Sum != sum {
		return false
	}
	for _, p := range paths {
		if had, ok := r.Files[p]; !ok || had != state(p) {
			return false
		}
	}
	return true
}

// maxState is how much of a file its state is made of; a larger one is told
// apart by its size and time.
const maxState = 8 << 20

// StateOf is the state of a file: "gone", or a hash of what it holds.
func StateOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "gone"
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return "other"
	}
	h := sha256.New()
	if st.Size() > maxState {
		io.WriteString(h, strconv.FormatInt(st.Size(), 10)+" "+st.ModTime().UTC().Format(time.RFC3339Nano))
	} else if _, err := io.Copy(h, io.LimitReader(f, maxState)); err != nil {
		return "unreadable"
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func resultFile(state, in string, c Check) string {
	sum := sha256.Sum256([]byte(in + " " + c.key()))
	return filepath.Join(state, dirName, "result-"+hex.EncodeToString(sum[:12]))
}

const resultMagic = "pathrule-check 1"

// Save keeps a result in place of the one before. It is made by one rename, so
// that no reader sees half of it.
func (r *Result) Save(state string) error {
	if state == "" {
		return nil
	}
	b := appendLine(nil, resultMagic)
	b = appendLine(b, "check", r.In, r.Check.key(), r.Sum, strconv.Itoa(r.Exit), strconv.FormatInt(r.At.Unix(), 10))
	for p, s := range r.Files {
		b = appendLine(b, "file", p, s)
	}
	b = appendLine(b, "end")
	return atomicfile.Write(resultFile(state, r.In, r.Check), b, 0o600, 0o700)
}

// LastResult is the newest result of a check, nil when there is none that can be
// understood.
func LastResult(state, in string, c Check) *Result {
	if state == "" {
		return nil
	}
	name := resultFile(state, in, c)
	if st, err := os.Stat(name); err != nil || st.Size() > 4<<20 {
		return nil
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return parseResult(string(raw), in, c)
}

func parseResult(s, in string, c Check) *Result {
	r := &Result{Files: map[string]string{}}
	ok := linetree.Whole(s, resultMagic, func(f []string) bool {
		switch {
		case f[0] == "check" && len(f) == 6 && r.Sum == "":
			exit, err1 := strconv.Atoi(f[4])
			at, err2 := strconv.ParseInt(f[5], 10, 64)
			if err1 != nil || err2 != nil || linetree.Unescape(f[1]) != in || linetree.Unescape(f[2]) != c.key() {
				return false
			}
			r.In, r.Check, r.Sum, r.Exit, r.At = in, c, f[3], exit, time.Unix(at, 0).UTC()
		case f[0] == "file" && len(f) == 3:
			r.Files[linetree.Unescape(f[1])] = linetree.Unescape(f[2])
		default:
			return false
		}
		return true
	})
	if !ok || r.Sum == "" {
		return nil
	}
	return r
}

// Package managed is what the compiler, which writes files that clients load by
// themselves, and the hooks, which must not tell the same again, agree on: the
// lines of managed.json, the markers of a region, and how a text is hashed. It
// links no reflection, since every hook process does.
package managed

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pathrule/internal/rawjson"
)

// Name is the manifest's file name in the store.
const Name = "managed.json"

// Imported is the file of the same lines about files that clients load and that
// are not ours: those that entries were imported from.
const Imported = "imported.json"

// Personal is the manifest of a workspace's files that hold the user's own
// entries, in the home.
func Personal(home, workspace string) string {
	return filepath.Join(home, "compiled", workspace+".json")
}

// Marker begins every HTML comment of ours.
const Marker = "<!-- pathrule"

// The lines between which a shared file is ours.
const (
	BeginLine = Marker + ":begin -->"
	EndLine   = Marker + ":end -->"
)

// ByteOrderMark is one in UTF-8.
const ByteOrderMark = "\ufeff"

// File is one line of managed.json: a file, or a region of one, that we wrote.
type File struct {
	Path   string `json:"path"` // slash path relative to the root
	Target string `json:"target"`
	// SHA256 is the hash of the file, or of the region with its markers, line
	// ends read as "\n", so that a checkout with other line ends is no edit.
	SHA256 string `json:"sha256"`
	// Region: only the part between the markers is ours.
	Region bool `json:"region,omitempty"`
	// Lead is what was put before the region so that it begins on a line of its
	// own; removing takes it out again.
	Lead string `json:"lead,omitempty"`
	// Created: the shared file did not exist before.
	Created bool `json:"created,omitempty"`
	// Note: a short note stands there, since a hook of the client delivers.
	Note bool `json:"note,omitempty"`
	// For are the paths for which the client loads the file, as an entry's paths
	// are written; empty: it is in every request.
	For []string `json:"for,omitempty"`
	// Holds are the entries whose whole body stands in the file, as Hold spells
	// them.
	Holds []string `json:"holds,omitempty"`
	// With are the files by whose "@" lines the client comes to this one, the first
	// of them loaded by itself, each as "PATH@SHA256"; empty for a file that is
	// loaded by itself.
	With []string `json:"with,omitempty"`
}

// Named spells a file of With.
func Named(path string, data []byte) string { return path + "@" + Hash(data) }

// Naming takes the files of With apart; ok is false when one is not spelled so.
func (f *File) Naming() (files []File, ok bool) {
	for _, w := range f.With {
		i := strings.LastIndexByte(w, '@')
		if i <= 0 || i == len(w)-1 {
			return nil, false
		}
		files = append(files, File{Path: w[:i], Target: f.Target, SHA256: w[i+1:]})
	}
	return files, true
}

// Hold names one entry with its TextHash: "rule:stripe@0123456789abcdef".
func Hold(kind, id, version string) string { return kind + ":" + id + "@" + version }

// TextHash is the hash of an entry's title and stripped body, the same on every
// checkout whatever its line ends.
func TextHash(title, body string) string {
	return Hash([]byte(strings.TrimSpace(title) + "\n" + strings.TrimSpace(body)))[:16]
}

// CutHold takes a Hold apart: "rule:stripe" and the version.
func CutHold(s string) (entry, version string) {
	i := strings.LastIndexByte(s, '@')
	if i < 0 {
		return "", ""
	}
	return s[:i], s[i+1:]
}

// Holding calls yield with every line of a manifest that says it holds the
// entry, until it returns false. Only those lines are parsed, which keeps the
// question cheap however long the manifest is; a manifest in another shape than
// ours answers nothing.
func Holding(manifest []byte, hold string, yield func(File) bool) {
	matching(manifest, hold, func(f File) bool {
		for _, h := range f.Holds {
			if h == hold {
				return yield(f)
			}
		}
		return true
	})
}

// At is the manifest's line about a path.
func At(manifest []byte, path string) (File, bool) {
	var found File
	ok := false
	matching(manifest, path, func(f File) bool {
		if f.Path == path {
			found, ok = f, true
		}
		return !ok
	})
	return found, ok
}

func matching(manifest []byte, value string, yield func(File) bool) {
	word := rawjson.AppendQuoted(nil, value)
	for rest := manifest; ; {
		i := bytes.Index(rest, word)
		if i < 0 {
			return
		}
		from := bytes.LastIndexByte(rest[:i], '\n') + 1
		to := len(rest)
		if n := bytes.IndexByte(rest[i:], '\n'); n >= 0 {
			to = i + n
		}
		if f, ok := parse(bytes.TrimSuffix(bytes.TrimSpace(rest[from:to]), []byte(","))); ok && !yield(f) {
			return
		}
		rest = rest[to:]
	}
}

func parse(line []byte) (File, bool) {
	v, err := rawjson.Parse(line)
	if err != nil || v.Kind() != '{' {
		return File{}, false
	}
	var f File
	for name, m := range v.Members {
		switch name {
		case "path":
			f.Path = m.Text()
		case "target":
			f.Target = m.Text()
		case "sha256":
			f.SHA256 = m.Text()
		case "region":
			f.Region = m.True()
		case "note":
			f.Note = m.True()
		case "for":
			for e := range m.Elements {
				f.For = append(f.For, e.Text())
			}
		case "holds":
			for e := range m.Elements {
				f.Holds = append(f.Holds, e.Text())
			}
		case "with":
			for e := range m.Elements {
				f.With = append(f.With, e.Text())
			}
		}
	}
	return f, f.Path != "" && f.SHA256 != ""
}

// Unmodified reports that what the manifest's line speaks of stands in data as
// it was written.
func (f *File) Unmodified(data []byte) bool {
	if f.Region {
		r, err := FindRegion(data)
		if err != nil || !r.Found {
			return false
		}
		data = data[r.From:r.To]
	}
	return Hash(data) == f.SHA256
}

// Hash is the SHA-256 that the manifest holds of a text.
func Hash(b []byte) string {
	sum := sha256.Sum256(UnixLines(b))
	return hex.EncodeToString(sum[:])
}

// UnixLines reads CRLF as "\n".
func UnixLines(b []byte) []byte {
	if !bytes.Contains(b, []byte("\r\n")) {
		return b
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
}

// ErrMarkers: the markers do not enclose exactly one region.
var ErrMarkers = errors.New("markers are broken")

// Region is where ours lies in a shared file: from the first byte of the begin
// line to the last of the end line, its line end not included.
type Region struct {
	From, To int
	Found    bool
}

// FindRegion looks for the one region. Anything but none or one well-formed
// pair of marker lines is ErrMarkers with the line that is wrong.
func FindRegion(data []byte) (Region, error) {
	var r Region
	open := false
	pos, n := 0, 0
	for line := range bytes.Lines(data) {
		n++
		at := pos
		pos += len(line)
		text := bytes.TrimRight(line, "\r\n")
		if n == 1 && bytes.HasPrefix(text, []byte(ByteOrderMark)) {
			text = text[len(ByteOrderMark):]
			at += len(ByteOrderMark)
		}
		switch strings.TrimSpace(string(text)) {
		case BeginLine:
			if open || r.Found {
				return Region{}, fmt.Errorf("%w: line %d begins a second region", ErrMarkers, n)
			}
			open, r.From = true, at
		case EndLine:
			if !open {
				return Region{}, fmt.Errorf("%w: line %d ends a region that never began", ErrMarkers, n)
			}
			open, r.Found, r.To = false, true, at+len(text)
		}
	}
	if open {
		return Region{}, fmt.Errorf("%w: the region is never closed", ErrMarkers)
	}
	return r, nil
}

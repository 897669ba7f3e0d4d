package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/workspace"
)

// Managed is one line of managed.json: a file, or a region of one, that we wrote.
type Managed struct {
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
}

// manifestVersion counts the formats of managed.json.
// 1: version and files, one a line.
const manifestVersion = 1

const manifestName = "managed.json"

type manifest struct {
	Version int       `json:"version"`
	Files   []Managed `json:"files"`
}

func manifestPath(ws *workspace.Workspace) string { return filepath.Join(ws.Store, manifestName) }

// ManagedFiles are the files that compiles of this workspace have written,
// sorted by path; none when there is no manifest.
func ManagedFiles(ws *workspace.Workspace) ([]Managed, error) {
	m, err := readManifest(ws)
	return m.Files, err
}

func readManifest(ws *workspace.Workspace) (manifest, error) {
	path := manifestPath(ws)
	st, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return manifest{Version: manifestVersion}, nil
	}
	if err != nil {
		return manifest{}, err
	}
	if !st.Mode().IsRegular() {
		return manifest{}, fmt.Errorf("%s is no regular file; move it away and compile again", path)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return manifest{}, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil {
		return manifest{}, fmt.Errorf("%s is not valid JSON (%v); settle a merge conflict in it, or remove it and compile with --force", path, err)
	}
	if m.Version > manifestVersion {
		return manifest{}, fmt.Errorf("%s was written by a newer pathrule (version %d); update this program", path, m.Version)
	}
	// A file belongs to one target and is named once; what no target of ours
	// could have written is nothing to act on.
	seen := map[string]bool{}
	m.Files = slices.DeleteFunc(m.Files, func(f Managed) bool {
		t, err := targetOf(f.Target)
		drop := err != nil || !t.owns(f.Path) || seen[f.Path]
		seen[f.Path] = true
		return drop
	})
	slices.SortFunc(m.Files, func(a, b Managed) int { return strings.Compare(a.Path, b.Path) })
	return m, nil
}

func (m *manifest) find(path string) *Managed {
	for i := range m.Files {
		if m.Files[i].Path == path {
			return &m.Files[i]
		}
	}
	return nil
}

// write saves the manifest, sorted, one file a line, so that git merges it well.
// A manifest without files is removed.
func (m *manifest) write(ws *workspace.Workspace) error {
	path := manifestPath(ws)
	if len(m.Files) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.SortFunc(m.Files, func(a, b Managed) int { return strings.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"version\": %d, \"files\": [\n", manifestVersion)
	for i, f := range m.Files {
		line, err := json.Marshal(f)
		if err != nil {
			return err
		}
		b.Write(line)
		if i < len(m.Files)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(unixLines(old), b.Bytes()) {
		return nil
	}
	perm := os.FileMode(0o644)
	if ws.Private {
		perm = 0o600
	}
	return atomicfile.Write(path, b.Bytes(), perm, 0)
}

// hashOf is the SHA-256 that the manifest holds of a text.
func hashOf(b []byte) string {
	sum := sha256.Sum256(unixLines(b))
	return hex.EncodeToString(sum[:])
}

// unixLines reads CRLF as "\n".
func unixLines(b []byte) []byte {
	if !bytes.Contains(b, []byte("\r\n")) {
		return b
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
}

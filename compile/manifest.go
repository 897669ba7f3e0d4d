package compile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/internal/managed"
	"pathrule/internal/managed/render"
	"pathrule/internal/regular"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Managed is one line of managed.json.
type Managed = managed.File

const manifestVersion = render.Version

const manifestName = managed.Name

type manifest struct {
	Version int       `json:"version"`
	Files   []Managed `json:"files"`
}

func manifestPath(ws *workspace.Workspace) string { return filepath.Join(ws.Store, manifestName) }

// personalManifest is the manifest of files that hold the user's own entries: it
// may not stand in the repository.
func personalManifest(ws *workspace.Workspace, env sysenv.Env) string {
	return managed.Personal(workspace.DirsOf(env).Home, ws.ID)
}

// ManagedFiles are the files that compiles of this workspace have written,
// sorted by path; none when there is no manifest.
func ManagedFiles(ws *workspace.Workspace) ([]Managed, error) {
	m, err := readManifest(manifestPath(ws))
	return m.Files, err
}

// PersonalFiles are the files that hold the user's own entries as well.
func PersonalFiles(ws *workspace.Workspace, env sysenv.Env) ([]Managed, error) {
	m, err := readManifest(personalManifest(ws, env))
	return m.Files, err
}

func readManifest(path string) (manifest, error) {
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
	b, err := regular.Read(path)
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
func (m *manifest) write(path string, private bool) error {
	if len(m.Files) == 0 {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	slices.SortFunc(m.Files, func(a, b Managed) int { return strings.Compare(a.Path, b.Path) })
	text, err := render.Manifest(m.Files)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(unixLines(old), text) {
		return nil
	}
	if private {
		return atomicfile.Write(path, text, 0o600, 0o700)
	}
	return atomicfile.Write(path, text, 0o644, 0)
}

func hashOf(b []byte) string { return managed.Hash(b) }

func unixLines(b []byte) []byte { return managed.UnixLines(b) }

package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"pathrule/host"
	"pathrule/internal/atomicfile"
)

// record is what unsetup needs to give a client's file back: one folder per
// file below <home>/backups, named by the file's real path, with the original
// bytes beside it. It is written before the file itself.
type record struct {
	Version int    `json:"version"` // 1
	Path    string `json:"path"`
	// Created: the file did not exist. Dirs are the folders made for it,
	// outermost first.
	Created bool     `json:"created"`
	Dirs    []string `json:"dirs,omitempty"`
	// Result is the SHA-256 of what setup last wrote. While the file still has
	// it, nobody else has touched it.
	Result string `json:"result"`
	// Exact: the original bytes are what the file would be without us. It is
	// lost when setup runs again over a file that somebody changed in between.
	Exact bool `json:"exact"`
	// Made are the members setup added to hold its entries ("hooks",
	// "hooks/Stop", "mcpServers"); emptied, they go. MadeUnknown: entries of
	// ours were there before any record, so every emptied one goes.
	Made        []string `json:"made,omitempty"`
	MadeUnknown bool     `json:"made_unknown,omitempty"`
	// Hosts are the clients that were set up with this file; several may read
	// their servers from one. Empty in records of older releases.
	Hosts []string `json:"hosts,omitempty"`
	// Own: every byte of the file is ours. Scope is its scope.
	Own   bool       `json:"own,omitempty"`
	Scope host.Scope `json:"scope,omitempty"`
}

// uses reports that a client was set up with the file.
func (r *record) uses(id string) bool {
	return r != nil && (len(r.Hosts) == 0 || slices.Contains(r.Hosts, id))
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// backupDir is the folder of one file's record.
func backupDir(home, realPath string) string {
	return filepath.Join(home, "backups", sum([]byte(realPath))[:16])
}

// loadRecord reads a file's record; nil when there is none that can be used.
func loadRecord(home, realPath string) *record {
	if home == "" {
		return nil
	}
	if r := readRecord(backupDir(home, realPath)); r != nil && r.Path == realPath {
		return r
	}
	return nil
}

// records are all that can be used, in no order that matters.
func records(home string) []record {
	dirs, err := os.ReadDir(filepath.Join(home, "backups"))
	if home == "" || err != nil {
		return nil
	}
	var out []record
	for _, d := range dirs {
		if r := readRecord(filepath.Join(home, "backups", d.Name())); r != nil {
			out = append(out, *r)
		}
	}
	return out
}

func readRecord(dir string) *record {
	b, err := os.ReadFile(filepath.Join(dir, "record.json"))
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(b, &r) != nil || r.Version != 1 {
		return nil
	}
	return &r
}

// original are the bytes that were there first; nil when the file was made by
// setup.
func (r *record) original(home string) ([]byte, error) {
	if r.Created {
		return nil, nil
	}
	b, err := os.ReadFile(filepath.Join(backupDir(home, r.Path), "original"))
	if b == nil && err == nil {
		b = []byte{}
	}
	return b, err
}

// save writes the record, and the original bytes with it when they are given.
// First write wins: they are never replaced while the record stands.
func (r *record) save(home string, original []byte) error {
	dir := backupDir(home, r.Path)
	if original != nil {
		if err := atomicfile.Write(filepath.Join(dir, "original"), original, 0o600, 0o700); err != nil {
			return fmt.Errorf("keep the original of %s: %w", r.Path, err)
		}
	}
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(dir, "record.json"), append(b, '\n'), 0o600, 0o700); err != nil {
		return fmt.Errorf("keep the record of %s: %w", r.Path, err)
	}
	return nil
}

// drop forgets a file that is as it was.
func (r *record) drop(home string) error {
	dir := backupDir(home, r.Path)
	for _, f := range []string{"record.json", "original"} {
		if err := os.Remove(filepath.Join(dir, f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	// Others may have put a file there; an empty folder is all that goes.
	_ = os.Remove(dir)
	return nil
}

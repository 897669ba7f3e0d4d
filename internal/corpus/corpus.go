// Package corpus turns a folder of instruction files, as teams keep them for
// many clients, into a pathrule workspace: real input for tests and
// measurements. What each file becomes is decided by package importer.
package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pathrule/importer"
	"pathrule/internal/sysenv"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// Convert reads src and writes dst/.pathrule, which must not exist yet. The
// source is only read. state is a folder for the history of the writes.
func Convert(ctx context.Context, src, dst, state string) (*importer.Report, error) {
	to := filepath.Join(dst, workspace.Marker)
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("convert: %s exists already; give a folder without one", to)
	}
	r, err := importer.Plan(ctx, src, importer.Options{All: true, Workspace: "corpus"})
	if err != nil {
		return nil, err
	}
	if lost := importer.Lost(r); len(lost) > 0 {
		return r, fmt.Errorf("convert: %d lines would be lost, the first is %s", len(lost), lost[0])
	}
	ws := &workspace.Workspace{Root: dst, Store: to, ID: "0123456789abcdef"}
	s, err := store.Open(ws, workspace.Dirs{Home: state}, sysenv.Env{Now: time.Now})
	if err != nil {
		return r, err
	}
	_, failed, err := importer.Apply(r, s, s, "corpus")
	if err != nil {
		return r, err
	}
	if len(failed) > 0 {
		return r, fmt.Errorf("convert: %d entries could not be written, the first is %s: %s", len(failed), failed[0].Key, failed[0].Err)
	}
	return r, nil
}

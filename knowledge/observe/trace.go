package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pathrule/workspace"
)

// traceFormat is the version of a trace's file. 1: first
const traceFormat = 1

// Trace says where a proposal came from. It is written once and never changed,
// holds no text, and outlives the decision on the proposal, so that one
// conversation is proposed once.
type Trace struct {
	Format   int    `json:"format"`
	ID       string `json:"id"` // the beginning of SHA256
	Host     string `json:"host"`
	Session  string `json:"session"`
	EndedAt  string `json:"ended_at"`
	SeenAt   string `json:"observed_at"`
	SHA256   string `json:"sha256"` // of the conversation's file
	Bytes    int    `json:"bytes"`
	Turns    int    `json:"turns"`
	Kept     int    `json:"kept"`     // turns
	Chars    int    `json:"chars"`    // characters kept
	Redacted int    `json:"redacted"` // secrets taken out
	Removed  int    `json:"removed"`  // lines taken out
	Proposal string `json:"proposal"`
}

// TraceDir holds a workspace's traces.
func TraceDir(dirs workspace.Dirs, workspaceID string) string {
	return dirs.Below("inbox", workspaceID, "trace")
}

func tracePath(dirs workspace.Dirs, workspaceID, id string) string {
	return filepath.Join(TraceDir(dirs, workspaceID), id+".json")
}

// Traced reports that a conversation with this hash was proposed before.
func Traced(dirs workspace.Dirs, workspaceID, id string) bool {
	_, err := os.Lstat(tracePath(dirs, workspaceID, id))
	return err == nil
}

// PutTrace writes t; one that stands stays as it is.
func PutTrace(dirs workspace.Dirs, workspaceID string, t Trace) error {
	raw, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encode trace: %w", err)
	}
	path := tracePath(dirs, workspaceID, t.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o400)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write trace: %w", err)
	}
	_, err = f.Write(append(raw, '\n'))
	if e := f.Sync(); err == nil {
		err = e
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(path)
		return fmt.Errorf("write trace: %w", err)
	}
	return nil
}

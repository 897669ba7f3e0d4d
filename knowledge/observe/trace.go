package observe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

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

// KeepTrace is how long a trace is kept after its proposal was decided on: longer
// than any client keeps a conversation by default.
const KeepTrace = 180 * 24 * time.Hour

// ProposalsOf are the ids of what was proposed of one session, whether it still
// waits or not, sorted by trace.
func ProposalsOf(dirs workspace.Dirs, workspaceID, host, session string) []string {
	if session == "" {
		return nil
	}
	var out []string
	files, _ := os.ReadDir(TraceDir(dirs, workspaceID))
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(TraceDir(dirs, workspaceID), f.Name()))
		var t Trace
		if err == nil && json.Unmarshal(raw, &t) == nil && t.Host == host && t.Session == session && t.Proposal != "" {
			out = append(out, t.Proposal)
		}
	}
	return out
}

// PruneTraces removes the traces older than KeepTrace whose proposal no longer
// waits, and says how many; with dry it only counts.
func PruneTraces(dirs workspace.Dirs, workspaceID string, now time.Time, waits func(proposal string) bool, dry bool) (removed int) {
	dir := TraceDir(dirs, workspaceID)
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		st, err := f.Info()
		if err != nil || !st.Mode().IsRegular() || !strings.HasSuffix(f.Name(), ".json") || now.Sub(st.ModTime()) < KeepTrace {
			continue
		}
		path := filepath.Join(dir, f.Name())
		var t Trace
		if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &t) == nil && waits(t.Proposal) {
			continue
		}
		if dry || os.Remove(path) == nil {
			removed++
		}
	}
	return removed
}

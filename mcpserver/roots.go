package mcpserver

import (
	"context"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/workspace"
)

// rootsWait is how long a call waits for the client's answer to roots/list. It
// comes within milliseconds or not at all.
var rootsWait = 500 * time.Millisecond

// roots are the folders that the client opened. They are asked for once the
// handshake is done and again when the client says that they changed.
type roots struct {
	mu    sync.Mutex
	asked chan struct{} // closed when the running question is over; nil: none runs
	dirs  []string      // absolute, as the client spells them
}

// ask starts the question; the answer replaces what was known.
func (r *roots) ask(ctx context.Context, s *session) {
	done := make(chan struct{})
	r.mu.Lock()
	r.asked = done
	r.mu.Unlock()
	go func() {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		raw, err := s.request(ctx, string(mcp.MethodListRoots))
		r.mu.Lock()
		if err == nil {
			r.dirs = parseRoots(raw)
		}
		r.mu.Unlock()
		close(done)
	}()
}

// known are the client's roots, after a short wait for a running question.
func (r *roots) known(ctx context.Context) []string {
	r.mu.Lock()
	asked := r.asked
	r.mu.Unlock()
	if asked != nil {
		t := time.NewTimer(rootsWait)
		defer t.Stop()
		select {
		case <-asked:
		case <-ctx.Done():
		case <-t.C:
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dirs
}

// parseRoots takes the file roots of an answer; others mean nothing here.
func parseRoots(raw json.RawMessage) []string {
	var answer struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if json.Unmarshal(raw, &answer) != nil {
		return nil
	}
	var dirs []string
	for _, r := range answer.Roots {
		if dir, ok := filePath(r.URI); ok {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// filePath is the folder of a file URI: file:///home/dev, file:///C:/dev,
// file://localhost/home/dev. A bare absolute path, which some clients send, is
// taken as it is.
func filePath(uri string) (string, bool) {
	if filepath.IsAbs(uri) {
		return filepath.Clean(uri), true
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // drive letter
	} else if u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		path = "//" + u.Host + path // network share
	}
	path = filepath.Clean(filepath.FromSlash(path))
	return path, filepath.IsAbs(path)
}

// inside reports that dir lies in one of the folders once symlinks are
// resolved.
func inside(folders []string, cwd, dir string) bool {
	for _, f := range folders {
		if _, ok := workspace.Rel(f, cwd, dir); ok {
			return true
		}
	}
	return false
}

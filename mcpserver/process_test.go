package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pathrule/internal/sysenv"
)

// serveVar makes the test program a server: real processes with real pipes.
const serveVar = "PATHRULE_TEST_SERVE"

func serveIfAsked() {
	if os.Getenv(serveVar) == "" {
		return
	}
	if err := Serve(context.Background(), Options{Version: "1"}, sysenv.FromOS()); err != nil {
		os.Stderr.WriteString("pathrule: error: " + err.Error() + "\n")
		os.Exit(1)
	}
	os.Exit(0)
}

// F8, F91: many servers of one project at once; each answers, writes frames
// only, and leaves when its pipe closes.
func TestManyProcessesServeAndLeave(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	w := newWorld(t, manyMemories(200))
	input := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_knowledge","arguments":{"query":"zebra42"}}}`,
		"",
	}, "\r\n")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			cmd := exec.Command(exe)
			cmd.Dir = w.root
			cmd.Env = append(os.Environ(), serveVar+"=1", "PATHRULE_HOME="+w.vars["PATHRULE_HOME"], "HOME="+w.env.UserHome, "USERPROFILE="+w.env.UserHome)
			cmd.Stdin = strings.NewReader(input)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				t.Errorf("%v: %s", err, errs.String())
				return
			}
			for line := range strings.Lines(out.String()) {
				var m map[string]any
				if err := json.Unmarshal([]byte(line), &m); err != nil || m["jsonrpc"] != "2.0" {
					t.Errorf("not a frame: %q", line)
				}
			}
			if !strings.Contains(out.String(), "m0042") {
				t.Errorf("got %s%s", out.String(), errs.String())
			}
		})
	}
	all.Wait()
	gens, _ := filepath.Glob(filepath.Join(w.dirs().Cache(w.ws().ID), "gen-*"))
	if len(gens) != 1 {
		t.Errorf("generations: %v", gens)
	}
}

// F79: a server that fails says so and exits non-zero.
func TestAFailureIsToldAndExitsNonZero(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	in, err := os.Open(dir) // reading a folder fails
	if err != nil {
		t.Skip(err)
	}
	defer in.Close()
	cmd := exec.Command(exe)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), serveVar+"=1", "PATHRULE_HOME="+filepath.Join(dir, "home"))
	cmd.Stdin = in
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Run(); err == nil || !strings.Contains(errs.String(), "read stdin") {
		t.Errorf("got %v, stderr %q", err, errs.String())
	}
}

package index_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/bench/gen"
	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// child is the other side: what a separate process does with a place.
func child(what string) error {
	home, root := os.Getenv("PATHRULE_TEST_HOME"), os.Getenv("PATHRULE_TEST_ROOT")
	vars := map[string]string{"HOME": home, "PATHRULE_HOME": filepath.Join(home, ".pathrule")}
	env := sysenv.Env{Vars: func(n string) string { return vars[n] }, Cwd: root, UserHome: home, Now: time.Now}
	ws, err := workspace.Find(root, env)
	if err != nil {
		return err
	}
	ctx := context.Background()
	switch what {
	case "refresh":
		rep, err := index.Refresh(ctx, ws, env, index.Limits{})
		if err != nil {
			return err
		}
		fmt.Printf("built=%v entries=%d state=%s\n", rep.Built, rep.Entries, rep.State)
		return nil
	case "read":
		// As a hook does: open, ask, close, some times over.
		for range 5 {
			start := time.Now()
			x, err := index.Open(ws, env)
			if err != nil {
				return err
			}
			res, err := x.Search(catalog.Query{Text: "anchor", Paths: []string{"src/a.go"}})
			if e := x.Close(); err == nil {
				err = e
			}
			if err != nil {
				return err
			}
			if len(res.Candidates) == 0 {
				return errors.New("found nothing")
			}
			if d := time.Since(start); d > 30*time.Second {
				return fmt.Errorf("waited %v", d)
			}
		}
		return nil
	case "die":
		// Dies in the middle of making a generation, holding the lock.
		if _, err := filelock.Acquire(filepath.Join(workspace.DirsOf(env).Cache(ws.ID), catalog.LockName), 0); err != nil {
			return err
		}
		dir := filepath.Join(workspace.DirsOf(env).Cache(ws.ID), "tmp-dead")
		if err := os.MkdirAll(filepath.Join(dir, "store"), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, catalog.FileName), []byte("half"), 0o600); err != nil {
			return err
		}
		fmt.Println("ready")
		_, err := io.Copy(io.Discard, os.Stdin) // until killed
		return err
	}
	return fmt.Errorf("unknown child %q", what)
}

func (p *place) child(what string) *exec.Cmd {
	p.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		p.t.Skipf("no path of this program: %v", err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childVar+"="+what, "PATHRULE_TEST_HOME="+p.env.UserHome, "PATHRULE_TEST_ROOT="+p.root)
	return cmd
}

func TestTenProcessesAtOnceBuildOnce(t *testing.T) {
	p := newPlace(t)
	if _, err := gen.Make(p.root, gen.Options{Entries: 300, Files: 100}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	outs := make([]string, 10)
	for i := range outs {
		wg.Go(func() {
			out, err := p.child("refresh").CombinedOutput()
			outs[i] = string(out)
			if err != nil {
				outs[i] += err.Error()
			}
		})
	}
	wg.Wait()
	built := 0
	for i, out := range outs {
		if !strings.Contains(out, "entries=300 state=fresh") {
			t.Errorf("process %d: %s", i, out)
		}
		if strings.Contains(out, "built=true") {
			built++
		}
	}
	if built != 1 {
		t.Errorf("%d of 10 processes built", built)
	}
}

func TestBuildersThatWaitedTakeWhatTheFirstOneBuilt(t *testing.T) {
	p := newPlace(t)
	p.memory("one", "First", "src", "anchor")
	lock, err := filelock.Acquire(filepath.Join(p.dirs.Cache(p.ws.ID), catalog.LockName), 0)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		var built atomic.Int32
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				rep, err := index.Build(context.Background(), p.ws, p.env)
				if err != nil || rep.State != index.Fresh || rep.Entries != 1 {
					t.Errorf("%+v, %v", rep, err)
				}
				if rep.Built {
					built.Add(1)
				}
			})
		}
		synctest.Wait() // all ten wait for the lock
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if n := built.Load(); n != 1 {
			t.Errorf("%d of 10 built", n)
		}
	})
}

func TestAKilledWriterLeavesTheOldGenerationAndIsSwept(t *testing.T) {
	p := newPlace(t)
	p.memory("one", "First", "src", "anchor")
	p.refresh()
	cmd := p.child("die")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make([]byte, 6)
	if _, err := io.ReadFull(out, ready); err != nil {
		t.Fatal(err)
	}
	p.memory("two", "Second", "src", "anchor")
	// The lock is held: a bounded refresh goes on with what is published.
	rep, err := index.Refresh(context.Background(), p.ws, p.env, index.Limits{Time: 30 * time.Millisecond})
	if err != nil || rep.State != index.Stale || rep.Entries != 1 {
		t.Errorf("beside a writer: %+v, %v", rep, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if got := names(p.search(catalog.Query{Text: "anchor"}).Candidates); len(got) != 1 {
		t.Errorf("after the kill: %v", got)
	}
	if rep := p.refresh(); rep.State != index.Fresh || rep.Entries != 2 || rep.Built {
		t.Errorf("the next writer: %+v", rep)
	}
	if left, _ := filepath.Glob(filepath.Join(p.dirs.Cache(p.ws.ID), "tmp-*")); len(left) != 0 {
		t.Errorf("garbage stayed: %v", left)
	}
}

func TestSixtyReadersBesideAWriterAllSucceed(t *testing.T) {
	p := newPlace(t)
	p.memory("one", "First", "src", "anchor")
	p.refresh()
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			path := filepath.Join(p.ws.Store, "memories", fmt.Sprintf("n%d.md", i%40))
			if err := os.WriteFile(path, fmt.Appendf(nil, "---\ntitle: N %d\n---\nbody %d\n", i, i), 0o644); err != nil {
				t.Error(err)
				return
			}
			if _, err := index.RefreshFiles(context.Background(), p.ws, p.env, path); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var readers sync.WaitGroup
	slots := make(chan struct{}, 12)
	for i := range 60 {
		readers.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if out, err := p.child("read").CombinedOutput(); err != nil {
				t.Errorf("reader %d: %v\n%s", i, err, out)
			}
		})
	}
	readers.Wait()
	close(stop)
	writer.Wait()
}

func TestAnIdleReaderHoldsNobodyUp(t *testing.T) {
	p := newPlace(t)
	p.memory("one", "First", "src", "anchor")
	p.refresh()
	x := p.open() // an MCP server that sits there
	defer x.Close()
	for i := range 20 {
		p.memory(fmt.Sprintf("n%d", i), "N", "src", "anchor")
		if rep := p.refresh(); rep.State != index.Fresh || rep.Changed != 1 {
			t.Fatalf("write %d beside an open index: %+v", i, rep)
		}
	}
	// What it has open still answers, from its own generation.
	res, err := x.Search(catalog.Query{Text: "anchor"})
	if err != nil || len(res.Candidates) != 1 {
		t.Errorf("%v, %v", names(res.Candidates), err)
	}
}

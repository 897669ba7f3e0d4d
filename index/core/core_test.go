package core_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/index/core"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

func newWorkspace(t *testing.T) (*workspace.Workspace, sysenv.Env) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "home", "project")
	if err := os.MkdirAll(filepath.Join(root, workspace.Marker, "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"PATHRULE_HOME": filepath.Join(dir, "home", ".pathrule")}
	env := sysenv.Env{Vars: func(n string) string { return vars[n] }, Cwd: root, UserHome: filepath.Join(dir, "home"), Now: time.Now}
	ws, err := workspace.Find(root, env)
	if err != nil {
		t.Fatal(err)
	}
	return ws, env
}

func memory(t *testing.T, ws *workspace.Workspace, id, body string) {
	t.Helper()
	name := filepath.Join(ws.Store, "memories", id+".md")
	if err := os.WriteFile(name, []byte("---\ntitle: T\n---\n"+body+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func found(t *testing.T, ws *workspace.Workspace, env sysenv.Env, text string) int {
	t.Helper()
	x, err := core.Open(ws, env)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	res, err := x.Search(catalog.Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return len(res.Candidates)
}

func TestWithoutHardLinksFilesAreCopied(t *testing.T) {
	ws, env := newWorkspace(t)
	ctx := context.Background()
	memory(t, ws, "m", "wombat")
	if _, err := index.Refresh(ctx, ws, env, index.Limits{}); err != nil {
		t.Fatal(err)
	}
	defer core.SetLink(func(string, string) error { return errors.New("not on this file system") })()
	memory(t, ws, "n", "wombat")
	rep, err := index.Refresh(ctx, ws, env, index.Limits{})
	if err != nil || rep.State != index.Fresh || rep.Built {
		t.Fatalf("%+v, %v", rep, err)
	}
	if n := found(t, ws, env, "wombat"); n != 2 {
		t.Errorf("%d found", n)
	}
}

func TestAProgramWithoutAnEngineReadsAndSaysWhenItCannot(t *testing.T) {
	ws, env := newWorkspace(t)
	ctx := context.Background()
	memory(t, ws, "m", "wombat")
	l := core.Limits{Time: time.Minute, Window: 1000}
	if rep, err := core.Refresh(ctx, ws, env, l, nil); !errors.Is(err, core.ErrReadOnly) || rep.State != core.Missing {
		t.Errorf("nothing published: %+v, %v", rep, err)
	}
	if _, err := index.Refresh(ctx, ws, env, index.Limits{}); err != nil {
		t.Fatal(err)
	}
	if rep, err := core.Refresh(ctx, ws, env, l, nil); err != nil || rep.State != core.Fresh || rep.Entries != 1 {
		t.Errorf("nothing changed: %+v, %v", rep, err)
	}
	memory(t, ws, "n", "wombat")
	if rep, err := core.Refresh(ctx, ws, env, l, nil); !errors.Is(err, core.ErrReadOnly) || rep.State != core.Stale || rep.Entries != 1 {
		t.Errorf("something changed: %+v, %v", rep, err)
	}
	if n := found(t, ws, env, "wombat"); n != 1 {
		t.Errorf("what is published still answers: %d", n)
	}
}

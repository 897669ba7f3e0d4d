package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pathrule/host"
	"pathrule/internal/sysenv"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a machine of its own: home, project, our programs.
type world struct {
	t               *testing.T
	home, root, bin string
	env             sysenv.Env
	pathrule, hook  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, home: filepath.Join(dir, "home"), root: filepath.Join(dir, "home", "shop"), bin: filepath.Join(dir, "my tools")}
	for _, d := range []string{w.home, w.root, w.bin} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.pathrule, w.hook = filepath.Join(w.bin, "pathrule"), filepath.Join(w.bin, "pathrule-hook")
	for _, p := range []string{w.pathrule, w.hook} {
		w.write(p, "#!/bin/sh\nexit 0\n")
		if err := os.Chmod(p, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.env = sysenv.Env{GOOS: "linux", UserHome: w.home, Cwd: w.root, Executable: w.pathrule, Now: time.Now}.With("HOME", w.home).With("PATH", "/usr/bin:/bin")
	return w
}

func (w *world) write(path, text string) {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.home, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// read is a file below the home; "(none)" when it does not exist.
func (w *world) read(path string) string {
	w.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.home, path)
	}
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// tree is every path below the home but our own folder, for "nothing is left".
func (w *world) tree() string {
	var out []string
	_ = filepath.Walk(w.home, func(p string, st os.FileInfo, err error) error {
		rel, _ := filepath.Rel(w.home, p)
		if rel == ".pathrule" {
			return filepath.SkipDir
		}
		out = append(out, rel)
		return err
	})
	return strings.Join(out, "\n")
}

func hosts(t *testing.T, names ...string) []host.Host {
	t.Helper()
	var out []host.Host
	for _, n := range names {
		h, ok := host.ByName(n)
		if !ok {
			t.Fatalf("no host %q", n)
		}
		out = append(out, h)
	}
	return out
}

func (w *world) plan(o Options, names ...string) Plan {
	w.t.Helper()
	p, err := PlanSetup(hosts(w.t, names...), w.root, o, w.env)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// setup plans and applies; a refusal fails the test.
func (w *world) setup(o Options, names ...string) Plan {
	w.t.Helper()
	p := w.plan(o, names...)
	for _, e := range p.Refused() {
		w.t.Fatalf("refused: %s", e.Why)
	}
	if err := Apply(p, w.env); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) unsetup(o Options, names ...string) Plan {
	w.t.Helper()
	p, err := PlanUnsetup(hosts(w.t, names...), w.root, o, w.env)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range p.Refused() {
		w.t.Fatalf("refused: %s", e.Why)
	}
	if err := Apply(p, w.env); err != nil {
		w.t.Fatal(err)
	}
	return p
}

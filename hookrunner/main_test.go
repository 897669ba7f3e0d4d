package hookrunner_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"pathrule/hookrunner"
)

func TestMain(m *testing.M) {
	hookrunner.Unhurried()
	atStart := goleak.IgnoreCurrent() // bleve starts some at import
	code := m.Run()
	if err := goleak.Find(atStart); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if programs.dir != "" {
		os.RemoveAll(programs.dir)
	}
	os.Exit(code)
}

// programs are the real programs, built once and only when a test runs
// them.
var programs struct {
	once sync.Once
	dir  string
	err  error
}

// program gives the path of a built program of ours.
func program(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs the real programs")
	}
	programs.once.Do(func() {
		if programs.dir, programs.err = os.MkdirTemp("", "pathrule-programs-"); programs.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-o", programs.dir+string(filepath.Separator), "./cmd/pathrule", "./cmd/pathrule-hook", "./cmd/pathrule-prompt")
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			programs.err = fmt.Errorf("build the programs: %w\n%s", err, out)
		}
	})
	if programs.err != nil {
		t.Skip(programs.err)
	}
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(programs.dir, name)
}

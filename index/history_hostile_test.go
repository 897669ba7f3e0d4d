package index

import (
	"path/filepath"
	"testing"
	"time"

	"pathrule/internal/safegit/traprepo"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// T12: reading the history of a repository starts nothing that it names, also
// where it lacks contents that somebody promised, and still reads what is there.
func TestReadingAHostileHistoryStartsNothing(t *testing.T) {
	root, fired := traprepo.New(t)
	home := t.TempDir()
	env := sysenv.Env{Cwd: root, UserHome: home, Now: time.Now, Vars: func(k string) string {
		return map[string]string{"PATHRULE_HOME": filepath.Join(home, ".pathrule")}[k]
	}}
	ws, err := workspace.MakeStore(root, false, workspace.DirsOf(env), env)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := ReadHistory(t.Context(), ws, env, 10*time.Second)
	if err != nil || rep.Commits != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
	if text := fired(); text != "" {
		t.Fatalf("started %s", text)
	}
}

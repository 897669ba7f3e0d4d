package index

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pathrule/index/catalog"
	"pathrule/index/history"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// checkout is a repository of its own with a store in it.
type checkout struct {
	t    *testing.T
	root string
	env  sysenv.Env
	ws   *workspace.Workspace
	at   int
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	c := &checkout{t: t, root: t.TempDir()}
	home := t.TempDir()
	c.env = sysenv.Env{Cwd: c.root, UserHome: home, Vars: func(k string) string { return map[string]string{"PATHRULE_HOME": filepath.Join(home, ".pathrule")}[k] }, Now: time.Now}
	c.git("init", "-q", "-b", "main")
	ws, err := workspace.MakeStore(c.root, false, workspace.DirsOf(c.env), c.env)
	if err != nil {
		t.Fatal(err)
	}
	c.ws = ws
	return c
}

func (c *checkout) git(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", c.root, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	when := time.Unix(1_900_000_000+int64(c.at)*60, 0).UTC().Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (c *checkout) commit(subject string, files ...string) {
	c.t.Helper()
	for _, f := range files {
		p := filepath.Join(c.root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			c.t.Fatal(err)
		}
		old, _ := os.ReadFile(p)
		if err := os.WriteFile(p, append(old, []byte(subject+"\nmore than one line\nof text\n")...), 0o644); err != nil {
			c.t.Fatal(err)
		}
		c.git("add", "--", f)
	}
	c.at++
	c.git("commit", "-q", "-m", subject)
}

// pages is n commits about something else.
func (c *checkout) pages(n int) {
	for i := range n {
		c.commit(fmt.Sprint("page ", i), fmt.Sprintf("docs/page%d.md", i))
	}
}

func (c *checkout) read() HistoryReport {
	c.t.Helper()
	rep, err := ReadHistory(c.t.Context(), c.ws, c.env, time.Minute)
	if err != nil {
		c.t.Fatal(err)
	}
	return rep
}

func (c *checkout) cache() string { return workspace.DirsOf(c.env).Cache(c.ws.ID) }

func (c *checkout) bytes() string {
	c.t.Helper()
	b, err := os.ReadFile(filepath.Join(c.cache(), history.FileName))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b)
}

// Issue 4, 5: read once, then only what is new; another branch or a rewritten
// history is what a reading from nothing would give.
func TestOnlyNewCommitsAreReadAndTheResultIsThatOfReadingAll(t *testing.T) {
	c := newCheckout(t)
	c.commit("retry payments", "src/retry.go")
	c.commit("cart totals", "web/cart.ts", "web/total.ts")
	if got := c.read(); got != (HistoryReport{Commits: 2, New: 2, Changed: true}) {
		t.Errorf("first: %+v", got)
	}
	if got := c.read(); got != (HistoryReport{Commits: 2}) {
		t.Errorf("nothing new: %+v", got)
	}
	c.git("checkout", "-q", "-b", "side")
	c.commit("retry payments twice", "src/retry.go")
	if got := c.read(); got != (HistoryReport{Commits: 3, New: 1, Changed: true}) {
		t.Errorf("one more: %+v", got)
	}
	c.git("checkout", "-q", "main")
	c.at++
	c.git("commit", "-q", "--amend", "--allow-empty", "-m", "cart sums")
	if got := c.read(); got != (HistoryReport{Commits: 2, New: 1, Changed: true}) {
		t.Errorf("rewritten: %+v", got)
	}
	kept := c.bytes()
	if err := os.Remove(filepath.Join(c.cache(), history.FileName)); err != nil {
		t.Fatal(err)
	}
	c.read()
	if c.bytes() != kept {
		t.Error("read anew, the same history gives other bytes")
	}
}

func TestARenameIsFollowedAndAWideChangeIsNot(t *testing.T) {
	c := newCheckout(t)
	c.commit("tidy the ledger", "src/old.go")
	c.git("mv", "src/old.go", "src/new.go")
	c.at++
	c.git("commit", "-q", "-m", "a better name")
	c.pages(8)
	c.read()
	r, err := history.Open(c.cache())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, links, err := r.Word(history.Terms("ledger")[0])
	if err != nil || len(links) != 1 || links[0].Path != "src/new.go" {
		t.Errorf("got %v, %v", links, err)
	}
}

// Without git, outside a repository, or in an empty one there is no history,
// and nothing is wrong.
func TestWithoutAHistoryNothingIsWrittenAndNothingIsWrong(t *testing.T) {
	c := newCheckout(t)
	if got := c.read(); got != (HistoryReport{}) {
		t.Errorf("no commit: %+v", got)
	}
	plain := t.TempDir()
	c.env.Cwd = plain
	ws, err := workspace.MakeStore(plain, false, workspace.DirsOf(c.env), c.env)
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := ReadHistory(t.Context(), ws, c.env, time.Minute); rep != (HistoryReport{}) || err != nil {
		t.Errorf("no repository: %+v, %v", rep, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if rep, err := ReadHistory(ctx, c.ws, c.env, time.Minute); rep != (HistoryReport{}) || err != nil {
		t.Errorf("no time: %+v, %v", rep, err)
	}
	if _, err := history.Open(c.cache()); err == nil {
		t.Error("something was written")
	}
}

// A workspace that is a folder of a repository sees its own paths alone.
func TestAFolderOfARepositorySeesItsOwnPaths(t *testing.T) {
	c := newCheckout(t)
	c.commit("retry payments", "api/src/retry.go", "web/retry.ts")
	c.commit("cart totals", "web/cart.ts")
	sub := filepath.Join(c.root, "api")
	if err := os.RemoveAll(c.ws.Store); err != nil {
		t.Fatal(err)
	}
	c.env.Cwd = sub
	ws, err := workspace.MakeStore(sub, false, workspace.DirsOf(c.env), c.env)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := ReadHistory(t.Context(), ws, c.env, time.Minute)
	if err != nil || rep.Commits != 1 {
		t.Fatalf("%+v, %v", rep, err)
	}
	r, err := history.Open(workspace.DirsOf(c.env).Cache(ws.ID))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, ok, err := r.Path("src/retry.go"); !ok || err != nil {
		t.Errorf("its own: %v, %v", ok, err)
	}
	for _, other := range []string{"api/src/retry.go", "web/retry.ts", "web/cart.ts"} {
		if _, ok, _ := r.Path(other); ok {
			t.Errorf("%s is not its own", other)
		}
	}
}

// The text door asks history where a route is wanted, and names only files of
// the project map.
func TestASearchForARouteAsksHistory(t *testing.T) {
	c := newCheckout(t)
	for range 4 {
		c.commit("cap retries of invoices", "src/policy.go", "src/gone.go")
	}
	c.pages(12)
	c.git("rm", "-q", "--", "src/gone.go")
	c.at++
	c.git("commit", "-q", "-m", "drop it")
	c.read()
	if _, err := Build(t.Context(), c.ws, c.env); err != nil {
		t.Fatal(err)
	}
	x, err := Open(c.ws, c.env)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	find := func(route bool) map[string]catalog.PathHit {
		res, err := x.Search(catalog.Query{Text: "invoices are retried too often", Route: route})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]catalog.PathHit{}
		for _, f := range res.Files {
			out[f.Path] = f
		}
		return out
	}
	got := find(true)
	if f := got["src/policy.go"]; f.History <= 0 || f.Score != 0 {
		t.Errorf("got %+v", got)
	}
	if _, ok := got["src/gone.go"]; ok {
		t.Errorf("a file that is gone: %+v", got)
	}
	if got := find(false); len(got) != 0 {
		t.Errorf("nobody asked: %+v", got)
	}
	// Damaged, it is as if it were not there.
	file := filepath.Join(c.cache(), history.FileName)
	b := []byte(c.bytes())
	for i := range b[:len(b)-400] {
		b[i] ^= 1
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := find(true); len(got) != 0 {
		t.Errorf("from a damaged history: %+v", got)
	}
}

func FuzzACommitIsParsedOrRefused(f *testing.F) {
	h := strings.Repeat("a", 40)
	f.Add(h + "\x021900000000\x02a subject\x02\x00M\x00src/a.go\x00R100\x00old\x00new\x00D\x00gone\x00")
	f.Add(h + "\x02x\x02\x02")
	f.Fuzz(func(t *testing.T, s string) {
		c := parseCommit(s)
		if c == nil {
			return
		}
		if !isHash(c.Hash) || len(c.Files) > history.MaxFiles {
			t.Errorf("%+v", c)
		}
	})
}

package health

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

const now = 1_900_000_000

// project makes a folder with files; with git they are committed at the time
// given, and the returned function commits again.
type project struct {
	t    *testing.T
	root string
}

func newProject(t *testing.T) *project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	p := &project{t, t.TempDir()}
	p.git(now, "init", "-q", "-b", "main")
	return p
}

func (p *project) git(at int64, args ...string) {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.root, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	when := time.Unix(at, 0).UTC().Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (p *project) write(file, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) commit(at int64) {
	p.git(at, "add", "-A")
	p.git(at, "commit", "-q", "-m", "x", "--allow-empty")
}

// check runs Check over entries and gives "kind entry: why | remedy" lines.
func (p *project) check(in Input) []string {
	in.Project = ProjectFiles(p.t.Context(), p.root)
	return lines(p.t, in)
}

func lines(t *testing.T, in Input) []string {
	t.Helper()
	if in.Now == 0 {
		in.Now = now
	}
	if in.Known == nil {
		in.Known = map[string]bool{}
	}
	for i := range in.Entries {
		in.Known[name(&in.Entries[i])] = true
	}
	found := Check(t.Context(), in)
	if diff := cmp.Diff(found, Check(t.Context(), recalled(t, in)), cmp.AllowUnexported(Finding{})); diff != "" {
		t.Errorf("what was kept tells something else than the texts: %s", diff)
	}
	var out []string
	for _, f := range found {
		out = append(out, string(f.Kind)+" "+f.Entry+": "+f.Why+" | "+f.Remedy)
	}
	return out
}

// recalled is the input as a second reading has it: facts that were kept, and
// entries without a text.
func recalled(t *testing.T, in Input) Input {
	t.Helper()
	bodies := map[string]string{}
	strip := func(e *knowledge.Entry) *Facts {
		f := again(t, &note{entry: *e, facts: factsOf(e)}).facts
		bodies[name(e)], e.Body = e.Body, ""
		return f
	}
	in.Entries, in.Inherited, in.Facts = slices.Clone(in.Entries), slices.Clone(in.Inherited), []*Facts{}
	for i := range in.Entries {
		in.Facts = append(in.Facts, strip(&in.Entries[i]))
	}
	for i := range in.Inherited {
		in.Inherited[i].Facts = strip(&in.Inherited[i].Entry)
	}
	in.Text = func(e *knowledge.Entry) string { return bodies[name(e)] }
	if held := in.Held; held != nil {
		in.Held = func(e *knowledge.Entry, file string) bool {
			whole := *e
			whole.Body = bodies[name(e)]
			return held(&whole, file)
		}
	}
	return in
}

func memory(id, body string, paths ...string) knowledge.Entry {
	return knowledge.Entry{Kind: knowledge.Memory, ID: id, Title: id, Body: body, Paths: paths}
}

func rule(id, title string, paths ...string) knowledge.Entry {
	return knowledge.Entry{Kind: knowledge.Rule, ID: id, Title: title, Paths: paths}
}

// A folder that was renamed is gone for the scope, the related file and the
// text; git says where it went.
func TestWhatGitRenamedIsNamedWithItsNewName(t *testing.T) {
	p := newProject(t)
	code := "package billing\n\n" + strings.Repeat("// charge retries the payment\n", 20)
	p.write("src/billing/client.go", code)
	p.write("src/billing/invoice.go", strings.Replace(code, "charge", "invoice", 3))
	p.write("src/old/dead.go", "package old\n")
	p.commit(now - 100)
	p.git(now, "mv", "src/billing", "src/payments")
	p.git(now, "rm", "-q", "src/old/dead.go")
	p.commit(now - 50)

	got := p.check(Input{Entries: []knowledge.Entry{
		memory("retries", "See `src/billing/client.go:12` first.\n", "src/billing/**/*.go"),
		memory("dead", "It was in src/old/dead.go, and example/of/nothing.go is no file of ours.\n", "src/payments"),
		memory("file", "Fine.\n", "src/billing/invoice.go"),
	}})
	want := []string{
		"scope memory:file: covers no file of the project: src/billing/invoice.go (src/billing/invoice.go is now src/payments/invoice.go)" +
			" | pathrule memory edit file --remove-path src/billing/invoice.go --add-path src/payments/invoice.go",
		"scope memory:retries: covers no file of the project: src/billing/**/*.go (src/billing is now src/payments)" +
			" | pathrule memory edit retries --remove-path 'src/billing/**/*.go' --add-path 'src/payments/**/*.go'",
		"mention memory:dead: names src/old/dead.go, which is gone | pathrule memory edit dead",
		"mention memory:retries: names src/billing/client.go, which is now src/payments/client.go" +
			" | pathrule memory edit retries --replace src/billing/client.go --with src/payments/client.go",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Without git a scope that covers nothing is still found, and nothing is
// guessed about texts.
func TestWithoutGitOnlyWhatTheDiskSays(t *testing.T) {
	p := &project{t, t.TempDir()}
	p.write("a/b.go", "package a\n")
	got := p.check(Input{Entries: []knowledge.Entry{memory("m", "See a/gone.go.\n", "a/c")}})
	want := []string{"scope memory:m: covers no file of the project: a/c | pathrule memory edit m --path …"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRelatedEntriesThatAreGone(t *testing.T) {
	e := memory("a", "x")
	e.Related = []string{"memory:b", "gone", "c", "memories/b.md", "::"}
	got := lines(t, Input{Entries: []knowledge.Entry{e, memory("b", "y")}, Known: map[string]bool{"skill:c": true}})
	want := []string{
		`related memory:a: is related to "gone", which is no entry, and to "::", which is no entry | pathrule memory edit a --related memory:b --related c --related memories/b.md`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRulesThatContradictEachOther(t *testing.T) {
	tests := map[string]struct {
		a, b knowledge.Entry
		want bool
	}{
		"one forbids what the other asks for": {rule("a", "Never log customer emails", "src"), rule("b", "Log customer emails", "src/api"), true},
		"another number":                      {rule("a", "Cap payment retries at 3", "src"), rule("b", "Cap payment retries at 5", "src"), true},
		"a number more, and another one":      {rule("a", "Cap payment retries at 3, after 10 seconds", "src"), rule("b", "Cap payment retries at 5, after 10 seconds", "src"), true},
		"only a number more":                  {rule("a", "Cap payment retries at 3, after 10 seconds", "src"), rule("b", "Cap payment retries at 3", "src"), false},
		"both for the whole workspace":        {rule("a", "Use tabs for indentation"), rule("b", "Do not use tabs for indentation"), true},
		"in Russian":                          {rule("a", "Писать логи в базу данных"), rule("b", "Никогда не писать логи в базу данных"), true},
		"in Japanese":                         {rule("a", "顧客のメールアドレスをログに出力する"), rule("b", "顧客のメールアドレスをログに出力しない"), true},
		"in German":                           {rule("a", "Kundendaten in Logs schreiben"), rule("b", "Niemals Kundendaten in Logs schreiben"), true},
		"on paths that never meet":            {rule("a", "Never log customer emails", "web"), rule("b", "Log customer emails", "src"), false},
		"about different things":              {rule("a", "Never log customer emails"), rule("b", "Format dates as ISO 8601"), false},
		"the same sense":                      {rule("a", "Never log customer emails"), rule("b", "Do not log customer emails"), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &project{t, t.TempDir()}
			p.write("src/api/a.go", "")
			p.write("web/b.ts", "")
			got := p.check(Input{Entries: []knowledge.Entry{test.a, test.b}})
			if has := strings.Contains(strings.Join(got, "\n"), "conflict rule:a"); has != test.want {
				t.Errorf("got %q, want a conflict: %v", got, test.want)
			}
		})
	}
}

func TestNearDuplicatesAreNamedOnceAndLookAlikesNot(t *testing.T) {
	text := "Stripe answers 429 under load. We retry three times with jitter and give up after ten seconds.\n"
	got := lines(t, Input{Entries: []knowledge.Entry{
		memory("stripe-retries", text),
		memory("stripe-retry", text+"See the runbook.\n"),
		memory("stripe-webhooks", "Stripe sends webhooks twice. We keep the event id for a week and drop the second one.\n"),
	}})
	if len(got) != 1 || !strings.HasPrefix(got[0], "duplicate memory:stripe-retry: says nearly the same as memory:stripe-retries (") ||
		!strings.HasSuffix(got[0], "| pathrule memory rm stripe-retries") {
		t.Errorf("got %q", got)
	}
}

func TestEntriesThatNobodyWasTold(t *testing.T) {
	young := memory("young", "x")
	young.Created = time.Unix(now-5*day, 0).UTC().Format(time.DateOnly)
	in := Input{
		Owner:   "ws",
		Entries: []knowledge.Entry{memory("never", "x"), memory("long-ago", "y"), memory("lately", "z"), young},
		Told:    map[string]int64{"ws/memory:long-ago": now - 40*day, "ws/memory:lately": now - 2*day},
		Since:   now - 50*day,
	}
	want := []string{
		"quiet memory:long-ago: was last told 40 days ago | pathrule memory show long-ago",
		"quiet memory:never: was told to no session since hooks keep a record | pathrule memory show never",
	}
	if d := cmp.Diff(want, lines(t, in)); d != "" {
		t.Error(d)
	}
	in.Since = now - 29*day
	if got := lines(t, in); got != nil {
		t.Errorf("a record of 29 days cannot know, got %q", got)
	}
}

func TestMuchChangeAndNoKnowledge(t *testing.T) {
	p := newProject(t)
	for n := range 8 {
		for _, f := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			p.write("src/pay/"+f+".go", strings.Repeat(f, n+1))
		}
		p.write("lib/hot.go", strings.Repeat("x", n+1))
		p.write("lib/known.go", strings.Repeat("x", n+1))
		p.write("go.sum", strings.Repeat("x", n+1))
		p.commit(now - int64(20-n)*day)
	}
	old := memory("known", "x", "lib/known.go")
	old.Created = time.Unix(now-30*day, 0).UTC().Format(time.DateOnly)
	got := p.check(Input{Entries: []knowledge.Entry{old}})
	want := []string{
		"stale memory:known: its files changed in 8 commits since it was written; is it still true? | pathrule memory edit known",
		`gap : changed in 8 commits within 60 days, and no entry is about it | pathrule memory add "…" --path lib/hot.go`,
		`gap : 8 of its files changed in 8 commits within 60 days, and 0 of them have an entry | pathrule memory add "…" --path src/pay`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := p.check(Input{Entries: []knowledge.Entry{old}, Now: now + 90*day}); got != nil {
		t.Errorf("nothing changed lately any more, got %q", got)
	}
	if got := p.check(Input{}); got != nil {
		t.Errorf("a store without entries has no gaps yet, got %q", got)
	}
}

func TestQuoteKeepsAWordAWord(t *testing.T) {
	for in, want := range map[string]string{"a/b.go": "a/b.go", "a b": "'a b'", "it's": `'it'\''s'`, "src/**": "'src/**'", "$(x)": "'$(x)'"} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}

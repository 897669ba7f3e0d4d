package index_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/bench/gen"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// place is a home and a project in temporary folders.
type place struct {
	t    testing.TB
	root string
	env  sysenv.Env
	ws   *workspace.Workspace
	dirs workspace.Dirs
}

func newPlace(t testing.TB) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	p := &place{t: t, root: filepath.Join(home, "work", "project")}
	vars := map[string]string{"HOME": home, "PATHRULE_HOME": filepath.Join(home, ".pathrule")}
	p.env = sysenv.Env{Vars: func(n string) string { return vars[n] }, Cwd: p.root, UserHome: home, Now: time.Now}
	if err := os.MkdirAll(filepath.Join(p.root, workspace.Marker), 0o755); err != nil {
		t.Fatal(err)
	}
	p.dirs = workspace.DirsOf(p.env)
	p.find()
	return p
}

func (p *place) find() {
	p.t.Helper()
	ws, err := workspace.Find(p.root, p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	p.ws = ws
}

// write writes a file below the project.
func (p *place) write(name, text string) {
	p.t.Helper()
	p.writeAt(filepath.Join(p.root, filepath.FromSlash(name)), text)
}

func (p *place) writeAt(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) memory(id, title, paths, body string) {
	p.t.Helper()
	head := "title: " + title + "\n"
	if paths != "" {
		head += "paths: [" + paths + "]\n"
	}
	p.write(".pathrule/memories/"+id+".md", "---\n"+head+"---\n"+body+"\n")
}

func (p *place) refresh() index.Report {
	p.t.Helper()
	r, err := index.Refresh(context.Background(), p.ws, p.env, index.Limits{})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func (p *place) open() *index.Index {
	p.t.Helper()
	x, err := index.Open(p.ws, p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	return x
}

func (p *place) search(q catalog.Query) catalog.Result {
	p.t.Helper()
	x := p.open()
	defer x.Close()
	res, err := x.Search(q)
	if err != nil {
		p.t.Fatal(err)
	}
	return res
}

func (p *place) catalog() *catalog.Reader {
	p.t.Helper()
	r, err := catalog.Open(p.ws, p.dirs)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func names(cs []catalog.Candidate) []string {
	out := make([]string, 0, len(cs))
	for _, c := range cs {
		out = append(out, string(c.Record.Kind)+":"+c.Record.ID)
	}
	return out
}

func TestBuildFindsEntriesByTextAndPath(t *testing.T) {
	p := newPlace(t)
	p.memory("stripe-retries", "Stripe retries twice", "src/billing", "Call `retryLimit` before a charge. The webhook may come twice.")
	p.memory("auth", "Tokens live in cookies", "src/auth", "Never in local storage.")
	p.write(".pathrule/rules/style.md", "---\ntitle: No default exports\npriority: high\n---\nUse named exports.\n")
	rep, err := index.Build(context.Background(), p.ws, p.env)
	if err != nil {
		t.Fatal(err)
	}
	if rep.State != index.Fresh || rep.Entries != 3 || !rep.Built {
		t.Fatalf("report %+v", rep)
	}
	for name, c := range map[string]struct {
		q    catalog.Query
		want []string
	}{
		"a word of the body":                                       {catalog.Query{Text: "what about the webhook?"}, []string{"memory:stripe-retries"}},
		"an identifier written another way":                        {catalog.Query{Text: "retry_limit"}, []string{"memory:stripe-retries"}},
		"a path below the scope, and what speaks about everything": {catalog.Query{Paths: []string{"src/auth/login.go"}}, []string{"memory:auth", "rule:style"}},
		"a sibling folder is outside the scope":                    {catalog.Query{Paths: []string{"src/auth-old/login.go"}}, []string{"rule:style"}},
		"one kind only":                                            {catalog.Query{Paths: []string{"src/auth/login.go"}, Kinds: []knowledge.Kind{knowledge.Memory}}, []string{"memory:auth"}},
	} {
		got := names(p.search(c.q).Candidates)
		slices.Sort(got)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// animal is a word that no other number has.
func animal(i int) string { return "quokk" + string(rune('a'+i%26)) + string(rune('a'+i/26)) }

func TestAWriteIsSeenByTheNextReaderOfEitherDoor(t *testing.T) {
	p := newPlace(t)
	p.memory("one", "First", "src", "alpha")
	p.refresh()
	for i := range 30 {
		id := fmt.Sprintf("n%02d", i)
		p.memory(id, "Number "+id, "lib/"+id, animal(i))
		if rep := p.refresh(); rep.Changed != 1 || rep.Built {
			t.Fatalf("report %+v", rep)
		}
		if got := names(p.search(catalog.Query{Text: animal(i)}).Candidates); !slices.Equal(got, []string{"memory:" + id}) {
			t.Fatalf("text door after write %d: %v", i, got)
		}
		r := p.catalog()
		res, err := r.Search(catalog.Query{Paths: []string{"lib/" + id + "/x.go"}})
		r.Close()
		if err != nil || !slices.Equal(names(res.Candidates), []string{"memory:" + id}) {
			t.Fatalf("catalogue after write %d: %v %v", i, names(res.Candidates), err)
		}
	}
	p.memory("n05", "Number five", "lib/n05", "changed to numbat")
	if err := os.Remove(filepath.Join(p.ws.Store, "memories", "n06.md")); err != nil {
		t.Fatal(err)
	}
	if rep := p.refresh(); rep.Changed != 2 || rep.Entries != 30 {
		t.Fatalf("report %+v", rep)
	}
	if got := names(p.search(catalog.Query{Text: "numbat " + animal(5) + " " + animal(6)}).Candidates); !slices.Equal(got, []string{"memory:n05"}) {
		t.Fatal(got)
	}
	if rep := p.refresh(); rep.State != index.Fresh || rep.Generation != "" {
		t.Fatalf("nothing changed, yet %+v", rep)
	}
}

func TestRefreshFilesSeesExactlyThoseFiles(t *testing.T) {
	p := newPlace(t)
	p.memory("one", "First", "src", "alpha")
	p.refresh()
	p.memory("two", "Second", "src", "wombat")
	p.memory("three", "Third", "src", "kakapo")
	two := filepath.Join(p.ws.Store, "memories", "two.md")
	rep, err := index.RefreshFiles(context.Background(), p.ws, p.env, two)
	if err != nil || rep.Changed != 1 || rep.Entries != 2 {
		t.Fatalf("report %+v, %v", rep, err)
	}
	if got := names(p.search(catalog.Query{Text: "wombat kakapo"}).Candidates); !slices.Equal(got, []string{"memory:two"}) {
		t.Fatal(got)
	}
	if err := os.Remove(two); err != nil {
		t.Fatal(err)
	}
	if rep, err = index.RefreshFiles(context.Background(), p.ws, p.env, two); err != nil || rep.Entries != 1 {
		t.Fatalf("after removal: %+v, %v", rep, err)
	}
	if rep := p.refresh(); rep.Changed != 1 || rep.Entries != 2 {
		t.Fatalf("the other file comes with a whole refresh: %+v", rep)
	}
}

func TestGeneratedWorkspaceAnswersAlikeThroughBothDoors(t *testing.T) {
	p := newPlace(t)
	entries, err := gen.Make(p.root, gen.Options{Entries: 1500, Files: 800})
	if err != nil {
		t.Fatal(err)
	}
	rep := p.refresh()
	if rep.Entries != 1500 || rep.Files != 800 || len(rep.Problems) != 0 {
		t.Fatalf("report %+v", rep)
	}
	x := p.open()
	defer x.Close()
	r := p.catalog()
	defer r.Close()
	for i, e := range entries {
		path := e.FilePath()
		if path == "" || i%7 != 0 {
			continue
		}
		q := catalog.Query{Paths: []string{path}, Exhaustive: true}
		a, err := x.Search(q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Search(q)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(a.Candidates, b.Candidates); d != "" {
			t.Fatalf("%s: -bleve +catalogue\n%s", path, d)
		}
		if !slices.Contains(names(a.Candidates), e.Kind+":"+e.ID) {
			t.Errorf("%s does not find %s with paths %s", path, e.ID, strings.Join(e.Paths, " "))
		}
	}
}

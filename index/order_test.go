package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/bench/gen"
	"pathrule/knowledge"
)

// However a store came to be, by one build or by changes in any order, the same
// question has the same answer to the last bit of every score: slices of it are
// in prompt caches. Ten thousand entries, so that segments, common words and the
// bounds of a search all have their say.
func TestAnswersDoNotDependOnTheOrderOfWriting(t *testing.T) {
	n := 10_000
	if testing.Short() || raced {
		n = 1_500
	}
	ctx := context.Background()
	one, two := newPlace(t), newPlace(t)
	entries, err := gen.Make(one.root, gen.Options{Entries: n, Files: n, Seed: 11})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.Build(ctx, one.ws, one.env); err != nil {
		t.Fatal(err)
	}

	// The other one: half of the files, with other texts, then in batches of
	// another order the rest, the right texts, and some that are gone again.
	r := rand.New(rand.NewPCG(1, 7))
	store := filepath.Join(one.root, ".pathrule")
	refs, _, _ := knowledge.Walk(store)
	r.Shuffle(len(refs), func(i, j int) { refs[i], refs[j] = refs[j], refs[i] })
	copyOf := func(ref knowledge.FileRef) []byte {
		b, err := os.ReadFile(filepath.Join(store, filepath.FromSlash(ref.File)))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	put := func(file string, data []byte) {
		name := filepath.Join(two.root, ".pathrule", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git, err := os.ReadFile(filepath.Join(one.root, ".git", "index"))
	if err != nil {
		t.Fatal(err)
	}
	two.write(".git/HEAD", "ref: refs/heads/main\n")
	two.write(".git/index", string(git))
	for i, ref := range refs[:n/2] {
		data := copyOf(ref)
		if i%10 == 0 {
			data = append(data, fmt.Sprintf("\nan older text, %d\n", i)...)
		}
		put(ref.File, data)
	}
	if _, err := index.Build(ctx, two.ws, two.env); err != nil {
		t.Fatal(err)
	}
	rest := refs[n/2:]
	for batch := 0; len(rest) > 0; batch++ {
		k := min(len(rest), 1+n/9)
		for _, ref := range rest[:k] {
			put(ref.File, copyOf(ref))
		}
		rest = rest[k:]
		gone := fmt.Sprintf("memories/passing-%d.md", batch)
		put(gone, fmt.Appendf(nil, "---\ntitle: Passing %d\n---\nsoon gone\n", batch))
		for i := batch * 50; i < n/2; i += 450 {
			put(refs[i].File, copyOf(refs[i]))
		}
		if _, err := index.Refresh(ctx, two.ws, two.env, index.Limits{}); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(two.root, ".pathrule", gone)); err != nil {
			t.Fatal(err)
		}
	}
	// More than an upper catalogue holds: with one, a path that more speaks about
	// than one answer reads may be cut elsewhere.
	for _, ref := range refs[:n/2] {
		put(ref.File, copyOf(ref))
	}
	if _, err := index.Refresh(ctx, two.ws, two.env, index.Limits{}); err != nil {
		t.Fatal(err)
	}

	a, b := one.open(), two.open()
	defer a.Close()
	defer b.Close()
	if b.Segments() < 2 {
		t.Fatal("both are of one segment: nothing is tried")
	}
	text := gen.NewText(5)
	for i := range 60 {
		q := catalog.Query{Text: text.Words(1 + i%14), Limit: 1 + i%50}
		if i%3 == 0 {
			q.Text += " " + text.Ident()
		}
		if i%2 == 0 {
			q.Paths = []string{entries[(i*131)%n].FilePath(), "src"}
		}
		x, err := a.Search(q)
		if err != nil {
			t.Fatal(err)
		}
		y, err := b.Search(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, res := range []*catalog.Result{&x, &y} {
			for j := range res.Candidates {
				c := &res.Candidates[j].Record
				c.File, c.Key, c.Owner, c.ModTime = "", string(c.Kind)+":"+c.ID, "", 0
			}
			catalog.SortCandidates(res.Candidates)
		}
		if d := cmp.Diff(x, y); d != "" {
			t.Fatalf("question %d, %q: -built at once +in another order\n%s", i, q.Text, d)
		}
		if len(x.Candidates) == 0 {
			t.Errorf("question %d, %q finds nothing", i, q.Text)
		}
	}
}

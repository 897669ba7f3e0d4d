package index_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/index"
	"pathrule/internal/bench/gen"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
)

// garble writes other bytes of the same length over a file and gives it its old
// time: only somebody who reads it can tell.
func (p *place) garble(path string) {
	p.t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		p.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat("\x00", int(st.Size()))); err != nil {
		p.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Chtimes(path, st.ModTime(), st.ModTime()); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) store() *store.Store {
	p.t.Helper()
	s, err := store.Open(p.ws, p.dirs, p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// odd writes one entry of each sort that a listing has more to say about.
func (p *place) odd() {
	p.t.Helper()
	for name, text := range map[string]string{
		"rules/block.md":           "---\ntitle: Block\nblock:\n  - pattern: foo\n    message: no\n---\nText.\n",
		"rules/badblock.md":        "---\ntitle: Bad block\nblock: {pattern: 'foo('}\n---\nText.\n",
		"rules/check.md":           "---\ntitle: Check\ncheck: {command: go test, message: run it}\n---\nText.\n",
		"rules/waits.md":           "---\ntitle: Waits\nenforcement: strict\nsource: mcp:client\n---\nText.\n",
		"rules/strict.md":          "---\ntitle: Strict\nenforcement: strict\npriority: high\n---\nText.\n",
		"rules/odd-priority.md":    "---\ntitle: Odd\npriority: urgent\n---\nText.\n",
		"memories/unknown-key.md":  "---\ntitle: Unknown\nglobs: src\n---\nText.\n",
		"memories/twice.md":        "---\ntitle: One\ntitle: Two\n---\nText.\n",
		"memories/beyond.md":       "---\ntitle: >\n  Folded\n  title\ntags: [a, b]\n---\nText.\n",
		"memories/empty.md":        "---\ntitle: Empty\n---\n<!-- nothing -->\n",
		"memories/broken.md":       "---\ntitle: Broken\npaths: '[a'\n---\nText.\n",
		"memories/unclosed.md":     "---\ntitle: Unclosed\nText.\n",
		"memories/bare.md":         "# Bare heading\n\nNo head at all.\n",
		"memories/root-glob.md":    "---\npaths: '*.ts'\n---\n# Root\nText.\n",
		"memories/second-head.md":  "---\ntitle: First\n---\n\n---\ntitle: Second\n---\nText.\n",
		"memories/binary.md":       "---\ntitle: x\n---\n\x00\x01",
		"memories/personal/own.md": "---\ntitle: Strange id\n---\nText.\n",
		"memories/dated.md":        "---\ntitle: Dated\ncreated: 2024-01-02\nsource: a ticket\nrelated: [memory:bare]\n---\nText.\n",
		"memories/long.md":         "---\ntitle: " + strings.Repeat("very ", 60) + "long\n---\nText.\n",
		"skills/bare/SKILL.md":     "---\nname: bare\n---\nNobody can tell when to use it.\n",
		"skills/full/SKILL.md":     "---\nname: full\ndescription: When releasing\nlicense: MIT\n---\nSteps.\n",
		"notes/stray.md":           "Not an entry.\n",
	} {
		p.write(".pathrule/"+name, text)
	}
	p.writeAt(filepath.Join(p.dirs.Personal(), "memories", "mine.md"), "---\ntitle: Mine\n---\nText.\n")
	p.writeAt(filepath.Join(p.dirs.Personal(), "memories", "elsewhere.md"), "---\ntitle: Elsewhere\nworkspaces: [another]\n---\nText.\n")
}

// bodiless takes away what an outline need not have.
func bodiless(list []knowledge.Entry) []knowledge.Entry {
	for i := range list {
		e := &list[i]
		e.Body, e.Source, e.Created, e.Updated, e.Workspaces = "", "", "", "", nil
	}
	return list
}

// What is listed through the index is what is listed by reading everything:
// entries, problems, and their order.
func TestAnOutlineIsTheListWithoutTexts(t *testing.T) {
	p := newPlace(t)
	if _, err := gen.Make(p.root, gen.Options{Entries: 60, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	p.odd()
	p.age(time.Hour)
	p.refresh()
	own := p.store()
	mine, err := store.OpenPersonal(p.dirs, p.env)
	if err != nil {
		t.Fatal(err)
	}
	sorts := [][]knowledge.Kind{nil, {knowledge.Rule}, {knowledge.Memory, knowledge.Skill}}
	hold := func(at string) {
		t.Helper()
		s, err := index.Look(p.ws, p.env)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range []*store.Store{own, mine} {
			for _, kinds := range sorts {
				want, wantProblems := st.List(kinds...)
				got, problems := st.Knowing(s.Store).Outline(kinds...)
				if d := cmp.Diff(wantProblems, problems); d != "" {
					t.Errorf("%s: problems of %s %v -read +known\n%s", at, st.Owner(), kinds, d)
				}
				if d := cmp.Diff(bodiless(want), bodiless(got)); d != "" {
					t.Errorf("%s: entries of %s %v -read +known\n%s", at, st.Owner(), kinds, d)
				}
				n, some, problems := st.Knowing(s.Store).Tally(kinds...)
				if d := cmp.Diff(wantProblems, problems); d != "" {
					t.Errorf("%s: problems of a tally of %s %v -read +known\n%s", at, st.Owner(), kinds, d)
				}
				count := map[knowledge.Kind]int{}
				there := map[string]bool{}
				for _, e := range some {
					there[e.Key()] = true
				}
				for _, e := range want {
					count[e.Kind]++
					if (e.Block != nil || e.Check != nil || e.Waits()) && !there[e.Key()] {
						t.Errorf("%s: %s is missing in a tally", at, e.Key())
					}
				}
				if d := cmp.Diff(count, n); d != "" {
					t.Errorf("%s: count of %s %v -read +known\n%s", at, st.Owner(), kinds, d)
				}
			}
		}
	}
	hold("as indexed")
	// By hand, behind the index's back.
	p.write(".pathrule/memories/bare.md", "---\ntitle: Bare no more\npriority: high\n---\nText.\n")
	p.write(".pathrule/rules/new.md", "---\ntitle: New\nblock: {pattern: x, message: no}\n---\nText.\n")
	if err := os.Remove(filepath.Join(p.ws.Store, "rules", "strict.md")); err != nil {
		t.Fatal(err)
	}
	hold("edited by hand")
	p.refresh()
	hold("in two layers")
	if err := os.RemoveAll(p.dirs.Cache(p.ws.ID)); err != nil {
		t.Fatal(err)
	}
	hold("without an index")
}

// A listing of a store that the index knows reads the files that changed, and
// those that have more to say, and no others.
func TestAListingReadsOnlyWhatChanged(t *testing.T) {
	p := newPlace(t)
	for i := range 40 {
		p.memory(fmt.Sprintf("m%02d", i), fmt.Sprintf("Title %d", i), "src", "Text.")
	}
	p.age(time.Hour)
	p.refresh()
	for i := range 39 {
		p.garble(filepath.Join(p.ws.Store, "memories", fmt.Sprintf("m%02d.md", i)))
	}
	p.memory("m39", "Another title", "src", "Text.")
	s := p.store().Knowing(index.Asker(p.ws, p.env))
	list, problems := s.Outline()
	if len(list) != 40 || len(problems) > 0 || list[0].Title != "Title 0" || list[39].Title != "Another title" {
		t.Errorf("%d entries, %v", len(list), problems)
	}
	n, some, problems := s.Tally()
	if n[knowledge.Memory] != 40 || len(some) > 1 || len(problems) > 0 {
		t.Errorf("%v, %d of them in full, %v", n, len(some), problems)
	}
}

// Within two seconds of a look a file's time proves nothing.
func TestAListingReadsWhatMayHaveChangedUnseen(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Wombat", "src", "Text.")
	p.refresh()
	p.garble(filepath.Join(p.ws.Store, "memories", "m.md"))
	list, problems := p.store().Knowing(index.Asker(p.ws, p.env)).Outline()
	if len(list) != 0 || len(problems) != 1 {
		t.Errorf("%v, %v", list, problems)
	}
}

// A new entry is held against its neighbours alone, and finds the same
// duplicates as one that is held against every entry.
func TestANewEntryIsHeldAgainstItsNeighbours(t *testing.T) {
	p := newPlace(t)
	made, err := gen.Make(p.root, gen.Options{Entries: 300, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	p.memory("retries", "Stripe retries are capped at three", "src/billing", "The gateway bans us after the fourth attempt within a minute.")
	p.memory("folded", "STRASSE und ſtraße", "src/billing", "Something else entirely about streets.")
	p.age(time.Hour)
	p.refresh()
	whole, quick := p.store(), p.store().Knowing(index.Asker(p.ws, p.env))
	draft := func(title, body string, paths ...string) store.Draft {
		return store.Draft{Kind: knowledge.Memory, Title: title, Body: body, Paths: paths}
	}
	near := draft("Stripe retries: at most three", "The gateway bans us after the fourth attempt within one minute.", "src/other")
	for name, d := range map[string]store.Draft{
		"says the same":             near,
		"another title, same text":  draft("Billing", "The gateway bans us after the fourth attempt within a minute."),
		"same title, other text":    draft("Stripe retries are capped at three", "Nothing in common with what stands there.", "docs"),
		"nothing of the kind":       draft("Quokka", "Wombats and numbats."),
		"words of many entries":     draft("See the", "See the other one."),
		"the same title there":      draft("stripe  RETRIES are capped at three", "Other.", "/src/billing/"),
		"a title in other letters":  draft("strasse UND STRASSE", "Other.", "src/billing"),
		"in the form of characters": draft("ＳＴＲＡＳＳＥ und straße", "Other.", "src/billing"),
	} {
		want, wantErr := whole.CheckDraft(d, store.CreateOptions{})
		got, err := quick.CheckDraft(d, store.CreateOptions{})
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -every entry +neighbours\n%s", name, d)
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %v, and %v against every entry", name, err, wantErr)
		}
	}
	if got, _ := quick.CheckDraft(near, store.CreateOptions{}); len(got) != 1 || got[0].ID != "retries" {
		t.Fatalf("neighbours %+v", got)
	}
	// No title is read that the index knows.
	refs, _, _ := knowledge.Walk(p.ws.Store)
	for _, r := range refs {
		if strings.HasPrefix(r.ID, "g0") {
			p.garble(filepath.Join(p.ws.Store, filepath.FromSlash(r.File)))
		}
	}
	e, got, err := quick.Create(near, store.CreateOptions{})
	if err != nil || len(got) != 1 || got[0].ID != "retries" {
		t.Fatalf("%+v, %v", got, err)
	}
	var dup *knowledge.DuplicateError
	if _, err := quick.CheckDraft(draft(made[0].Title, "Other.", made[0].Paths...), store.CreateOptions{}); !errors.As(err, &dup) || dup.ID != made[0].ID {
		t.Errorf("the title of an entry that cannot be read now: %v", err)
	}
	// What was written by hand since counts as well.
	p.memory("by-hand", "Numbats are termite eaters", "src", "They eat twenty thousand termites a day.")
	_, err = quick.CheckDraft(draft("Numbats are termite eaters", "Other.", "src"), store.CreateOptions{})
	if !errors.As(err, &dup) || dup.ID != "by-hand" {
		t.Errorf("a file written by hand: %v", err)
	}
	near.Title = e.Title
	if _, _, err := quick.Create(near, store.CreateOptions{}); !errors.As(err, &dup) || dup.ID != e.ID {
		t.Errorf("what was written a moment ago: %v", err)
	}
}

// A private store takes no links into its workspace, whatever the index does.
func TestAPrivateStoreIsListedByItsOwnRules(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Title", "src", "Text.")
	p.write("outside.md", "---\ntitle: Linked\n---\nText.\n")
	if err := os.Symlink(filepath.Join(p.root, "outside.md"), filepath.Join(p.ws.Store, "memories", "linked.md")); err != nil {
		t.Skip("no links here:", err)
	}
	p.refresh()
	private := *p.ws
	private.Private = true
	s, err := store.Open(&private, p.dirs, p.env)
	if err != nil {
		t.Fatal(err)
	}
	look, err := index.Look(p.ws, p.env)
	if err != nil {
		t.Fatal(err)
	}
	want, wantProblems := s.List()
	got, problems := s.Knowing(look.Store).Outline()
	if d := cmp.Diff(wantProblems, problems); d != "" {
		t.Errorf("problems -read +known\n%s", d)
	}
	if d := cmp.Diff(bodiless(want), bodiless(got)); d != "" || len(want) != 1 {
		t.Errorf("entries -read +known\n%s", d)
	}
}

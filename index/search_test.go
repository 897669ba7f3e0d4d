package index_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/internal/bench/gen"
	"pathrule/knowledge"
	"pathrule/workspace"
)

func TestRankingPrefersTitleOverBodyAndRareOverCommon(t *testing.T) {
	p := newPlace(t)
	p.memory("title", "Idempotency keys for payments", "", "Some text about other things entirely and more of it.")
	p.memory("body", "Other notes", "", "Somewhere in a long text the word idempotency occurs once, among many others that say nothing.")
	for i := range 30 {
		p.memory(fmt.Sprintf("pay%02d", i), "Payments "+fmt.Sprint(i), "", "Payments are made in euros.")
	}
	p.refresh()
	res := p.search(catalog.Query{Text: "how do idempotency keys work for payments?"})
	if got := names(res.Candidates)[:2]; !slices.Equal(got, []string{"memory:title", "memory:body"}) {
		t.Error(got)
	}
	if res.Docs != 32 {
		t.Errorf("docs %d", res.Docs)
	}
	stats := map[string]int{}
	for _, s := range res.Terms {
		stats[s.Term] = s.Docs
	}
	if stats["idempot"]+stats["idempotency"]+stats["idempotenc"] != 2 {
		t.Errorf("terms %+v", res.Terms)
	}
}

func TestAQueryFindsEntriesOfAnyScript(t *testing.T) {
	p := newPlace(t)
	p.memory("ja", "認証トークンはクッキーに保存する", "", "ローカルストレージは使わない。")
	p.memory("zh", "支付重试策略", "", "失败时最多重试两次。")
	p.memory("ko", "결제 재시도 정책", "", "두 번까지 재시도한다.")
	p.memory("ru", "Повторы платежей", "", "Платёж повторяется дважды.")
	p.memory("de", "Zahlungen", "", "Eine Überweisung wird zweimal versucht.")
	p.refresh()
	for text, want := range map[string]string{
		"認証の仕組み":             "memory:ja",
		"重试几次":               "memory:zh",
		"재시도":                "memory:ko",
		"сколько повторов":   "memory:ru",
		"Uberweisung":        "memory:de",
		"トークン expired error": "memory:ja",
		"试":                  "memory:zh",
	} {
		got := names(p.search(catalog.Query{Text: text}).Candidates)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}

func TestTheSameQuestionGetsTheSameAnswerAfterAnyHistory(t *testing.T) {
	a, b := newPlace(t), newPlace(t)
	for i := range 40 {
		id := fmt.Sprintf("n%02d", i)
		a.memory(id, "Note", "src", "wombat "+animal(i))
		a.refresh()
		b.memory(fmt.Sprintf("n%02d", 39-i), "Note", "src", "wombat "+animal(39-i))
	}
	if _, err := index.Build(context.Background(), b.ws, b.env); err != nil {
		t.Fatal(err)
	}
	q := catalog.Query{Text: "wombat note", Limit: 7}
	x, y := a.search(q), b.search(q)
	if d := cmp.Diff(names(x.Candidates), names(y.Candidates)); d != "" {
		t.Errorf("one write at a time or all at once: -one +all\n%s", d)
	}
	if len(x.Candidates) != 7 {
		t.Errorf("limit of 7 gave %d", len(x.Candidates))
	}
	for i := 1; i < len(x.Candidates); i++ {
		p, c := x.Candidates[i-1], x.Candidates[i]
		if p.Text < c.Text || (p.Text == c.Text && p.Record.Key > c.Record.Key) {
			t.Errorf("%s (%v) before %s (%v)", p.Record.Key, p.Text, c.Record.Key, c.Text)
		}
	}
}

func TestCommonWordsOnlyReScore(t *testing.T) {
	p := newPlace(t)
	for i := range 400 {
		body := "The deployment pipeline runs nightly."
		if i%100 == 0 {
			body += " Rollback uses the canary."
		}
		p.memory(fmt.Sprintf("n%03d", i), fmt.Sprintf("Note %d", i), "", body)
	}
	p.refresh()
	res := p.search(catalog.Query{Text: "deployment pipeline canary", Limit: 50})
	got := names(res.Candidates)
	// What speaks about the whole workspace is no answer to a text; without a
	// path only the four with the rare word are found.
	if want := []string{"memory:n000", "memory:n100", "memory:n200", "memory:n300"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	common := p.search(catalog.Query{Text: "canary"})
	if res.Candidates[0].Text <= common.Candidates[0].Text {
		t.Error("common words add nothing to what the rare one found")
	}
	// Alone they must still find something.
	if got := p.search(catalog.Query{Text: "deployment pipeline"}); len(got.Candidates) != 50 {
		t.Errorf("only common words found %d", len(got.Candidates))
	}
}

func TestAnEntryFoundByPathIsScoredByTextToo(t *testing.T) {
	p := newPlace(t)
	for i := range 300 {
		p.memory(fmt.Sprintf("n%03d", i), "Note", fmt.Sprintf("src/m%d", i), "The deployment runs nightly.")
	}
	p.refresh()
	res := p.search(catalog.Query{Text: "deployment of the zebra", Paths: []string{"src/m7/x.go"}})
	i := slices.IndexFunc(res.Candidates, func(c catalog.Candidate) bool { return c.Record.ID == "n007" })
	if i < 0 || res.Candidates[i].Text <= 0 || res.Candidates[i].Fit != workspace.Folder {
		t.Errorf("candidate %d of %v", i, names(res.Candidates))
	}
}

func TestALongPromptIsBounded(t *testing.T) {
	p := newPlace(t)
	if _, err := gen.Make(p.root, gen.Options{Entries: 300}); err != nil {
		t.Fatal(err)
	}
	p.memory("needle", "Quokkazebra", "", "quokkazebra")
	p.refresh()
	res := p.search(catalog.Query{Text: gen.NewText(3).Words(300) + " quokkazebra " + gen.NewText(4).Words(20_000), Limit: 10})
	if got := names(res.Candidates); !slices.Contains(got, "memory:needle") || len(got) != 10 {
		t.Errorf("%v", got)
	}
	if len(res.Terms) > 400 {
		t.Errorf("%d terms were counted", len(res.Terms))
	}
}

func TestKindsRestrictBothDoors(t *testing.T) {
	p := newPlace(t)
	p.memory("m", "Wombat", "src", "wombat")
	p.write(".pathrule/rules/r.md", "---\ntitle: Wombat\npaths: [src]\n---\nwombat\n")
	p.write(".pathrule/skills/s/SKILL.md", "---\nname: wombat\ndescription: about wombats\npaths: [src]\n---\nwombat\n")
	p.refresh()
	for _, q := range []catalog.Query{{Text: "wombat"}, {Paths: []string{"src/x"}}, {Paths: []string{"src/x"}, Exhaustive: true}} {
		q.Kinds = []knowledge.Kind{knowledge.Skill, knowledge.Rule}
		got := names(p.search(q).Candidates)
		slices.Sort(got)
		if !slices.Equal(got, []string{"rule:r", "skill:s"}) {
			t.Errorf("%+v: %v", q, got)
		}
	}
}

func TestEmptyWorkspaceAnswersEmpty(t *testing.T) {
	p := newPlace(t)
	if rep := p.refresh(); rep.State != index.Fresh || rep.Entries != 0 {
		t.Fatalf("report %+v", rep)
	}
	res := p.search(catalog.Query{Text: "anything at all", Paths: []string{"src/x.go"}})
	if len(res.Candidates)+len(res.Files) != 0 || res.Docs != 0 {
		t.Errorf("%+v", res)
	}
	p.memory("m", "Wombat", "src", "wombat")
	p.refresh()
	if got := p.found("wombat"); len(got) != 1 {
		t.Error(got)
	}
}

func TestFileHitsAreFewAndOrdered(t *testing.T) {
	p := newPlace(t)
	var files []string
	for i := range 40 {
		files = append(files, fmt.Sprintf("src/m%d/turnstile.go", i))
	}
	files = append(files, "turnstile.go", "docs/intro.md")
	p.write(".git/HEAD", "x")
	p.write(".git/index", string(gen.GitIndex(files)))
	p.refresh()
	res := p.search(catalog.Query{Text: "open the turnstile"})
	var got []string
	for _, f := range res.Files {
		got = append(got, f.Path)
	}
	// Equal scores: the one nearest the root first, then by name.
	if len(got) != 10 || got[0] != "turnstile.go" || got[1] != "src/m0/turnstile.go" || got[2] != "src/m1/turnstile.go" {
		t.Errorf("%v", got)
	}
}

// P86: the project map is searched by the words of paths in any script, also
// those that a name runs together; a word that no path holds finds no file, and
// of a path's words the rarer one tells more.
func TestTheProjectMapIsFoundByWordsOfAnyScript(t *testing.T) {
	p := newPlace(t)
	files := []string{"src/billing/InvoiceRounding.go", "docs/決済/再試行.md", "docs/настройка/платежи.md", "web/checkout-form.tsx", "web/übersicht.ts"}
	for i := range 30 {
		files = append(files, fmt.Sprintf("src/m%d/handler.go", i))
	}
	p.write(".git/HEAD", "x")
	p.write(".git/index", string(gen.GitIndex(files)))
	p.refresh()
	for text, want := range map[string]string{
		"why does the invoice rounding lose a cent": "src/billing/InvoiceRounding.go",
		"決済の再試行を直して":                                "docs/決済/再試行.md",
		"почини платежи":                            "docs/настройка/платежи.md",
		"the form of the checkout handler":          "web/checkout-form.tsx",
		"Übersicht anpassen":                        "web/übersicht.ts",
		"nothing of all that":                       "",
	} {
		res := p.search(catalog.Query{Text: text})
		got := ""
		if len(res.Files) > 0 {
			got = res.Files[0].Path
		}
		if got != want || len(res.Files) > 10 {
			t.Errorf("%q: %q of %d, want %q", text, got, len(res.Files), want)
		}
	}
}

// Words that stand for others find what those do not, weigh half, and are not
// looked for where an entry holds the words themselves.
func TestOtherWordsFindWhatTheTextsOwnDoNot(t *testing.T) {
	p := newPlace(t)
	p.memory("own", "Wombats are fed at noon", "", "Each wombat gets a carrot.")
	p.memory("else", "Staff in the booth", "", "The caretaker wears green.")
	for i := range 20 {
		p.memory(fmt.Sprintf("n%02d", i), fmt.Sprintf("Note %d", i), "", "Nothing of the kind.")
	}
	p.refresh()
	term := func(word string) string { return terms.Query(word)[0].Text }
	find := func(text string, others ...catalog.Other) (map[string]float64, catalog.Result) {
		res := p.search(catalog.Query{Text: text, Other: others})
		out := map[string]float64{}
		for _, c := range res.Candidates {
			out[string(c.Record.Kind)+":"+c.Record.ID] = c.Text
		}
		return out, res
	}
	zoo := catalog.Other{Of: []string{term("zookeeper")}, Terms: []string{term("caretaker")}}

	// Nobody writes of a zookeeper: the other word finds the entry.
	if got, _ := find("zookeeper"); len(got) != 0 {
		t.Fatalf("the word alone finds %v", got)
	}
	got, res := find("zookeeper wombat", zoo)
	if got["memory:else"] <= 0 || got["memory:own"] <= 0 || len(got) != 2 {
		t.Errorf("with another word: %v", got)
	}
	// Its terms are counted behind the text's.
	counted := []string{}
	for _, s := range res.Terms {
		counted = append(counted, fmt.Sprintf("%s %d", s.Term, s.Docs))
	}
	if want := []string{term("zookeeper") + " 0", term("wombat") + " 1", term("caretaker") + " 1"}; !slices.Equal(counted, want) {
		t.Errorf("terms %v, want %v", counted, want)
	}
	// It weighs half of what the same word weighs in the text.
	own, _ := find("caretaker")
	if half := own["memory:else"] / 2; math.Abs(got["memory:else"]-half) > 1e-9 {
		t.Errorf("weighs %v, want half of %v", got["memory:else"], own["memory:else"])
	}
	// A word that an entry holds has no need of another, nor has a phrase whose words
	// all stand somewhere.
	for name, o := range map[string]catalog.Other{
		"a word":   {Of: []string{term("wombat")}, Terms: []string{term("caretaker")}},
		"a phrase": {Of: []string{term("wombat"), term("carrot")}, Terms: []string{term("caretaker")}},
	} {
		if got, _ := find("wombat carrot", o); got["memory:else"] != 0 || got["memory:own"] <= 0 {
			t.Errorf("%s that stands: %v", name, got)
		}
	}
	if got, _ := find("wombat zookeeper", catalog.Other{Of: []string{term("wombat"), term("zookeeper")}, Terms: []string{term("caretaker")}}); got["memory:else"] <= 0 {
		t.Errorf("a phrase of which a word is missing: %v", got)
	}
}

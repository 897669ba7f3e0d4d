package slice

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pathrule/index/terms"
	"pathrule/knowledge"
)

func TestTheTableOfOrdinaryWordsIsSortedAndFindsEachOfItsWords(t *testing.T) {
	var all []string
	for line := range strings.Lines(commonText) {
		term, n, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		v, err := strconv.Atoi(n)
		if !ok || err != nil || v < 20 || v > 1000 {
			t.Fatalf("bad line %q", line)
		}
		if terms.Stop(term) {
			t.Errorf("%s is a stop word and needs no line", term)
		}
		if got := commonShare(term); got != float64(v)/1000 {
			t.Fatalf("commonShare(%s) = %v, want %d thousandths", term, got, v)
		}
		all = append(all, term)
	}
	if !slices.IsSorted(all) {
		t.Error("not sorted by bytes")
	}
	for _, term := range []string{"", " ", "zzzz", "idempot", "0", "\xff", "becau", "becauses"} {
		if got := commonShare(term); got != 0 {
			t.Errorf("commonShare(%q) = %v, want 0", term, got)
		}
	}
}

// What everybody says is no topic, also where this workspace's few entries happen
// to lack it; in every language that people write in.
func TestOrdinaryWordsCarryNoBody(t *testing.T) {
	for lang, c := range map[string]struct{ title, body, chat, ask string }{
		"en": {"Settlement of the depot in Lyon", "We got this wrong in January because nobody had told the clerk. Somebody now reads the ledger twice, since an offset goes unseen.\n",
			"somebody at the gym goes home because of a cold, cancel my flowers and my train", "why does the clerk read the ledger of the Lyon depot twice"},
		"de": {"Verrechnung des Lagers in Lyon", "Das ging im Januar schief, weil niemand es wusste. Jemand liest das Hauptbuch jetzt zweimal, denn eine Abweichung sieht man sonst leicht.\n",
			"jemand hat leicht gesungen, niemand tanzt, also bestelle Blumen und einen Kuchen", "warum liest man das Hauptbuch des Lagers in Lyon zweimal"},
	} {
		f := filled(entry{kind: knowledge.Memory, id: "ledger", title: c.title, body: c.body})
		for prompt, want := range map[string]bool{c.chat: false, c.ask: true} {
			p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt})
			if got := formOf(p, "ledger") == Body; got != want {
				t.Errorf("%s: %s: body %v, want %v\n%s", lang, prompt, got, want, p.Text)
			}
		}
	}
}

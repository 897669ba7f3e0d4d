package slice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pathrule/knowledge"
)

// filled is a store of notes about other things around the given entries.
func filled(es ...entry) *fake {
	f := new(fake).add(es...)
	for i, s := range []string{
		"Buttons on the start page carry a label for screen readers", "Tenants get their own bucket prefix", "The importer reads at most ten megabytes",
		"Vessel names are upper case", "Warehouse doors report every minute", "Payroll closes on the fifth", "Maps come from the tile server",
		"The nightly copy lands in the archive", "Driver shifts end at six", "Weather is asked once an hour", "Berths are numbered from the north",
		"Cranes are rented by the day",
	} {
		f.add(entry{kind: knowledge.Memory, id: fmt.Sprintf("other-%d", i), title: s, body: s + ". Ask the harbour desk when in doubt.\n"})
	}
	return f
}

func formOf(p Plan, id string) Form {
	for _, i := range p.Items {
		if i.ID == id {
			return i.Form
		}
	}
	return None
}

// P73: a prompt that says it in another word, or in another language, finds the
// entry; a word that only stands for one is never enough for a body.
func TestAnEntryIsFoundUnderTheOtherNamesOfItsWords(t *testing.T) {
	for name, c := range map[string]struct {
		prompt string
		least  Form
		most   Form
	}{
		"the word itself":                    {"the webhook delivers the payment event twice", Body, Body},
		"other words for two of its words":   {"the callback for a payment arrives a second time as a duplicate", Card, Body},
		"another language":                   {"Warum kommt die Zahlung doppelt an?", Card, Card},
		"a script without spaces":            {"決済が重複する", Card, Card},
		"an ending that stemming leaves":     {"Zahlungen kommen doppelt", Card, Card},
		"one other word alone says too much": {"please think about the callback of the animation frame in the start page sometime", None, None},
	} {
		t.Run(name, func(t *testing.T) {
			f := filled(entry{kind: knowledge.Memory, id: "events", title: "The payment webhook delivers more than once", body: "Store the event id and ignore it when it comes twice.\n"})
			p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: c.prompt})
			if got := formOf(p, "events"); got < c.least || got > c.most {
				t.Errorf("told as %v, want %v to %v\n%s", got, c.least, c.most, p.Text)
			}
		})
	}
}

// A word that the workspace knows means what it means there: nothing else is
// looked for in its place.
func TestAWordThatEntriesHoldHasNoOtherNames(t *testing.T) {
	f := filled(
		entry{kind: knowledge.Memory, id: "invoice", title: "Invoices are numbered per tenant", body: "The number has no gaps.\n"},
		entry{kind: knowledge.Memory, id: "bill", title: "A bill of lading travels with the crate", body: "The captain signs it.\n"},
	)
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "how are invoices numbered"})
	if formOf(p, "invoice") < Card || formOf(p, "bill") != None {
		t.Errorf("got %v", p.Items)
	}
}

// A prompt that asks for two things is answered twice, also where one of them is
// said in more words, and however they are joined.
func TestEachOfTwoQuestionsIsAnswered(t *testing.T) {
	for _, prompt := range []string{
		"where do dead letters of the reefer telemetry queue go, who replays them by hand, and how long is a quote valid",
		"two things: 1) replay the dead letters of the reefer telemetry queue by hand 2) quote validity in the form",
	} {
		f := filled(
			entry{kind: knowledge.Memory, id: "letters", title: "Dead letters of the reefer telemetry queue", body: "They are parked for two weeks and replayed by hand with the telemetry tool.\n"},
			entry{kind: knowledge.Memory, id: "quote", title: "A quote is valid for twenty minutes", body: "Its validity is stored beside it.\n"},
		)
		p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt})
		if formOf(p, "letters") != Body || formOf(p, "quote") < Card {
			t.Errorf("%s\n%s", prompt, p.Text)
		}
	}
}

func TestTheThesaurusIsReadInEveryForm(t *testing.T) {
	for prompt, want := range map[string]string{
		"roll back the service":       "revert",
		"sign-in is slow":             "authent",
		"the k8s job":                 "cluster",
		"кэш не обновляется":          "cach",
		"キャッシュが古い":                    "cach",
		"캐시를 비워 줘":                    "cach",
		"의 배포 실패":                     "deploy",
		"ล้างแคช":                     "cach",
		"die Rechnungen stimmen":      "invoic",
		"la factura está mal":         "invoic",
		"la facture est fausse":       "invoic",
		"a fatura está errada":        "invoic",
		"fatura yanlış":               "invoic",
		"发票不对":                        "invoic",
		"der Deploy ist intermittent": "flaki",
	} {
		var got []string
		for _, o := range others(prompt) {
			got = append(got, strings.Join(o.terms, " "))
		}
		if !slices.Contains(got, want) {
			t.Errorf("%s: %q is missing in %q", prompt, want, got)
		}
	}
}

// Common words and those of every project stand for nothing.
func TestCommonWordsHaveNoOtherNames(t *testing.T) {
	if got := others("please add a new test for this function and update the file"); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// The notes of the closest folder come before those of wider ones, of which there
// may be many.
func TestRulesOfWideFoldersDoNotTakeTheRoomOfTheClosest(t *testing.T) {
	f := filled(
		entry{kind: knowledge.Memory, id: "quiet", title: "Quiet hours", body: strings.Repeat("Nothing is sent between ten and seven in the local time of the shop. ", 8), paths: []string{"backend/push"}},
		entry{kind: knowledge.Memory, id: "collapse", title: "Messages collapse", body: strings.Repeat("Four keys are enough for all kinds of messages that we have. ", 8), paths: []string{"backend/push"}},
	)
	for i := range 6 {
		f.add(entry{kind: knowledge.Rule, id: fmt.Sprintf("wide-%d", i), title: fmt.Sprintf("Rule number %d of the backend", i), body: strings.Repeat("Do it like this everywhere. ", 20), paths: []string{"backend"}})
	}
	f.files = []string{"backend/push/quiet.go"}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "`backend/push/quiet.go` treats every merchant as berlin", Exists: f.exists})
	for _, id := range []string{"quiet", "collapse"} {
		if formOf(p, id) < Card {
			t.Errorf("%s is not told\n%s", id, p.Text)
		}
	}
}

package slice

import (
	"fmt"
	"strings"
	"testing"

	"pathrule/index/catalog"
	"pathrule/knowledge"
)

// Section 8 of the seeds' inventory: for one event, why each entry was told whole,
// shown as a line, skipped as told before, withheld or over budget.
func TestForOneEventEveryEntryHasItsReason(t *testing.T) {
	f := (&fake{}).add(
		entry{kind: knowledge.Memory, id: "file", title: "About this file", body: "The file is special.\n", paths: []string{"src/pay/a.go"}},
		entry{kind: knowledge.Memory, id: "had", title: "Told before", body: "Said already.\n", paths: []string{"src/pay/a.go"}},
		entry{kind: knowledge.Memory, id: "held", title: "Withheld", body: "Not for here.\n", paths: []string{"src/pay/a.go"}},
		entry{kind: knowledge.Memory, id: "else", title: "Elsewhere", body: "Never here.\n", paths: []string{"web"}},
	)
	for i := range 60 {
		f.add(entry{kind: knowledge.Rule, id: fmt.Sprintf("r%02d", i), title: fmt.Sprintf("Rule %02d of this folder", i), body: strings.Repeat("It goes on and on. ", 12) + "\n", paths: []string{"src/pay"}})
	}
	f.err = map[string]error{owner + "/memory:held": catalog.ErrWithheld}
	led := record{}
	led.told(Plan{Items: []Item{{Key: owner + "/memory:had", Hash: f.docs[owner+"/memory:had"].Hash, Form: Body}}})
	p := mustMake(t, In{Channel: Tool, Source: f, Paths: []string{"src/pay/a.go"}, Delivered: led, Budget: Budget{Tokens: 1500}})
	forms := map[string]Form{}
	for _, it := range p.Items {
		forms[it.ID] = it.Form
		if len(it.Why) == 0 {
			t.Errorf("%s is told for no reason", it.ID)
		}
	}
	if forms["file"] != Body || forms["r00"] != Card || forms["had"] != None || forms["held"] != None || forms["else"] != None {
		t.Errorf("told %v", forms)
	}
	for id, want := range map[string]string{"memory:had": LeftDelivered, "memory:held": LeftScope, "rule:r59": LeftBudget, "memory:file": "", "memory:else": ""} {
		if got := leftWhy(p, id); got != want {
			t.Errorf("%s is left out as %q, want %q", id, got, want)
		}
	}
	all := map[string]bool{}
	for _, it := range p.Items {
		all[it.Key] = true
	}
	for _, l := range p.LeftOut {
		if all[l.Key] {
			t.Errorf("%s is both told and left out", l.ID)
		}
		all[l.Key] = true
	}
	if len(all) != 63 {
		t.Errorf("%d of the 63 entries that govern the file have a reason", len(all))
	}
}

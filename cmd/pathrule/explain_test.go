package main

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/slice"
)

// TestExplainAnswersItsContract: scripts read these names; what is for a person
// only is not among them, and lists are never null.
func TestExplainAnswersItsContract(t *testing.T) {
	ans := joined([]slice.Plan{{Channel: slice.Compact, Intent: slice.Bug, Depth: slice.Focused, Route: &slice.Route{Path: "a"},
		Items:   []slice.Item{{Kind: knowledge.Rule, ID: "r", Form: slice.Card, Record: catalog.Record{Title: "R"}}},
		LeftOut: []slice.Left{{Kind: knowledge.Memory, ID: "m", Why: slice.LeftBudget}}, Text: "text", Tokens: 1}})
	ans.event = &host.Event{}
	keys := func(v any) []string {
		t.Helper()
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(maps.Keys(m))
	}
	for what, c := range map[string]struct {
		v    any
		want []string
	}{
		"data":     {ans, []string{"channel", "depth", "intent", "items", "left_out", "route", "text", "tokens"}},
		"route":    {ans.Route, []string{"path", "runner_up", "score"}},
		"item":     {ans.Items[0], []string{"form", "id", "kind", "score", "why"}},
		"left out": {ans.LeftOut[0], []string{"id", "kind", "why"}},
	} {
		if diff := cmp.Diff(c.want, keys(c.v)); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	// What silences hooks is for a person and adds no name.
	quiet := ans
	quiet.silent = "mode is off"
	if diff := cmp.Diff(keys(ans), keys(quiet)); diff != "" {
		t.Error(diff)
	}
	if ans.Channel != slice.Session || ans.titles["rule:r"] != "R" {
		t.Errorf("channel %s, titles %v", ans.Channel, ans.titles)
	}
	b, _ := json.Marshal(joined(nil))
	want := `{"channel":"tool","intent":"unknown","depth":"none","route":null,"items":[],"left_out":[],"text":"","tokens":0}`
	if string(b) != want {
		t.Errorf("nothing to say: %s", b)
	}
}

func TestPlansOfSeveralWorkspacesAreOneAnswer(t *testing.T) {
	ans := joined([]slice.Plan{
		{Channel: slice.Tool, Text: "one", Tokens: 1, Items: []slice.Item{{Kind: knowledge.Rule, ID: "a"}}},
		{Channel: slice.Tool, Text: "two", Tokens: 1, Items: []slice.Item{{Kind: knowledge.Rule, ID: "b"}}},
	})
	if ans.Text != "one\n\ntwo" || ans.Tokens != 2 || len(ans.Items) != 2 {
		t.Errorf("%+v", ans)
	}
}

package mcpserver

import (
	"encoding/json"
	"slices"
	"strings"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/index"
	"pathrule/internal/plaintext"
	"pathrule/slice"
)

const (
	// At most so many files are named, fewer where one of them is clearly meant.
	maxSuggested, sureSuggested = 10, 5
	// suggestBack is how much of the log of work is read for them, in bytes.
	suggestBack = 64 << 10
)

// suggested are the files worth opening for an answer, in this order: those that
// were changed when what it tells was written, the route's, those that change
// together with them and with the paths in hand, and what else fits by name. The
// paths in hand are left out, and what is not there.
func (c *core) suggested(p *place, plan slice.Plan) []string {
	var out []string
	add := func(paths ...string) {
		for _, f := range paths {
			if f != "" && !slices.Contains(p.paths, f) && !slices.Contains(out, f) && len(f) <= 200 && !strings.ContainsAny(f, "\n\r\x00") && plaintext.Clean(f) == f && exists(p.ws.Base(), f) {
				out = append(out, f)
			}
		}
	}
	add(c.solved(p, plan)...)
	near := slices.Clone(p.paths)
	most := maxSuggested
	if r := plan.Route; r != nil {
		add(r.Path, r.RunnerUp)
		near = append(near, r.Path)
		if r.RunnerUp == "" {
			most = sureSuggested
		}
	}
	add(index.Together(p.ws, c.env, near)...)
	if plan.Route != nil {
		add(plan.Route.Next...)
	}
	return out[:min(most, len(out))]
}

// solved are the files that were changed in the stretches of work in which the
// entries told were written, newest first.
func (c *core) solved(p *place, plan slice.Plan) (out []string) {
	if p.settings.Activity == "off" {
		return nil
	}
	recs, err := activity.Of(c.dirs.State, ledger.Root(p.ws)).Tail(suggestBack)
	if err != nil {
		return nil
	}
	all := activity.Episodes(recs)
	for i := len(all) - 1; i >= 0; i-- {
		told := slices.ContainsFunc(plan.Items, func(it slice.Item) bool {
			return it.Form > slice.Name && slices.Contains(all[i].Wrote, string(it.Kind)+":"+it.ID)
		})
		if told {
			out = append(out, all[i].Edited[:min(2, len(all[i].Edited))]...)
		}
	}
	return out
}

// filesLine names files in at most room bytes of JSON; "" where none fits. What
// comes last goes first.
func filesLine(files []string, room int) string {
	for n := len(files); n > 0; n-- {
		if line := "\n\nFiles that go with this: " + strings.Join(files[:n], ", ") + "."; jsonBytes(line) <= room {
			return line
		}
	}
	return ""
}

// itemBytes is what a list of items takes in the answer.
func itemBytes(items []itemData) int {
	b, err := json.Marshal(items)
	if err != nil {
		return 0
	}
	return len(b)
}

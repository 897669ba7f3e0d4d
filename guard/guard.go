// Package guard decides what an approved rule forbids and what an approved check
// still waits for. It never delivers and never grants: its only input besides
// the event is what a person approved (package approval) and the files as they
// stand, and a rule whose file is not exactly what was approved does not count.
//
// Nothing here can compile a pattern, because the library would cost every hook
// process its start: the caller brings a Tester, and a hook program without one
// hands the event to the program beside it.
package guard

import (
	"path/filepath"
	"slices"

	"pathrule/guard/approval"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Rule is one approved rule where it counts.
type Rule struct {
	approval.Pin
	// Owner is whose rule it is (approval.Place), Store the folder that holds its
	// file, Root the folder of its workspace, Prefix that folder below the base.
	Owner, Store, Root, Prefix string
	state                      approval.State
}

// State says whether the rule's file is what was approved; looked up once.
func (r *Rule) State() approval.State {
	if r.state == "" {
		r.state = r.StateIn(r.Store)
	}
	return r.state
}

// Name is how messages name the rule.
func (r *Rule) Name() string { return string(knowledge.Rule) + ":" + r.ID }

// Rules are the approved rules that count in ws: its own, those of the
// workspaces around it, then the user's. In a linked git worktree what was
// approved in the main checkout counts too. The error says which file of
// approvals was of no use; the others still count.
func Rules(ws *workspace.Workspace, dirs workspace.Dirs, userHome string) ([]*Rule, error) {
	if !approval.Any(dirs) {
		return nil, nil
	}
	var (
		out    []*Rule
		failed error
	)
	base := ws.Base()
	for w := ws; w != nil; w = w.Outer {
		at := []approval.Place{approval.PlaceOf(w)}
		if main := w.MainRoot(); main != "" && main != w.Root {
			at = append(at, approval.Place{Owner: workspace.IDOf(main), Root: main})
		}
		prefix, ok := workspace.Rel(base, base, w.Root)
		if !ok {
			continue
		}
		for _, p := range at {
			pins, err := approval.Read(dirs, p)
			if err != nil && failed == nil {
				failed = err
			}
			for _, pin := range pins {
				if !slices.ContainsFunc(out, func(r *Rule) bool { return r.Store == w.Store && r.Same(&pin) }) {
					out = append(out, &Rule{Pin: pin, Owner: w.ID, Store: w.Store, Root: w.Root, Prefix: prefix})
				}
			}
		}
	}
	own := approval.PersonalPlace(dirs)
	pins, err := approval.Read(dirs, own)
	if err != nil && failed == nil {
		failed = err
	}
	for _, pin := range pins {
		e := knowledge.Entry{Workspaces: pin.Workspaces}
		if e.InWorkspace(ws, userHome) {
			out = append(out, &Rule{Pin: pin, Owner: approval.Personal, Store: filepath.Clean(own.Root), Root: ws.Root})
		}
	}
	return out, failed
}

// covers reports that patterns, or the rule's own where there are none, cover a
// path in base coordinates.
func (r *Rule) covers(patterns []string, rel string) bool {
	if len(patterns) == 0 {
		patterns = r.Paths
	}
	s, err := workspace.ParseScopeAt(patterns, r.Prefix)
	return err == nil && s.Covers(rel)
}

// whole reports that patterns, or the rule's own, name no path.
func (r *Rule) whole(patterns []string) bool {
	if len(patterns) == 0 {
		patterns = r.Paths
	}
	s, err := workspace.ParseScopeAt(patterns, r.Prefix)
	return err == nil && s.Whole()
}

package doctor

import (
	"context"

	"pathrule/internal/health"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// ScopeWarnings says what will surprise about an entry's paths: patterns that
// mean less than they seem to, and patterns that cover nothing. ws nil: the
// entry belongs to no one project.
func ScopeWarnings(ctx context.Context, ws *workspace.Workspace, e knowledge.Entry) []workspace.Problem {
	var out []workspace.Problem
	odd := map[string]bool{}
	for _, w := range workspace.Warnings(e.Paths) {
		p := workspace.Problem{Msg: "\"" + w.Pattern + "\" " + w.Msg, Warning: true}
		if w.Suggest != "" {
			p.Remedy = "did you mean \"" + w.Suggest + "\"?"
		}
		odd[w.Pattern] = true
		out = append(out, p)
	}
	if ws == nil || len(e.Paths) == 0 {
		return out
	}
	for _, p := range health.Unmatched(ctx, ws.Root, e.Paths) {
		if !odd[p] {
			out = append(out, workspace.Problem{Msg: "\"" + p + "\" covers no file of this project yet", Warning: true,
				Remedy: "paths are written from the workspace's root " + ws.Root})
		}
	}
	return out
}

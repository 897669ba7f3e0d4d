package mcpserver

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/guard/hookfile"
)

// memoryEvents are the events of a person's own hooks that a tool emits, and the
// operation it stands for; "" for tools that emit none.
func memoryEvents(tool string) (before, after, operation string) {
	verb, _, _ := strings.Cut(tool, "_")
	switch {
	case tool == "search_knowledge", tool == "get_context":
		return "BeforeMemorySearch", "AfterMemorySearch", "search"
	case verb == "write":
		return "BeforeMemoryWrite", "AfterMemoryWrite", "create"
	case verb == "update", verb == "delete", verb == "restore":
		return "BeforeMemoryWrite", "AfterMemoryWrite", verb
	}
	return "", "", ""
}

// hooked runs a tool between the hooks that are for it: those before may refuse
// it, and what those after a search say is a further text of its answer.
func (c *core) hooked(ctx context.Context, t *tool, a call, run func() *mcp.CallToolResult) *mcp.CallToolResult {
	before, after, op := memoryEvents(t.name)
	if before == "" || c.o.Hooks == nil || c.env.Get(hookfile.Running) != "" {
		return run()
	}
	p, f := c.place(ctx, a.str("cwd"), nil)
	if f != nil {
		return run()
	}
	files := hookfile.Find(p.ws, c.dirs)
	if len(files) == 0 {
		return run()
	}
	kind := strings.TrimPrefix(t.name, op+"_")
	if op == "create" {
		kind = strings.TrimPrefix(t.name, "write_")
	}
	if kind == "entry" {
		kind = a.str("kind")
	}
	req := hookfile.Request{Cwd: p.cwd, Workspace: p.ws, Tool: t.name, Source: op, Memory: &hookfile.Memory{Operation: op, Kind: kind, ID: a.str("id")}}
	if m := req.Memory; op == "search" {
		m.Kind, m.Query = "", a.str("query")+a.str("prompt")
	} else {
		m.Title, m.Text, m.Paths = a.str("title"), a.str("content"), a.strs("paths")
		if a.has("content_edit") {
			m.Text = a.obj("content_edit").str("text")
		}
		if m.Scope = a.str("scope"); m.Scope == "" && op == "create" {
			m.Scope = "workspace"
		}
	}
	ask := func(event string) (out hookfile.Outcome) {
		req.Events = []string{event}
		for i := range files {
			if files[i].Wanted(c.dirs, req.Events) {
				out = c.o.Hooks(ctx, files, req)
				for _, e := range out.Errors {
					c.log.Print(e)
				}
				return out
			}
		}
		return out
	}
	switch out := ask(before); out.Decision {
	case hookfile.Deny:
		return newFault(codeRefused, "%s", out.Reason).then("A hook of the user decided this; tell the user if it stands in the way.").answer()
	case hookfile.Ask:
		return newFault(codeRefused, "a hook of the user wants a person's approval: %s", out.Reason).then("Ask the user; this server has no way to.").answer()
	}
	res := run()
	if res.IsError {
		return res
	}
	if d, ok := res.StructuredContent.(writeData); ok {
		if d.Status == statusProposed {
			return res // it is written when a person accepts it
		}
		req.Memory.ID = d.ID
	}
	out := ask(after)
	if op != "search" {
		return res
	}
	// Both halves of the answer hold it, since a client shows one of them.
	for _, part := range out.Parts {
		text := part.Told()
		res.Content = append(res.Content, mcp.NewTextContent(text))
		switch d := res.StructuredContent.(type) {
		case contextData:
			d.Text = strings.TrimSpace(d.Text + "\n\n" + text)
			res.StructuredContent = d
		case searchData:
			d.Notes = append(d.Notes, text)
			res.StructuredContent = d
		}
	}
	return res
}

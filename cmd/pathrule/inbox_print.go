package main

import (
	"maps"
	"slices"
	"strings"

	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/observe"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// printProposal shows all that accepting would write, the text last: a new entry
// whole, a change line by line against the file as it stands, what a removal takes
// and a restore brings back. What a person is to judge must not be able to colour
// or hide itself.
func printProposal(a *app, ws *workspace.Workspace, it proposed, p inbox.Proposal) {
	o := a.out
	line := func(name, value string) {
		if value != "" {
			o.Println(o.Dim(cli.Pad(name, 12)), cli.OneLine(value))
		}
	}
	what := p.Action + " of a " + string(p.Kind)
	if p.Entry != "" {
		what = p.Action + " of " + string(p.Kind) + ":" + p.Entry
	}
	o.Println(o.Bold(cli.OneLine(what)))
	line("title", it.Title)
	line("scope", it.Scope)
	if it.Workspace != "" {
		line("workspace", it.Workspace)
	}
	line("paths", pathsShown(it.Paths))
	line("by", it.By)
	line("when", localTime(it.At))
	text := func(s string) {
		if s = strings.TrimRight(cli.Plain(strings.TrimLeft(s, "\r\n")), "\n"); s != "" {
			o.Println()
			o.Printf("%s\n", s)
		}
	}
	if p.Draft != nil {
		d := *p.Draft
		line("id", d.ID)
		line("description", d.Description)
		if d.Priority != "" && d.Priority != knowledge.Medium {
			line("priority", string(d.Priority))
		}
		line("tags", strings.Join(d.Tags, ", "))
		line("related", strings.Join(d.Related, ", "))
		line("workspaces", strings.Join(d.Workspaces, ", "))
		if d.Source != it.By {
			line("source", d.Source)
		}
		line("enforcement", d.Enforcement)
		for _, b := range d.Block {
			line("block", blockShown(b))
		}
		if d.Check != nil {
			line("check", checkShown(*d.Check))
		}
		if len(d.Head) > 0 {
			line("head", string(d.Head))
		}
		for _, name := range slices.Sorted(maps.Keys(d.Files)) {
			line("with file", name)
		}
		if observe.Is(p) {
			o.Println()
			o.Println(o.Dim("Taken down without a model. Edit it to what the team should know."))
		}
		text(d.Body)
		return
	}
	s, err := a.proposalStore(ws, p)
	if err != nil {
		line("problem", err.Error())
		return
	}
	switch p.Action {
	case inbox.Update:
		if p.Patch == nil {
			break
		}
		old, changed, err := s.Preview(p.Kind, p.Entry, *p.Patch, p.Expected)
		if err != nil {
			line("problem", err.Error())
			text(patchedText(*p.Patch))
			return
		}
		o.Println()
		o.PrintDiff(cli.Diff(knowledge.FileOf(p.Kind, strings.TrimPrefix(p.Entry, knowledge.PersonalPrefix)), old, changed))
	case inbox.Delete:
		_, raw, err := s.Read(p.Kind, p.Entry)
		if raw == nil && err != nil {
			line("problem", err.Error())
			return
		}
		if v := knowledge.Version(raw); p.Expected != "" && v != p.Expected {
			line("problem", "the entry was changed since the assistant read it; accepting will be refused")
		}
		text(string(raw))
	case inbox.Restore:
		raw, err := s.TrashedFile(p.Kind, p.Entry)
		if err != nil {
			line("problem", err.Error())
			return
		}
		text(string(raw))
	}
}

func blockShown(b knowledge.Block) string {
	out := b.Pattern
	if len(b.Paths) > 0 {
		out += " in " + strings.Join(b.Paths, ", ")
	}
	if b.On != "" {
		out += " on " + b.On
	}
	if b.Message != "" {
		out += ": " + b.Message
	}
	return out
}

func checkShown(c knowledge.Check) string {
	out := c.Command
	if len(c.Paths) > 0 {
		out += " for " + strings.Join(c.Paths, ", ")
	}
	if c.Message != "" {
		out += ": " + c.Message
	}
	return out
}

// patchedText is what a change that no longer fits would have said.
func patchedText(p store.Patch) string {
	switch {
	case p.Body != nil:
		return *p.Body
	case p.Content != nil:
		return p.Content.Text
	}
	return ""
}

package main

import (
	"encoding/json"
	"strings"

	"pathrule/internal/cli"
	"pathrule/knowledge/inbox"
)

// printProposal shows all that accepting would write, the text last. What a
// person is to judge must not be able to colour or hide itself.
func printProposal(a *app, it proposed, p inbox.Proposal) {
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
	line("paths", pathsShown(it.Paths))
	line("by", it.By)
	line("when", it.At)
	text := ""
	switch {
	case p.Draft != nil:
		d := *p.Draft
		text = d.Body
		d.Title, d.Body, d.Paths = "", "", nil
		line("fields", fieldsOf(d))
	case p.Patch != nil:
		c := *p.Patch
		if c.Body != nil {
			text = *c.Body
		}
		if c.Content != nil {
			text = c.Content.Text
			line("edit", strings.TrimSpace(c.Content.Op+" "+c.Content.Section+" "+c.Content.Old))
		}
		c.Body, c.Content, c.Title, c.Paths = nil, nil, nil, nil
		line("fields", fieldsOf(c))
	}
	line("file", a.shown(it.File))
	if text != "" {
		o.Println()
		o.Printf("%s", strings.TrimRight(cli.Plain(strings.TrimLeft(text, "\r\n")), "\n")+"\n")
	}
}

// fieldsOf names what else is set, as compact JSON without its empty parts.
func fieldsOf(v any) string {
	raw, err := json.Marshal(v)
	var m map[string]any
	if err != nil || json.Unmarshal(raw, &m) != nil {
		return ""
	}
	for k, f := range m {
		switch f {
		case nil, "", false:
			delete(m, k)
		}
	}
	delete(m, "Kind")
	if len(m) == 0 {
		return ""
	}
	raw, _ = json.Marshal(m)
	return string(raw)
}

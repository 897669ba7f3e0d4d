package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/internal/plaintext"
	"pathrule/slice"
	"pathrule/workspace"
)

const (
	// nextTokens is kept free for the next step below the slice.
	nextTokens = 32
	// overviewPrompt stands for a call without prompt and paths.
	overviewPrompt = "give me an overview of this project"
)

type contextData struct {
	Status string     `json:"status"`
	Text   string     `json:"text"`
	Items  []itemData `json:"items"`
	Next   string     `json:"next,omitempty"`
}

type itemData struct {
	Kind  string   `json:"kind"`
	ID    string   `json:"id"`
	Form  string   `json:"form,omitempty"`
	Title string   `json:"title,omitempty"`
	Line  string   `json:"line,omitempty"`
	Paths []string `json:"paths,omitempty"`
	// Sections are the headings that a card's text quotes, where its body is too
	// long.
	Sections []string `json:"sections,omitempty"`
}

// getContext answers with the slice for a task: what hooks would have told,
// asked for.
func (c *core) getContext(ctx context.Context, a call) (*result, error) {
	prompt := question(a.str("prompt"))
	if q := question(a.str("query")); q != "" && q != prompt {
		prompt = strings.TrimSpace(prompt + "\n" + q)
	}
	p, f := c.place(ctx, a.str("cwd"), a.strs("paths"))
	if f == nil {
		f = p.needReads(c)
	}
	if f != nil {
		return nil, f
	}
	if prompt == "" && len(p.paths) == 0 {
		prompt = overviewPrompt
	}
	src, warming, done, err := c.view(p.ws).source(ctx)
	if err != nil {
		return nil, err
	}
	defer done()

	rec := c.delivered(p, a.meta)
	in := slice.In{
		Channel: slice.MCP, Workspace: p.ws, Settings: roomForRest(p.settings), Source: src,
		Prompt: prompt, Paths: p.paths, Cwd: p.cwdRel(),
		Exists:    func(rel string) bool { return exists(p.ws.Base(), rel) },
		Budget:    slice.Budget{Text: jsonBytes},
		Delivered: rec,
		Unseen:    !p.own, UnseenTokens: rec.left(p),
		ToolName: func(tool string) string { return tool },
	}
	if d := a.str("depth"); d != "" && d != "auto" {
		in.Depth = slice.Depth(d)
	}
	if a.flag("include_delivered") {
		in.Delivered = nil
	}
	plan, err := slice.Make(in)
	if err != nil && plan.Text == "" {
		return nil, fmt.Errorf("make the slice: %w", err)
	}
	unseen := 0
	if !p.own {
		unseen = plan.Tokens
	}
	if f := rec.told(sent(plan), unseen, plan.Tokens); f != nil {
		return nil, f
	}
	rec.note(sent(plan), p.paths)

	data := contextData{Status: statusOK, Text: plan.Text, Next: c.nextStep(p, plan, warming)}
	if warming {
		data.Status = statusWarming
	}
	room := budgetOf(p.settings, plan.Depth) - envelopeTokens
	if data.Text == "" {
		data.Text = emptyText(plan, room-nextTokens)
	}
	data.Items = itemsOf(plan, 4*room-jsonBytes(data.Text)-jsonBytes(data.Next))
	if plan.Text != "" && p.own {
		left := 4*room - jsonBytes(data.Text) - jsonBytes(data.Next) - itemBytes(data.Items)
		data.Text = strings.TrimRight(data.Text, "\n") + filesLine(c.suggested(p, plan), left)
	}
	return &result{joinNext(data.Text, data.Next), data}, nil
}

// maxQuestion is how much of a prompt or query counts, in bytes.
const maxQuestion = 64 << 10

// question is a prompt or query without white space around it; what a person
// pasted below it is cut where it gets long.
func question(s string) string {
	if len(s) > maxQuestion {
		s = strings.ToValidUTF8(s[:maxQuestion], "")
	}
	return strings.TrimSpace(s)
}

// roomForRest takes what stands around the slice out of every budget, so that
// the budget holds for the whole answer.
func roomForRest(s workspace.Settings) workspace.Settings {
	for _, b := range []*int{&s.BudgetMinimal, &s.BudgetFocused, &s.BudgetDeep} {
		*b = max(*b-nextTokens-envelopeTokens, *b/2)
	}
	return s
}

// envelopeTokens is the structured answer without what it holds.
const envelopeTokens = 13

// jsonBytes is the length of a text as a JSON string has it: some clients show
// their model the structured answer alone, so the budget holds for that too.
func jsonBytes(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r':
			n++
		case c < 0x20:
			n += 5
		case c == 0xe2 && i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xa8: // U+2028, U+2029
			n += 3
		}
	}
	return n
}

// itemsOf lists what the text tells, best first. Where the budget has no room
// left for all of them, names go first: each stands in the text as well.
func itemsOf(plan slice.Plan, room int) []itemData {
	listed := make([]bool, len(plan.Items))
	for form := slice.Body; form > slice.None; form-- {
		for n, i := range plan.Items {
			size := len(`{"kind":"","id":"","form":""},`) + len(i.Kind) + jsonBytes(i.ID) + len(i.Form.String())
			if i.Form == form && size <= room {
				listed[n] = true
				room -= size
			}
		}
	}
	out := []itemData{}
	for n, i := range plan.Items {
		if !listed[n] {
			continue
		}
		d := itemData{Kind: string(i.Kind), ID: i.ID, Form: i.Form.String()}
		if size := sectionBytes(i.Sections); len(i.Sections) > 0 && size <= room {
			d.Sections = i.Sections
			room -= size
		}
		out = append(out, d)
	}
	return out
}

// sectionBytes is what naming sections adds to an item.
func sectionBytes(heads []string) int {
	n := len(`,"sections":[]`)
	for _, h := range heads {
		n += jsonBytes(h) + len(`"",`)
	}
	return n
}

// budgetOf is the budget of a depth, in tokens.
func budgetOf(s workspace.Settings, d slice.Depth) int {
	switch d {
	case slice.Minimal, slice.DepthNone:
		return s.BudgetMinimal
	case slice.Deep:
		return s.BudgetDeep
	}
	return s.BudgetFocused
}

// sent is what the plan really told, for the session's record.
func sent(plan slice.Plan) []ledger.Sent {
	var items []ledger.Sent
	for _, i := range plan.Items {
		if i.Form > slice.None && !i.Again {
			items = append(items, ledger.Sent{Key: i.Key, Hash: i.Hash, Form: i.Form})
		}
	}
	for _, x := range plan.Extras {
		items = append(items, ledger.Sent{Key: x.Key, Hash: x.Hash, Form: slice.Body})
	}
	return items
}

// emptyText says why there is nothing to tell, in at most room tokens.
func emptyText(plan slice.Plan, room int) string {
	var had []string
	for _, l := range plan.LeftOut {
		if l.Why == slice.LeftDelivered {
			had = append(had, string(l.Kind)+":"+l.ID)
		}
	}
	switch {
	case len(had) == 0 && plan.Had:
		return "Nothing new: this session already has the overview of what is on record."
	case len(had) == 0:
		return "The team has nothing on record for this task."
	}
	for n := min(len(had), 12); ; n-- {
		names := strings.Join(had[:n], ", ")
		if rest := len(had) - n; n == 0 {
			names = fmt.Sprintf("%d entries that fit", rest)
		} else if rest > 0 {
			names += fmt.Sprintf(" and %d more", rest)
		}
		text := plaintext.Clean("Nothing new for this task. This session already has " + names + ".")
		if n == 0 || slice.Tokens(text) <= room {
			return text
		}
	}
}

// nextStep is the one most useful thing to do after this answer.
func (c *core) nextStep(p *place, plan slice.Plan, warming bool) string {
	if warming {
		return "The index is still being built; this is a part of it. Ask again in a few seconds for the rest."
	}
	if plan.Text == "" {
		had := plan.Had
		for _, l := range plan.LeftOut {
			had = had || l.Why == slice.LeftDelivered
		}
		if had {
			return "Go on with what you have; include_delivered=true repeats it."
		}
		if c.o.ReadOnly || p.settings.Writes == "off" {
			return "Go on; search_knowledge finds what other words name."
		}
		return "Go on; if you learn something lasting here, save it with write_memory."
	}
	if r := plan.Route; r != nil && !strings.Contains(plan.Text, r.Path) {
		if next := plaintext.Clean("Open " + r.Path + " before searching."); nextFits(next) {
			return next
		}
	}
	for _, i := range plan.Items {
		if i.Form == slice.Card || i.Form == slice.Name {
			next := plaintext.Clean(fmt.Sprintf("%s(id=%q) gives the whole text of one.", readTool(i.Kind), i.ID))
			if !nextFits(next) { // an id may be as long as it likes
				next = "read_* gives the whole text of one."
			}
			return next
		}
	}
	for _, x := range plan.Extras {
		if x.Key == "x:overview" {
			return "read_* gives the whole text of one id; search_knowledge finds entries by topic."
		}
	}
	return ""
}

// nextFits reports that a next step stays in its room in every form of the
// answer.
func nextFits(next string) bool { return (jsonBytes(next)+3)/4+4 <= nextTokens }

func joinNext(text, next string) string {
	if next == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\nNext: " + next
}

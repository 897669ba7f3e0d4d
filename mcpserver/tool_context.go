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
	nextTokens = 40
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
		Channel: slice.MCP, Workspace: p.ws, Settings: roomForNext(p.settings), Source: src,
		Prompt: prompt, Paths: p.paths, Cwd: p.cwdRel(),
		Exists:    func(rel string) bool { return exists(p.ws.Base(), rel) },
		Budget:    slice.Budget{Max: max(p.settings.BudgetDeep, p.settings.LoadMaxTokens) - nextTokens, Measure: slice.Tokens},
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
	if f := rec.told(sent(plan), unseen); f != nil {
		return nil, f
	}

	data := contextData{Status: statusOK, Text: plan.Text, Items: []itemData{}, Next: c.nextStep(p, plan, warming)}
	if warming {
		data.Status = statusWarming
	}
	for _, i := range plan.Items {
		data.Items = append(data.Items, itemData{Kind: string(i.Kind), ID: i.ID, Form: i.Form.String()})
	}
	if data.Text == "" {
		data.Text = emptyText(plan)
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

// roomForNext takes the next step's room out of every budget, so that the budget
// holds for the whole answer.
func roomForNext(s workspace.Settings) workspace.Settings {
	for _, b := range []*int{&s.BudgetMinimal, &s.BudgetFocused, &s.BudgetDeep} {
		*b = max(*b-nextTokens, *b/2)
	}
	return s
}

// sent is what the plan really told, for the session's record.
func sent(plan slice.Plan) []ledger.Sent {
	var items []ledger.Sent
	for _, i := range plan.Items {
		if i.Form > slice.None {
			items = append(items, ledger.Sent{Key: i.Key, Hash: i.Hash, Form: i.Form})
		}
	}
	for _, x := range plan.Extras {
		items = append(items, ledger.Sent{Key: x.Key, Hash: x.Hash, Form: slice.Body})
	}
	return items
}

// emptyText says why there is nothing to tell.
func emptyText(plan slice.Plan) string {
	var had []string
	for _, l := range plan.LeftOut {
		if l.Why == slice.LeftDelivered {
			had = append(had, string(l.Kind)+":"+l.ID)
		}
	}
	if len(had) == 0 {
		return "The team has nothing on record for this task."
	}
	more := ""
	if len(had) > 12 {
		more = fmt.Sprintf(" and %d more", len(had)-12)
		had = had[:12]
	}
	return plaintext.Clean("Nothing new for this task. This session already has " + strings.Join(had, ", ") + more + ".")
}

// nextStep is the one most useful thing to do after this answer.
func (c *core) nextStep(p *place, plan slice.Plan, warming bool) string {
	if warming {
		return "The index is still being built; this is a part of it. Ask again in a few seconds for the rest."
	}
	if plan.Text == "" {
		for _, l := range plan.LeftOut {
			if l.Why == slice.LeftDelivered {
				return "Go on with what you have; include_delivered=true repeats it."
			}
		}
		if c.o.ReadOnly || p.settings.Writes == "off" {
			return "Go on; search_knowledge finds what other words name."
		}
		return "Go on; if you learn something lasting here, save it with write_memory."
	}
	if r := plan.Route; r != nil && !strings.Contains(plan.Text, r.Path) && slice.Tokens(r.Path) < nextTokens-12 {
		return plaintext.Clean("Open " + r.Path + " before searching.")
	}
	for _, i := range plan.Items {
		if i.Form == slice.Card || i.Form == slice.Name {
			next := plaintext.Clean(fmt.Sprintf("Whole text of a short one, for example: %s(id=%q).", readTool(i.Kind), i.ID))
			if slice.Tokens(next)+4 > nextTokens { // an id may be as long as it likes
				next = "read_* gives the whole text of a short one."
			}
			return next
		}
	}
	return ""
}

func joinNext(text, next string) string {
	if next == "" {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\nNext: " + next
}

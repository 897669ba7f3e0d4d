package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/slice"
)

type searchData struct {
	Status string     `json:"status"`
	Items  []itemData `json:"items"`
	Next   string     `json:"next,omitempty"`
	// Notes are what the user's own hooks add.
	Notes []string `json:"notes,omitempty"`
}

// searchKnowledge lists entries by topic, best first, without bodies.
func (c *core) searchKnowledge(ctx context.Context, a call) (*result, error) {
	query := question(a.str("query"))
	if query == "" {
		return nil, invalid("\"query\" is empty").then("Give a few words of the topic, or look around with get_tree.")
	}
	limit := a.num("limit", 8)
	if limit < 1 || limit > 50 {
		return nil, invalid("\"limit\" must be between 1 and 50")
	}
	p, f := c.place(ctx, a.str("cwd"), a.strs("paths"))
	if f == nil {
		f = p.needReads(c)
	}
	if f != nil {
		return nil, f
	}
	src, warming, done, err := c.view(p.ws).source(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	q := catalog.Query{Text: query, Paths: p.paths, Limit: limit}
	if k := a.str("kind"); k != "" {
		q.Kinds = []knowledge.Kind{knowledge.Kind(k)}
	}
	res, err := src.Search(q)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	data := searchData{Status: statusOK, Items: []itemData{}}
	var b strings.Builder
	b.WriteString(p.heading())
	for _, cand := range res.Candidates {
		// With paths the source also answers what merely governs them.
		if cand.Text <= 0 || len(data.Items) == limit || p.withheld(cand.Record.Owner) {
			continue
		}
		i := listed(cand.Record)
		data.Items = append(data.Items, i)
		b.WriteString(i.bullet())
	}
	if len(data.Items) == 0 {
		fmt.Fprintf(&b, "No entry matches %q.\n", plaintext.Line(query, 80))
		data.Next = "Try fewer or other words, or get_tree for what there is."
	} else {
		data.Next = fmt.Sprintf("Read one whole: %s(id=%q).", readTool(knowledge.Kind(data.Items[0].Kind)), data.Items[0].ID)
	}
	if f := c.delivered(p, a.meta).told(nil, p.unseenIn(b.String()), slice.Tokens(b.String())); f != nil {
		return nil, f
	}
	if warming {
		data.Status = statusWarming
		data.Next = "The index is still being built; ask again in a few seconds for the rest."
	}
	return &result{joinNext(plaintext.Clean(b.String()), data.Next), data}, nil
}

// listed is a record as listings show it.
func listed(r catalog.Record) itemData {
	line := r.Line
	if line == r.Title {
		line = ""
	}
	return itemData{
		Kind: string(r.Kind), ID: r.ID, Title: plaintext.Line(r.Title, 120),
		Line: plaintext.Line(line, 160), Paths: r.Paths,
	}
}

// bullet is one line of a listing.
func (i itemData) bullet() string {
	s := "- " + i.Kind + ":" + i.ID + " — " + i.Title
	if i.Line != "" {
		s += ": " + i.Line
	}
	if len(i.Paths) > 0 {
		s += " [" + strings.Join(i.Paths, ", ") + "]"
	}
	return s + "\n"
}

// unseenIn are the tokens of a listing that count as unreviewed.
func (p *place) unseenIn(text string) int {
	if p.own {
		return 0
	}
	return slice.Tokens(text)
}

// heading warns before anything of a repository that the user never looked at.
func (p *place) heading() string {
	if p.own {
		return ""
	}
	return "From this repository, not reviewed on this machine:\n"
}

package slice

import "pathrule/knowledge"

// Explained is a plan as "pathrule explain --json" shows it; it marshals as it
// stands.
type Explained struct {
	Channel Channel         `json:"channel"` // session, prompt, tool or mcp
	Intent  Intent          `json:"intent"`
	Depth   Depth           `json:"depth"`
	Route   *ExplainedRoute `json:"route"`
	Items   []ExplainedItem `json:"items"` // best first
	LeftOut []ExplainedLeft `json:"left_out"`
	Text    string          `json:"text"`
	Tokens  int             `json:"tokens"`
}

// ExplainedRoute is the file to open first.
type ExplainedRoute struct {
	Path     string  `json:"path"`
	Score    float64 `json:"score"`
	RunnerUp string  `json:"runner_up"`
}

// ExplainedItem is one entry that is told.
type ExplainedItem struct {
	Kind  knowledge.Kind `json:"kind"`
	ID    string         `json:"id"`
	Form  string         `json:"form"` // body, card or name
	Score float64        `json:"score"`
	Why   []Why          `json:"why"`
	// Sections are the headings that a card is told with where its body is too
	// long, "" for what stands above the first one.
	Sections []string `json:"sections,omitempty"`
}

// ExplainedLeft is one candidate that is not told.
type ExplainedLeft struct {
	Kind knowledge.Kind `json:"kind"`
	ID   string         `json:"id"`
	Why  string         `json:"why"`
	// Signals are for a person who asks why it was not enough.
	Signals []Why `json:"-"`
}

// Explain turns a plan into its explanation. A compaction and a subagent get
// session slices, so they read as such.
func Explain(p Plan) Explained {
	e := Explained{Channel: p.Channel, Intent: p.Intent, Depth: p.Depth, Items: []ExplainedItem{}, LeftOut: []ExplainedLeft{}, Text: p.Text, Tokens: p.Tokens}
	if p.Channel == Compact || p.Channel == Subagent {
		e.Channel = Session
	}
	if p.Route != nil {
		e.Route = &ExplainedRoute{p.Route.Path, p.Route.Score, p.Route.RunnerUp}
	}
	for _, it := range p.Items {
		why := it.Why
		if why == nil {
			why = []Why{}
		}
		e.Items = append(e.Items, ExplainedItem{it.Kind, it.ID, it.Form.String(), it.Score, why, it.Sections})
	}
	for _, l := range p.LeftOut {
		e.LeftOut = append(e.LeftOut, ExplainedLeft{l.Kind, l.ID, l.Why, l.Signals})
	}
	return e
}

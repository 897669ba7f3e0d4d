// Package slice turns "who is asking, about which path, with how much room"
// into the text that is worth that room. One package serves hooks, MCP and
// explain. It reads the disk only through the catalog.Source it is handed, and
// knows no clock and no randomness: the same question gives the same text.
//
// Steps: classify the prompt's intent (depth) -> candidates from the source ->
// rank -> confidence (body, card, name, nothing) -> fit the budget -> render.
package slice

import (
	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Channel is the moment at which knowledge is delivered.
type Channel string

// The channels; Subagent and Compact are session slices with their own content.
const (
	Session  Channel = "session"
	Compact  Channel = "compact"
	Prompt   Channel = "prompt"
	Tool     Channel = "tool"
	Subagent Channel = "subagent"
	MCP      Channel = "mcp"
)

// Form is how much of an item is told; higher forms contain the lower.
type Form int

// The forms, lowest first.
const (
	None Form = iota
	Name
	Card
	Body
)

// String is "none", "name", "card" or "body".
func (f Form) String() string { return [...]string{"none", "name", "card", "body"}[f] }

// Depth is how much an answer holds.
type Depth string

// The depths. DepthNone delivers nothing but strict rules.
const (
	DepthNone Depth = "none"
	Minimal   Depth = "minimal"
	Focused   Depth = "focused"
	Deep      Depth = "deep"
)

// Intent is what the prompt wants, as explain reports it.
type Intent string

// The intents.
const (
	UI        Intent = "ui"
	Bug       Intent = "bug"
	Refactor  Intent = "refactor"
	KnownFile Intent = "known_file"
	Explore   Intent = "explore"
	Inventory Intent = "inventory"
	History   Intent = "history"
	Command   Intent = "command"
	Unknown   Intent = "unknown"
)

// Budget is the room for the final text.
type Budget struct {
	// Tokens is the aim (ceil(UTF-8 bytes/4)); 0: by depth and channel from the
	// settings. The best strong match may exceed it up to Max.
	Tokens int
	// Max is the host's cap in its own unit; 0: no cap.
	Max int
	// Measure counts text in that unit; nil: tokens.
	Measure func(string) int
	// Text is what a text takes in the answer that carries it, in bytes, where
	// that is more than its own (quotes and line ends as JSON has them); Tokens
	// holds for it. nil: the text's own bytes.
	Text func(string) int
}

// Delivered says what a session already has. An item is worth sending again
// only in a higher form or with a new hash.
type Delivered interface {
	// Has returns the highest form in which the item with this hash was sent.
	Has(key, hash string) Form
}

// In is one question.
type In struct {
	Channel   Channel
	Workspace *workspace.Workspace
	Settings  workspace.Settings
	Source    catalog.Source
	// Prompt is the user's text, "" for tool events.
	Prompt string
	// Paths are touched paths in base coordinates, most important first. Named
	// paths in the prompt are found by slice itself, through Exists.
	Paths []string
	// Cwd is the session's folder in base coordinates, "" for the base itself.
	// It is no touched path: it only ranks, and resolves names in the prompt.
	Cwd string
	// Exists reports whether a slash path (base coordinates) exists; slice calls
	// it at most 20 times. nil: nothing exists.
	Exists func(rel string) bool
	Budget Budget
	// Delivered is the session's ledger; nil: a fresh session.
	Delivered Delivered
	// Parent is what the parent session received as bodies (subagent channel), or
	// what this session had received before it was compacted (compact channel),
	// best first, as Record.Key.
	Parent []string
	// ParentParts are the long entries that the parent session was told by sections
	// (subagent channel), first told first.
	ParentParts []Part
	// Told are the keys of all that this session was told so far; needed only
	// while Settings.Acknowledge is "line".
	Told []string
	// Task is the Plan.Task of the session's last prompt (tool and subagent
	// channel).
	Task string
	// Native is the highest form in which an entry may be told although the host
	// loads its whole body by itself: None where it has it already or loads it for
	// the touched paths (left out, LeftNative), Card where it will once work
	// reaches the entry's paths, Body where it does not load it. title and body are
	// the entry's as they stand on disk. nil: Body for all.
	Native func(rec catalog.Record, title, body string) Form
	// Unseen: the knowledge is not reviewed on this machine; the text is headed
	// so and holds at most UnseenTokens; with none left only personal entries are
	// told.
	Unseen       bool
	UnseenTokens int
	// ToolName gives the name under which the host registers one of our MCP
	// tools ("get_context" -> "mcp__pathrule__get_context"); nil or "" means the
	// tool is not registered and no hint may name it.
	ToolName func(tool string) string
	// Unheard: the host shows no answer to a prompt, so that ::name would bring
	// nothing and skills are loaded with the read tool.
	Unheard bool
	// Team is team.md's text (session channel).
	Team string
	// Drift is how many entries name a path that is gone, where that is news
	// (session channel).
	Drift int
	// Changed are the keys of entries that are new or changed since the last
	// session here (session channel).
	Changed []string
	// Work gives earlier work in this project, newest first, where it may be told
	// (prompt channel); it is only called when the prompt wants it. nil: none.
	Work func() []Work
	// Depth overrides the classifier (get_context's depth argument); "": classify.
	Depth Depth
}

// Part is an entry of which some sections were told.
type Part struct {
	Key      string   // Record.Key
	Sections []string // the ledger's keys of the sections, see SectionPrefix
}

// Why is one signal that spoke for an item.
type Why struct {
	Signal string  `json:"signal"`
	Value  float64 `json:"value"`
}

// Item is one entry in the plan.
type Item struct {
	Kind  knowledge.Kind
	ID    string
	Key   string
	Hash  string
	Form  Form
	Score float64
	Why   []Why
	// Sections are the headings of what is quoted of a Card, in the order of the
	// text ("" for what stands above the first heading).
	Sections []string
	// Again: the session has the entry in this form; only sections are new.
	Again bool
	// Record is the catalogue's record.
	Record catalog.Record
}

// Reasons for which an item was left out.
const (
	LeftDelivered = "delivered"
	LeftBudget    = "budget"
	LeftFloor     = "floor"
	LeftScope     = "scope"
	LeftDuplicate = "duplicate"
	LeftNative    = "native"
	LeftTrust     = "trust"
)

// Left is one candidate that is not told, and why.
type Left struct {
	Kind knowledge.Kind
	ID   string
	Key  string
	Why  string
	// Signals are what spoke for it all the same, where that was weighed.
	Signals []Why
}

// Route is the path most likely worth opening first.
type Route struct {
	Path     string
	Score    float64
	RunnerUp string // only when close
	// Next are the two best after Path that are known to exist, told or not; for
	// measuring.
	Next []string
}

// Extra is an item of the ledger that is no entry: protocol, skill index,
// route, overview, team text.
type Extra struct {
	Key  string // "x:protocol", "x:terms", "x:skills", "x:route:<path>", "x:overview", "x:team", "x:section:<entry>:<text>"
	Hash string
}

// Plan is what will be told and why: all that explain shows.
type Plan struct {
	Channel Channel
	Intent  Intent
	Depth   Depth
	Route   *Route
	Items   []Item // best first
	Extras  []Extra
	LeftOut []Left
	// Had: there was an overview to tell, and the session has it already.
	Had bool
	// Task names what a prompt touched on, told or not, for In.Task; "" when the
	// prompt says nothing that could change it.
	Task string
	// Text is the final text, "" when there is nothing to say. The lines that
	// Settings.Proof and Settings.Acknowledge ask for stand at its end, so that
	// the budget holds for all of it.
	Text   string
	Tokens int
}

// Make answers one question. An error means the source failed; the plan is
// then whatever could still be made.
func Make(in In) (Plan, error) { return makePlan(in) }

// Tokens is ceil(UTF-8 bytes / 4), pathrule's token everywhere.
func Tokens(s string) int { return (len(s) + 3) / 4 }

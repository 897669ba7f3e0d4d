package host

import (
	"pathrule/internal/sysenv"
)

// base is what a client without the matter answers; a client's own file says
// the rest.
type base struct{}

func (base) Aliases() []string                                      { return nil }
func (base) Encode(Event, Reply) []byte                             { return nil }
func (base) Refuse(Event, string) (Output, bool)                    { return Output{}, false }
func (base) Cap(EventName) Cap                                      { return Cap{} }
func (base) Tool(tool string) string                                { return tool }
func (base) Registrations() []Registration                          { return nil }
func (base) Shape() HookShape                                       { return HookShape{Key: "hooks"} }
func (base) HookFile(Scope, string, sysenv.Env) (ConfigFile, bool)  { return ConfigFile{}, false }
func (base) MCPFile(Scope, string, sysenv.Env) (ConfigFile, bool)   { return ConfigFile{}, false }
func (base) OwnFiles(Scope, string, []string, sysenv.Env) []OwnFile { return nil }

// Sample is the payload family of Claude Code with its Edit tool.
func (base) Sample(r Registration, session, cwd, file string) []byte {
	return sampleNested(r, session, cwd, "Edit", file)
}

// Facts are what the documentation says of a client: docs/hosts.md is made of
// them.
type Facts struct {
	// Version is the release that the contract was taken from.
	Version string
	// Seen: that release was driven against a scripted model and the text found
	// in its request; else the contract is from the client's documentation,
	// source or payloads that others recorded.
	Seen bool
	// Moments say where each of our texts stands in what the model gets.
	Moments []Moment
	// Since are the events that need a newer release; no payload tells which one
	// runs, so the next prompt brings what a start or a tool could not.
	Since []Since
	// Deny is how a refusal is told, "" for none.
	Deny string
	// Runs are the ids of clients whose hook files this one runs as well, and
	// Off is the setting that stops it.
	Runs []string
	Off  string
	// RunsProject: it runs those of a project alone, not the user's.
	RunsProject bool
	// Left are the events that the client has, a person's own hooks could be for,
	// and setup does not register.
	Left []Left
	// Note is what a person has to know or to do by hand, in sentences.
	Note string
}

// Since is an event whose text older releases of a client threw away without a
// word, with the first release that shows it to the model.
type Since struct{ Event, Version string }

// Left is one event that is left alone, with the reason, a part of a sentence.
type Left struct {
	Event EventName
	Why   string
}

// Moment is one text's way to the model.
type Moment struct {
	Channel string // session, prompt, tool, subagent, compaction
	Event   string // as the host spells it
	Place   string // "a reminder beside the prompt"
}

package hookfile

// Event is one name of the catalogue.
type Event struct {
	Name string
	// Of is the event that an alias stands for, "" for one of its own.
	Of string
	// Shell: only tool calls that run a shell command.
	Shell bool
	// From is the client's event that it comes with (canonical names of package
	// host), "" when it does not come from a client.
	From string
	// Ours: our own programs emit it, whatever the client.
	Ours bool
	// Before: it comes before what it is about, so that a hook may stop it.
	Before bool
	About  string
}

// tools reports that the event may come with every tool, and not with edits or
// shell commands alone.
func (e Event) tools() bool {
	switch e.From {
	case "PreToolUse", "PostToolUse", "PostToolUseFailure":
		return !e.Shell && !e.Edits()
	}
	return false
}

// Edits reports that the event comes with tools that write files alone.
func (e Event) Edits() bool { return e.Name == "BeforeFileWrite" || e.Name == "AfterFileWrite" }

// Canonical is the name of the event, an alias resolved.
func (e Event) Canonical() string {
	if e.Of != "" {
		return e.Of
	}
	return e.Name
}

// CatalogueOnly is About of a name that nothing here stands for.
const CatalogueOnly = "catalogue only"

// Catalogue holds every name that a hook may be for: our own first, then those of
// the catalogue that this one is compatible with. Names without From and Ours
// parse and can be tested, and nothing emits them.
var Catalogue = [...]Event{
	{Name: "SessionStart", From: "SessionStart", About: "a session begins, goes on or was compacted"},
	{Name: "SessionEnd", From: "SessionEnd", About: "a session ends; there is nobody left to tell anything"},
	{Name: "UserPromptSubmit", From: "UserPromptSubmit", Before: true, About: "the person sends a prompt"},
	{Name: "PreToolUse", From: "PreToolUse", Before: true, About: "before a tool runs"},
	{Name: "PostToolUse", From: "PostToolUse", About: "after a tool ran"},
	{Name: "ToolError", From: "PostToolUseFailure", About: "after a tool failed"},
	{Name: "BeforeFileWrite", From: "PreToolUse", Before: true, About: "before a tool writes or patches a file"},
	{Name: "AfterFileWrite", From: "PostToolUse", About: "after a tool wrote or patched a file"},
	{Name: "PreCompact", From: "PreCompact", About: "before the session is compacted"},
	{Name: "PostCompact", From: "PostCompact", About: "after the session was compacted"},
	{Name: "SubagentStart", From: "SubagentStart", About: "a subagent begins"},
	{Name: "SubagentStop", From: "SubagentStop", About: "a subagent has ended"},
	{Name: "Stop", From: "Stop", Before: true, About: "the assistant is about to end its turn"},
	{Name: "StopFailure", From: "StopFailure", About: "a turn ended in an error"},
	{Name: "PermissionRequest", From: "PermissionRequest", Before: true, About: "the client is about to ask the person for permission"},
	{Name: "InstructionsLoaded", From: "InstructionsLoaded", About: "the client took a rule file into its context"},
	{Name: "BeforeMemorySearch", Ours: true, Before: true, About: "before an assistant searches the knowledge over MCP"},
	{Name: "AfterMemorySearch", Ours: true, About: "after it searched; context is added to the answer"},
	{Name: "BeforeMemoryWrite", Ours: true, Before: true, About: "before an entry is written, deleted or restored: over MCP, on the command line, from the inbox"},
	{Name: "AfterMemoryWrite", Ours: true, About: "after it was"},

	{Name: "UserMessageReceived", Of: "UserPromptSubmit", From: "UserPromptSubmit", Before: true, About: "the person sends a prompt"},
	{Name: "TurnEnd", Of: "Stop", From: "Stop", Before: true, About: "the assistant is about to end its turn"},
	{Name: "TurnError", Of: "StopFailure", From: "StopFailure", About: "a turn ended in an error"},
	{Name: "PostToolUseFailure", Of: "ToolError", From: "PostToolUseFailure", About: "after a tool failed"},
	{Name: "BeforeWorkspaceCommand", Of: "PreToolUse", Shell: true, From: "PreToolUse", Before: true, About: "before a shell command runs"},
	{Name: "AfterWorkspaceCommand", Of: "PostToolUse", Shell: true, From: "PostToolUse", About: "after a shell command ran"},
	{Name: "ApprovalRequested", Of: "PermissionRequest", From: "PermissionRequest", Before: true, About: "the client is about to ask the person for permission"},

	{Name: "BeforePromptBuild", About: CatalogueOnly},
	{Name: "AfterPromptBuild", About: CatalogueOnly},
	{Name: "BeforeModelCall", About: CatalogueOnly},
	{Name: "AfterModelCall", About: CatalogueOnly},
	{Name: "MemoryExtracted", About: CatalogueOnly},
	{Name: "WorkspaceStart", About: CatalogueOnly},
	{Name: "WorkspaceStop", About: CatalogueOnly},
	{Name: "BeforeApprovalCreate", About: CatalogueOnly},
	{Name: "ApprovalResolved", About: CatalogueOnly},
	{Name: "ApprovalTimeout", About: CatalogueOnly},
	{Name: "InboundMessageNormalized", About: CatalogueOnly},
	{Name: "BeforeOutboundMessage", About: CatalogueOnly},
	{Name: "AfterOutboundMessage", About: CatalogueOnly},
	{Name: "ChannelDeliveryFailed", About: CatalogueOnly},
}

// Lookup finds a name, which is case-sensitive as in every client.
func Lookup(name string) (Event, bool) {
	for i := range Catalogue {
		if Catalogue[i].Name == name {
			return Catalogue[i], true
		}
	}
	return Event{}, false
}

// Names are all names of the catalogue, in its order.
func Names() []string {
	out := make([]string, len(Catalogue))
	for i := range Catalogue {
		out[i] = Catalogue[i].Name
	}
	return out
}

// Emitted are the canonical events that a client's event emits, in the order in
// which they run; edits says that the tool writes files.
func Emitted(from string, edits bool) []string {
	var out []string
	for i := range Catalogue {
		e := &Catalogue[i]
		if from == "" || e.From != from || e.Of != "" {
			continue
		}
		if e.Edits() && !edits {
			continue
		}
		out = append(out, e.Name)
	}
	return out
}

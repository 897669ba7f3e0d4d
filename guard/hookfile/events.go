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

// Canonical is the name of the event, an alias resolved.
func (e Event) Canonical() string {
	if e.Of != "" {
		return e.Of
	}
	return e.Name
}

// Catalogue holds every name that a hook may be for: our own first, then those of
// the catalogue that this one is compatible with. Names without From and Ours
// parse and can be tested, and nothing emits them.
var Catalogue = [...]Event{
	{Name: "SessionStart", From: "SessionStart", About: "a session begins, goes on or was compacted"},
	{Name: "SessionEnd", From: "SessionEnd", About: "a session ends; there is nobody left to tell anything"},
	{Name: "UserPromptSubmit", From: "UserPromptSubmit", About: "the person sends a prompt"},
	{Name: "PreToolUse", From: "PreToolUse", Before: true, About: "before a tool runs"},
	{Name: "PostToolUse", From: "PostToolUse", About: "after a tool ran"},
	{Name: "ToolError", From: "PostToolUseFailure", About: "after a tool failed"},
	{Name: "BeforeFileWrite", From: "PreToolUse", Before: true, About: "before a tool writes or patches a file"},
	{Name: "AfterFileWrite", From: "PostToolUse", About: "after a tool wrote or patched a file"},
	{Name: "PreCompact", From: "PreCompact", About: "before the session is compacted"},
	{Name: "PostCompact", About: "after the session was compacted"},
	{Name: "SubagentStart", From: "SubagentStart", About: "a subagent begins"},
	{Name: "SubagentStop", From: "SubagentStop", About: "a subagent has ended"},
	{Name: "Stop", From: "Stop", Before: true, About: "the assistant is about to end its turn"},
	{Name: "StopFailure", About: "a turn ended in an error"},
	{Name: "PermissionRequest", About: "the client is about to ask the person for permission"},
	{Name: "InstructionsLoaded", From: "InstructionsLoaded", About: "the client took a rule file into its context"},
	{Name: "BeforeMemorySearch", Ours: true, Before: true, About: "before a tool of our MCP server searches the knowledge"},
	{Name: "AfterMemorySearch", Ours: true, About: "after it searched; context is added to the answer"},
	{Name: "BeforeMemoryWrite", Ours: true, Before: true, About: "before a tool of our MCP server writes, deletes or restores an entry"},
	{Name: "AfterMemoryWrite", Ours: true, About: "after it did"},

	{Name: "UserMessageReceived", Of: "UserPromptSubmit", From: "UserPromptSubmit", About: "the person sends a prompt"},
	{Name: "TurnEnd", Of: "Stop", From: "Stop", Before: true, About: "the assistant is about to end its turn"},
	{Name: "TurnError", Of: "StopFailure", About: "a turn ended in an error"},
	{Name: "PostToolUseFailure", Of: "ToolError", From: "PostToolUseFailure", About: "after a tool failed"},
	{Name: "BeforeWorkspaceCommand", Of: "PreToolUse", Shell: true, From: "PreToolUse", Before: true, About: "before a shell command runs"},
	{Name: "AfterWorkspaceCommand", Of: "PostToolUse", Shell: true, From: "PostToolUse", About: "after a shell command ran"},
	{Name: "ApprovalRequested", Of: "PermissionRequest", About: "the client is about to ask the person for permission"},

	{Name: "BeforePromptBuild", About: "catalogue only"},
	{Name: "AfterPromptBuild", About: "catalogue only"},
	{Name: "BeforeModelCall", About: "catalogue only"},
	{Name: "AfterModelCall", About: "catalogue only"},
	{Name: "MemoryExtracted", About: "catalogue only"},
	{Name: "WorkspaceStart", About: "catalogue only"},
	{Name: "WorkspaceStop", About: "catalogue only"},
	{Name: "BeforeApprovalCreate", About: "catalogue only"},
	{Name: "ApprovalResolved", About: "catalogue only"},
	{Name: "ApprovalTimeout", About: "catalogue only"},
	{Name: "InboundMessageNormalized", About: "catalogue only"},
	{Name: "BeforeOutboundMessage", About: "catalogue only"},
	{Name: "AfterOutboundMessage", About: "catalogue only"},
	{Name: "ChannelDeliveryFailed", About: "catalogue only"},
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
		if (e.Name == "BeforeFileWrite" || e.Name == "AfterFileWrite") && !edits {
			continue
		}
		out = append(out, e.Name)
	}
	return out
}

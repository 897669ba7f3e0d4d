package host

// Wiring is what setup and doctor must know of a client beside its events and
// the shape of its hook file.
type Wiring struct {
	// ProjectTail follows a bare command line in a committed hook file, so that
	// it exits 0 and says nothing on a machine without pathrule;
	// ProjectTailWindows is the same for the HookShape.Windows member.
	ProjectTail, ProjectTailWindows string
	// UserTail follows a bare command line in the user's own file: for a client
	// that takes a program which did not start for a refusal. It means the same
	// to sh and to PowerShell.
	UserTail string
	// RootOnly: a project's hook file counts only when the client is started in
	// the project's root folder, not below it.
	RootOnly bool
	// Plain: JSON files with comments or trailing commas are not loaded at all.
	Plain bool
	// NoBOM: a hook file that starts with a byte order mark is not loaded.
	NoBOM bool
	// Types are the handler types; a hook file with a handler of another type,
	// or of none, is not loaded at all. Nil: only that handler is skipped.
	Types []string
	// Events are all the events that the client knows; a hook file with one of
	// another name is not loaded at all. Nil: only that event is skipped.
	Events []string
	// Trust: the person must trust each hook in the client before it runs, and
	// the project before its files count.
	Trust bool
	// TrustNote is what else must be true in the client before our entries run,
	// as a sentence for the person; "" for nothing.
	TrustNote string
	// Off are the switches that silence every hook.
	Off []Switch
	// OffNames are the lists that silence the hooks which they name.
	OffNames []NameList

	// MCPTable is the member that holds the servers by name.
	MCPTable string
	// MCPType is written as "type" in a server's entry, "" for none.
	MCPType string
	// MCPList: "command" is one list of program and arguments and there is no
	// "args".
	MCPList bool
	// MCPEnv is the member with the server's variables, "" for "env".
	MCPEnv string
	// MCPExtra are further members of a new entry, in order.
	MCPExtra []Member
	// MCPPass is the member that lists variables which the client hands on to
	// the server, for a client that strips the environment; "" for none.
	MCPPass string
	// MCPLocal is the member of the user's MCP file that holds, by project folder,
	// a further table of servers which wins over both others; "" for none.
	MCPLocal string
	// Reload says when a running client sees the change.
	Reload string
	// AsksMCP: the client asks each person before it starts a project's server.
	AsksMCP bool
	// NoProjectMCP says why there is no project entry, "" where there is one.
	NoProjectMCP string
	// Compile is the compile target for what hooks cannot deliver, "" for none.
	Compile string
	// Loads are the compile targets whose files the client loads by itself: those
	// without paths when a session starts.
	Loads []string
	// LoadsElse are targets that it loads only while another file of its own is
	// absent; nothing is taken for delivered by them.
	LoadsElse []string
	// LoadsPaths are the targets of Loads whose files for some paths, or in a
	// folder below the root, it also loads, when a tool reads such a path; with
	// LoadsEdits, when a tool writes one as well.
	LoadsPaths []string
	LoadsEdits bool
	// Follows are the targets of Loads whose "@path" lines the client replaces with
	// the file that they name.
	Follows []string
}

// Switch is a setting that silences every hook of a client.
type Switch struct {
	// File is "hooks" or "mcp" for the client's file of that kind, else the base
	// name of a file beside the hook file, or a slash path from there.
	File string
	Path []string
	Off  bool // the value that silences
}

// NameList is a list in a client's hook file; a hook of ours whose name stands
// in it does not run.
type NameList struct {
	Path []string
	Name string
}

// Wiring: seen on release 2.1.332. A missing program after "; exit 0" stays
// unheard there, also in PowerShell, which Windows without Git Bash uses and
// where a redirection to /dev/null would fail. A settings file with a comment
// is reported as malformed and nothing of it counts; a byte order mark is
// fine. An unknown handler type only loses that handler.
func (claude) Wiring() Wiring {
	return Wiring{
		ProjectTail: "; exit 0",
		RootOnly:    true,
		Plain:       true,
		Off:         []Switch{{"hooks", []string{"disableAllHooks"}, true}, {"settings.local.json", []string{"disableAllHooks"}, true}},
		MCPTable:    "mcpServers",
		MCPType:     "stdio",
		MCPLocal:    "projects",
		AsksMCP:     true,
		Loads:       []string{"claude", "claude-rules", "claude-skills"},
		LoadsPaths:  []string{"claude", "claude-rules"},
		Follows:     []string{"claude"},
		Reload:      "Claude Code takes changed hooks up by itself; start a new session to see the MCP server.",
	}
}

// Wiring: seen on release 0.171.0. hooks.json is plain JSON without a byte
// order mark, a handler with a missing or unknown type loses the whole file,
// and servers get a stripped environment unless env_vars names a variable
// (one that is not set does no harm).
func (codex) Wiring() Wiring {
	return Wiring{
		ProjectTail:        " 2>/dev/null; exit 0",
		ProjectTailWindows: " 2>nul & exit /b 0",
		Plain:              true,
		NoBOM:              true,
		Types:              []string{"command", "mcp_tool", "prompt", "agent"},
		Trust:              true,
		Off:                []Switch{{"mcp", []string{"features", "hooks"}, false}, {"mcp", []string{"features", "codex_hooks"}, false}},
		MCPTable:           "mcp_servers",
		MCPPass:            "env_vars",
		Loads:              []string{"agents", "skills"},
		Reload:             "Start a new Codex session to load the hooks and the MCP server.",
	}
}

// Wiring: the MCP file of Windsurf (Cascade) is read at start-up.
func (windsurf) Wiring() Wiring {
	return Wiring{
		MCPTable:     "mcpServers",
		Reload:       "Restart Windsurf to load the MCP server.",
		NoProjectMCP: "Windsurf documents no project file for MCP servers; use the user scope.",
		Compile:      "windsurf",
		Loads:        []string{"windsurf", "devin-local", "agents", "skills"},
		LoadsPaths:   []string{"windsurf", "devin-local", "agents"},
	}
}

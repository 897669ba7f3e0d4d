// Package mcpserver is the deep path: an MCP server over stdio on the same
// source of truth that the hooks read.
//
// Bytes go one way: frame.go cuts stdin into JSON-RPC messages and keeps every
// id as it was spelt; conn.go answers them in order through the MCP SDK; tool_*.go
// hold the tools, which look at the world through view.go (which workspace, what
// is published, how fresh) and remember in delivered.go what the session has
// been given.
package mcpserver

//go:generate go test . -run ^TestTheDocumentationIsCurrent$ -update

import (
	"context"

	"pathrule/guard/hookfile"
	"pathrule/internal/sysenv"
)

// Options of a server.
type Options struct {
	Workspace string // --workspace; "": the client's roots, else the cwd
	ReadOnly  bool
	Version   string // of the program
	// Hooks runs the user's own hooks around searches and writes; nil: none.
	Hooks hookfile.Runner
	// Events makes the "data" of "pathrule hooks events --json", which is served as
	// a resource; nil: none.
	Events func() ([]byte, error)
}

// Serve speaks MCP on env.Stdin and env.Stdout until EOF. It answers
// initialize before it touches the index, and writes only frames to stdout.
func Serve(ctx context.Context, o Options, env sysenv.Env) error { return serve(ctx, o, env) }

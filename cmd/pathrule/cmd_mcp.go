package main

import (
	"context"

	"github.com/spf13/cobra"

	"pathrule/mcpserver"
)

type mcpOptions struct{ readOnly bool }

func newMCPCommand(a *app) *cobra.Command {
	var o mcpOptions
	c := &cobra.Command{
		Use:   "mcp",
		Short: "serve knowledge over MCP on stdin and stdout (run by the AI client)",
		Long: `Speaks the Model Context Protocol on stdin and stdout until stdin ends. "pathrule
setup" writes the entry that makes a client start it.`,
		Example: "  pathrule mcp\n  pathrule mcp --read-only\n  pathrule mcp --workspace /path/to/project",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return runMCP(c.Context(), a, o) },
	}
	c.Flags().BoolVar(&o.readOnly, "read-only", false, "without the tools that write")
	return c
}

func runMCP(ctx context.Context, a *app, o mcpOptions) error {
	dir := ""
	if a.dir != "" {
		dir = a.start()
	}
	return mcpserver.Serve(ctx, mcpserver.Options{Workspace: dir, ReadOnly: o.readOnly, Version: buildVersion().Version, Hooks: hooksOf(a.env), Events: hookEvents}, a.env)
}

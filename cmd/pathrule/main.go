//go:generate go test . -run ^TestCommandPageIsCurrent -update

// Command pathrule is the whole tool: it writes knowledge, wires clients,
// serves MCP and answers hooks.
package main

import (
	"os"

	"pathrule/internal/sysenv"
)

func main() {
	env := sysenv.FromOS()
	// Hooks run many times a day and wait on nothing but us, so they are routed
	// before the command tree is built.
	if args := os.Args[1:]; len(args) > 0 && args[0] == "hook" && !wantsHelp(args[1:]) {
		os.Exit(runHook(args[1:], env))
	}
	os.Exit(run(os.Args[1:], env))
}

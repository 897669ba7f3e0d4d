// Command pathrule-prompt answers session and prompt events with an index
// behind it, as "pathrule hook" does, but without the command line and the MCP
// server, whose libraries alone cost such a process half of its time. It is
// what pathrule-hook becomes for these events.
package main

import (
	"os"

	"pathrule/hookrunner"
	"pathrule/hookrunner/live"
	"pathrule/internal/sysenv"
)

func main() {
	host, env := hookrunner.ParseArgs(os.Args[1:], sysenv.FromOS())
	os.Exit(hookrunner.Main(hookrunner.Options{Host: host, Refresh: live.Refresh}, env))
}

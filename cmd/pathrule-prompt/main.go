// Command pathrule-prompt answers session and prompt events with an index
// behind it, as "pathrule hook" does, but without the command line, the MCP
// server and the libraries that write an index, which together cost such a
// process most of its time. It is what pathrule-hook becomes for these events;
// when the files have changed it becomes pathrule in turn.
package main

import (
	"os"
	"runtime/debug"

	"pathrule/guard/match"
	"pathrule/hookrunner"
	"pathrule/hookrunner/quick"
	"pathrule/internal/sysenv"
)

func main() {
	if len(os.Args) == 2 && (os.Args[1] == "--help" || os.Args[1] == "-h") {
		os.Stdout.WriteString("pathrule-prompt answers one event of an AI client, as JSON on stdin. Clients run it, people do not; see \"pathrule hook --help\".\n")
		return
	}
	// The process ends before what it holds could be worth collecting.
	debug.SetGCPercent(400)
	o, env := hookrunner.ParseArgs(os.Args[1:], sysenv.FromOS())
	var idx quick.Index
	o.Refresh, o.Current, o.Test = idx.Open, idx.Current, match.Find
	os.Exit(hookrunner.Main(o, env))
}

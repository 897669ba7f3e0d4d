// Command pathrule-hook answers the host events that come many times a turn,
// from the flat catalogue alone. It links nothing heavy, so that a process
// costs little more than its own start.
package main

import (
	"os"

	"pathrule/hookrunner"
	"pathrule/internal/sysenv"
)

func main() {
	if len(os.Args) == 2 && (os.Args[1] == "--help" || os.Args[1] == "-h") {
		os.Stdout.WriteString("pathrule-hook answers one event of an AI client, as JSON on stdin. Clients run it, people do not; see \"pathrule hook --help\".\n")
		return
	}
	o, env := hookrunner.ParseArgs(os.Args[1:], sysenv.FromOS())
	os.Exit(hookrunner.Main(o, env))
}

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
	o, env := hookrunner.ParseArgs(os.Args[1:], sysenv.FromOS())
	os.Exit(hookrunner.Main(o, env))
}

//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func onTerminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("no terminal for tests on this system: begin with [!linux] skip")
}

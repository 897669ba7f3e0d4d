package store

import (
	"pathrule/internal/head"
	"pathrule/internal/secret"
	"pathrule/workspace"
)

// secrets warns of text that looks like a key. It never quotes it.
func secrets(raw []byte, file string) []workspace.Problem {
	var out []workspace.Problem
	for _, f := range secret.Find(string(raw)) {
		out = append(out, workspace.Problem{File: file, Line: head.LineAt(raw, f.From), Warning: true,
			Msg: "this looks like " + f.What + "; whatever stands here reaches the assistant", Remedy: "take it out and, if it is real, replace it at its service"})
	}
	return out
}

package compile

import (
	"fmt"
	"strings"
)

// target is one form of output that some clients read.
type target struct {
	name string
	host string // id of the host package, which names our MCP tools; "" plain names
	// dir is the folder of a rules target, below the client's own dot-folder;
	// "" for a target that writes one region into a shared file.
	dir  string
	file string // the shared file
	// readers are the clients that load the output by themselves.
	readers []string
}

// Source of the readers: the clients' published pages on rules. Windsurf was
// renamed; its successor still reads the old folder, and both read AGENTS.md.
var targetTable = []target{
	{name: "windsurf", host: "windsurf", dir: ".windsurf/rules", readers: []string{"Windsurf", "Devin"}},
	{name: "devin-local", host: "devin-local", dir: ".devin/rules", readers: []string{"Windsurf", "Devin"}},
	{name: "agents", file: "AGENTS.md", readers: []string{"Windsurf", "Devin", "Codex", "Cursor", "Copilot"}},
}

func targets() []string {
	out := make([]string, len(targetTable))
	for i, t := range targetTable {
		out[i] = t.name
	}
	return out
}

func targetOf(name string) (*target, error) {
	for i := range targetTable {
		if targetTable[i].name == name {
			return &targetTable[i], nil
		}
	}
	return nil, fmt.Errorf("unknown compile target %q; known targets: %s", name, strings.Join(targets(), ", "))
}

// owns reports that the target may have written the path; a manifest comes with
// the repository and is not believed beyond that.
func (t *target) owns(path string) bool {
	if t.dir == "" {
		return path == t.file
	}
	name, ok := strings.CutPrefix(path, t.dir+"/")
	return ok && strings.HasPrefix(name, filePrefix) && strings.HasSuffix(name, ".md") && !strings.ContainsAny(name, "/\\")
}

// filePrefix begins the name of every file that is wholly ours.
const filePrefix = "pathrule-"

// shared returns a client that reads both targets, "" if there is none.
func (t *target) shared(other *target) string {
	for _, a := range t.readers {
		for _, b := range other.readers {
			if a == b {
				return a
			}
		}
	}
	return ""
}

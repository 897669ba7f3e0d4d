package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"pathrule/compile"
	"pathrule/workspace"
)

// ManagedTargets are the compile targets that .pathrule/managed.json holds
// files of, in documentation order.
func ManagedTargets(ws *workspace.Workspace) []string {
	b, err := os.ReadFile(filepath.Join(ws.Store, "managed.json"))
	if err != nil {
		return nil
	}
	var m struct {
		Files []struct {
			Target string `json:"target"`
		} `json:"files"`
	}
	if json.Unmarshal(b, &m) != nil {
		return nil
	}
	var out []string
	for _, t := range compile.Targets() {
		if slices.ContainsFunc(m.Files, func(f struct {
			Target string `json:"target"`
		}) bool {
			return f.Target == t
		}) {
			out = append(out, t)
		}
	}
	return out
}

package doctor

import (
	"slices"

	"pathrule/compile"
	"pathrule/workspace"
)

// ManagedTargets are the compile targets that .pathrule/managed.json holds
// files of, in documentation order. The error says what is wrong with that file.
func ManagedTargets(ws *workspace.Workspace) ([]string, error) {
	files, err := compile.ManagedFiles(ws)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range compile.Targets() {
		if slices.ContainsFunc(files, func(f compile.Managed) bool { return f.Target == t }) {
			out = append(out, t)
		}
	}
	return out, nil
}

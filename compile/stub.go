package compile

import (
	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

func plan(ws *workspace.Workspace, src catalog.Source, o Options, env sysenv.Env) ([]Change, error) {
	return nil, nil
}
func apply(ws *workspace.Workspace, changes []Change, o Options, env sysenv.Env) error { return nil }
func targets() []string                                                                { return nil }

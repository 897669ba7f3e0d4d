package setup

import (
	"pathrule/host"
	"pathrule/internal/sysenv"
)

func planSetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	return Plan{}, nil
}
func planUnsetup(hosts []host.Host, root string, o Options, env sysenv.Env) (Plan, error) {
	return Plan{}, nil
}
func apply(p Plan, env sysenv.Env) error                       { return nil }
func inspect(root string, env sysenv.Env) ([]Installed, error) { return nil, nil }

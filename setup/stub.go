package setup

import (
	"context"
	"time"

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
func diff(p Plan, env sysenv.Env) string                       { return "" }
func printed(h host.Host, root string, o Options, env sysenv.Env) (string, error) {
	return "", nil
}

func codexTrust(ctx context.Context, cwd string, env sysenv.Env) (Trust, error) { return Trust{}, nil }
func runRegistered(ctx context.Context, in Installed, event []byte, cwd string, limit time.Duration, env sysenv.Env) (Outcome, error) {
	return Outcome{}, nil
}

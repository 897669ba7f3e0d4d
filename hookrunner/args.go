package hookrunner

import (
	"strings"

	"pathrule/internal/sysenv"
)

// ParseArgs reads a hook's command line: --host HOST, --event NAME for hosts
// whose payloads do not name it, and any number of --env NAME=VALUE, each also
// with "=" in the same word. Setup writes --env
// where PATHRULE_HOME or PATHRULE_STATE_DIR was set: a client may start us
// with a stripped environment, and a hook entry has no other place for it that
// works without a shell. What the client's own environment says of the same
// name is overruled. Any other word makes the host one that nobody has, so
// that the run is logged and stays silent.
func ParseArgs(args []string, env sysenv.Env) (Options, sysenv.Env) {
	var o Options
	wrong := func(why string) (Options, sysenv.Env) { return Options{Host: why}, env }
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name != "--host" && name != "--event" && name != "--env" {
			return wrong("unknown flag " + args[i])
		}
		if !joined {
			if i++; i == len(args) {
				return wrong("no value for " + name)
			}
			value = args[i]
		}
		switch name {
		case "--host":
			o.Host = value
			continue
		case "--event":
			o.Event = value
			continue
		}
		k, v, ok := strings.Cut(value, "=")
		if !ok || k == "" {
			return wrong("no assignment after --env: " + value)
		}
		env = env.With(k, v)
	}
	return o, env
}

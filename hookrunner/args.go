package hookrunner

import (
	"strings"

	"pathrule/internal/sysenv"
)

// ParseArgs reads a hook's command line: --host HOST and any number of
// --env NAME=VALUE, each also with "=" in the same word. Setup writes --env
// where PATHRULE_HOME or PATHRULE_STATE_DIR was set: a client may start us
// with a stripped environment, and a hook entry has no other place for it that
// works without a shell. What the client's own environment says of the same
// name is overruled. Any other word makes the host one that nobody has, so
// that the run is logged and stays silent.
func ParseArgs(args []string, env sysenv.Env) (string, sysenv.Env) {
	host := ""
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name != "--host" && name != "--env" {
			return "unknown flag " + args[i], env
		}
		if !joined {
			if i++; i == len(args) {
				return "no value for " + name, env
			}
			value = args[i]
		}
		if name == "--host" {
			host = value
			continue
		}
		k, v, ok := strings.Cut(value, "=")
		if !ok || k == "" {
			return "no assignment after --env: " + value, env
		}
		env = env.With(k, v)
	}
	return host, env
}

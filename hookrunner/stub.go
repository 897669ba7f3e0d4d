package hookrunner

import "pathrule/internal/sysenv"

func run(o Options, env sysenv.Env) int { return 0 }

package doctor

import (
	"context"
	"fmt"
	"time"

	"pathrule/index"
	"pathrule/internal/health"
	"pathrule/internal/sysenv"
	"pathrule/setup"
	"pathrule/workspace"
)

// Options of a run.
type Options struct {
	// Workspace is where we stand, nil outside any.
	Workspace *workspace.Workspace
	// Project is the project around us where there is no workspace, "" for none.
	Project string
	// Version of the program.
	Version string
	// Quick leaves out what starts other programs: the self-test and the trial
	// of the registered commands.
	Quick bool
}

// check is what the sections share.
type check struct {
	Report
	o    Options
	env  sysenv.Env
	dirs workspace.Dirs
	ws   *workspace.Workspace
	// root is the folder whose own files clients read, "" for none.
	root string
	idx  index.Report
	// read are the stores, once they were read.
	read *health.Reading
	// found are our registrations in the clients' files.
	found []setup.Installed
}

// Run looks at everything.
func Run(ctx context.Context, o Options, env sysenv.Env) Report {
	c := &check{o: o, env: env, dirs: workspace.DirsOf(env), ws: o.Workspace, root: o.Project}
	if c.ws != nil {
		c.root = c.ws.Root
	}
	for _, s := range []struct {
		name string
		run  func(context.Context)
	}{
		{"programs", c.programs},
		{"folders", c.folders},
		{"workspace", c.workspace},
		{"knowledge", c.knowledge},
		{"index", c.index},
		{"clients", c.clients},
		{"hooks", c.userHooks},
		{"compiled files", c.compiled},
		{"self-test", c.selfTest},
		{"hook log", c.hookLog},
	} {
		c.section = s.name
		s.run(ctx)
		if ctx.Err() != nil {
			c.add(Warn, "interrupted here", "run it again")
			break
		}
	}
	c.Next = c.fix
	if c.Next == "" {
		c.Next = c.later
	}
	if c.Next == "" {
		c.Next = "pathrule explain --prompt \"what you are about to do\""
	}
	return c.Report
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func ms(d time.Duration) string {
	return d.Round(time.Millisecond).String()
}

package workspace

import "pathrule/internal/sysenv"

// Owned reports whether the workspace is the user's own: after init, a CLI
// write or "pathrule trust" here, or below a parent trusted with --parent.
// Private and personal stores always are.
func Owned(ws *Workspace, dirs Dirs) bool { return owned(ws, dirs) }

// Own records that the workspace is the user's own; parent also covers every
// workspace below Root.
func Own(ws *Workspace, dirs Dirs, parent bool, env sysenv.Env) error {
	return own(ws, dirs, parent, env)
}

// Disown takes the record back; not an error when there was none.
func Disown(ws *Workspace, dirs Dirs) error { return disown(ws, dirs) }

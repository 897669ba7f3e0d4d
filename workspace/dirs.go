package workspace

import "pathrule/internal/sysenv"

// Dirs are pathrule's folders outside the repository (DESIGN 3). Nothing is
// created by asking; writers call internal/atomicfile, which makes folders
// 0700 and files 0600.
type Dirs struct {
	// Home is PATHRULE_HOME, else ~/.pathrule; "" when the user's home is unknown
	// too. All other folders are then places that cannot exist: reads find
	// nothing and writes fail.
	Home string
	// State is where session ledgers, markers, receipts and usage live; the only
	// part that can move (PATHRULE_STATE_DIR, <home>/state-dir,
	// CLAUDE_PLUGIN_DATA/state, XDG_STATE_HOME/pathrule, <home>/state).
	State string
}

// DirsOf finds the folders for an environment. Relative values of the
// variables are refused (treated as unset).
func DirsOf(env sysenv.Env) Dirs { return dirsOf(env) }

// Cache is the folder of a workspace's index generations.
func (d Dirs) Cache(id string) string { return join(d.Home, "cache", id) }

// History is the folder of old versions of a workspace's entries.
func (d Dirs) History(id string) string { return join(d.Home, "history", id) }

// Logs is the folder of rotated logs.
func (d Dirs) Logs() string { return join(d.Home, "logs") }

// Personal is the store of the user's own knowledge.
func (d Dirs) Personal() string { return join(d.Home, "personal") }

// Killed reports that every hook passes through: the file kill-hooks stands in
// the home, or PATHRULE_DISABLE=1.
func (d Dirs) Killed(env sysenv.Env) bool { return d.killed(env) }

// Below is a place below the home, for folders that have no method here.
func (d Dirs) Below(parts ...string) string { return join(append([]string{d.Home}, parts...)...) }

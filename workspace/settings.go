package workspace

import "pathrule/internal/sysenv"

// Settings are the effective settings of one workspace (DESIGN 3), merged from
// environment, user per workspace (<home>/workspaces/<id>.yaml), repository
// (.pathrule/config.yaml) and user (<home>/config.yaml), in this order. The
// zero value is not useful; LoadSettings fills the defaults.
type Settings struct {
	Mode           string // auto, startup, always, manual, off
	Proof          string // off, compact
	Writes         string // direct, review, off
	ResetOnResume  bool   // delta.reset_on_resume
	Acknowledge    string // delta.acknowledge: none, line
	PathRules      string // hooks.path_rules: native, hook, both
	PathBodies     int    // hooks.path_bodies, bodies per tool event
	TrustKnowledge string // trust.knowledge: host, ask
	Activity       string // activity: on, off; what sessions worked on is remembered
	BudgetMinimal  int    // tokens
	BudgetFocused  int    // tokens
	BudgetDeep     int    // tokens
	BudgetTool     int    // tokens
	LoadMaxTokens  int    // load.max_tokens, for hosts without a cap of their own
	CompileTargets []string
	// The guards of package guard/pack (guards.*); all off by default.
	GuardDependencies bool
	GuardEval         bool
	GuardOutside      bool
	GuardPlan         []string // globs below which plans belong; none is off
	GuardHeader       []string // texts that a new source file begins with; none is off
	GuardQuestion     string   // off, advise, strict
	GuardContext      bool
	ContextTokens     int                 // guards.context_tokens
	Glossary          map[string][]string // term -> words that mean the same here
}

// Origin names where one effective setting came from.
type Origin struct {
	Key    string // dotted, as in the file
	Value  string
	Source string // "default", "environment", "user", "workspace", "repository"
	File   string // absolute, "" for default and environment
	Line   int    // 1-based, 0 when not from a file
}

// Problem is one thing wrong with a file a person writes, with the remedy.
type Problem struct {
	File   string
	Line   int
	Msg    string
	Remedy string
	// Warning: everything in the file still counts; false: something in it does
	// not.
	Warning bool
}

// LoadSettings merges all sources for ws (nil: the user's alone). It never
// fails: a bad line is a Problem and the rest counts. A repository file may not
// set what is the user's alone (mode proof writes activity delta.* trust.* hooks.*
// guards.*); such a line is a Problem and is ignored, and it may only
// lower budgets.
func LoadSettings(ws *Workspace, dirs Dirs, env sysenv.Env) (Settings, []Origin, []Problem) {
	return loadSettings(ws, dirs, env)
}

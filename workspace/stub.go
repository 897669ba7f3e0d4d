package workspace

import "pathrule/internal/sysenv"

func loadSettings(ws *Workspace, dirs Dirs, env sysenv.Env) (Settings, []Origin, []Problem) {
	return defaultSettings(), nil, nil
}
func defaultSettings() Settings {
	return Settings{Mode: "auto", Proof: "off", Writes: "direct", Acknowledge: "none", PathRules: "hook", PathBodies: 3, TrustKnowledge: "host", BudgetMinimal: 300, BudgetFocused: 1200, BudgetDeep: 2400, BudgetTool: 300, LoadMaxTokens: 1600}
}
func owned(ws *Workspace, dirs Dirs) bool                             { return true }
func own(ws *Workspace, dirs Dirs, parent bool, env sysenv.Env) error { return nil }
func disown(ws *Workspace, dirs Dirs) error                           { return nil }

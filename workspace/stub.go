package workspace

import (
	"path/filepath"

	"pathrule/internal/sysenv"
)

type scope struct{}

func parseScope(patterns []string, prefix string) (Scope, error) { return Scope{}, nil }
func splitPatterns(s string) []string                            { return nil }
func (s scope) match(rel string) (Fit, int)                      { return Outside, 0 }
func (s scope) whole() bool                                      { return true }
func (s scope) keys() []string                                   { return nil }
func (s scope) patterns() []string                               { return nil }
func pathKeys(rel string) []string                               { return nil }
func relPath(base, cwd, path string) (string, bool)              { return "", false }
func find(dir string, env sysenv.Env) (*Workspace, error)        { return nil, ErrNone }
func dirsOf(env sysenv.Env) Dirs                                 { return Dirs{} }
func join(parts ...string) string                                { return filepath.Join(parts...) }
func (d Dirs) killed(env sysenv.Env) bool                        { return false }
func loadSettings(ws *Workspace, dirs Dirs, env sysenv.Env) (Settings, []Origin, []Problem) {
	return defaultSettings(), nil, nil
}
func defaultSettings() Settings                                       { return Settings{} }
func owned(ws *Workspace, dirs Dirs) bool                             { return true }
func own(ws *Workspace, dirs Dirs, parent bool, env sysenv.Env) error { return nil }
func disown(ws *Workspace, dirs Dirs) error                           { return nil }

package workspace

// Scope is the set of paths an entry speaks about, compiled from the patterns
// as written (DESIGN 2, "paths"). The zero Scope covers the whole workspace.
type Scope struct{ scope }

// Fit says how closely a scope covers a path, closest first when sorted
// descending.
type Fit int

const (
	// Outside: the scope does not cover the path.
	Outside Fit = iota
	// Project: a scope without patterns, or only exclusions.
	Project
	// Glob: covered by a glob with no static folder.
	Glob
	// Folder: covered by a folder at or above the path, or by a glob below one.
	Folder
	// File: a bare pattern names this very file.
	File
)

// ParseScope compiles patterns; the error names the pattern and the remedy.
func ParseScope(patterns []string) (Scope, error) { return parseScope(patterns, "") }

// ParseScopeAt is ParseScope for patterns written relative to a nested
// workspace whose root lies at prefix (slash path, relative to the base).
func ParseScopeAt(patterns []string, prefix string) (Scope, error) {
	return parseScope(patterns, prefix)
}

// SplitPatterns splits a comma string into patterns; commas inside {} and []
// do not split.
func SplitPatterns(s string) []string { return splitPatterns(s) }

// Match says how closely the scope covers the slash path rel (relative to the
// base), and how many segments deep the covering folder lies (0 for the root),
// so that a narrower folder ranks before a wider one. isDir paths (a folder
// that a tool listed) are covered by scopes at or above them only.
func (s Scope) Match(rel string) (fit Fit, depth int) { return s.match(rel) }

// Covers is Match without the closeness.
func (s Scope) Covers(rel string) bool { f, _ := s.match(rel); return f != Outside }

// Whole reports that the scope has no positive pattern.
func (s Scope) Whole() bool { return s.whole() }

// Keys are the index terms of the scope: one "d:<folder>" per static folder
// prefix of a positive pattern ("d:" for the root), "f:<path>" for a bare
// path, "e:<ext>" or "b:<base name>" for a glob without a static folder, and
// "p:" for a whole-workspace scope. PathKeys gives the terms to look up for a
// path; every scope that covers a path shares at least one key with it.
func (s Scope) Keys() []string { return s.keys() }

// PathKeys are the keys under which scopes that may cover rel are found.
func PathKeys(rel string) []string { return pathKeys(rel) }

// Rel turns a touched path (absolute, or relative to cwd; either separator,
// drive letters, \\?\ prefix, a trailing ":line[:col]") into a slash path
// relative to base after symlinks are resolved (the longest existing parent is
// resolved when the file does not exist yet). ok is false when it lies outside
// base. "" is the base itself.
func Rel(base, cwd, path string) (rel string, ok bool) { return relPath(base, cwd, path) }

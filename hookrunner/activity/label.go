package activity

import (
	"path"
	"sort"
	"strings"
)

// Domain is the side of a project that a path belongs to.
type Domain string

// The domains; General is none of them.
const (
	UI       Domain = "ui"
	Backend  Domain = "backend"
	Database Domain = "database"
	Infra    Domain = "infra"
	Config   Domain = "config"
	Test     Domain = "test"
	Docs     Domain = "docs"
	General  Domain = "general"
)

// Action is what was done.
type Action string

// The actions. Fix, refactor and style are what a prompt asked for; the others
// are what tools did.
const (
	Create   Action = "create"
	Update   Action = "update"
	Fix      Action = "fix"
	Refactor Action = "refactor"
	Delete   Action = "delete"
	Style    Action = "style"
	Look     Action = "read" // nothing was changed
)

// Scope is what in a project a path is.
type Scope string

// The scopes; Project is whatever is none of the others.
const (
	Component Scope = "component"
	Page      Scope = "page"
	Hook      Scope = "hook"
	State     Scope = "store"
	API       Scope = "api"
	Migration Scope = "migration"
	Service   Scope = "service"
	Model     Scope = "model"
	Util      Scope = "util"
	Project   Scope = "project"
)

// Area is how many paths of a stretch lie in one domain.
type Area struct {
	Domain Domain `json:"domain"`
	Paths  int    `json:"paths"`
}

// DomainOf tells by names alone; the first that fits, since a test of a page is
// a test.
func DomainOf(p string) Domain {
	low := strings.ToLower(p)
	base := path.Base(low)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	in := func(names ...string) bool { return hasFolder(low, names) }
	switch {
	case in("test", "tests", "__tests__", "spec", "specs", "e2e", "testdata", "fixtures", "__snapshots__"),
		strings.HasSuffix(stem, "_test"), strings.HasPrefix(stem, "test_"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"), strings.HasSuffix(stem, "_spec"):
		return Test
	case ext == ".md" || ext == ".mdx" || ext == ".rst" || ext == ".adoc" || in("docs", "doc") && ext != "":
		return Docs
	case ext == ".sql" || ext == ".prisma" || in("migrations", "migration", "migrate", "db", "database", "prisma", "schema", "seeds"):
		return Database
	case ext == ".tf" || ext == ".hcl" || stem == "dockerfile" || strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "docker-compose") || base == "jenkinsfile" || base == ".gitlab-ci.yml" ||
		in("infra", "terraform", "k8s", "kubernetes", "helm", "charts", "deploy", "deployment", "ansible", ".github", ".circleci", "ci"):
		return Infra
	case ext == ".css" || ext == ".scss" || ext == ".sass" || ext == ".less" || ext == ".tsx" || ext == ".jsx" || ext == ".vue" || ext == ".svelte" || ext == ".html" || ext == ".astro" || ext == ".swift" && in("views"),
		in("components", "pages", "views", "ui", "web", "frontend", "client", "styles", "screens", "widgets"):
		return UI
	case ext == ".yaml" || ext == ".yml" || ext == ".toml" || ext == ".ini" || ext == ".env" || ext == ".json" || ext == ".cfg" || ext == ".conf" || ext == ".properties" || base == ".env" || base == "makefile" || base == "go.mod" ||
		in("config", "configs", "settings", ".vscode"):
		return Config
	case ext == ".go" || ext == ".py" || ext == ".rb" || ext == ".rs" || ext == ".java" || ext == ".kt" || ext == ".php" || ext == ".cs" || ext == ".c" || ext == ".cc" || ext == ".cpp" || ext == ".h" || ext == ".ex" || ext == ".exs" ||
		ext == ".scala" || ext == ".ts" || ext == ".js" || ext == ".mjs" || ext == ".cjs" || ext == ".swift" || ext == ".proto":
		return Backend
	}
	return General
}

// ScopeOf tells by names alone.
func ScopeOf(p string) Scope {
	low := strings.ToLower(p)
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	lowStem := strings.ToLower(stem)
	in := func(names ...string) bool { return hasFolder(low, names) }
	ends := func(words ...string) bool {
		for _, w := range words {
			if rest, ok := strings.CutSuffix(lowStem, w); ok && (rest == "" || strings.HasSuffix(rest, "_") || strings.HasSuffix(rest, "-") || strings.HasSuffix(rest, ".") || stem[len(rest)] >= 'A' && stem[len(rest)] <= 'Z') {
				return true
			}
		}
		return false
	}
	switch {
	case in("migrations", "migration", "migrate", "versions") && (in("db", "database", "alembic", "migrations", "migration", "migrate")):
		return Migration
	case len(stem) > 3 && strings.HasPrefix(stem, "use") && (stem[3] >= 'A' && stem[3] <= 'Z' || stem[3] == '-') || in("hooks"):
		return Hook
	case in("stores", "store", "redux", "slices", "state") || ends("store", "slice", "reducer"):
		return State
	case in("api", "apis", "routes", "controllers", "controller", "handlers", "endpoints", "graphql", "rpc") || ends("controller", "handler", "router", "routes", "endpoint", "api"):
		return API
	case in("models", "model", "entities", "entity", "schemas") || ends("model", "entity", "schema"):
		return Model
	case in("services", "service", "usecases") || ends("service"):
		return Service
	case in("pages", "page", "screens", "views") || ends("page", "screen", "view"):
		return Page
	case in("components", "component", "widgets", "ui") || ends("component"):
		return Component
	case in("utils", "util", "helpers", "helper", "lib") || ends("util", "utils", "helper", "helpers"):
		return Util
	}
	return Project
}

// hasFolder reports a folder of one of these names above a path.
func hasFolder(low string, names []string) bool {
	dir := "/" + path.Dir(low) + "/"
	for _, n := range names {
		if strings.Contains(dir, "/"+n+"/") {
			return true
		}
	}
	return false
}

// most is the label of most touches; of equal ones the first by name.
func most[L ~string](paths map[string]int, of func(string) L) L {
	n := map[L]int{}
	for p, c := range paths {
		n[of(p)] += c
	}
	var best L
	for l, c := range n {
		if c > n[best] || c == n[best] && l < best {
			best = l
		}
	}
	return best
}

func areas(paths map[string]int) []Area {
	n := map[Domain]int{}
	for p := range paths {
		n[DomainOf(p)]++
	}
	out := make([]Area, 0, len(n))
	for d, c := range n {
		out = append(out, Area{d, c})
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Paths != out[j].Paths {
			return out[i].Paths > out[j].Paths
		}
		return out[i].Domain < out[j].Domain
	})
	return out
}

// action is what the prompts asked for where tools then changed something, else
// what they did to most paths.
func (e *Episode) action() Action {
	if len(e.edits) == 0 {
		return Look
	}
	asked, n := Action(""), 0
	for _, a := range []struct {
		aim string
		is  Action
	}{{"bug", Fix}, {"refactor", Refactor}, {"ui", Style}} {
		if e.aims[a.aim] > n {
			asked, n = a.is, e.aims[a.aim]
		}
	}
	if asked != "" {
		return asked
	}
	count := map[string]int{}
	for _, op := range e.edits {
		count[op]++
	}
	switch {
	case 2*count["create"] > len(e.edits):
		return Create
	case 2*count["delete"] > len(e.edits):
		return Delete
	}
	return Update
}

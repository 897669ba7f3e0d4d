package main

import (
	"os"
	"path/filepath"
	"strings"
)

// guidance is an instruction file of an AI client that the project has.
type guidance struct {
	Path   string `json:"path"`
	Client string `json:"client"`
}

// projectTop is the top of the version-controlled tree that holds dir, "" when
// there is none.
func projectTop(dir string) string {
	for d := dir; ; {
		for _, m := range []string{".git", ".hg", ".jj", ".svn"} {
			if exists(filepath.Join(d, m)) {
				return d
			}
		}
		up := filepath.Dir(d)
		if up == d {
			return ""
		}
		d = up
	}
}

// looksLikeProject reports a file that a build tool or an editor leaves at the
// root of a project.
func looksLikeProject(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		switch strings.ToLower(e.Name()) {
		case "go.mod", "package.json", "cargo.toml", "pyproject.toml", "setup.py", "requirements.txt", "pom.xml", "build.gradle",
			"build.gradle.kts", "gemfile", "composer.json", "mix.exs", "makefile", "cmakelists.txt", "readme.md", "src", "deno.json",
			"pubspec.yaml", "package.swift", "dockerfile", ".editorconfig":
			return true
		}
		if strings.HasSuffix(e.Name(), ".sln") || strings.HasSuffix(e.Name(), ".csproj") {
			return true
		}
	}
	return false
}

// traces are what clients leave in a project, the telling ones first. AGENTS.md is
// read by many; it stands for Codex, whose it is.
var traces = []struct {
	host  string
	names []string
}{
	{"claude-code", []string{"CLAUDE.md", ".claude", "CLAUDE.local.md"}},
	{"codex", []string{".codex", "AGENTS.md", "AGENTS.override.md"}},
	{"cursor", []string{".cursor", ".cursorrules"}},
	{"copilot", []string{".github/copilot-instructions.md", ".github/instructions", ".github/hooks", ".github/prompts"}},
	{"gemini-cli", []string{"GEMINI.md", ".gemini"}},
	{"qwen-code", []string{"QWEN.md", ".qwen"}},
	{"opencode", []string{"opencode.json", "opencode.jsonc", ".opencode"}},
	{"kiro", []string{".kiro"}},
	{"codebuddy", []string{"CODEBUDDY.md", ".codebuddy"}},
	{"devin-local", []string{".devin"}},
	{"windsurf", []string{".windsurf", ".windsurfrules"}},
	{"cline", []string{".clinerules", ".cline"}},
}

// trace is a client of which the project has a file.
type trace struct{ host, title, file string }

// tracesIn finds the clients that somebody works with in this project.
func tracesIn(root string) (out []trace) {
	for _, t := range traces {
		for _, name := range t.names {
			if root == "" || !exists(filepath.Join(root, filepath.FromSlash(name))) {
				continue
			}
			if h, err := hostNamed(t.host); err == nil {
				out = append(out, trace{t.host, h.Title(), name})
			}
			break
		}
	}
	return out
}

// tracesShown is a sentence on them and the command that wires them; "" for none.
func tracesShown(found []trace) (said, run string) {
	var who, ids []string
	for _, t := range found {
		who = append(who, t.title+" ("+t.file+")")
		ids = append(ids, t.host)
	}
	if len(who) == 0 {
		return "", ""
	}
	return "this project has files of " + strings.Join(who, ", "), "pathrule setup " + strings.Join(ids, " ")
}

package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// guidance is an instruction file of an AI client that the project has.
type guidance struct {
	Path   string `json:"path"`
	Client string `json:"client"`
}

// guidanceIn finds instruction files at the root, in the clients' own folders,
// and as nested files; what a walk of a huge tree does not reach within its
// bound is not worth the wait.
func guidanceIn(root string) []guidance {
	var out []guidance
	seen := 0
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if seen++; seen > 20000 || len(out) >= 200 {
			return fs.SkipAll
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if skipFolder(rel, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if c := clientOfFile(rel); c != "" {
			out = append(out, guidance{rel, c})
		}
		return nil
	})
	slices.SortFunc(out, func(a, b guidance) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// skipFolder keeps the walk out of what is never a team's own guidance.
func skipFolder(rel, name string) bool {
	switch name {
	case ".git", ".hg", ".svn", "node_modules", "vendor", ".pathrule", ".venv", "venv", "target", "dist", "build", ".next", ".cache":
		return true
	}
	if strings.HasPrefix(name, ".") && rel != "." {
		switch name {
		case ".claude", ".cursor", ".windsurf", ".devin", ".github", ".clinerules", ".kiro", ".agents", ".gemini", ".qwen", ".codex":
			return false
		}
		return true
	}
	return false
}

// clientOfFile says which client reads a file, "" when none does.
func clientOfFile(rel string) string {
	dir, name := path.Split(rel)
	switch strings.ToUpper(name) {
	case "CLAUDE.MD", "CLAUDE.LOCAL.MD":
		return "Claude Code"
	case "AGENTS.MD", "AGENTS.OVERRIDE.MD":
		return "Codex and others"
	case "GEMINI.MD":
		return "Gemini CLI"
	case "QWEN.MD":
		return "Qwen Code"
	case ".CURSORRULES":
		return "Cursor"
	case ".WINDSURFRULES":
		return "Windsurf"
	case ".CLINERULES":
		return "Cline"
	case "COPILOT-INSTRUCTIONS.MD":
		return "GitHub Copilot"
	case "SKILL.MD":
		return "skills"
	}
	in := func(folder string) bool { return strings.Contains("/"+dir, "/"+folder+"/") }
	md := strings.HasSuffix(name, ".md")
	switch {
	case in(".claude/rules") && md:
		return "Claude Code"
	case in(".cursor/rules") && strings.HasSuffix(name, ".mdc"):
		return "Cursor"
	case in(".windsurf/rules") && md, in(".devin/rules") && md:
		return "Windsurf"
	case in(".github/instructions") && strings.HasSuffix(name, ".instructions.md"):
		return "GitHub Copilot"
	case in(".clinerules") && md:
		return "Cline"
	case in(".kiro/steering") && md:
		return "Kiro"
	}
	return ""
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

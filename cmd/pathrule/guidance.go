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

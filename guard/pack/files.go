package pack

import "strings"

const (
	lockFile     = "lock file"
	manifestFile = "manifest"
)

// manifest tells what a file is to a package manager, "" for nothing.
func manifest(path string) string {
	base := strings.ToLower(baseOf(path))
	switch base {
	case "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
		"go.sum", "go.work.sum", "cargo.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock", "pixi.lock",
		"gemfile.lock", "composer.lock", "gradle.lockfile", "packages.lock.json", "mix.lock", "pubspec.lock",
		"package.resolved", "podfile.lock", "cartfile.resolved", "conan.lock", "flake.lock", "chart.lock", "stack.yaml.lock",
		"pylock.toml", "requirements.lock", "requirements-dev.lock", "conda-lock.yml", "buildscript-gradle.lockfile", "verification-metadata.xml",
		"gems.locked", "symfony.lock", "rebar.lock", "cabal.project.freeze", "manifest.toml", "renv.lock", "packrat.lock", "shard.lock",
		"module.bazel.lock", "paket.lock", "dub.selections.json", "nimble.lock", "spago.lock", "vcpkg-lock.json", "gopkg.lock", "mise.lock", ".terraform.lock.hcl":
		return lockFile
	case "package.json", "pnpm-workspace.yaml", "deno.json", "deno.jsonc", "go.mod", "go.work", "cargo.toml",
		"pyproject.toml", "pipfile", "setup.py", "setup.cfg", "environment.yml", "environment.yaml", "pixi.toml",
		"gemfile", "composer.json", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts",
		"libs.versions.toml", "build.sbt", "packages.config", "directory.packages.props", "mix.exs", "rebar.config",
		"pubspec.yaml", "package.swift", "podfile", "cartfile", "conanfile.txt", "conanfile.py", "vcpkg.json",
		"project.clj", "deps.edn", "stack.yaml", "cabal.project", "build.zig.zon", "chart.yaml",
		"gems.rb", "project.toml", "shard.yml", "module.bazel", "paket.dependencies", "dub.json", "dub.sdl",
		"elm.json", "spago.yaml", "gopkg.toml", "directory.build.props", "global.json":
		return manifestFile
	}
	if strings.HasSuffix(base, ".opam.locked") {
		return lockFile
	}
	if dir := strings.ReplaceAll(strings.ToLower(path), `\`, "/"); strings.HasSuffix(base, ".txt") && (strings.Contains(dir, "/requirements/") || strings.HasPrefix(dir, "requirements/")) {
		return manifestFile
	}
	if (strings.HasPrefix(base, "requirements") || strings.HasPrefix(base, "constraints")) && strings.HasSuffix(base, ".in") {
		return manifestFile
	}
	if strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") || strings.HasPrefix(base, "constraints") && strings.HasSuffix(base, ".txt") {
		return manifestFile
	}
	switch extOf(base) {
	case ".csproj", ".fsproj", ".vbproj", ".gemspec", ".podspec", ".cabal", ".nuspec", ".rockspec", ".nimble", ".opam":
		return manifestFile
	}
	return ""
}

// plan reports a file whose name says that it is a plan of work.
func plan(path string) bool {
	base := strings.ToLower(baseOf(path))
	if e := extOf(base); e != ".md" && e != ".markdown" && e != ".txt" && e != ".mdx" {
		return false
	}
	for _, w := range strings.FieldsFunc(strings.TrimSuffix(base, extOf(base)), func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' }) {
		switch w {
		case "plan", "plans", "todo", "roadmap":
			return true
		}
	}
	return false
}

// source reports a file in which code can run, or whose name does not say that
// it is prose or data.
func source(path string) bool {
	switch extOf(strings.ToLower(baseOf(path))) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".json", ".jsonl", ".csv", ".tsv", ".svg", ".lock", ".sum", ".log", ".po":
		return false
	}
	return true
}

// code reports a file of a language that takes comments.
func code(path string) bool {
	switch extOf(strings.ToLower(baseOf(path))) {
	case ".go", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".py", ".rb", ".rs", ".java", ".kt", ".kts", ".swift",
		".c", ".h", ".cc", ".cpp", ".hpp", ".cs", ".php", ".scala", ".sh", ".bash", ".zsh", ".lua", ".dart", ".ex", ".exs", ".erl",
		".hs", ".ml", ".clj", ".vue", ".svelte", ".css", ".scss", ".sql", ".pl", ".r", ".jl", ".zig", ".m", ".mm", ".proto", ".tf":
		return true
	}
	return false
}

func baseOf(path string) string {
	if i := strings.LastIndexAny(path, `/\`); i >= 0 {
		return path[i+1:]
	}
	return path
}

func extOf(base string) string {
	if i := strings.LastIndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}

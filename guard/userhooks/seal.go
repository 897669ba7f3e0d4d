package userhooks

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/guard/hookfile"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// maxSealed is the most bytes that a file which a command runs may have.
const maxSealed = 32 << 20

// words are what may name a file in a command: for a shell's line every run of
// characters between what separates words, quotes or redirects; more than the
// shell would take for one, never less, because a file too many is only one more
// that a person sees.
func words(a *Action) []string {
	if a.Argv != nil {
		return withValues(a.Argv)
	}
	line := strings.NewReplacer(`"`, "", `'`, "", "\\\n", "").Replace(a.Command)
	out := strings.FieldsFunc(line, between)
	// Inside quotes a blank is part of the word.
	for _, q := range []string{`"`, `'`} {
		for i, part := range strings.Split(a.Command, q) {
			if i%2 == 1 && strings.ContainsAny(part, " \t") {
				out = append(out, part)
				out = append(out, strings.FieldsFunc(part, between)...)
			}
		}
	}
	return withValues(out)
}

func between(c rune) bool { return strings.ContainsRune(" \t\r\n;|&()<>`{}$", c) }

// withValues adds what stands behind "=" and ":" in a word (--config=x, a:b).
func withValues(list []string) []string {
	out := slices.Clone(list)
	for _, w := range list {
		for _, sep := range []string{"=", ":", ","} {
			if _, v, ok := strings.Cut(w, sep); ok && v != "" {
				out = append(out, v)
			}
		}
		if strings.HasPrefix(w, "@") {
			out = append(out, w[1:])
		}
	}
	return out
}

// Opaque reports that a command names files in a way that cannot be followed:
// variables, globs, the output of another command.
func Opaque(a *Action) bool {
	if a.Argv != nil {
		return isShell(a.Argv[0]) && len(a.Argv) > 1 && strings.HasPrefix(a.Argv[1], "-") || strings.HasPrefix(strings.ToLower(filepath.Base(a.Argv[0])), "cmd")
	}
	line := a.Command
	if !slices.ContainsFunc(strings.FieldsFunc(line, between), isShell) {
		// Between single quotes nothing is expanded, and no other shell reads it.
		parts := strings.Split(line, "'")
		for i := 1; i < len(parts)-1; i += 2 {
			parts[i] = ""
		}
		line = strings.Join(parts, "")
	}
	return strings.ContainsAny(line, "$`*?[")
}

func isShell(prog string) bool {
	switch strings.TrimSuffix(strings.ToLower(filepath.Base(prog)), ".exe") {
	case "sh", "bash", "zsh", "dash", "powershell", "pwsh", "fish", "eval":
		return true
	}
	return false
}

// Seal names, with their hashes, the regular files of the workspace that a
// command word of the hooks resolves to: from the root, from the action's
// work_dir, from each of dirs (folders in which an event may run it), and along
// PATH. A link is pinned with the file that it leads to; one outside the workspace
// stands in the list with its absolute path. The result is sorted.
func Seal(c *Config, root string, env sysenv.Env, dirs ...string) ([]hookfile.Sealed, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	look := func(path string) {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return
		}
		st, err := os.Stat(target)
		if err != nil || !st.Mode().IsRegular() {
			return
		}
		in := false
		for _, p := range []string{filepath.Clean(path), target} {
			rel, err := filepath.Rel(real, p)
			switch {
			case err == nil && filepath.IsLocal(rel):
				found[filepath.ToSlash(rel)], in = true, true
			case in:
				// A link out of the workspace is its target as well, so that a file
				// cannot become one unnoticed.
				found[filepath.ToSlash(p)] = true
			}
		}
	}
	for _, h := range c.Hooks {
		for i := range h.Actions {
			a := &h.Actions[i]
			if a.Type != "command" {
				continue
			}
			from := append([]string{real, filepath.Join(real, filepath.FromSlash(a.WorkDir))}, dirs...)
			for _, w := range words(a) {
				if len(w) > 4096 || strings.ContainsRune(w, 0) {
					continue
				}
				if filepath.IsAbs(w) {
					look(w)
					continue
				}
				for _, dir := range from {
					for _, name := range programNames(w, env) {
						look(filepath.Join(dir, filepath.FromSlash(name)))
					}
				}
				if !strings.ContainsAny(w, `/\`) {
					for _, dir := range filepath.SplitList(pathOf(c, env)) {
						if !filepath.IsAbs(dir) {
							for _, base := range from {
								look(filepath.Join(base, dir, w))
							}
							continue
						}
						for _, name := range programNames(w, env) {
							look(filepath.Join(dir, name))
						}
					}
				}
			}
		}
	}
	var out []hookfile.Sealed
	for rel := range found {
		sum, err := sumOf(Place(real, rel))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", rel, err)
		}
		out = append(out, hookfile.Sealed{Path: rel, Sum: sum})
	}
	slices.SortFunc(out, func(a, b hookfile.Sealed) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// Place is where a sealed file lies.
func Place(root, sealed string) string {
	if p := filepath.FromSlash(sealed); filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(root, filepath.FromSlash(sealed))
}

// foreign names a file of the project that a command of the user's own hooks
// would run or read as a program: it was written by whoever wrote the project.
// Only words that look like files count, so that a project cannot stand in the
// way of a hook with a file named like one of its words.
func foreign(a *Action, c *Config, root, dir string, env sysenv.Env) string {
	own := *c
	b := *a
	b.Command, b.Argv = "", nil
	for _, w := range words(a) {
		if strings.ContainsAny(w, `/\.`) && !filepath.IsAbs(w) {
			b.Argv = append(b.Argv, w)
		}
	}
	own.Hooks = []Hook{{Actions: []Action{b}}}
	list, err := Seal(&own, root, env, dir)
	if err == nil && len(list) > 0 {
		return list[0].Path
	}
	// A program that PATH finds in the project.
	for _, w := range words(a) {
		if strings.ContainsAny(w, `/\`) {
			continue
		}
		for _, d := range filepath.SplitList(pathOf(c, env)) {
			if !filepath.IsAbs(d) {
				d = filepath.Join(dir, d)
			}
			if _, inside := workspace.Rel(root, root, d); !inside {
				continue
			}
			for _, n := range programNames(w, env) {
				if st, err := os.Stat(filepath.Join(d, n)); err == nil && st.Mode().IsRegular() {
					return filepath.Join(d, n)
				}
			}
		}
	}
	return ""
}

// programNames are the names that a word may mean on this system.
func programNames(w string, env sysenv.Env) []string {
	if env.GOOS != "windows" || filepath.Ext(w) != "" {
		return []string{w}
	}
	out := []string{w}
	for _, ext := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		out = append(out, w+ext)
	}
	return out
}

// pathOf is the PATH under which the commands run.
func pathOf(c *Config, env sysenv.Env) string {
	for _, v := range c.Env {
		if v.Name == "PATH" || env.GOOS == "windows" && strings.EqualFold(v.Name, "PATH") {
			return v.Value
		}
	}
	return env.Get("PATH")
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSealed+1))
	if err != nil {
		return "", err
	}
	if len(b) > maxSealed {
		return "", fmt.Errorf("larger than %d MiB", maxSealed>>20)
	}
	return hookfile.Sum(b), nil
}

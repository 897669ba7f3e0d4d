// Package runs reads a shell command line as the run of one verification
// (tests, a linter, a build): which runner, with which targets and options, in
// which folder. Two lines that come to the same are the same run, however they
// are spelled; a line whose exit code says nothing about the verification, or
// whose scope is not plain, is none, with the reason.
//
// It errs on one side only: a run that it does not recognise costs the assistant
// one more run, a run that it took for more than it was would let a turn end
// unchecked.
package runs

import (
	"path"
	"slices"
	"strings"
)

// Run is one verification.
type Run struct {
	// Dir is the folder it runs in: absolute, or relative to where the line was
	// typed when that is not known.
	Dir string
	// Runner is the tool; Words are its targets and options, as far as they say
	// what is verified.
	Runner string
	Words  []string
	// Stricter are options that only ask for more ("-race"): a run may have them
	// where the check has none, never the other way round.
	Stricter []string
}

// Compare says why a run is not the wanted one; Fine when it is.
func (r Run) Compare(want Run) Reason {
	switch {
	case r.Runner != want.Runner || !slices.Equal(r.Words, want.Words):
		return Part
	case slices.ContainsFunc(want.Stricter, func(s string) bool { return !slices.Contains(r.Stricter, s) }):
		return Part
	case r.Dir != want.Dir:
		return Elsewhere
	}
	return Fine
}

// Match compares a command line that was typed in dir with a check's command,
// which is meant from root (both slash paths). meant says that it is a run of the
// check's runner at all; it counts when it is meant and the reason is Fine. The
// check's own text always counts, also when it is more than one command.
func Match(line, dir, command, root string) (why Reason, meant bool) {
	if strings.TrimSpace(line) == strings.TrimSpace(command) && path.Clean(dir) == path.Clean(root) {
		return Fine, true
	}
	want, own := Read(command, path.Clean(root))
	got, why := Read(line, path.Clean(dir))
	if want.Runner == "" || got.Runner != want.Runner {
		return Fine, false
	}
	switch {
	case why != Fine:
		return why, true
	case own != Fine:
		return Part, true
	}
	return got.Compare(want), true
}

// Read reads a line that is typed in dir (a slash path). The run is as far as it
// could be read even when a reason keeps it from counting, so that a caller can
// tell whether it was meant for his check; Runner is "" when it could not.
func Read(line, dir string) (Run, Reason) { return read(line, dir, 0) }

const maxNest = 3

func read(line, dir string, nest int) (Run, Reason) {
	list, ok := split(grouped(line))
	if !ok {
		return guess(list, line, dir), Unclear
	}
	// What may stand in front: cd DIR &&, a shell's options, an environment.
	var vars []string
front:
	for len(list) > 1 {
		c := list[0]
		switch c.words[0] {
		case "cd":
			if c.after != "&&" {
				return one(list[1], dir, nest), Sequence
			}
			if len(c.words) != 2 || c.dynamic || strings.HasPrefix(c.words[1], "-") || strings.HasPrefix(c.words[1], "~") {
				return one(list[1], dir, nest), Unclear
			}
			dir = join(dir, c.words[1])
		case "set":
			// Neither hides an exit code: the last command's is the line's.
			if c.after != "&&" && c.after != ";" && c.after != "\n" {
				break front
			}
		case "export":
			if c.after != "&&" && c.after != ";" && c.after != "\n" || c.dynamic {
				break front
			}
			for _, w := range c.words[1:] {
				if name, _, ok := strings.Cut(w, "="); !ok || !isName(name) {
					break front
				} else if !harmless(name) {
					vars = append(vars, w)
				}
			}
		case "source", ".":
			// A Python environment, as "uv run" would choose one.
			if c.after != "&&" || c.dynamic || len(c.words) != 2 || path.Base(c.words[1]) != "activate" {
				break front
			}
		default:
			break front
		}
		list = list[1:]
	}
	// What may stand behind: it runs after a good end alone, and changes nothing.
	for len(list) > 1 && list[len(list)-2].after == "&&" && list[len(list)-1].after == "" {
		switch list[len(list)-1].words[0] {
		case "echo", "printf", "true", ":", "cd", "date":
			list = list[:len(list)-1]
			list[len(list)-1].after = ""
			continue
		}
		break
	}
	if len(list) == 0 {
		return Run{Dir: dir}, Nothing
	}
	list[0].words = append(vars, list[0].words...)
	run, why := readOne(list[0], dir, nest)
	if len(list) > 1 || list[0].after != "" && list[0].after != "\n" && list[0].after != ";" {
		// Which of them was meant: the first that is a verification.
		ops, verifications := map[string]bool{}, 0
		found := false
		for _, c := range list {
			ops[c.after] = true
			r := one(c, dir, nest)
			if known(r.Runner) {
				verifications++
				if !found {
					run, found = r, true
				}
			}
		}
		switch {
		case ops["|"]:
			return run, Pipe
		case ops["||"]:
			return run, Or
		case ops["&"]:
			return run, Background
		case verifications > 1:
			return run, Several
		}
		return run, Sequence
	}
	return run, why
}

// grouped takes the one pair of parentheses off a line that stands in it whole:
// a subshell ends as its last command does.
func grouped(line string) string {
	s := strings.TrimSpace(line)
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' && !strings.ContainsAny(s[1:len(s)-1], "()'\"`\\#\n") {
		return s[1 : len(s)-1]
	}
	return line
}

func one(c command, dir string, nest int) Run {
	r, _ := readOne(c, dir, nest)
	return r
}

// guess finds the runner of a line that could not be read.
func guess(list []command, line, dir string) Run {
	for _, c := range list {
		if r := one(c, dir, maxNest); known(r.Runner) {
			return r
		}
	}
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n;|&()`'\"{}", r) }) {
		if known(programName(w)) {
			return Run{Dir: dir, Runner: programName(w)}
		}
	}
	return Run{Dir: dir}
}

// readOne reads one simple command.
func readOne(c command, dir string, nest int) (Run, Reason) {
	words := c.words
	why := Fine
	if c.dynamic {
		why = Unclear
	}
	var kept []string
	for len(words) > 0 {
		w := words[0]
		if name, _, ok := strings.Cut(w, "="); ok && isName(name) {
			if !harmless(name) {
				kept = append(kept, w)
			}
			words = words[1:]
			continue
		}
		n, changes := wrapper(words)
		if n == 0 {
			break
		}
		if changes {
			kept = append(kept, strings.Join(words[:n], " "))
		}
		words = words[n:]
	}
	if len(words) == 0 {
		return Run{Dir: dir}, Nothing
	}
	if strings.TrimSpace(words[0]) == "" {
		return Run{Dir: dir}, Nothing
	}
	name := programName(words[0])
	switch name {
	case "watch", "watchexec", "nodemon", "entr", "viddy":
		for i, w := range words[1:] {
			if known(programName(w)) {
				run, _ := normal(programName(w), words[i+1:], dir)
				return run, Watch
			}
		}
	case "sh", "bash", "zsh", "dash", "ksh":
		if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") && nest < maxNest && why == Fine && kept == nil {
			return read(words[2], dir, nest+1)
		}
	}
	run, watch := normal(name, words, dir)
	run.Words = append(run.Words, kept...)
	slices.Sort(run.Words)
	run.Words = slices.Compact(run.Words)
	if watch && why == Fine {
		why = Watch
	}
	return run, why
}

// wrapper is how many words a program that only runs another takes. changes: they
// may change what is verified.
func wrapper(words []string) (n int, changes bool) {
	at := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	// flags passes over options from i; those in vals take a word of their own.
	flags := func(i int, vals string) int {
		for strings.HasPrefix(at(i), "-") && at(i) != "--" {
			if slices.Contains(strings.Fields(vals), at(i)) {
				i++
			}
			i++
		}
		if at(i) == "--" {
			i++
		}
		return i
	}
	some := func(i int) int { // nothing to run is no wrapper
		if at(i) == "" {
			return 0
		}
		return i
	}
	name := programName(words[0])
	switch name {
	case "time", "command", "nohup", "exec", "unbuffer", "caffeinate", "cross-env", "corepack":
		return some(flags(1, "")), false
	case "nice", "ionice", "stdbuf", "xvfb-run", "chrt":
		return some(flags(1, "-n -c -p -o -e -i -s -f")), false
	case "env":
		i := flags(1, "-u --unset -C --chdir -S")
		return some(i), i > 1
	case "timeout", "gtimeout":
		// timeout [-k 5] 60 PROGRAM
		i := flags(1, "-k -s --kill-after --signal")
		if c := at(i); c != "" && c[0] >= '0' && c[0] <= '9' {
			return some(i + 1), false
		}
	case "npx", "bunx", "pnpx":
		return some(flags(1, "")), false
	case "npm", "pnpm", "yarn", "bun":
		switch at(1) {
		case "exec", "x", "dlx":
			return some(flags(2, "")), false
		}
	case "uv", "pixi":
		if at(1) == "run" {
			// What "--with" and "--group" add is there for the run alone.
			return some(flags(2, "--with --extra --group --only-group --no-group --index --python -p --env-file --color -e --environment")), false
		}
	case "poetry", "pipenv", "pdm", "hatch", "rye", "volta":
		if at(1) == "run" && !strings.HasPrefix(at(2), "-") {
			return some(2), false
		}
	case "conda", "mamba", "micromamba":
		if at(1) == "run" {
			return some(flags(2, "-n --name -p --prefix")), false
		}
	case "mise", "asdf", "rbenv", "pyenv", "nodenv":
		switch at(1) {
		case "exec", "x":
			// mise exec node@22 -- npm test
			for i := 2; i < len(words); i++ {
				if words[i] == "--" {
					return some(i + 1), false
				}
			}
			if name != "mise" {
				return some(2), false
			}
		}
	case "direnv":
		if at(1) == "exec" {
			return some(3), false
		}
	case "dotenv", "doppler", "op", "infisical", "aws-vault", "with-env":
		for i := 1; i < len(words); i++ {
			if words[i] == "--" {
				return some(i + 1), false
			}
		}
	case "bundle":
		if at(1) == "exec" {
			return some(2), false
		}
	case "composer":
		if at(1) == "exec" {
			return some(flags(2, "")), false
		}
	default:
		if name == "py" || strings.HasPrefix(name, "python") {
			if i := flags(1, "-W -X"); at(i-1) == "-m" {
				return some(i), false
			}
		}
	}
	return 0, false
}

// harmless are variables that change how a run looks, not what it verifies.
func harmless(name string) bool {
	switch name {
	case "CI", "NO_COLOR", "FORCE_COLOR", "TERM", "CLICOLOR", "PYTHONUNBUFFERED", "CARGO_TERM_COLOR", "RUST_BACKTRACE", "COLUMNS", "LANG", "LC_ALL", "NODE_NO_WARNINGS", "PYTHONDONTWRITEBYTECODE", "DO_NOT_TRACK":
		return true
	}
	return false
}

func isName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// programName is a program's base name without what Windows and wrappers add.
func programName(w string) string {
	if i := strings.LastIndexAny(w, `/\`); i >= 0 {
		w = w[i+1:]
	}
	w = strings.ToLower(w)
	for _, ext := range [...]string{".exe", ".cmd", ".bat", ".ps1"} {
		w = strings.TrimSuffix(w, ext)
	}
	switch w {
	case "gradlew":
		return "gradle"
	case "mvnw":
		return "mvn"
	case "py.test":
		return "pytest"
	case "go-task":
		return "task"
	case "gmake":
		return "make"
	}
	return w
}

func join(dir, p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	if strings.HasPrefix(p, "/") || len(p) > 1 && p[1] == ':' {
		return path.Clean(p)
	}
	return path.Join(dir, p)
}

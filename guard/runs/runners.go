package runs

import (
	"slices"
	"strings"
)

// runner says how one tool's command line is read. A flag that is in none of its
// lists is part of what is verified, with its value where that follows in a word
// of its own; so an unknown flag makes a run another one and never the same.
type runner struct {
	// quiet flags change how a run looks or how fast it is, not what it verifies;
	// quietVal take a value.
	quiet, quietVal []string
	// more flags ask for more than the plain run; moreVal take a value.
	more, moreVal []string
	// dir flags name the folder to run in.
	dir []string
	// watch words and flags make it go on for ever.
	watch []string
	// run is a word that may be left out ("npm run test" is "npm test").
	run []string
}

// runnerOf describes a known runner; nil for any other program, which is read as
// it stands.
func runnerOf(name string) *runner {
	switch name {
	case "npm":
		return &runner{quiet: words("-s --silent --color --no-color -q --quiet"), quietVal: words("--loglevel"), dir: words("--prefix -C"), watch: words("--watch --watchAll"), run: words("run run-script")}
	case "pnpm":
		return &runner{quiet: words("-s --silent --color --no-color --stream --aggregate-output"), quietVal: words("--reporter --loglevel"), dir: words("-C --dir"), watch: words("--watch --watchAll"), run: words("run")}
	case "yarn":
		return &runner{quiet: words("-s --silent --verbose --no-progress"), dir: words("--cwd"), watch: words("--watch --watchAll"), run: words("run")}
	case "bun":
		return &runner{quiet: words("--silent --bail"), quietVal: words("--timeout"), dir: words("--cwd"), watch: words("--watch --hot")}
	case "deno":
		return &runner{quiet: words("-q --quiet"), dir: words("--cwd"), watch: words("--watch --watch-hmr")}
	case "go":
		return &runner{quiet: words("-v -cover -failfast -x -json"), quietVal: words("-timeout -parallel -p -coverprofile -covermode"), more: words("-race"), moreVal: words("-count -cpu"), dir: words("-C")}
	case "cargo":
		return &runner{quiet: words("-q --quiet -v -vv --verbose --offline --no-fail-fast"), more: words("--locked --frozen"), quietVal: words("--color -j --jobs --message-format --target-dir"), watch: words("watch")}
	case "tox", "nox":
		return &runner{quiet: words("-q -v -vv --verbose --quiet"), quietVal: words("--color --colored")}
	case "unittest":
		return &runner{quiet: words("-q -v -f -b -c --verbose --quiet --failfast --buffer --catch --locals")}
	case "pytest":
		return &runner{quiet: words("-q -qq -v -vv -vvv -s -x -l --exitfirst --verbose --quiet --no-header --showlocals -ra -rA --color=yes --color=no"), quietVal: words("--tb --color -n --durations --maxfail --junitxml --timeout"), watch: words("-f --looponfail")}
	case "make":
		return &runner{quiet: words("-s --silent --quiet -k --keep-going --no-print-directory -O --output-sync"), more: words("-B --always-make"), quietVal: words("-j --jobs -l --load-average"), dir: words("-C --directory")}
	case "gradle":
		return &runner{quiet: words("-q --quiet -i --info -d --debug -s --stacktrace --no-daemon --daemon --parallel --build-cache --offline --continue --warn"), more: words("--no-build-cache --rerun-tasks"), quietVal: words("--console --max-workers --warning-mode"), dir: words("-p --project-dir"), watch: words("-t --continuous")}
	case "mvn":
		return &runner{quiet: words("-q --quiet -B --batch-mode -o --offline -e --errors -X --debug -U -ntp --no-transfer-progress -fae -ff --fail-fast --fail-at-end"), quietVal: words("-T --threads -l --log-file")}
	case "dotnet":
		return &runner{quiet: words("--nologo --no-restore"), quietVal: words("-v --verbosity --logger -l --results-directory"), watch: words("watch")}
	case "just":
		return &runner{quiet: words("-q --quiet -v --verbose --no-highlight"), quietVal: words("--color"), dir: words("-d --working-directory")}
	case "task":
		return &runner{quiet: words("-s --silent -v --verbose -p --parallel"), more: words("-f --force"), quietVal: words("-o --output"), dir: words("-d --dir"), watch: words("-w --watch")}
	case "vitest":
		return &runner{quiet: words("--silent --no-color --bail"), quietVal: words("--reporter"), dir: words("--root -r"), watch: words("watch dev -w --watch --ui")}
	case "jest":
		return &runner{quiet: words("--silent --verbose --colors --no-colors --bail -b --runInBand -i"), more: words("--ci"), quietVal: words("--maxWorkers -w --reporters"), dir: words("--rootDir"), watch: words("--watch --watchAll")}
	case "tsc":
		return &runner{quiet: words("--pretty --noErrorTruncation"), watch: words("-w --watch")}
	case "eslint", "stylelint":
		// "--quiet" takes warnings away, which "--max-warnings" counts.
		return &runner{quiet: words("--no-color --color"), quietVal: words("--format -f"), more: words("--no-cache"), watch: words("-w --watch watch")}
	case "prettier", "ruff", "mypy", "pyright", "flake8", "black", "golangci-lint", "staticcheck", "shellcheck", "rubocop", "biome":
		return &runner{quiet: words("-q --quiet -v --verbose --no-color --color"), quietVal: words("--format -f --output-format"), watch: words("-w --watch watch")}
	case "rspec", "rake", "rails", "phpunit", "composer", "mix", "swift", "bazel", "nx", "turbo", "moon", "poe", "invoke", "ctest", "cmake", "sbt", "lein", "flutter", "dart", "xcodebuild", "pre-commit", "ant", "zig", "playwright", "cypress", "mocha", "ava", "gulp", "grunt", "ninja", "meson", "buck2", "pants", "mage", "earthly", "pathrule":
		return &runner{watch: words("--watch -w --watchAll --ui watch open")}
	}
	return nil
}

func words(s string) []string { return strings.Fields(s) }

func known(name string) bool { return name != "" && runnerOf(name) != nil }

// normal brings a command to its plain form. words[0] is the program.
func normal(name string, words []string, dir string) (run Run, watch bool) {
	run = Run{Runner: name, Dir: dir}
	spec := runnerOf(name)
	if spec == nil {
		// Any other program: its very words, by the path that was typed.
		run.Runner = words[0]
		if strings.ContainsAny(words[0], `/\`) {
			run.Runner = join(dir, words[0])
		}
		run.Words = numbered(words[1:])
		for _, w := range words[1:] {
			watch = watch || w == "--watch" || w == "--watchAll"
		}
		return run, watch
	}
	var rest []string
	first := true
	for i := 1; i < len(words); i++ {
		w := words[i]
		if w == "--" {
			// What follows goes to something else, in its own words.
			for _, x := range words[i+1:] {
				if x == "--watch" || x == "--watchAll" || x == "-w" {
					watch = true
				}
			}
			if i+1 < len(words) {
				rest = append(rest, "-- "+strings.Join(words[i+1:], " "))
			}
			break
		}
		flag, value, joined := strings.Cut(w, "=")
		switch {
		case slices.Contains(spec.watch, w) || joined && slices.Contains(spec.watch, flag):
			if !joined || value != "false" && value != "0" {
				watch = true
				rest = append(rest, w)
			}
		case slices.Contains(spec.more, w):
			run.Stricter = append(run.Stricter, w)
		case strings.HasPrefix(w, "-") && slices.Contains(spec.moreVal, flag):
			if !joined && i+1 < len(words) {
				i++
				value = words[i]
			}
			if value == "0" { // "-count 0" runs nothing
				rest = append(rest, flag+"=0")
				break
			}
			run.Stricter = append(run.Stricter, flag+"="+value)
		case slices.Contains(spec.quiet, w) || joined && strings.HasPrefix(w, "-") && slices.Contains(spec.quiet, flag) && (value == "true" || value == ""):
		case slices.Contains(spec.dir, flag) && strings.HasPrefix(w, "-"):
			if !joined {
				if i++; i == len(words) {
					return run, watch
				}
				value = words[i]
			}
			run.Dir = join(run.Dir, value)
		case strings.HasPrefix(w, "-") && slices.Contains(spec.quietVal, flag):
			// "make -j test" has a target, no number of jobs.
			if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") && (name != "make" || allDigits(words[i+1])) {
				i++
			}
		case len(w) > 2 && w[0] == '-' && w[1] != '-' && slices.Contains(spec.quietVal, w[:2]) && allDigits(w[2:]):
			// -j8
		case strings.HasPrefix(w, "-"):
			// An unknown flag: the word behind it may be its value, so both stay together.
			if !joined && i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") && !first {
				rest = append(rest, w+" "+words[i+1])
				i++
				break
			}
			rest = append(rest, w)
		default:
			if first && slices.Contains(spec.run, w) {
				continue // the script's name is the first word
			}
			if first {
				w = alias(name, w)
			}
			first = false
			rest = append(rest, w)
		}
	}
	if name == "vitest" {
		// Without "run" it watches at a terminal.
		i := slices.Index(rest, "run")
		j := slices.Index(rest, "--run")
		switch {
		case i >= 0:
			rest = slices.Delete(rest, i, i+1)
		case j >= 0:
			rest = slices.Delete(rest, j, j+1)
		default:
			watch = true
		}
	}
	run.Words = rest
	slices.Sort(run.Stricter)
	return run, watch
}

// alias is the long name of a subcommand.
func alias(runner, w string) string {
	switch runner {
	case "npm", "pnpm":
		if w == "t" || w == "tst" {
			return "test"
		}
	case "cargo":
		switch w {
		case "t":
			return "test"
		case "c":
			return "check"
		case "b":
			return "build"
		}
	}
	return w
}

// numbered keeps the order of words through the sorting of a Run.
func numbered(ws []string) []string {
	if len(ws) == 0 {
		return nil
	}
	return []string{strings.Join(ws, "\x00")}
}

func allDigits(s string) bool { return digits([]byte(s)) }

package host

import "strings"

// endCommand looks at one simple command: which of its words are paths.
func (r *shellReader) endCommand() {
	words := r.words
	r.words = nil
	words = r.unwrap(words)
	if len(words) == 0 || words[0].dynamic {
		return
	}
	name, args := commandName(words[0].text), words[1:]
	switch name {
	case "cd", "pushd", "chdir", "set-location", "sl":
		r.cd(args)
		return
	case "popd":
		r.lost = true
		return
	case "type":
		if r.sh == posix {
			return
		}
	case "echo", "printf", "export", "alias", "unset", "set", "which", "kill", "sleep", "date", "seq",
		"true", "false", "return", "exit", "write-output", "write-host":
		return
	case "sh", "bash", "zsh", "dash", "ksh", "pwsh", "powershell":
		if line, ok := inlineCommand(args); ok {
			if name == "pwsh" || name == "powershell" {
				sh := r.sh
				r.sh = powershell
				r.inner(line)
				r.sh = sh
			} else {
				r.inner(line)
			}
			return
		}
	case "apply_patch", "applypatch":
		for _, a := range args {
			r.patch(a.text)
		}
		return
	case "find":
		for i, a := range args {
			if strings.HasPrefix(a.text, "-") || a.text == "!" {
				args = args[:i]
				break
			}
		}
	case "git":
		r.git(args)
		return
	case "set-content", "add-content", "out-file", "tee-object", "new-item":
		r.cmdlet(args)
		return
	case "sc", "ac", "ni":
		if r.sh == powershell {
			r.cmdlet(args)
			return
		}
	case "dd":
		for _, a := range args {
			if f, ok := strings.CutPrefix(a.text, "of="); ok {
				r.touch(word{text: f, quoted: a.quoted, dynamic: a.dynamic}, Create)
			}
		}
		return
	}
	r.operands(name, args)
	if strings.ContainsAny(words[0].text, `/\`) {
		r.touch(words[0], Shell)
	}
}

// unwrap drops reserved words, assignments and programs that run another.
func (r *shellReader) unwrap(words []word) []word {
	for len(words) > 0 {
		w := words[0]
		switch commandName(w.text) {
		case "sudo", "env", "time", "nohup", "command", "builtin", "exec", "nice", "xargs", "timeout", "stdbuf", "doas", "npx", "bunx":
			words = words[1:]
			for len(words) > 0 && (strings.HasPrefix(words[0].text, "-") || words[0].text != "" && words[0].text[0] >= '0' && words[0].text[0] <= '9') {
				words = words[1:]
			}
			continue
		case "{", "}", "!", "if", "then", "else", "elif", "fi", "while", "until", "do", "done", "[", "[[", "test":
			words = words[1:]
			continue
		}
		if eq := strings.IndexByte(w.text, '='); eq > 0 && !strings.ContainsAny(w.text[:eq], `/\.-`) {
			words = words[1:]
			continue
		}
		return words
	}
	return nil
}

func (r *shellReader) cd(args []word) {
	for _, a := range args {
		if a.text == "--" || len(a.text) > 1 && a.text[0] == '-' {
			continue
		}
		if a.dynamic || a.text == "" || a.text == "-" || a.text[0] == '~' {
			break
		}
		if isAbs(a.text) {
			r.lost = false
		}
		r.dir = joinDir(r.dir, a.text)
		return
	}
	r.dir, r.lost = "", true
}

// operands records the arguments of a command that may be paths.
func (r *shellReader) operands(name string, args []word) {
	scripted := takesScript(name)
	script := scripted // the next operand is no path
	files := takesFiles(name)
	op := Shell
	switch {
	case name == "tee" || name == "sponge":
		op = Create
	case scripted && inPlace(args):
		op = Edit
	}
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.text == "--" {
			continue
		}
		if len(a.text) > 1 && a.text[0] == '-' {
			if scripted && (a.text == "-e" || a.text == "-f" || a.text == "--regexp" || a.text == "--expression" || a.text == "--file" ||
				(name == "perl" || name == "ruby") && a.text[1] != '-' && strings.HasSuffix(a.text, "e")) {
				script = false
				if !strings.HasPrefix(a.text, "-f") && a.text != "--file" {
					if i++; i < len(args) {
						r.seeks(name, args[i])
					}
				}
			} else if _, ok := strings.CutPrefix(a.text, "--regexp="); ok {
				script = false
				r.seeks(name, a)
				continue
			}
			if _, v, ok := strings.Cut(a.text, "="); ok && strings.ContainsAny(v, `/\.`) {
				r.touch(word{text: v, quoted: a.quoted, dynamic: a.dynamic}, Shell)
			}
			continue
		}
		if script {
			script = false
			r.seeks(name, a)
			continue
		}
		if digits(a.text) { // the value of -n, --depth, ...
			continue
		}
		// A bare word of a command that takes no files is a target or a branch
		// far more often than a folder of that name.
		if files || strings.ContainsAny(a.text, `/\.`) {
			r.touch(a, op)
		}
	}
}

// inPlace reports that a stream editor writes its files: sed -i, perl -pi -e.
func inPlace(args []word) bool {
	for _, a := range args {
		f := a.text
		switch {
		case f == "--in-place", strings.HasPrefix(f, "--in-place="), strings.HasPrefix(f, "-i"):
			return true
		case len(f) > 2 && f[0] == '-' && f[1] != '-' && strings.Contains(f, "i") && strings.Trim(f[1:], "pnliaeE0") == "":
			return true
		}
	}
	return false
}

// cmdlet reads the file that a PowerShell command writes: what stands behind
// -Path and its kin, else the first word that belongs to no name.
func (r *shellReader) cmdlet(args []word) {
	placed := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		name := strings.ToLower(a.text)
		switch {
		case len(name) < 2 || name[0] != '-' || a.quoted:
			if !placed {
				r.touch(a, Create)
			}
			placed = true
		case name == "-path", name == "-literalpath", name == "-filepath", name == "-lp", name == "-pspath":
			if i++; i < len(args) {
				r.touch(args[i], Create)
				placed = true
			}
		case name == "-force", name == "-append", name == "-nonewline", name == "-passthru", name == "-noclobber", name == "-whatif", strings.Contains(name, ":"):
		default:
			i++ // -Value TEXT, -Encoding utf8, ...
		}
	}
}

// git reads paths by subcommand: branch names look like folders.
func (r *shellReader) git(args []word) {
	dir := r.dir
	defer func() { r.dir = dir }()
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		if args[0].text == "-C" && len(args) > 1 {
			if args[1].dynamic {
				return
			}
			r.dir = joinDir(r.dir, args[1].text)
			args = args[1:]
		} else if args[0].text == "-c" && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return
	}
	bare := false
	switch args[0].text {
	case "add", "rm", "mv", "blame", "restore", "ls-files", "check-ignore":
		bare = true
	case "clone", "remote", "fetch", "push", "pull", "config", "branch", "tag", "merge", "rebase":
		return
	}
	pattern := args[0].text == "grep"
	for i := 1; i < len(args); i++ {
		a := args[i]
		if a.text == "--" {
			bare = true
			continue
		}
		if pattern && !strings.HasPrefix(a.text, "-") {
			pattern, bare = false, true
			r.seeks("grep", a)
			continue
		}
		if strings.HasPrefix(a.text, "-") {
			if a.text == "-m" || a.text == "--message" {
				i++
			}
			continue
		}
		// HEAD:src/x.go
		if rev, path, ok := strings.Cut(a.text, ":"); ok && len(rev) > 1 && path != "" && args[0].text == "show" {
			a.text = path
		} else if !bare && !strings.ContainsAny(a.text, `/\.`) {
			continue
		}
		r.touch(a, Shell)
	}
}

// inlineCommand is X of `bash -lc X` and `pwsh -Command X`.
func inlineCommand(args []word) (string, bool) {
	for i, a := range args {
		f := strings.ToLower(a.text)
		if !strings.HasPrefix(f, "-") {
			return "", false
		}
		if (f == "-command" || !strings.HasPrefix(f, "--") && len(f) < 6 && strings.HasSuffix(f, "c")) && i+1 < len(args) {
			if args[i+1].dynamic {
				return "", true
			}
			return args[i+1].text, true
		}
	}
	return "", false
}

// commandName is a program's base name, lower case, without ".exe".
func commandName(s string) string {
	if i := strings.LastIndexAny(s, `/\`); i >= 0 {
		s = s[i+1:]
	}
	return strings.TrimSuffix(strings.ToLower(s), ".exe")
}

// takesScript: the first operand is a pattern or a program, no path.
func takesScript(name string) bool {
	switch name {
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "mawk", "jq", "yq", "perl", "ruby", "select-string", "sls", "findstr":
		return true
	}
	return false
}

// takesFiles: bare words are files or folders.
func takesFiles(name string) bool {
	switch name {
	case "cat", "bat", "less", "more", "head", "tail", "nl", "tac", "wc", "file", "stat", "ls", "dir", "tree", "du", "find", "fd",
		"rm", "mv", "cp", "ln", "mkdir", "rmdir", "touch", "chmod", "chown", "install", "rsync", "tee", "diff", "cmp", "patch",
		"sort", "uniq", "cut", "xxd", "od", "hexdump", "strings", "md5sum", "sha256sum", "realpath", "readlink",
		"vi", "vim", "nvim", "nano", "emacs", "code", "gofmt", "prettier", "eslint", "black", "ruff",
		"python", "python3", "node", "deno", "sh", "bash", "zsh", "source", ".",
		"get-content", "gc", "type", "set-content", "add-content", "get-childitem", "gci", "get-item", "remove-item", "copy-item",
		"move-item", "new-item", "test-path", "out-file":
		return true
	}
	return takesScript(name)
}

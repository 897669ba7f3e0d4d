package core

import (
	"os"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	glob    string // relative to the file's folder
	negate  bool
	dirOnly bool
}

// ignoreFile are the rules of one .gitignore and the folder they speak for.
type ignoreFile struct {
	dir   string // slash path below the base, "" for the base
	rules []ignoreRule
}

const maxIgnoreFile = 1 << 20

func readIgnoreFile(name, dir string) (ignoreFile, bool) {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxIgnoreFile {
		return ignoreFile{}, false
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ignoreFile{}, false
	}
	f := ignoreFile{dir: dir, rules: parseIgnore(string(data))}
	return f, len(f.rules) > 0
}

// parseIgnore reads the lines of a .gitignore; what is no pattern is skipped.
func parseIgnore(text string) []ignoreRule {
	var out []ignoreRule
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		// Trailing spaces do not count unless the last one is escaped.
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		if line == "" || line[0] == '#' {
			continue
		}
		var r ignoreRule
		if line[0] == '!' {
			r.negate, line = true, line[1:]
		}
		if strings.HasSuffix(line, "/") {
			r.dirOnly, line = true, strings.TrimRight(line, "/")
		}
		if line == "" {
			continue
		}
		// A slash before the end ties the pattern to the file's folder.
		if strings.Contains(line, "/") {
			line = strings.TrimPrefix(line, "/")
		} else {
			line = "**/" + line
		}
		// Braces are letters to git.
		r.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(line)
		if doublestar.ValidatePattern(r.glob) {
			out = append(out, r)
		}
	}
	return out
}

// match reports what the last rule that fits a path says.
func (f *ignoreFile) match(p string, isDir bool) (ignored, decided bool) {
	if f.dir != "" {
		p = strings.TrimPrefix(p, f.dir+"/")
	}
	for i := len(f.rules) - 1; i >= 0; i-- {
		r := &f.rules[i]
		if r.dirOnly && !isDir {
			continue
		}
		if ok, err := doublestar.Match(r.glob, p); err == nil && ok {
			return !r.negate, true
		}
	}
	return false, false
}

// ignored asks the nearest .gitignore first; the first that has an opinion
// decides.
func ignored(files []ignoreFile, p string, isDir bool) bool {
	for i := len(files) - 1; i >= 0; i-- {
		if yes, decided := files[i].match(p, isDir); decided {
			return yes
		}
	}
	return false
}

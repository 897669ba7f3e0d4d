package observe

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"pathrule/internal/plaintext"
	"pathrule/internal/secret"
)

// cleaner takes out of text what may not be kept, and counts it.
type cleaner struct {
	root, home string
	redacted   int // secrets
	removed    int // lines
}

func (c *cleaner) clean(s string) string {
	s = plaintext.Clean(s)
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if orders(line) {
			c.removed++
			continue
		}
		lines = append(lines, strings.TrimRight(line, " \t"))
	}
	s, n := secret.Redact(strings.Join(lines, "\n"))
	c.redacted += n
	return c.paths(s)
}

// orders reports a line that speaks to a model about what it is or whom it
// obeys. Such a line may have come from a web page or a file that somebody
// pasted, and would speak to every later session. A line too many costs little.
func orders(line string) bool {
	l := strings.ToLower(strings.Join(strings.Fields(line), " "))
	for _, p := range [...]string{"system:", "developer:", "assistant:", "<<sys>>", "[inst]", "### instruction", "### system"} {
		if strings.HasPrefix(strings.TrimLeft(l, "#>*-_ "), p) || strings.HasPrefix(l, p) {
			return true
		}
	}
	for _, p := range [...]string{
		"<system", "</system", "<|", "|>", "<instructions", "</instructions", "system-reminder", "<assistant", "</assistant",
		"system prompt", "you are now ", "new instructions:", "developer mode", "jailbreak", "do not tell the user", "don't tell the user", "without telling the user",
		"以前の指示を無視", "これまでの指示を無視", "上記の指示を無視", "忽略之前的", "忽略以上", "忽略前面", "忽略先前", "이전 지시를 무시", "이전의 지시를 무시",
		"игнорируй предыдущ", "игнорируйте предыдущ", "ignoriere alle vorherigen", "ignoriere die vorherigen", "ignoriere die obigen",
		"ignora las instrucciones", "ignora todas las instrucciones", "ignore as instruções", "ignore todas as instruções",
		"ignore les instructions", "ignorez les instructions", "ignore toutes les instructions", "ignorez toutes les instructions",
		"önceki talimatları yok say", "önceki talimatları unut",
	} {
		if strings.Contains(l, p) {
			return true
		}
	}
	return overrides().MatchString(l)
}

var overrides = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|all|your|any|these|safety)\b.{0,30}\b(?:instruction|instructions|prompt|prompts|rule|rules|guideline|guidelines|directions|guardrails)\b`)
})

// A path begins behind a blank, a quote or a bracket: what stands in an address
// does not.
var absolute = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^|[\\s\"'`(\\[{<=,;|:])(file://)?(/[^\\s\"'`)\\]}>,;|:]+|[A-Za-z]:[\\\\/][^\\s\"'`)\\]}>,;|]+|\\\\\\\\[^\\s\"'`)\\]}>,;|]+)")
})

// paths makes paths of the workspace relative, those of the home begin with
// "~", and hides every other place of this machine. What only looks like a path
// (the route of an address, "/api/users") stays.
func (c *cleaner) paths(s string) string {
	s = below(s, c.root, "")
	s = below(s, c.home, "~/")
	return absolute().ReplaceAllStringFunc(s, func(m string) string {
		sub := absolute().FindStringSubmatch(m)
		if sub[1] == ":" && strings.HasPrefix(sub[3], "//") || !ofMachine(sub[3]) {
			return m
		}
		return sub[1] + "[path]"
	})
}

// below replaces a folder at the beginning of paths.
func below(s, dir, with string) string {
	if dir == "" || filepath.Dir(dir) == dir {
		return s
	}
	for _, d := range []string{dir, filepath.ToSlash(dir), strings.ReplaceAll(dir, `\`, `\\`)} {
		for _, sep := range []string{"/", `\\`, `\`} {
			s = strings.ReplaceAll(s, d+sep, with)
		}
		short := strings.TrimSuffix(with, "/")
		if short == "" {
			short = "."
		}
		s = replaceWhole(s, d, short)
	}
	return s
}

// replaceWhole replaces a folder where its name ends.
func replaceWhole(s, dir, with string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, dir)
		if i < 0 {
			return b.String() + s
		}
		end := i + len(dir)
		b.WriteString(s[:i])
		if end < len(s) && (s[end] == '-' || s[end] == '_' || s[end] == '.' && end+1 < len(s) && s[end+1] > ' ' || s[end] >= '0' && s[end] <= '9' || s[end] >= 'A' && s[end] <= 'Z' || s[end] >= 'a' && s[end] <= 'z') {
			b.WriteString(dir)
		} else {
			b.WriteString(with)
		}
		s = s[end:]
	}
}

// ofMachine reports whether a text is a place on this machine, or one that other
// machines have too.
func ofMachine(p string) bool {
	if p[0] != '/' {
		return true // a drive or a share
	}
	first, _, _ := strings.Cut(strings.TrimLeft(p, "/"), "/")
	switch first {
	case "":
		return false
	case "home", "Users", "root", "tmp", "var", "etc", "usr", "opt", "private", "mnt", "media", "srv", "run", "proc", "sys", "dev", "Volumes", "Library", "Applications", "bin", "sbin", "lib", "snap", "nix":
		return true
	}
	_, err := os.Lstat("/" + first)
	return err == nil
}

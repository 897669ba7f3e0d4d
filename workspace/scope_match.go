package workspace

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/unicode/norm"
)

// nfc composes; ASCII, which nearly every path is, needs no look at tables.
func nfc(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return norm.NFC.String(s)
		}
	}
	return s
}

// cleanRel makes a slash path comparable: NFC, no "./", no outer slashes.
func cleanRel(rel string) string {
	rel = nfc(rel)
	for strings.HasPrefix(rel, "./") {
		rel = rel[2:]
	}
	if rel == "." {
		return ""
	}
	return strings.Trim(rel, "/")
}

func (s scope) match(rel string) (Fit, int) {
	rel = cleanRel(rel)
	if _, below := cutDir(s.prefix, rel); !below {
		return Outside, 0
	}
	for i := range s.neg {
		if s.neg[i].covers(rel) != Outside {
			return Outside, 0
		}
	}
	fit, depth := Outside, 0
	if len(s.pos) == 0 || s.all {
		fit, depth = Project, s.prefixAt
	}
	for i := range s.pos {
		p := &s.pos[i]
		if f := p.covers(rel); f > fit || f == fit && f != Outside && p.depth > depth {
			fit, depth = f, p.depth
		}
	}
	return fit, depth
}

// cutDir returns what follows dir in rel ("" for dir itself); ok is false when
// rel lies elsewhere. Whole segments: "src/api" is no folder of "src/api-old".
func cutDir(dir, rel string) (rest string, ok bool) {
	switch {
	case dir == "":
		return rel, true
	case !strings.HasPrefix(rel, dir):
		return "", false
	case len(rel) == len(dir):
		return "", true
	case rel[len(dir)] == '/':
		return rel[len(dir)+1:], true
	}
	return "", false
}

func (p *pattern) covers(rel string) Fit {
	rest, ok := cutDir(p.dir, rel)
	switch {
	case !ok:
		return Outside
	case len(p.glob) == 0 && rest == "":
		return File
	case len(p.glob) == 0:
		return Folder
	case !globCovers(p.glob, rest):
		return Outside
	case p.dir == "":
		return Glob
	}
	return Folder
}

// globCovers matches segment by segment, going back only to the last "**": what
// an earlier one took cannot help a later part to match more.
func globCovers(glob []segment, rest string) bool {
	g := 0
	backGlob, backRest := -1, ""
	done := rest == ""
	for !done {
		if g < len(glob) && glob[g].kind == segDeep {
			if g++; g == len(glob) {
				return true
			}
			backGlob, backRest = g, rest
			continue
		}
		name, after, more := strings.Cut(rest, "/")
		if g < len(glob) && glob[g].covers(name) {
			g++
			rest, done = after, !more
			continue
		}
		if backGlob < 0 {
			return false
		}
		_, after, more = strings.Cut(backRest, "/")
		if !more {
			return false
		}
		g, rest, backRest = backGlob, after, after
	}
	for g < len(glob) && glob[g].kind == segDeep {
		g++
	}
	return g == len(glob)
}

func (s segment) covers(name string) bool {
	switch s.kind {
	case segLiteral:
		return name == s.text
	case segSuffix:
		return strings.HasSuffix(name, s.text)
	case segAny:
		return true
	}
	return doublestar.MatchUnvalidated(s.text, name)
}

func (s scope) whole() bool { return len(s.pos) == 0 || s.all }

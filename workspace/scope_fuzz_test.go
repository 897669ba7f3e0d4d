package workspace

import (
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// slowCovers is the definition in its plainest form: spread the braces, cut
// into segments, and try every way in which "**" could take segments. It shares
// no code with the matcher.
func slowCovers(patterns []string, rel string) bool {
	covered, positive := false, false
	for _, p := range patterns {
		p = strings.TrimSpace(norm.NFC.String(p))
		if p == "" {
			continue
		}
		not := strings.HasPrefix(p, "!")
		if not {
			p = strings.TrimSpace(p[1:])
		}
		hit := slowRoot(p)
		if !hit {
			for _, alt := range slowBraces(p) {
				hit = hit || slowPattern(alt, rel)
			}
		}
		if not && hit {
			return false
		}
		if !not {
			positive = true
			covered = covered || hit
		}
	}
	return covered || !positive
}

func slowRoot(p string) bool {
	for _, seg := range strings.Split(p, "/") {
		if seg != "" && seg != "." {
			return false
		}
	}
	return true
}

func slowBraces(p string) []string {
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			i++
		case '[':
			if end := slowClass(p[i:]); end > 0 {
				i += end
			}
		case '{':
			depth, start := 0, i+1
			var parts []string
			for j := i + 1; j < len(p); j++ {
				switch p[j] {
				case '\\':
					j++
				case '[':
					if end := slowClass(p[j:]); end > 0 {
						j += end
					}
				case '{':
					depth++
				case ',':
					if depth == 0 {
						parts = append(parts, p[start:j])
						start = j + 1
					}
				case '}':
					if depth--; depth < 0 {
						parts = append(parts, p[start:j])
						var out []string
						for _, part := range parts {
							out = append(out, slowBraces(p[:i]+part+p[j+1:])...)
						}
						return out
					}
				}
			}
		}
	}
	return []string{p}
}

// slowClass is the index of the bracket that ends the expression at s[0], 0 if
// the segment ends before one.
func slowClass(s string) int {
	i := 1
	for i < len(s) && (s[i] == '!' || s[i] == '^') {
		i++
	}
	for j := i; j < len(s) && s[j] != '/'; j++ {
		if s[j] == '\\' {
			j++
		} else if s[j] == ']' {
			if j == i {
				return 0
			}
			return j
		}
	}
	return 0
}

func slowPattern(p, rel string) bool {
	folder := strings.HasSuffix(p, "/")
	var segs []string
	for _, s := range strings.Split(p, "/") {
		if s != "" && s != "." {
			segs = append(segs, s)
		}
	}
	bare := !slices.ContainsFunc(segs, slowWild)
	last := segs[len(segs)-1]
	switch {
	case bare || !slowWild(last):
		segs = append(segs, "**")
	case folder && last != "**":
		segs = append(segs, "**", "*")
	}
	var names []string
	if rel != "" {
		names = strings.Split(rel, "/")
	}
	return slowSegments(segs, names)
}

func slowSegments(segs, names []string) bool {
	if len(segs) == 0 {
		return len(names) == 0
	}
	if segs[0] == "**" {
		for i := 0; i <= len(names); i++ {
			if slowSegments(segs[1:], names[i:]) {
				return true
			}
		}
		return false
	}
	if len(names) == 0 {
		return false
	}
	return slowName([]rune(segs[0]), []rune(names[0])) && slowSegments(segs[1:], names[1:])
}

func slowWild(seg string) bool {
	for i := 0; i < len(seg); i++ {
		switch seg[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

func slowName(p, name []rune) bool {
	if len(p) == 0 {
		return len(name) == 0
	}
	switch p[0] {
	case '*':
		for i := 0; i <= len(name); i++ {
			if slowName(p[1:], name[i:]) {
				return true
			}
		}
		return false
	case '?':
		return len(name) > 0 && slowName(p[1:], name[1:])
	case '\\':
		return len(name) > 0 && name[0] == p[1] && slowName(p[2:], name[1:])
	case '[':
		if len(name) == 0 {
			return false
		}
		i, not := 1, false
		if p[1] == '!' || p[1] == '^' {
			i, not = 2, true
		}
		in := false
		for ; p[i] != ']'; i++ {
			lo := p[i]
			if lo == '\\' {
				i++
				lo = p[i]
			}
			hi := lo
			if p[i+1] == '-' && p[i+2] != ']' {
				i += 2
				if hi = p[i]; hi == '\\' {
					i++
					hi = p[i]
				}
			}
			in = in || lo <= name[0] && name[0] <= hi
		}
		return in != not && slowName(p[i+1:], name[1:])
	}
	return len(name) > 0 && name[0] == p[0] && slowName(p[1:], name[1:])
}

func FuzzMatchAgreesWithASlowMatcher(f *testing.F) {
	for _, s := range [][2]string{
		{"src/api", "src/api/a"}, {"**/*.ts\n!src/gen", "src/gen/a.ts"}, {"a/**/b/**/c", "a/x/b/y/b/c"}, {"**/a/*/b", "a/a/x/b"},
		{"{a,b/{c,d}}/**", "b/d/e"}, {"src/[!a-c]x", "src/dx"}, {"**/migrations", "a/migrations/1"}, {"packages/*/", "packages/a/b"},
		{`a/\[x\]/*`, "a/[x]/y"}, {"*?*", "ab"}, {"**/**", "a"}, {"**.ts", "a.ts"}, {"!a", "b"}, {"/", ""}, {"**", ""}, {"a*b*c*d", "aXbXcXbXcd"},
		{"**/a*/**/b?/**", "x/a1/y/a2/z/b3"}, {"é/*", "e\u0301/x"}, {"[[]x", "[x"}, {"a[]-]b", "a]b"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, lines, rel string) {
		rel = norm.NFC.String(rel)
		if len(lines) > 200 || len(rel) > 60 || !utf8.ValidString(lines) || !utf8.ValidString(rel) || rel != strings.TrimPrefix(path.Clean("/"+rel), "/") || strings.Contains(lines, "\ufffd") {
			return
		}
		patterns := strings.Split(lines, "\n")
		for _, p := range patterns {
			// Positions and Windows spellings are read before matching; brackets
			// whose doublestar meaning is odd are not part of the definition.
			p = strings.TrimPrefix(strings.TrimSpace(norm.NFC.String(p)), "!")
			if short, cut := cutPosition(p); cut && short != "" || windowsSpelling(strings.TrimSpace(p)) || oddClass(p) {
				return
			}
		}
		s, err := ParseScope(patterns)
		if err != nil {
			return
		}
		got, want := s.Covers(rel), slowCovers(patterns, rel)
		if got != want {
			t.Fatalf("%q covers %q = %v, the slow matcher says %v", patterns, rel, got, want)
		}
		if got && !sharesKey(s, rel) {
			t.Fatalf("%q covers %q, but no key of %q is among %q", patterns, rel, s.Keys(), PathKeys(rel))
		}
	})
}

// oddClass: in "[a-c-e]", "[^!a]" and the like doublestar's reading of a class
// has no plain definition.
func oddClass(p string) bool {
	for i := 0; i < len(p); i++ {
		if p[i] == '\\' {
			i++
			continue
		}
		if p[i] != '[' {
			continue
		}
		end := slowClass(p[i:])
		if end == 0 {
			return true
		}
		body := p[i+1 : i+end]
		body = strings.TrimLeft(body, "!^")
		if len(body) < end-2 || strings.ContainsAny(body, `\[{},!^`) || strings.Count(body, "-") > 1 || strings.HasPrefix(body, "-") || strings.HasSuffix(body, "-") {
			return true
		}
		i += end
	}
	return false
}

// A scope below a prefix covers exactly what the same patterns cover there.
func FuzzPrefixedScopeIsTheSameScopeFurtherDown(f *testing.F) {
	f.Add("src/**\n!*.md", "packages/a", "src/x")
	f.Add("", "app/[id]", "y")
	f.Fuzz(func(t *testing.T, lines, prefix, rel string) {
		prefix, rel = norm.NFC.String(prefix), norm.NFC.String(rel)
		if len(lines) > 200 || len(rel) > 60 || rel != strings.TrimPrefix(path.Clean("/"+rel), "/") || prefix != strings.TrimPrefix(path.Clean("/"+prefix), "/") || prefix == "" {
			return
		}
		patterns := strings.Split(lines, "\n")
		s, err := ParseScope(patterns)
		if err != nil {
			return
		}
		below, err := ParseScopeAt(patterns, prefix)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.TrimSuffix(prefix+"/"+rel, "/")
		if norm.NFC.String(at) != at {
			return // a combining mark joins the slash of a degenerate path
		}
		// A bare pattern for the root's own folder is the one thing that a prefix
		// changes: rel "" is covered by nothing but the whole scope.
		if got, want := below.Covers(at), s.Covers(rel); got != want && rel != "" {
			t.Fatalf("%q at %q: covers %q = %v, want %v", patterns, prefix, at, got, want)
		}
		if below.Covers(rel) && rel != prefix && !strings.HasPrefix(rel, prefix+"/") {
			t.Fatalf("%q at %q covers %q, which lies elsewhere", patterns, prefix, rel)
		}
		if below.Covers(at) && !sharesKey(below, at) {
			t.Fatalf("%q at %q: no shared key for %q", patterns, prefix, at)
		}
	})
}

// What comes out of a comma string, ParseScope reads as it stands.
func FuzzSplitPatternsKeepsEverything(f *testing.F) {
	for _, s := range []string{"a, b", `["a","b"]`, "{a,b},c", "[ab],c", "- a\n- b", `a\,b`, `"x,y",z`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		items := SplitPatterns(s)
		pos := 0
		for _, it := range items {
			if it == "" || it != strings.TrimSpace(it) {
				t.Fatalf("%q gives the untidy item %q", s, it)
			}
			i := strings.Index(s[pos:], it)
			if i < 0 {
				t.Fatalf("%q gives %q, which does not stand there in this order", s, it)
			}
			pos += i + len(it)
		}
	})
}

// Random patterns out of few letters hit far more than a byte fuzzer does.
func TestRandomScopesAgreeWithTheSlowMatcherAndShareAKey(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) string { return words[rnd.IntN(len(words))] }
	segment := func() string {
		return pick("a", "b", "ab", "a.x", "b.y", ".a", "*", "**", "*", "**", "?", "*.x", "*.y", "a*", "*b", "[ab]", "[!a]", "?b", "{a,b}", "{a,b/c}", "*.{x,y}", "{a,}b", "**a", "a**")
	}
	covered := 0
	for range 60000 {
		var patterns []string
		for range 1 + rnd.IntN(3) {
			p := pick("", "", "", "/", "./")
			for i := range 1 + rnd.IntN(4) {
				if i > 0 {
					p += "/"
				}
				p += segment()
			}
			patterns = append(patterns, pick("", "", "", "!")+p+pick("", "", "", "/"))
		}
		var names []string
		for range rnd.IntN(5) {
			names = append(names, pick("a", "b", "ab", "ba", "a.x", "b.y", ".a", "c", "aab"))
		}
		rel := strings.Join(names, "/")
		s, err := ParseScope(patterns)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Covers(rel)
		if want := slowCovers(patterns, rel); got != want {
			t.Fatalf("%q covers %q = %v, the slow matcher says %v", patterns, rel, got, want)
		}
		if got && !sharesKey(s, rel) {
			t.Fatalf("%q covers %q, but no key of %q is among %q", patterns, rel, s.Keys(), PathKeys(rel))
		}
		if include, _ := s.Globs(); got && len(include) > 0 && !slices.ContainsFunc(include, func(g string) bool {
			return slowPattern(g, rel)
		}) {
			t.Fatalf("%q covers %q, but none of %q does", patterns, rel, include)
		}
		if got {
			covered++
		}
	}
	if covered < 10000 {
		t.Errorf("only %d of the random questions are covered", covered)
	}
}

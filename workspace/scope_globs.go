package workspace

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Globs spells the scope for a client's own matcher: braces spread, anchored at
// the base, folders as the path itself and "path/**", every character that
// matchers read differently (escapes, commas) as "?". The include list is empty
// for a whole-workspace scope; exclusions come apart, because most clients have
// no way to say them.
func (s Scope) Globs() (include, exclude []string) {
	if !s.all {
		include = plainGlobs(s.pos)
	}
	return include, plainGlobs(s.neg)
}

func plainGlobs(patterns []pattern) []string {
	var out []string
	add := func(g string) {
		if !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	for i := range patterns {
		p := &patterns[i]
		var segs []string
		if p.dir != "" {
			segs = append(segs, plainText(p.dir))
		}
		for _, g := range p.glob {
			segs = append(segs, g.plain())
		}
		n := len(p.glob)
		switch {
		case n == 0:
			add(segs[0])
			add(segs[0] + "/**")
		case n > 1 && p.glob[n-1].kind == segDeep && p.glob[n-2].kind == segLiteral:
			add(strings.Join(segs[:len(segs)-1], "/"))
			add(strings.Join(segs, "/"))
		default:
			add(strings.Join(segs, "/"))
		}
	}
	return out
}

func (s segment) plain() string {
	switch s.kind {
	case segLiteral:
		return plainText(s.text)
	case segSuffix:
		return "*" + plainText(s.text)
	case segAny:
		return "*"
	case segDeep:
		return "**"
	}
	var b strings.Builder
	for i := 0; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			_, n := utf8.DecodeRuneInString(s.text[i+1:])
			i += n
			b.WriteByte('?')
		case ',':
			b.WriteByte('?')
		case '[':
			not := len(s.text[i+1:]) - len(strings.TrimLeft(s.text[i+1:], "!^"))
			end := i + 1 + not + unescapedIndex(s.text[i+1+not:], ']')
			class := s.text[i+1 : end]
			i = end
			if strings.ContainsAny(class, `\,`) {
				b.WriteByte('?')
				continue
			}
			if class[0] == '^' {
				class = "!" + class[1:]
			}
			b.WriteString("[" + class + "]")
		default:
			b.WriteByte(s.text[i])
		}
	}
	return b.String()
}

// plainText replaces what a matcher could take for syntax.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`*?[]{}\,`, r) {
			return '?'
		}
		return r
	}, s)
}

package workspace

import (
	"slices"
	"strings"
)

// wholeKey is the term of a scope without positive patterns.
const wholeKey = "p:"

func (s scope) keys() []string {
	var out []string
	add := func(k string) {
		if !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	if s.whole() {
		if s.prefix == "" {
			add(wholeKey)
		} else {
			add("d:" + s.prefix)
		}
	}
	for i := range s.pos {
		add(s.pos[i].key)
	}
	return out
}

// term finds the key of a pattern whose glob has not yet been completed by what
// a name or a trailing slash at its end implies.
func (p *pattern) term(folderOnly bool) string {
	switch n := len(p.glob); {
	case n == 0:
		return "f:" + p.dir
	case p.dir != "":
		return "d:" + p.dir
	case p.glob[n-1].kind == segLiteral:
		return "b:" + p.glob[n-1].text
	case !folderOnly:
		if ext, ok := p.glob[n-1].ext(); ok {
			return "e:" + ext
		}
	}
	return "d:"
}

// ext is what follows the last dot of every name the segment covers, known only
// when that dot stands after the last wildcard.
func (s segment) ext() (string, bool) {
	tail := s.text
	switch s.kind {
	case segSuffix:
	case segGlob:
		for tail != "" {
			i := strings.IndexAny(tail, `*?[`)
			if i < 0 {
				break
			}
			// Past an escaped character or a class as a whole.
			switch {
			case i > 0 && tail[i-1] == '\\':
				return "", false
			case tail[i] == '[':
				end := unescapedIndex(strings.TrimLeft(tail[i+1:], "!^"), ']')
				if end < 0 {
					return "", false
				}
				tail = strings.TrimLeft(tail[i+1:], "!^")[end+1:]
			default:
				tail = tail[i+1:]
			}
		}
		lit, ok := literal(tail)
		if !ok {
			return "", false
		}
		tail = lit
	default:
		return "", false
	}
	i := strings.LastIndexByte(tail, '.')
	if i < 0 {
		return "", false
	}
	return tail[i+1:], true
}

func pathKeys(rel string) []string {
	rel = cleanRel(rel)
	out := append(make([]string, 0, 3+3*countSegments(rel)), wholeKey, "d:")
	if rel == "" {
		return out
	}
	start := 0
	for i := 0; i <= len(rel); i++ {
		if i < len(rel) && rel[i] != '/' {
			continue
		}
		name := "b:" + rel[start:i]
		out = append(out, "d:"+rel[:i], "f:"+rel[:i])
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
		start = i + 1
	}
	base := rel[strings.LastIndexByte(rel, '/')+1:]
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		out = append(out, "e:"+base[i+1:])
	}
	return out
}

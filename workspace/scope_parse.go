package workspace

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxAlternatives bounds what the braces of one scope may spread into; a hook
// tests every alternative.
const maxAlternatives = 1000

// maxPattern bounds the length of one pattern in bytes; it is far above any
// path, and keeps the cost of a hostile file in check.
const maxPattern = 4096

// scope is a compiled scope. Everything is NFC and in base coordinates.
type scope struct {
	prefix   string // where the owning workspace lies below the base
	prefixAt int    // segments of prefix
	all      bool   // a pattern says "the whole workspace" in so many words
	pos, neg []pattern
}

// pattern is one alternative of a pattern: a literal folder, then a glob.
type pattern struct {
	// dir is the static part: the whole path of a bare pattern, the folders
	// before the first wildcard of a glob; "" is the base.
	dir   string
	depth int // segments of dir
	// glob are the segments that follow; empty for a bare pattern, which covers
	// dir itself and everything below.
	glob []segment
	// key is the index term under which the pattern is found.
	key string
}

// segment is one part of a glob between slashes.
type segment struct {
	kind segKind
	text string // literal text, suffix, or doublestar pattern
}

type segKind uint8

const (
	segGlob    segKind = iota // doublestar decides
	segLiteral                // text, byte for byte
	segSuffix                 // "*" + text
	segAny                    // "*"
	segDeep                   // "**": any number of segments
)

// badPattern says what is wrong with a pattern and what to write instead.
func badPattern(p, wrong, remedy string) error {
	return fmt.Errorf("path pattern %q %s; %s", p, wrong, remedy)
}

func parseScope(patterns []string, prefix string) (Scope, error) {
	prefix = strings.Trim(nfc(prefix), "/")
	s := scope{prefix: prefix, prefixAt: countSegments(prefix)}
	total := 0
	for _, written := range patterns {
		p := strings.TrimSpace(nfc(written))
		if p == "" {
			continue
		}
		if len(p) > maxPattern {
			return Scope{}, badPattern(written[:60]+"…", "is longer than 4,096 bytes", "use several patterns")
		}
		into := &s.pos
		if strings.HasPrefix(p, "!") {
			if p = strings.TrimSpace(p[1:]); p == "" {
				return Scope{}, badPattern(written, "excludes nothing", `name what to leave out after "!"`)
			}
			into = &s.neg
		}
		p, err := cleanPattern(written, p)
		if err != nil {
			return Scope{}, err
		}
		if isRoot(p) {
			if into == &s.neg {
				return Scope{}, badPattern(written, "excludes the whole workspace", "name the folder to leave out")
			}
			s.all = true
			continue
		}
		alternatives, err := expandBraces(p, maxAlternatives-total)
		if err != nil {
			return Scope{}, badPattern(written, err.Error(), remedyOf(err))
		}
		total += len(alternatives)
		for _, alt := range alternatives {
			compiled, err := s.compile(written, alt)
			if err != nil {
				return Scope{}, err
			}
			*into = append(*into, compiled)
		}
	}
	return Scope{s}, nil
}

// cleanPattern refuses what lies outside the workspace and brings Windows
// spellings to slashes.
func cleanPattern(written, p string) (string, error) {
	if isDrive(p) || strings.HasPrefix(p, `\\`) {
		return "", badPattern(written, "is an absolute Windows path", "write it relative to the project root, for example src/api")
	}
	if p == "~" || strings.HasPrefix(p, "~/") || strings.HasPrefix(p, `~\`) {
		return "", badPattern(written, "lies in the home folder", "write it relative to the project root, for example src/api")
	}
	if windowsSpelling(p) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	if !hasMeta(p) {
		p, _ = cutPosition(p)
	}
	return p, nil
}

// windowsSpelling reports that backslashes are separators: there is no slash,
// and one of them stands before an ordinary character, where an escape would
// have no meaning.
func windowsSpelling(p string) bool {
	if strings.IndexByte(p, '/') >= 0 {
		return false
	}
	for i := 0; i+1 < len(p); i++ {
		if p[i] == '\\' {
			if c := p[i+1]; isLetter(c) || c >= '0' && c <= '9' || c == '.' || c >= 0x80 {
				return true
			}
			i++
		}
	}
	return false
}

// isRoot: "/", ".", "./" and the like.
func isRoot(p string) bool {
	return strings.Trim(p, "./") == "" && !strings.Contains(p, "..")
}

func hasMeta(p string) bool { return strings.ContainsAny(p, `*?[]{}\`) }

// compile turns one brace-free alternative into a pattern.
func (s *scope) compile(written, alt string) (pattern, error) {
	folderOnly := strings.HasSuffix(alt, "/")
	segs, err := splitSegments(alt)
	if err != nil {
		return pattern{}, badPattern(written, err.Error(), remedyOf(err))
	}
	if len(segs) == 0 {
		return pattern{}, badPattern(written, "has an alternative that names nothing", `write "/" as a pattern of its own for the whole workspace`)
	}
	p := pattern{dir: s.prefix, depth: s.prefixAt}
	for _, seg := range segs {
		c, err := compileSegment(seg)
		if err != nil {
			return pattern{}, badPattern(written, err.Error(), remedyOf(err))
		}
		if len(p.glob) == 0 && c.kind == segLiteral {
			if p.dir != "" {
				p.dir += "/"
			}
			p.dir += c.text
			p.depth++
			continue
		}
		// "a/**/**/b" is "a/**/b".
		if c.kind == segDeep && len(p.glob) > 0 && p.glob[len(p.glob)-1].kind == segDeep {
			continue
		}
		p.glob = append(p.glob, c)
	}
	p.key = p.term(folderOnly)
	if n := len(p.glob); n > 0 {
		switch last := p.glob[n-1]; {
		case last.kind == segLiteral:
			// A name at the end of a glob may be a folder: like a bare folder it
			// covers everything below. A file has nothing below.
			p.glob = append(p.glob, segment{kind: segDeep})
		case folderOnly && last.kind != segDeep:
			// "packages/*/" speaks of folders: what lies in them, not the files
			// beside them.
			p.glob = append(p.glob, segment{kind: segDeep}, segment{kind: segAny})
		}
	}
	return p, nil
}

// splitSegments cuts at slashes, drops "." and empty segments, and refuses
// ".." and a slash inside brackets.
func splitSegments(p string) ([]string, error) {
	var out []string
	start := 0
	class := -1
	cut := func(end int) error {
		seg := p[start:end]
		switch seg {
		case "", ".":
		case "..":
			return errDotDot
		default:
			out = append(out, seg)
		}
		return nil
	}
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			if i++; i >= len(p) {
				return nil, errBackslash
			}
			if p[i] == '/' {
				return nil, errBackslash
			}
		case '[':
			if class < 0 {
				class = i
			}
		case ']':
			class = -1
		case '/':
			if class >= 0 {
				if strings.IndexByte(p[i:], ']') >= 0 {
					return nil, errSlashInClass
				}
				return nil, errBracket
			}
			if err := cut(i); err != nil {
				return nil, err
			}
			start = i + 1
		}
	}
	err := cut(len(p))
	return out, err
}

func compileSegment(seg string) (segment, error) {
	if !doublestar.ValidatePattern(seg) {
		return segment{}, classError(seg)
	}
	switch {
	case seg == "**":
		return segment{kind: segDeep}, nil
	case strings.Trim(seg, "*") == "":
		return segment{kind: segAny}, nil
	}
	if lit, ok := literal(seg); ok {
		if lit == ".." || lit == "." {
			return segment{}, errDotDot
		}
		return segment{kind: segLiteral, text: lit}, nil
	}
	if seg[0] == '*' {
		if lit, ok := literal(strings.TrimLeft(seg, "*")); ok {
			return segment{kind: segSuffix, text: lit}, nil
		}
	}
	return segment{kind: segGlob, text: seg}, nil
}

// literal removes escapes; ok is false when a wildcard remains.
func literal(seg string) (string, bool) {
	if !hasMeta(seg) {
		return seg, true
	}
	var b strings.Builder
	for i := 0; i < len(seg); i++ {
		switch seg[i] {
		case '*', '?', '[', '{', '}':
			return "", false
		case '\\':
			i++
		}
		if i < len(seg) {
			b.WriteByte(seg[i])
		}
	}
	return b.String(), true
}

func countSegments(p string) int {
	if p == "" {
		return 0
	}
	return strings.Count(p, "/") + 1
}

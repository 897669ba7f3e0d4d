package slice

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pathrule/index/catalog"
	"pathrule/index/terms"
	"pathrule/workspace"
)

// mention is a token of a prompt that may name a file or folder.
type mention struct {
	// path is slash-separated and clean, without a position, "./" or quotes.
	path string
	abs  bool
	// order is its place among the mentions; rank sorts what is worth asking the
	// disk about first.
	order, rank int
}

// mentions finds what looks like a path: a slash or backslash inside, an
// extension, or a file name that is known without one. Nothing is looked up.
func mentions(prompt string) []mention {
	var out []mention
	start := -1
	flush := func(end int) {
		if start >= 0 {
			if m, ok := asPath(prompt[start:end]); ok && !slices.ContainsFunc(out, func(o mention) bool { return o.path == m.path }) {
				m.order = len(out)
				out = append(out, m)
			}
			start = -1
		}
	}
	var last rune
	for i, r := range prompt {
		if !pathRune(r) || breaks(last, r) {
			flush(i)
		}
		if pathRune(r) && start < 0 {
			start = i
		}
		last = r
		if len(out) >= 4*maxExists {
			break
		}
	}
	flush(len(prompt))
	slices.SortStableFunc(out, func(a, b mention) int { return b.rank - a.rank })
	return out
}

// pathRune reports characters that names in code bases are made of.
func pathRune(r rune) bool {
	switch r {
	case '/', '\\', '.', '_', '-', '@', '+', ':', '~', '$', '[', ']', '(', ')', '%', '#', '=':
		return true
	}
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// breaks reports a border between scripts: text in a script without spaces is
// written right up to a path ("lib/x.tsを直す").
func breaks(a, b rune) bool {
	return a != 0 && (noSpaces(a) && asciiWord(b) || asciiWord(a) && noSpaces(b))
}

func noSpaces(r rune) bool { return r >= 0x0E00 && isGram(string(r)) }

func asciiWord(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// asPath takes a token apart.
func asPath(s string) (mention, bool) {
	if strings.Contains(s, "://") {
		if rest, ok := strings.CutPrefix(s, "file://"); ok {
			s = rest
		} else {
			return mention{}, false
		}
	}
	s = strings.TrimRight(strings.TrimLeft(s, "(:=#,+%$~"), "([:=#.,+%$~")
	if !strings.Contains(s, "]/") && !strings.Contains(s, "].") { // not a router's [id]/page
		s = strings.Trim(s, "[]")
	}
	if i := strings.IndexByte(s, '('); i > 0 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' { // x.cs(12,5)
		s = s[:i]
	}
	if i := strings.LastIndexByte(s, '('); i < 0 {
		s = strings.TrimRight(s, ").")
	} else if strings.HasSuffix(s, ")") { // [text](docs/y.md), f(src/x.ts)
		s = strings.TrimRight(s[i+1:], ").")
	}
	// "at f (src/x.ts:3:4)", "[x](docs/y.md)", "--config=a/b.json"
	for {
		i := strings.LastIndexAny(s, "(=")
		if i < 0 || strings.ContainsAny(s[i+1:], ")]") {
			break
		}
		s = s[i+1:]
	}
	s = strings.TrimPrefix(s, "@")
	s = strings.ReplaceAll(s, `\`, "/")
	drive := len(s) > 2 && s[1] == ':' && s[2] == '/' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
	if i := strings.IndexByte(s, '#'); i > 0 { // #L42
		s = s[:i]
	}
	from := 0
	if drive {
		from = 2
	}
	if i := strings.IndexByte(s[from:], ':'); i >= 0 { // :42, :42:7, :Name
		s = s[:from+i]
	}
	if i := strings.IndexByte(s, '('); i > 0 {
		s = s[:i]
	}
	s = strings.TrimRight(s, "/.-_")
	abs := strings.HasPrefix(s, "/") || drive
	for strings.HasPrefix(s, "./") {
		s = s[2:]
	}
	if s == "" || len(s) > 400 {
		return mention{}, false
	}
	clean := path.Clean(s)
	if clean == "." || clean == "/" {
		return mention{}, false
	}
	m := mention{path: clean, abs: abs}
	base := path.Base(clean)
	slash := strings.Contains(clean, "/")
	ext := plausibleExt(base)
	switch {
	case slash && ext:
		m.rank = 4
	case slash && knownName(base):
		m.rank = 4
	case ext && !strings.ContainsAny(base, "()"):
		m.rank = 3
	case knownName(base):
		m.rank = 3
	case slash && plainFolder(clean):
		m.rank = 1
	default:
		return mention{}, false
	}
	return m, true
}

// plausibleExt reports a name that ends in a dot and one to eight letters or
// digits, at least one of them a letter, and is no number, version or sentence.
func plausibleExt(base string) bool {
	i := strings.LastIndexByte(base, '.')
	if i < 0 || i == len(base)-1 || len(base)-i-1 > 10 {
		return false
	}
	letter := false
	for _, c := range []byte(base[i+1:]) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letter = true
		case c >= '0' && c <= '9':
		default:
			return false
		}
	}
	if !letter {
		return false
	}
	if i == 0 { // .gitignore, .env
		return len(base) > 2
	}
	r, _ := utf8.DecodeLastRuneInString(base[:i])
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-])}+", r)
}

// knownName reports files that have no extension.
func knownName(base string) bool {
	switch base {
	case "Dockerfile", "Makefile", "Jenkinsfile", "Rakefile", "Gemfile", "Procfile", "Vagrantfile", "Caddyfile", "Justfile",
		"Containerfile", "Brewfile", "Podfile", "Fastfile", "Tiltfile", "Earthfile", "BUILD", "WORKSPACE", "CODEOWNERS",
		"LICENSE", "README", "CHANGELOG", "makefile", "dockerfile", "justfile", "GNUmakefile":
		return true
	}
	return strings.HasPrefix(base, "Dockerfile.")
}

// folderName reports the name of a folder, as far as a name tells.
func folderName(p string) bool {
	base := path.Base(p)
	return !plausibleExt(base) && !knownName(base)
}

// plainFolder reports a/b made of names only, not "and/or" of punctuation.
func plainFolder(p string) bool {
	for _, seg := range strings.Split(strings.TrimPrefix(p, "/"), "/") {
		if seg == "" || strings.Trim(seg, "-_.") == "" && seg != ".." {
			return false
		}
	}
	return true
}

// fileLike reports that a prompt names a file by its form alone, for the
// classifier, which asks no disk.
func fileLike(ms []mention) bool {
	return slices.ContainsFunc(ms, func(m mention) bool { return m.rank >= 3 && !domainLike(m.path) })
}

// domainLike: example.com, node.js and the like are said without meaning a
// file.
func domainLike(p string) bool {
	if strings.Contains(p, "/") {
		return false
	}
	switch strings.ToLower(path.Ext(p)) {
	case ".com", ".org", ".net", ".io", ".dev", ".app", ".ai":
		return true
	}
	switch strings.ToLower(p) {
	case "node.js", "next.js", "vue.js", "nuxt.js", "react.js", "three.js", "d3.js", "express.js", "asp.net", "socket.io", "e.g", "i.e":
		return true
	}
	return false
}

// names is what the paths of a prompt were found to be.
type names struct {
	// paths exist, in base coordinates, the most telling first.
	paths []string
	// open are bare base names that the disk does not have where they were looked
	// for: the project map may know them.
	open []string
	// literal: path -> it stands in the prompt as it is (not found by a suffix).
	literal map[string]bool
}

// resolve asks the disk about the mentions, at most maxExists times: the
// longest suffix first, from the base and from the session's folder.
func resolve(ms []mention, ws *workspace.Workspace, cwd string, exists func(string) bool) names {
	n := names{literal: map[string]bool{}}
	asked := 0
	tried := map[string]bool{}
	has := func(rel string) bool {
		if exists == nil || asked >= maxExists || rel == "" || rel == "." || rel[0] == '/' || strings.HasPrefix(rel, "../") || rel == ".." || tried[rel] {
			return false
		}
		tried[rel] = true
		asked++
		return exists(rel)
	}
	base := ""
	if ws != nil {
		base = strings.ReplaceAll(ws.Base(), `\`, "/")
	}
	for _, m := range ms {
		if len(n.paths) == maxNamedPaths {
			break
		}
		p := m.path
		if m.abs {
			rel, ok := strings.CutPrefix(p, strings.TrimSuffix(base, "/")+"/")
			if base != "" && ok {
				p = rel
			} else if p = strings.TrimLeft(p, "/"); strings.Contains(p, ":") {
				// Another machine's path: a suffix of it may still be ours.
				_, p, _ = strings.Cut(p, "/")
			}
		}
		found, exact := "", false
		if cwd != "" {
			if q := path.Join(cwd, p); has(q) {
				found, exact = q, true
			}
		}
		for rest := path.Clean(p); found == "" && rest != "" && rest != "."; {
			if has(rest) {
				found, exact = rest, rest == p || exact
				break
			}
			i := strings.IndexByte(rest, '/')
			// Folders are named by their whole path only, or "api" would be found
			// in every "rest/api".
			if i < 0 || m.rank < 3 {
				break
			}
			rest = rest[i+1:]
		}
		switch {
		case found != "":
			if !slices.Contains(n.paths, found) {
				n.paths = append(n.paths, found)
			}
			n.literal[found] = exact
		case m.rank >= 3 && !domainLike(p):
			n.open = append(n.open, p)
		}
	}
	return n
}

// settle looks the open names up in the project map: a name with one home is
// named, one with several is only a hint for the route.
func (n *names) settle(files []catalog.PathHit, cwd string) (added []string, hints []string) {
	for _, o := range n.open {
		if len(n.paths) >= maxNamedPaths {
			break
		}
		var homes []string
		for _, f := range files {
			if sameTail(f.Path, o) && !slices.Contains(homes, f.Path) {
				homes = append(homes, f.Path)
			}
		}
		slices.Sort(homes)
		if len(homes) > 1 && cwd != "" {
			var near []string
			for _, h := range homes {
				if strings.HasPrefix(h, cwd+"/") {
					near = append(near, h)
				}
			}
			if len(near) == 1 {
				homes = near
			}
		}
		switch {
		case len(homes) == 1 && !slices.Contains(n.paths, homes[0]):
			n.paths = append(n.paths, homes[0])
			added = append(added, homes[0])
		case len(homes) > 1:
			hints = append(hints, homes...)
		}
	}
	return added, hints
}

// sameTail reports that full ends in tail by whole segments, without regard to
// case: people write names from memory.
func sameTail(full, tail string) bool {
	f, t := terms.Fold(full), terms.Fold(tail)
	return f == t || strings.HasSuffix(f, "/"+t)
}

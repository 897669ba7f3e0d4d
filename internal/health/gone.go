package health

import (
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/knowledge"
	"pathrule/workspace"
)

// maxMentions is how many paths of one text are looked up.
const maxMentions = 40

// there reports whether a slash path below the root exists.
func (c *checker) there(rel string) bool {
	_, err := os.Lstat(filepath.Join(c.in.Project.Root, filepath.FromSlash(rel)))
	return err == nil
}

// moved is where a file or folder that is gone is now, "" when git does not
// know.
func (c *checker) moved(rel string) string {
	if to := c.git.next(rel, c.there); to != "" {
		return to
	}
	return c.git.nextFolder(rel, c.there)
}

// scopes finds patterns that cover no file.
func (c *checker) scopes() {
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		gone := c.in.Project.Unmatched(e.Paths)
		lost := 0
		for _, p := range gone {
			f := Finding{about: p, Why: "covers no file of the project: " + p, Remedy: edit(e) + " --path …"}
			if to := c.meant(p); to != "" {
				f.Suggest = to
				f.Why += " (did you mean " + to + "?)"
			}
			clean := strings.Trim(p, "/")
			static, rest := clean, ""
			if at := strings.IndexAny(clean, `*?[{\`); at >= 0 {
				static, rest = clean[:at], clean[at:]
				cut := strings.LastIndexByte(static, '/') + 1
				static, rest = strings.TrimSuffix(static[:cut], "/"), "/"+static[cut:]+rest
			}
			if static != "" && !c.there(static) {
				if to := c.moved(static); to != "" {
					f.Suggest = to + rest
					f.Why += " (" + static + " is now " + to + ")"
				} else if c.git.was(static) {
					f.Why += " (" + static + " was removed)"
					lost++
				} else if to := c.near(static); to != "" && len(c.in.Project.Unmatched([]string{to + rest})) == 0 {
					f.Suggest = to + rest
					f.Why += " (did you mean " + f.Suggest + "?)"
				}
			}
			if f.Suggest != "" && len(c.in.Project.Unmatched([]string{f.Suggest})) > 0 {
				f.Why += "; nothing there matches either"
				f.Suggest = ""
			}
			switch {
			case f.Suggest != "":
				f.Remedy = edit(e) + " --remove-path " + quote(p) + " --add-path " + quote(f.Suggest)
			case lost == len(e.Paths):
				f.Remedy = "pathrule " + string(e.Kind) + " rm " + quote(e.ID)
			case len(e.Paths) > len(gone):
				f.Remedy = edit(e) + " --remove-path " + quote(p)
			}
			c.add(Scope, e, f)
		}
	}
}

// meant is how a pattern that covers nothing would be written so that it does:
// "" when no usual slip explains it.
func (c *checker) meant(p string) string {
	var others []string
	for _, w := range workspace.Warnings([]string{p}) {
		others = append(others, w.Suggest)
	}
	// Route folders of web frameworks, as "[id]", are sets of letters to a pattern.
	segs := strings.Split(p, "/")
	for i, s := range segs {
		if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
			segs[i] = strings.NewReplacer("[", `\[`, "]", `\]`).Replace(s)
		}
	}
	for _, o := range append(others, strings.Join(segs, "/")) {
		if o != p && len(c.in.Project.Unmatched([]string{o})) == 0 {
			return o
		}
	}
	return ""
}

// near is the path that one which was never there was probably meant to be:
// each part that is missing has one neighbour with nearly its letters.
func (c *checker) near(rel string) string {
	at := ""
	for part := range strings.SplitSeq(rel, "/") {
		next := path.Join(at, part)
		if !c.there(next) {
			list := c.folder(at)
			if list == nil || len(part) < 3 {
				return ""
			}
			var hits []string
			for _, n := range list {
				if n != part && slip(strings.ToLower(n), strings.ToLower(part)) {
					hits = append(hits, n)
				}
			}
			if len(hits) != 1 {
				return ""
			}
			next = path.Join(at, hits[0])
		}
		at = next
	}
	return at
}

// folder is what lies in a folder of the project, read once; nil where it cannot be read or holds
// more than a slip of the hand could be looked for in.
func (c *checker) folder(dir string) []string {
	if names, ok := c.listed[dir]; ok {
		return names
	}
	list, err := os.ReadDir(filepath.Join(c.in.Project.Root, filepath.FromSlash(dir)))
	var names []string
	if err == nil && len(list) <= 1000 {
		names = make([]string, 0, len(list))
		for _, d := range list {
			names = append(names, d.Name())
		}
	}
	if c.listed == nil {
		c.listed = map[string][]string{}
	}
	c.listed[dir] = names
	return names
}

// slip reports one letter more, less or other, or two that changed places.
func slip(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(y) > len(x) {
		return slices.Equal(x[i:], y[i+1:])
	}
	return i == len(x) || slices.Equal(x[i+1:], y[i+1:]) ||
		i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && slices.Equal(x[i+2:], y[i+2:])
}

// related finds names of entries and files that are gone.
func (c *checker) related() {
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		var why, rest []string
		suggest := ""
		for _, ref := range e.Related {
			file := strings.Trim(strings.TrimPrefix(strings.TrimSpace(ref), "./"), "/")
			if c.known(ref) || c.in.Project.Root != "" && strings.ContainsAny(ref, "./") && c.there(file) {
				rest = append(rest, ref) // a file is a relation too
				continue
			}
			to, said := "", "which is no entry"
			if c.in.Project.Root != "" && c.git.was(file) {
				if to, said = c.moved(file), "which was removed"; to != "" {
					said = "which is now " + to
				}
			} else if to = c.nearEntry(ref); to != "" {
				said += " (did you mean " + to + "?)"
			}
			if to != "" {
				suggest = to
				rest = append(rest, to)
			}
			why = append(why, "\""+ref+"\", "+said)
		}
		if len(why) == 0 {
			continue
		}
		f := Finding{about: strings.Join(why, "\n"), Why: "is related to " + strings.Join(why, ", and to "), Suggest: suggest, Remedy: edit(e)}
		if len(rest) == 0 {
			f.Remedy += ` --related ""`
		}
		for _, r := range rest {
			f.Remedy += " --related " + quote(r)
		}
		c.add(Related, e, f)
	}
}

// nearEntry is the only entry whose id is one slip away from a reference.
func (c *checker) nearEntry(ref string) string {
	kind, id, ok := strings.Cut(ref, ":")
	if !ok {
		kind, id = "", ref
	}
	if len(id) < 4 {
		return ""
	}
	if c.byLength == nil {
		c.byLength = map[int][]string{}
		for key := range c.in.Known {
			_, other, _ := strings.Cut(key, ":")
			n := utf8.RuneCountInString(strings.ToLower(other))
			c.byLength[n] = append(c.byLength[n], key)
		}
	}
	// A slip changes the length by one at most.
	var hits []string
	want := strings.ToLower(id)
	n := utf8.RuneCountInString(want)
	for _, keys := range [...][]string{c.byLength[n-1], c.byLength[n], c.byLength[n+1]} {
		for _, key := range keys {
			k, other, _ := strings.Cut(key, ":")
			if (kind == "" || k == kind) && other != id && slip(strings.ToLower(other), want) {
				hits = append(hits, key)
			}
		}
	}
	if len(hits) != 1 {
		return ""
	}
	if kind == "" {
		_, id, _ = strings.Cut(hits[0], ":")
		return id
	}
	return hits[0]
}

// known reports that a reference names an entry: by id, kind and id, or file.
func (c *checker) known(ref string) bool {
	ref = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(ref), "./"), ".pathrule/"), ".md")
	if c.in.Known[ref] {
		return true
	}
	if k, id, ok := knowledge.Ident(ref + ".md"); ok && c.in.Known[string(k)+":"+id] {
		return true
	}
	for _, k := range knowledge.Kinds {
		if c.in.Known[string(k)+":"+ref] || c.in.Known[string(k)+":"+knowledge.PersonalPrefix+ref] {
			return true
		}
	}
	return c.in.Known[string(knowledge.Skill)+":"+strings.TrimSuffix(ref, "/SKILL")]
}

// mentions finds paths in an entry's text that are gone. A path that git never
// knew may be anything (another project's, an example), so that only what was
// here and left is told.
func (c *checker) mentions() {
	if !c.git.known {
		return
	}
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		var near []string // folders that a short path may start at
		for _, p := range e.Paths {
			if p = strings.Trim(p, "/"); !strings.ContainsAny(p, "*?[{!") && p != "" {
				near = append(near, p, path.Dir(p))
			}
		}
		var told []string
		all := slices.Clone(c.facts[i].mentions)
		slices.SortStableFunc(all, func(a, b string) int { return strings.Count(b, "/") - strings.Count(a, "/") })
		for _, m := range all {
			// A link is written from the file that it stands in, or from the root.
			rel := strings.TrimLeft(m, "./")
			if !strings.HasPrefix(m, "../") {
				rel = m
			}
			if c.there(rel) || slices.ContainsFunc(near, func(d string) bool { return c.there(path.Join(d, rel)) }) {
				continue
			}
			if !strings.Contains(rel, "/") {
				if !slices.ContainsFunc(told, func(p string) bool { return path.Base(p) == rel }) && c.gone(rel, near) {
					c.add(Mention, e, Finding{about: m, Why: "names " + m + ", which is gone", Remedy: edit(e)})
				}
				continue
			}
			if slices.Contains(told, rel) || !c.git.was(rel) {
				continue
			}
			told = append(told, rel)
			f := Finding{about: m, Why: "names " + m + ", which is gone", Remedy: edit(e)}
			if to := c.moved(rel); to != "" {
				to = strings.TrimSuffix(m, rel) + to
				f.Suggest, f.Why = to, "names "+m+", which is now "+to
				if strings.Count(c.text(e), m) == 1 {
					f.Remedy = edit(e) + " --replace " + quote(m) + " --with " + quote(to)
				}
			}
			c.add(Mention, e, f)
		}
	}
}

// gone reports a file name without a folder that git removed where the entry is
// at home (at the root, for an entry of no folder), and that no file has any
// more. One that was renamed lives on under another name; nothing is said of it
// here, since a bare name may mean many files.
func (c *checker) gone(name string, near []string) bool {
	if c.names == nil {
		c.names = map[string]bool{}
		for _, p := range c.in.Project.Paths {
			c.names[path.Base(p)] = true
		}
	}
	if c.in.Project.Partial || c.names[name] {
		return false
	}
	if len(near) == 0 {
		near = []string{"."}
	}
	return slices.ContainsFunc(near, func(d string) bool { return c.git.deleted[path.Join(d, name)] })
}

// mentioned are the words of a text that look like paths: with a folder in them,
// or a file name in backticks.
func mentioned(body string) []string {
	var out []string
	text := knowledge.Strip(body)
	for w := range pathWords(text) {
		if strings.Contains(w, "://") || len(w) > 300 {
			continue
		}
		w = strings.TrimRight(w, ".:!?/")
		if at := strings.LastIndexByte(w, ':'); at > 0 && strings.Trim(w[at+1:], "0123456789") == "" {
			w = w[:at] // a.go:42
		}
		w = strings.TrimPrefix(w, "./")
		up := w
		for strings.HasPrefix(up, "../") {
			up = up[3:]
		}
		if strings.HasPrefix(w, "/") || up == "" || path.Clean(up) != up || strings.HasPrefix(up, "..") {
			continue
		}
		if !strings.Contains(strings.Trim(up, "/"), "/") {
			ext := path.Ext(up)
			if up != w || len(ext) < 2 || ext == up || !strings.Contains(text, "`"+up) {
				continue
			}
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
		if len(out) == maxMentions {
			break
		}
	}
	return out
}

// pathWords are the words of a text that hold a slash or a dot, as no path does
// without.
func pathWords(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, path := 0, false
		for i := 0; i < len(text); {
			c, n := text[i], 1
			end := false
			switch {
			case c < utf8.RuneSelf:
				path = path || c == '/' || c == '.'
				end = c <= ' ' || strings.IndexByte("`\"'()[]{}<>,;|*", c) >= 0
			default:
				var r rune
				r, n = utf8.DecodeRuneInString(text[i:])
				end = r == '、' || r == '。' || r == '，' || r == '「' || r == '」'
			}
			if end {
				if path && !yield(text[start:i]) {
					return
				}
				start, path = i+n, false
			}
			i += n
		}
		if path {
			yield(text[start:])
		}
	}
}

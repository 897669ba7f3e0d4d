package health

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/knowledge"
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
		for _, p := range c.in.Project.Unmatched(e.Paths) {
			f := Finding{Why: "covers no file of the project: " + p, Remedy: edit(e) + " --path …"}
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
					f.Remedy = edit(e) + " --remove-path " + quote(p) + " --add-path " + quote(f.Suggest)
				}
			}
			c.add(Scope, e, f)
		}
	}
}

// related finds names of entries that are gone.
func (c *checker) related() {
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		for _, ref := range e.Related {
			if c.known(ref) {
				continue
			}
			if c.in.Project.Root != "" && strings.ContainsAny(ref, "./") && c.there(strings.Trim(ref, "/")) {
				continue // a file is a relation too
			}
			rest := slices.DeleteFunc(slices.Clone(e.Related), func(r string) bool { return r == ref })
			f := Finding{Why: "is related to \"" + ref + "\", which is no entry", Remedy: edit(e)}
			if len(rest) == 0 {
				f.Remedy += ` --related ""`
			}
			for _, r := range rest {
				f.Remedy += " --related " + quote(r)
			}
			c.add(Related, e, f)
		}
	}
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
		for _, m := range mentioned(e.Body) {
			if c.there(m) || slices.ContainsFunc(near, func(d string) bool { return c.there(path.Join(d, m)) }) || !c.git.was(m) {
				continue
			}
			f := Finding{Why: "names " + m + ", which is gone", Remedy: edit(e)}
			if to := c.moved(m); to != "" {
				f.Suggest, f.Why = to, "names "+m+", which is now "+to
				if strings.Count(e.Body, m) == 1 {
					f.Remedy = edit(e) + " --replace " + quote(m) + " --with " + quote(to)
				}
			}
			c.add(Mention, e, f)
		}
	}
}

// mentioned are the words of a text that look like paths with a folder in them.
func mentioned(body string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(knowledge.Strip(body), func(r rune) bool {
		return r <= ' ' || strings.ContainsRune("`\"'()[]{}<>,;|*", r) || r == '、' || r == '。' || r == '，' || r == '「' || r == '」'
	}) {
		if strings.Contains(w, "://") || len(w) > 300 {
			continue
		}
		w = strings.TrimRight(w, ".:!?/")
		if at := strings.LastIndexByte(w, ':'); at > 0 && strings.Trim(w[at+1:], "0123456789") == "" {
			w = w[:at] // a.go:42
		}
		w = strings.TrimPrefix(w, "./")
		if !strings.Contains(strings.Trim(w, "/"), "/") || strings.HasPrefix(w, "/") || strings.HasPrefix(w, "..") || path.Clean(w) != w {
			continue
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

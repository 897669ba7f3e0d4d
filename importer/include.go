package importer

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/codefence"
	"pathrule/knowledge"
)

// maxHops is how far "@" lines are followed from file to file.
const maxHops = 5

// include is one "@path" of a text.
type include struct {
	path string // as written, without "@" and punctuation behind it
	line string // the whole line, trimmed
}

// includes lists the "@path" words outside code: fenced, indented or in
// backticks. Whether each names a file is for the caller to see.
func includes(body string) []include {
	if !strings.Contains(body, "@") {
		return nil
	}
	var out []include
	var fenced codefence.Fences
	for line := range strings.Lines(unix(body)) {
		line = strings.TrimRight(line, "\n")
		if fenced.Code(line) || !strings.Contains(line, "@") {
			continue
		}
		text := withoutSpans(line)
		for i := 0; i < len(text); i++ {
			if text[i] != '@' || i > 0 && !strings.ContainsRune(" \t([{*_\"':,>-", rune(text[i-1])) {
				continue
			}
			word := text[i+1:]
			end := 0
			for end < len(word) {
				if word[end] == '\\' && end+1 < len(word) && word[end+1] == ' ' {
					end += 2
					continue
				}
				if strings.IndexByte(" \t\"'<>|", word[end]) >= 0 {
					break
				}
				end++
			}
			w := strings.TrimRight(word[:end], ".,;:!?)]}*_")
			if w = strings.ReplaceAll(w, `\ `, " "); w != "" {
				out = append(out, include{w, strings.TrimSpace(line)})
			}
			i += end
		}
	}
	return out
}

// withoutSpans blanks out code in backticks.
func withoutSpans(line string) string {
	b := []byte(line)
	for i := 0; i < len(b); {
		if b[i] != '`' {
			i++
			continue
		}
		n := 1
		for i+n < len(b) && b[i+n] == '`' {
			n++
		}
		ticks := strings.Repeat("`", n)
		j := strings.Index(string(b[i+n:]), ticks)
		if j < 0 {
			i += n
			continue
		}
		for k := i; k < i+n+j+n; k++ {
			b[k] = ' '
		}
		i += n + j + n
	}
	return string(b)
}

// follow goes along the "@" lines of every file whose client does so. What they
// lead to counts where the file counts that names it.
func (p *planner) follow() {
	type step struct {
		s    *source
		at   place
		hops int
	}
	var todo []step
	for _, s := range p.list {
		if s.skip != "" {
			continue
		}
		for _, at := range s.places {
			if at.form.imports {
				todo = append(todo, step{s, at, 0})
				break
			}
		}
	}
	done := map[string]bool{}
	for len(todo) > 0 {
		st := todo[0]
		todo = todo[1:]
		var named []string
		for _, inc := range includes(st.s.body) {
			target, why := p.target(st.s, inc.path)
			if why != "" {
				st.s.note("%s", why)
			}
			if target == "" {
				continue
			}
			named = append(named, inc.line)
			rel, _ := filepath.Rel(p.root, target)
			rel = filepath.ToSlash(rel)
			if target == st.s.real {
				continue
			}
			if st.hops+1 > maxHops {
				st.s.note("@%s is more than %d files away and was not followed", inc.path, maxHops)
				continue
			}
			t := p.byReal[target]
			at := place{rel: rel, via: st.s.rel, chain: append(slices.Clone(st.at.chain), st.at.rel), form: form{client: st.at.form.client, role: guide, dialect: st.at.form.dialect, dir: st.at.form.dir, stem: stemOf(path.Base(rel)), imports: true}}
			if t == nil {
				if !isMarkdown(rel) && path.Ext(rel) != ".txt" && path.Ext(rel) != "" {
					st.s.note("@%s is no Markdown; the line stays, the file is not taken in", inc.path)
					continue
				}
				t = &source{rel: rel, real: target, places: []place{at}}
				p.byReal[target] = t
				p.list = append(p.list, t)
				p.read(t)
			} else {
				key := st.s.real + "\x00" + target + "\x00" + at.form.dir
				if done[key] {
					continue
				}
				done[key] = true
				if t.skip != "" && t.form().ask != "" {
					// Somebody reads it after all.
					t.places = []place{at}
					t.skip = ""
					p.read(t)
				} else {
					t.places = append(t.places, at)
				}
			}
			if t.skip == "" {
				todo = append(todo, step{t, at, st.hops + 1})
			}
		}
		if onlyNames(st.s.body) {
			st.s.stands = true
			st.s.skip = "only names other files; those that are there are imported"
			if len(named) == 1 {
				st.s.skip = "only names " + named[0] + ", which is imported"
			}
		}
	}
}

// onlyNames reports a text that has nothing but "@path" lines and a heading.
func onlyNames(body string) bool {
	n := 0
	for line := range strings.Lines(knowledge.Strip(unix(body))) {
		t := strings.TrimSpace(line)
		if t == "" || strings.HasPrefix(t, "# ") {
			continue
		}
		rest := strings.TrimLeft(t, "-* ")
		if !strings.HasPrefix(rest, "@") || strings.ContainsAny(rest, " \t") || !strings.Contains(rest, ".") {
			return false
		}
		n++
	}
	return n > 0
}

// target is the real path that an "@" word names, "" when it names none. why
// tells what a person should know about it.
func (p *planner) target(s *source, word string) (real, why string) {
	likely := strings.HasSuffix(word, ".md") || strings.HasSuffix(word, ".mdc")
	if strings.HasPrefix(word, "~") || path.IsAbs(word) || filepath.IsAbs(word) {
		if likely {
			return "", "@" + word + " lies outside the project and was not followed"
		}
		return "", ""
	}
	abs := filepath.Join(filepath.Dir(s.real), filepath.FromSlash(word))
	st, err := os.Stat(abs)
	if err != nil || !st.Mode().IsRegular() {
		if likely && !knowledge.Inside(filepath.Clean(abs), p.root) {
			return "", "@" + word + " lies outside the project and was not followed"
		}
		if likely {
			return "", "@" + word + " names a file that is not there"
		}
		return "", ""
	}
	real, err = filepath.EvalSymlinks(abs)
	if err != nil || !knowledge.Inside(real, p.root) {
		return "", "@" + word + " lies outside the project and was not followed"
	}
	return real, ""
}

// pointer is the path that a file consists of: what becomes of a symbolic link
// where a checkout has none.
func pointer(body string) string {
	t := strings.TrimSpace(body)
	if t == "" || len(t) > 300 || strings.ContainsAny(t, " \n\t#@`") || !strings.HasSuffix(t, ".md") && !strings.HasSuffix(t, "rules") {
		return ""
	}
	return t
}

// pointers makes places of the files that only hold the path of another.
func (p *planner) pointers() {
	for _, s := range p.list {
		if s.skip != "" || len(s.fields) > 0 {
			continue
		}
		to := pointer(s.body)
		if to == "" {
			continue
		}
		real, _ := p.target(s, to)
		t := p.byReal[real]
		if real == "" || t == nil || t == s || t.skip != "" {
			continue
		}
		t.places = append(t.places, s.places...)
		s.skip, s.stands = "holds only the path of "+t.rel+", which is imported (a link in a checkout without links)", true
	}
}

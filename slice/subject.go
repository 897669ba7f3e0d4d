package slice

import (
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/index/terms"
)

// A prompt in the form of a commit's subject names its part of the project
// before it says anything: "fix(core): …", "[workers-utils] …", "docs: …". Where
// one folder is called so, that folder is in hand. A word is less than a path:
// what comes for its sake alone keeps the budget.

// maxSubject is how far a part may be named into the first line, in bytes.
const maxSubject = 60

// subjectParts are the words that stand where a subject names its part.
func subjectParts(prompt string) []string {
	line := strings.TrimSpace(prompt)
	line, _, _ = strings.Cut(line, "\n")
	var out []string
	take := func(s string) {
		for _, w := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '+' || r == '|' }) {
			w = strings.Trim(w, "/.*")
			if len(out) < 4 && len(w) > 1 && strings.Trim(w, "0123456789-_.#") != "" && !strings.ContainsAny(w, "()[]{}:\\\"'`") {
				out = append(out, terms.Fold(w))
			}
		}
	}
	for strings.HasPrefix(line, "[") {
		end := strings.IndexByte(line, ']')
		if end < 0 || end > maxSubject {
			return out
		}
		take(line[1:end])
		line = strings.TrimSpace(line[end+1:])
	}
	colon := strings.IndexByte(line, ':')
	if colon <= 0 || colon > maxSubject || colon+1 < len(line) && line[colon+1] != ' ' {
		return out
	}
	head := strings.TrimSuffix(line[:colon], "!")
	if open := strings.IndexByte(head, '('); open > 0 && strings.HasSuffix(head, ")") && !strings.Contains(head[:open], " ") {
		take(head[open+1 : len(head)-1])
		return out
	}
	if !strings.ContainsAny(head, " ()") && !subjectType(head) {
		take(head)
	}
	return out
}

// subjectType reports a word that says what sort of change a subject is, also
// where a folder has that name.
func subjectType(w string) bool {
	switch strings.ToLower(w) {
	case "feat", "feature", "fix", "bug", "bugfix", "hotfix", "docs", "doc", "chore", "refactor", "test", "tests", "style", "perf", "ci", "build",
		"revert", "release", "deps", "wip", "note", "todo", "question", "error", "warning":
		return true
	}
	return false
}

// partFolders finds the one folder that each part is the name of: among the
// scopes and files that the source knows by the prompt's words. The session's
// folder decides between several, then the one nearest to the root.
func partFolders(parts []string, res catalog.Result, cwd string) []string {
	var out []string
	for _, part := range parts {
		found := map[string]bool{}
		add := func(dir string) {
			for at := dir; at != ""; {
				if f := terms.Fold(at); f == part || strings.HasSuffix(f, "/"+part) {
					found[at] = true
				}
				i := strings.LastIndexByte(at, '/')
				at = at[:max(i, 0)]
			}
		}
		for i := range res.Candidates {
			r := &res.Candidates[i].Record
			for _, pat := range r.Paths {
				pat = strings.TrimPrefix(pat, "/")
				if pat == "" || pat[0] == '!' {
					continue
				}
				if i := strings.IndexAny(pat, `*?[{\`); i >= 0 {
					pat = pat[:strings.LastIndexByte(pat[:i], '/')+1]
				}
				if r.Prefix != "" {
					pat = r.Prefix + "/" + pat
				}
				add(strings.Trim(pat, "/"))
			}
		}
		for _, f := range res.Files {
			if i := strings.LastIndexByte(f.Path, '/'); i > 0 {
				add(f.Path[:i])
			}
		}
		if dir := nearestFolder(found, cwd); dir != "" && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// nearestFolder is the one that is meant, "" when that is not clear.
func nearestFolder(found map[string]bool, cwd string) string {
	var all, here []string
	for dir := range found {
		all = append(all, dir)
		if cwd != "" && (inside(dir, cwd) || inside(cwd, dir)) {
			here = append(here, dir)
		}
	}
	if len(here) > 0 {
		all = here
	}
	depth := func(s string) int { return strings.Count(s, "/") }
	slices.SortFunc(all, func(a, b string) int {
		if d := depth(a) - depth(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	if len(all) == 0 || len(all) > 1 && depth(all[0]) == depth(all[1]) {
		return ""
	}
	return all[0]
}

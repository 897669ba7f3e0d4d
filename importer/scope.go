package importer

import (
	"path"
	"slices"
	"strings"

	"pathrule/internal/head"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

// head reads the frontmatter, and says what is odd about it.
func (p *planner) head(s *source) {
	fields, body, problems := frontmatter.Head(s.text)
	s.fields, s.body = fields, string(s.text[body:])
	for _, pr := range problems {
		if path.Ext(s.rel) == ".mdc" && barePattern(fields, pr) {
			continue
		}
		if pr.Line > 0 {
			s.note("line %d: %s", pr.Line, pr.Msg)
		} else {
			s.note("%s", pr.Msg)
		}
	}
	seen := map[string]bool{}
	for _, f := range fields {
		if seen[f.Key] {
			s.note("line %d: key %q stands there twice; the first counts", f.Line, f.Key)
		}
		seen[f.Key] = true
	}
}

// barePattern reports a pattern without quotes, which is no YAML: Cursor writes
// its rules so, and reads them line by line as we do.
func barePattern(fields []head.Field, pr workspace.Problem) bool {
	return strings.HasPrefix(pr.Msg, "a value that begins with * must be in quotes") &&
		slices.ContainsFunc(fields, func(f head.Field) bool { return f.Line == pr.Line && patternKey(f.Key) })
}

// activation is what a rule's head says about when it comes.
type activation struct {
	paths  []string // patterns as written
	key    string   // that held them
	given  bool     // the key is there, be it empty
	list   bool
	always bool
	manual string // the words that say "only when called"
	said   bool   // anything at all
}

// patternKeys are the keys in which clients keep a rule's patterns, and whose
// they are.
func patternKey(key string) bool {
	switch key {
	case "globs", "glob", "paths", "applyTo", "fileMatch", "fileMatchPattern", "fileMatchPatterns":
		return true
	}
	return false
}

func activationOf(fields []head.Field, d *dialect) activation {
	var a activation
	for i := range fields {
		f := &fields[i]
		text := strings.Trim(strings.TrimSpace(f.Text), `"'`)
		switch {
		case patternKey(f.Key):
			if a.given && len(a.paths) > 0 || f.Nested {
				continue
			}
			a.given, a.key, a.list, a.said = true, f.Key, f.IsList, true
			items := f.List
			if !f.IsList && !f.Null {
				items = []string{f.Text}
			}
			for _, it := range items {
				if d.split || !f.IsList && !d.extended {
					// A list's item may be a comma string all the same.
					a.paths = append(a.paths, workspace.SplitPatterns(it)...)
				} else if it = strings.TrimSpace(it); it != "" {
					a.paths = append(a.paths, it)
				}
			}
		case f.Key == "alwaysApply":
			a.said = true
			a.always = a.always || strings.EqualFold(text, "true")
		case f.Key == "trigger":
			a.said = true
			switch text {
			case "always_on", "always":
				a.always = true
			case "manual":
				a.manual = "trigger: manual"
			}
		case f.Key == "inclusion":
			a.said = true
			switch text {
			case "always":
				a.always = true
			case "manual":
				a.manual = "inclusion: manual"
			}
		}
	}
	return a
}

// scopeAt is where a text counts that lies at one place.
func (p *planner) scopeAt(s *source, at place) (paths []string, why string) {
	f := &at.form
	switch {
	case at.via != "":
		return under(f.dir), "taken in by " + at.via + ", so it counts where that does"
	case f.role == guide && f.client != "none":
		return under(f.dir), "for " + shownScope(f.dir) + ", where it lies"
	}
	a := activationOf(s.fields, f.dialect)
	whole := func(why string) ([]string, string) {
		if f.dir != "" {
			why += ", inside " + f.dir
		}
		return under(f.dir), why
	}
	if a.always && !(f.dialect == &clineGlobs) {
		if len(a.paths) > 0 {
			s.note("always on, so its %s (%s) are decoration in %s; kept beside \"/\", since they say where it matters most", a.key, strings.Join(a.paths, ", "), f.client)
		}
		paths, why := whole("always on")
		if most := p.mostly(a.paths, f); len(most) > 0 {
			if len(paths) == 0 {
				paths = []string{"/"}
			}
			paths = append(paths, most...)
		}
		return paths, why
	}
	if f.dialect == &clineGlobs && a.given {
		if !a.list && len(a.paths) > 0 {
			s.note("%s must be a list in Cline, which takes this rule for always on; read as it was meant", a.key)
		}
		if a.list && len(a.paths) == 0 {
			s.skip = "\"paths: []\" switches it off in Cline; name the file to import it"
			if p.namedFile(s.rel) || p.opts.All {
				s.skip = ""
			}
		}
	}
	if f.dialect == &copilotGlobs && a.list && len(a.paths) > 0 {
		s.note("applyTo is a list, which VS Code drops, so the file never attaches there; read as it was meant")
	}
	if len(a.paths) == 0 {
		switch {
		case f.client == "Cursor" && at.rel != ".cursorrules" && f.role == rules && strings.HasSuffix(at.rel, ".mdc") && !described(s.fields):
			s.note("Cursor gives it only when it is mentioned, since its head names no globs and no description; here it counts by itself")
		case f.dialect == &copilotGlobs && f.role == rules:
			s.note("without applyTo Copilot never attaches it; here it counts by itself")
		}
		switch {
		case f.role == skill:
			return whole("a skill without paths")
		case a.given && a.key != "" && f.role == rules && !a.always:
			return whole("no " + a.key)
		case f.client == "Cursor" && a.said || f.client == "Cursor" && strings.HasSuffix(s.rel, ".mdc"):
			return whole("no globs")
		}
		return whole("no patterns")
	}
	if f.role == rules && home(f, a.key) {
		s.note("%s does not read the key %q; read as it was meant", f.client, a.key)
	}
	paths, notes := f.dialect.translate(a.paths, f.dir, &p.project)
	for _, n := range notes {
		s.note("%s", n)
	}
	if _, err := workspace.ParseScope(paths); err != nil {
		s.note("scope cannot be read (%v); widened", err)
		return whole("its patterns cannot be read")
	}
	if !p.project.cut && len(paths) > 0 && !p.project.any(paths...) {
		s.note("its patterns (%s) cover none of the project's files", strings.Join(a.paths, ", "))
		for _, w := range workspace.Warnings(paths) {
			if p.project.any(w.Suggest) {
				s.note("as %s reads it, %s %s; if all were meant, change it to %s", f.client, w.Pattern, w.Msg, w.Suggest)
			}
		}
	}
	return paths, a.key + ": " + strings.Join(a.paths, ", ")
}

// mostly are the patterns of a rule that is always on: they take nothing away
// from it, so exclusions and those that cover everything say nothing.
func (p *planner) mostly(patterns []string, f *form) []string {
	translated, _ := f.dialect.translate(patterns, f.dir, &p.project)
	var out []string
	for _, pat := range translated {
		s, err := workspace.ParseScope([]string{pat})
		if strings.HasPrefix(pat, "!") || err != nil || s.Covers(path.Join(f.dir, "any folder/of it/any.file")) || slices.Contains(out, pat) {
			continue
		}
		out = append(out, pat)
	}
	return out
}

// home reports a key that the file's own client does not read.
func home(f *form, key string) bool {
	switch f.dialect {
	case &cursorGlobs, &windsurfGlobs, &continueGlobs:
		return key != "globs" && f.generator == "" && f.client != "Trae"
	case &claudeGlobs, &clineGlobs, &qwenGlobs:
		return key != "paths"
	case &copilotGlobs:
		return key != "applyTo"
	}
	return false
}

// described reports a head with a description, by which a model may ask for the
// rule.
func described(fields []head.Field) bool {
	for i := range fields {
		if fields[i].Key == "description" && strings.TrimSpace(fields[i].Text) != "" {
			return true
		}
	}
	return false
}

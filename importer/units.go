package importer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// units makes the entries of one source that is imported.
func (p *planner) units(s *source) {
	var scopes [][]string
	var whys []string
	at := p.placesOf(s)
	for i := range at {
		at := &at[i]
		paths, why := p.scopeAt(at.src, at.place)
		at.paths = paths
		if at.src.skip != "" {
			s.skip = at.src.skip
			return
		}
		scopes = append(scopes, paths)
		if !slices.Contains(whys, why) {
			whys = append(whys, why)
		}
	}
	scope := widest(scopes)
	bodies := []string{s.body}
	split := p.opts.Split || p.wasSplit(s.rel)
	if split && s.form().role != skill {
		bodies = pieces(s.body)
	}
	if len(s.body)+2048 > knowledge.MaxFile {
		for _, b := range bodies {
			if len(b)+2048 > knowledge.MaxFile {
				s.skip = fmt.Sprintf("%d KiB: an entry holds at most 1 MiB", len(s.body)>>10)
				if !split && len(pieces(s.body)) > 1 {
					s.skip += "; cut it at its headings: pathrule import --split " + s.rel
				}
				return
			}
		}
	}
	if n := len(s.text); n > largeFile && !split {
		s.note("large (%d KiB): no client is told that much at once", n>>10)
		if k := len(pieces(s.body)); k > 1 && s.form().role != skill {
			s.note("cut it into its %d sections: pathrule import --split %s", k, s.rel)
		}
	}
	for i, body := range bodies {
		u := Unit{src: s, placed: at, body: body, Bytes: len(body), From: p.from(s), ScopeWhy: strings.Join(whys, "; "), Paths: scope, Personal: s.form().personal}
		u.Kind, u.KindWhy = p.kindOf(s, body)
		if len(bodies) > 1 {
			u.Section = sectionName(body, i)
		}
		p.build(s, &u)
		if s.skip != "" {
			return
		}
		p.report.Units = append(p.report.Units, u)
	}
}

// placed is a place together with the file whose head decides there.
type placed struct {
	place
	src *source
	// paths are where the text counts because of this place.
	paths []string
}

// placesOf are the places of a text: its own, and those of files that say the
// same.
func (p *planner) placesOf(s *source) []placed {
	var out []placed
	for _, at := range s.places {
		out = append(out, placed{place: at, src: s})
	}
	for _, o := range p.list {
		if o.merged == s && o.skip == "" {
			for _, at := range o.places {
				out = append(out, placed{place: at, src: o})
			}
		}
	}
	return out
}

func (p *planner) from(s *source) []string {
	out := []string{s.rel}
	for _, at := range p.placesOf(s) {
		if !slices.Contains(out, at.rel) {
			out = append(out, at.rel)
		}
	}
	sort.Strings(out[1:])
	return out
}

// sectionName names a piece of a split file in its provenance.
func sectionName(body string, i int) string {
	name := ""
	for _, h := range knowledge.Headings(body) {
		if name != "" && !saysNothing(body[:h.Start]) {
			break
		}
		// Of headings that follow each other the last one names the text.
		if t := one(h.Text); t != "" {
			name = short(t, 120)
		}
	}
	return either(name, fmt.Sprintf("part %d", i+1))
}

// build derives title, id and the file of one entry.
func (p *planner) build(s *source, u *Unit) {
	e := knowledge.Entry{Kind: u.Kind, Paths: u.Paths, Priority: knowledge.Medium, Body: u.body}
	for i := len(s.fields) - 1; i >= 0; i-- { // the first of two counts
		f := s.fields[i]
		if f.Nested || f.IsList && f.Key != "tags" && f.Key != "related" {
			continue
		}
		switch f.Key {
		case "title", "name":
			e.Title = one(f.Text)
		case "description":
			e.Description = one(f.Text)
		case "tags":
			if e.Tags = f.List; !f.IsList && !f.Null {
				e.Tags = workspace.SplitPatterns(f.Text)
			}
		case "priority":
			if u.Kind == knowledge.Rule {
				switch pr := knowledge.Priority(strings.ToLower(strings.TrimSpace(f.Text))); pr {
				case knowledge.High, knowledge.Low:
					e.Priority = pr
				}
			}
		}
	}
	if u.Section != "" && e.Title != "" {
		e.Title += ": " + u.Section
	}
	if e.Title == "" {
		e.Title = either(u.Section, p.title(s, u.body, e.Description))
		// "Usage" alone says nothing of what the rule is about.
		if of := named(s.body, e.Description); u.Section != "" && of != "" && of != u.Section && s.form().role == rules {
			e.Title = of + ": " + u.Section
		}
	}
	e.Title = short(e.Title, frontmatter.MaxTitle)
	if n := []rune(e.Description); len(n) > frontmatter.MaxDescription {
		s.note("description has %d characters; the entry's is cut at %d", len(n), frontmatter.MaxDescription)
		e.Description = short(e.Description, frontmatter.MaxDescription)
	}
	if u.Kind == knowledge.Skill && e.Description == "" {
		e.Description = (&knowledge.Entry{Title: e.Title, Body: u.body}).Line()
		if e.Description == "" {
			e.Description = e.Title
		}
	}
	if u.Personal && p.opts.Workspace != "" {
		e.Workspaces = []string{p.opts.Workspace}
	}
	u.Title = e.Title
	p.place(s, u)
	e.ID, e.File = u.ID, knowledge.FileOf(u.Kind, u.ID)
	kept := keptHead(s, u.Kind)
	origin := s.rel
	if u.Section != "" {
		origin += "#" + u.Section
	}
	u.raw = withHead(frontmatter.Render(e), e.Body, kept)
	e.Source = sourceLine(origin, fingerprint(u.raw))
	u.raw = withHead(frontmatter.Render(e), e.Body, kept)
	if _, problems, err := frontmatter.Parse(u.raw, u.Kind, u.ID, e.File); err != nil {
		s.skip = "cannot be written: " + err.Error()
	} else {
		for _, pr := range problems {
			if !pr.Warning {
				s.note("in the entry: %s", pr.Msg)
			}
		}
	}
	for _, pr := range store.Secrets(u.raw, s.rel) {
		s.note("line %d of the entry: %s", pr.Line, pr.Msg)
	}
	if u.Kind == knowledge.Skill && path.Base(s.rel) == "SKILL.md" {
		p.skillFiles(s, u)
	}
}

// sourcePrefix begins the "source" of what was imported.
const sourcePrefix = "import:"

func sourceLine(origin, print string) string { return sourcePrefix + origin + " " + print }

// originOf reads a "source" line back.
func originOf(source string) (origin, print string, ok bool) {
	rest, ok := strings.CutPrefix(source, sourcePrefix)
	if !ok {
		return "", "", false
	}
	i := strings.LastIndexByte(rest, ' ')
	if i < 0 || len(rest)-i-1 != printLen {
		return rest, "", true
	}
	return rest[:i], rest[i+1:], true
}

const printLen = 16

// fingerprint is the first 16 hex of the SHA-256 of an entry's file without its
// provenance, line ends read as "\n": it tells whether somebody edited the entry
// since its import, and whether its source says something else by now.
func fingerprint(raw []byte) string {
	h := sha256.New()
	sp := head.Find(raw, knowledge.MaxHead)
	text := unix(string(raw))
	end := len(unix(string(raw[:sp.Body])))
	for line := range strings.Lines(text[:end]) {
		if !strings.HasPrefix(line, "source: ") && !strings.HasPrefix(line, "created: ") && !strings.HasPrefix(line, "updated: ") {
			h.Write([]byte(line))
		}
	}
	h.Write([]byte(text[end:]))
	return hex.EncodeToString(h.Sum(nil))[:printLen]
}

// withHead puts lines of frontmatter behind ours.
func withHead(raw []byte, body string, kept []byte) []byte {
	if len(kept) == 0 {
		return raw
	}
	at := len(raw) - len(body) - len("---\n")
	return slices.Concat(raw[:at], kept, raw[at:])
}

// keptHead are the lines of a head that the entry keeps: keys that say neither
// when the text comes nor anything that the entry says by itself.
func keptHead(s *source, kind knowledge.Kind) []byte {
	var out []byte
	seen := map[string]bool{}
	for _, f := range s.fields {
		if seen[f.Key] || consumed(f.Key) || slices.Contains(knowledge.Keys(knowledge.Rule), f.Key) {
			continue
		}
		seen[f.Key] = true
		if kind != knowledge.Skill && !plainKey(f) {
			continue
		}
		part := append(slices.Clone(s.text[f.Start:f.End]), '\n')
		part = []byte(strings.TrimRight(unix(string(part)), "\n") + "\n")
		probe := slices.Concat([]byte("---\nname: x\n"), out, part, []byte("---\nx\n"))
		if _, problems, err := frontmatter.Parse(probe, kind, "x", "x"); err != nil || slices.ContainsFunc(problems, func(p workspace.Problem) bool { return !p.Warning || strings.Contains(p.Msg, "read line by line") }) {
			continue
		}
		out = append(out, part...)
	}
	return out
}

// plainKey: a short value on one line.
func plainKey(f head.Field) bool {
	return !f.Null && !f.Nested && (f.Style == head.Plain || f.Style == head.Quoted || f.Style == head.Flow)
}

// consumed are keys that decide when a text comes: the entry says it in paths
// and kind.
func consumed(key string) bool {
	if patternKey(key) {
		return true
	}
	switch key {
	case "alwaysApply", "trigger", "inclusion", "name", "title", "description", "tags", "priority", "root", "targets", "excludeAgent", "source", "created", "updated":
		return true
	}
	return false
}

// maxDescribed is how long a description may be that is a title, in runes.
const maxDescribed = 80

// titleOf is a description that can stand as a title: one short sentence that
// says what the text is about and not when it is wanted. "" for others. The
// description stays in the entry as it is.
func titleOf(description string) string {
	t := strings.TrimRight(description, ". 。")
	if len([]rune(t)) > maxDescribed || strings.ContainsAny(t, "\n;!?。") || strings.Contains(t, ". ") || !strings.Contains(t, " ") && len(t) == len([]rune(t)) {
		return "" // a single word says less than the file's name, but for scripts without blanks
	}
	first, _, _ := strings.Cut(strings.ToLower(t), " ")
	switch strings.TrimRight(first, ",:") {
	case "when", "whenever", "use", "if", "apply", "applies", "always", "only", "this", "these", "you", "read", "load", "include", "trigger", "before", "after", "while", "for":
		return ""
	}
	return t
}

// named is what a rule file calls itself: by the heading that stands for the whole
// text, unless that would fit any text and the description says more.
func named(body, description string) string {
	heading, described := leading(body), titleOf(description)
	if described != "" && (heading == "" || general(heading)) {
		return described
	}
	return heading
}

// general is a heading that many texts have.
func general(heading string) bool {
	switch strings.ToLower(strings.TrimRight(heading, ":.")) {
	case "overview", "introduction", "implementation", "implementation details", "rules", "rule", "guidelines", "guideline", "usage", "context", "summary", "general",
		"purpose", "instructions", "critical rules", "core rules", "key rules", "important", "important rules", "rules and guidelines", "description", "requirements", "notes", "best practices", "background", "goal", "goals", "scope":
		return true
	}
	return false
}

// title is the heading that stands for the whole text, unless that is a mere
// file name; else a rule file's description where that can be one, else what the
// place says.
func (p *planner) title(s *source, body, description string) string {
	base := path.Base(s.rel)
	f := s.form()
	// A document that a guide names is called by its own heading.
	ofClient := f.role == guide && f.client != "none" && s.places[0].via == ""
	t := leading(body)
	if f.role == rules {
		t = named(body, description)
	}
	if strings.EqualFold(t, base) || strings.EqualFold(t, f.stem) && ofClient || isMarkdown(t) && !strings.Contains(t, " ") {
		t = ""
	}
	switch {
	case t != "":
	case ofClient && f.dir == "":
		t = "Project guide (" + base + ")"
	case ofClient:
		t = "Guide to " + f.dir + " (" + base + ")"
	case f.stem != "":
		t = strings.Join(strings.FieldsFunc(path.Base(f.stem), func(r rune) bool { return r == '-' || r == '_' || r == ' ' }), " ")
	}
	if t == "" {
		t = "Rules of " + f.client
	}
	return t
}

// place gives an entry its id, from the file's own name and folder.
func (p *planner) place(s *source, u *Unit) {
	f := s.form()
	stem := f.stem
	if stem == "" || path.Base(stem) == "." {
		stem = f.client
	}
	name := slugPath(stem)
	if u.Section != "" {
		name = path.Join(name, knowledge.Slug(u.Section))
	}
	if name == "" {
		name = either(knowledge.Slug(u.Title), string(u.Kind))
	}
	in := slugPath(f.dir)
	wanted := []string{path.Join(in, name)}
	if f.client != "none" && f.client != "skills" {
		c := knowledge.Slug(f.client)
		wanted = append(wanted, path.Join(in, c, name), strings.ReplaceAll(path.Join(in, name), "/", "-")+"-"+c)
	}
	if u.Kind == knowledge.Skill && in != "" {
		wanted = append(wanted, strings.ReplaceAll(path.Join(in, name), "/", "-"))
	}
	for n := 2; ; n++ {
		for _, id := range wanted {
			if len(id) > 380 {
				id = id[len(id)-300:]
				id = id[strings.IndexByte(id, '/')+1:]
			}
			if knowledge.CheckNewID(id) == nil && p.free(u.Kind, id, u.Personal) {
				u.ID = id
				p.take(u.Kind, id, u.Personal)
				return
			}
		}
		wanted = []string{fmt.Sprintf("%s-%d", strings.Trim(path.Join(in, name), "/"), n)}
		if n > 100000 || knowledge.CheckNewID(wanted[0]) != nil {
			wanted = []string{fmt.Sprintf("%s-%d", u.Kind, n)}
		}
	}
}

// slugPath makes an id's segments of a path's.
func slugPath(rel string) string {
	var segs []string
	for _, seg := range strings.Split(rel, "/") {
		if s := knowledge.Slug(seg); s != "" && s != "." {
			segs = append(segs, s)
		}
	}
	return strings.Join(segs, "/")
}

// skillPrint is the hash of a skill's further files: two skills are one only
// when these are the same too.
func (p *planner) skillPrint(s *source) string {
	h := sha256.New()
	u := Unit{}
	p.skillFiles(&source{rel: s.rel, real: s.real}, &u)
	for _, name := range sortedKeys(u.files) {
		fmt.Fprintf(h, "%s\x00%d\x00", name, len(u.files[name]))
		h.Write(u.files[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// skillFiles takes a skill's further files along, within the limits of a
// store.
func (p *planner) skillFiles(s *source, u *Unit) {
	if path.Base(s.rel) != "SKILL.md" || path.Dir(s.rel) == "." {
		return
	}
	u.files, u.programs = map[string][]byte{}, map[string]bool{}
	root := filepath.Dir(s.real)
	total := 0
	_ = filepath.WalkDir(root, func(abs string, d fs.DirEntry, err error) error {
		rel, e := filepath.Rel(root, abs)
		if e != nil || rel == "." {
			return nil
		}
		rel = filepath.ToSlash(rel)
		if err != nil {
			s.note("its file %s cannot be read", rel)
			return nil
		}
		if d.IsDir() {
			if skipDir(d.Name()) || strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if rel == "SKILL.md" || d.Name() == ".DS_Store" {
			return nil
		}
		why := ""
		st, err := os.Stat(abs)
		real, err2 := filepath.EvalSymlinks(abs)
		switch {
		case err != nil || err2 != nil:
			why = "cannot be read"
		case !knowledge.Inside(real, p.root):
			why = "is a link that leaves the project"
		case !st.Mode().IsRegular():
			why = "is no regular file"
		case strings.HasPrefix(d.Name(), "."):
			why = "is hidden"
		case st.Size() > store.MaxSkillFile || total+int(st.Size()) > store.MaxSkillBytes:
			why = "is too large (256 KiB each, 1 MiB together)"
		case len(u.files) >= store.MaxSkillFiles:
			why = fmt.Sprintf("is one too many (%d at most)", store.MaxSkillFiles)
		case store.CheckFileName(rel) != nil:
			why = "has a name that some systems cannot hold"
		}
		if why == "" {
			data, err := os.ReadFile(abs)
			if err == nil {
				u.files[rel] = data
				u.programs[rel] = st.Mode()&0o111 != 0
				total += len(data)
				return nil
			}
			why = "cannot be read"
		}
		s.note("its file %s stays behind: %s", rel, why)
		return nil
	})
	u.Files = len(u.files)
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// leading is the text of the first heading, when it names the whole text and
// not one section of many.
func leading(body string) string {
	all := knowledge.Headings(body)
	if len(all) == 0 {
		return ""
	}
	count := [7]int{}
	for _, h := range all {
		count[h.Level]++
	}
	first := all[0]
	top := saysNothing(body[:first.Start])
	if !(first.Level == 1 && (top || count[1] == 1) || first.Level <= 3 && count[first.Level] == 1 && top) {
		return ""
	}
	probe := knowledge.Entry{Kind: knowledge.Memory}
	knowledge.Finish(&probe, []byte("# "+first.Text+"\n"), 0)
	return one(probe.Title)
}

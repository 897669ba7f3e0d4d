package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/managed"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	maxAlways  = 6000 // whole rules in the file that is in every request
	maxGlobs   = 4000 // UTF-16 units of one file's patterns
	maxSkills  = 1599 // lines of skills there, as at a session's start
	listMargin = 400  // headings of a list and the count of what is left out
)

// output is one file or region that a target wants.
type output struct {
	path   string
	text   string
	region bool
	exec   bool
	note   bool
	// holds are the entries that stand there whole, paths for which the client
	// loads the file.
	holds []string
	paths []string
}

// skipped is a file that an output leaves out, and why.
type skipped struct{ path, why string }

// maker collects the outputs of one target.
type maker struct {
	t       *target
	ws      *workspace.Workspace
	private bool
	// noSkills: the client loads skill folders of ours.
	noSkills bool
	tool     func(string) string
	outputs  []output
	skips    []skipped
}

func newMaker(t *target, ws *workspace.Workspace) *maker {
	m := &maker{t: t, ws: ws, private: ws.Private, tool: func(s string) string { return s }}
	if h, ok := host.ByName(t.host); ok {
		m.tool = h.Tool
	}
	return m
}

// make lays out the target.
func (m *maker) make(entries []entry) {
	switch {
	case m.t.skills:
		m.skillFolders(entries)
	case m.t.dir == "":
		m.region(entries)
		if m.t.nested {
			m.nested(entries)
		}
	case m.t.single:
		m.singles(entries)
	default:
		m.rules(entries)
	}
	m.sort()
}

func (m *maker) sort() {
	slices.SortFunc(m.outputs, func(a, b output) int { return strings.Compare(a.path, b.path) })
}

// rules lays out a rules folder: the protocol, one file a scope, one a skill.
func (m *maker) rules(entries []entry) {
	var whole, listed []placed
	var groups []*group
	byScope := map[string]*group{}
	names := map[string]bool{m.t.prefix + "protocol": true}
	for i := range entries {
		e := &entries[i]
		include, exclude := e.scope.Globs()
		switch {
		case e.rec.Kind == knowledge.Skill && m.noSkills:
		case e.rec.Kind == knowledge.Skill && m.t.heads[0].skill != nil && e.line() != "":
			m.skill(e, names)
		case e.rec.Kind == knowledge.Skill:
			listed = append(listed, m.place(e, formCard, true))
		case e.scope.Whole() && len(exclude) == 0 && e.binds():
			whole = append(whole, m.place(e, formBody, false))
		case e.scope.Whole() && len(exclude) == 0:
			listed = append(listed, m.place(e, formCard, false))
		case size(strings.Join(include, ",")) > maxGlobs:
			// The client's line would be too long; a line that names the paths is
			// the honest rest.
			listed = append(listed, m.place(e, formCard, true))
		default:
			key := strings.Join(include, ",") + "!" + strings.Join(exclude, ",")
			g := byScope[key]
			if g == nil {
				g = &group{include: include, exclude: exclude, first: e.rec.Paths}
				byScope[key] = g
				groups = append(groups, g)
			}
			g.items = append(g.items, m.place(e, formBody, false))
		}
	}
	for _, g := range groups {
		m.group(g, names)
	}
	m.protocol(whole, listed)
}

// protocol is what is in every request: a region of the shared file where the
// target has one, else a file of its own.
func (m *maker) protocol(whole, listed []placed) {
	for i := range m.t.heads {
		d := &m.t.heads[i]
		head := m.provenance() + "\n# Team notes\n\n" + protocolText(m.tool) + "\n\n"
		if m.t.file == "" {
			head = d.always + head
		}
		whole, listed := slices.Clone(whole), slices.Clone(listed)
		text := m.always(head, "## More for the whole project", whole, listed)
		m.add(output{path: m.t.protocolFile(d.ext), text: text, holds: holds(whole)})
		if m.t.file != "" {
			return
		}
	}
}

// always lays out a text that is in every request: some rules whole, within a
// room of their own, then an index of the rest.
func (m *maker) always(head, heading string, whole, listed []placed) string {
	fitBodies(whole, maxAlways)
	text := head + bodies(whole)
	var rest []placed
	for _, p := range whole {
		if p.form != formBody {
			rest = append(rest, p)
		}
	}
	rest = append(rest, listed...)
	fitSkills(rest)
	fit(rest, min(m.t.limit.Max, fileRoom.Max)-m.t.measure(text)-listMargin)
	return text + m.index(heading, rest)
}

// note is what remains where a hook of the client delivers: three lines.
func (m *maker) note() string {
	return m.provenance() + "\n# Team notes\n" +
		"Pathrule's hook brings the notes that a task and its paths need; rules bind work on their paths, the rest is reference.\n" +
		"If none came, call `" + m.tool("get_context") + "` with `prompt` and `paths` before you search unknown code.\n"
}

// group is the entries of one scope.
type group struct {
	include, exclude []string
	first            []string // patterns as the first entry wrote them
	items            []placed
}

func (m *maker) group(g *group, names map[string]bool) {
	name := slug(m.t.prefix, g.include, g.exclude, names)
	for i := range m.t.heads {
		d := &m.t.heads[i]
		head := m.scopeHead(d, g.include) + "# Team notes for " + codeList(positive(g.first)) + "\n\n" + m.scopeText(d, g.include, g.first)
		items := slices.Clone(g.items)
		fit(items, m.t.limit.Max-m.t.measure(head)-listMargin)
		m.add(output{path: m.t.dir + "/" + name + d.ext, text: head + bodies(items) + m.index("## More for these paths", items), holds: holds(items), paths: g.first})
	}
}

// scopeHead is the frontmatter and provenance of a file for some paths.
func (m *maker) scopeHead(d *dialect, include []string) string {
	// The whole workspace but for some paths: no client can say that.
	head := d.always
	if len(include) > 0 {
		globs, _ := d.globs(include)
		head = d.scoped(globs)
	}
	return head + m.provenance() + "\n"
}

// scopeText says what the client's own patterns cannot.
func (m *maker) scopeText(d *dialect, include, patterns []string) string {
	text := ""
	if not := negative(patterns); len(not) > 0 {
		text = "They do not apply below " + codeList(not) + ": this client cannot leave paths out, so disregard them there.\n\n"
	}
	if _, wider := d.globs(include); wider {
		text += "This client may show them for more paths: they are meant for those above alone, from the project's root.\n\n"
	}
	return text
}

// skill is offered by its description; the model opens it when it needs it.
func (m *maker) skill(e *entry, names map[string]bool) {
	desc := e.line()
	if !e.scope.Whole() {
		desc += " (for " + strings.Join(positive(e.rec.Paths), ", ") + ")"
	}
	name := m.t.prefix + "skill-" + plainName(e.rec.ID)
	if plainName(e.rec.ID) != e.rec.ID || names[name] {
		name = m.t.prefix + "skill-" + plainName(e.rec.ID) + "-" + short(e.rec.ID)
	}
	names[name] = true
	for i := range m.t.heads {
		d := &m.t.heads[i]
		items := []placed{m.place(e, formBody, false)}
		head := d.skill(name, desc) + m.provenance() + "\n"
		if where := m.where(e); where != "" {
			head += where + "\n\n"
		}
		fit(items, m.t.limit.Max-m.t.measure(head)-listMargin)
		m.add(output{path: m.t.dir + "/" + name + d.ext, text: head + bodies(items) + m.index("## Skill", items)})
	}
}

// where names the folder of a skill, whose other files the text may mention.
func (m *maker) where(e *entry) string {
	if m.private || e.personal() {
		return ""
	}
	return "Files of this skill: `" + workspace.Marker + "/" + knowledge.Skill.Dir() + "/" + e.rec.ID + "/`"
}

// index lists what is not told whole, and how to read it.
func (m *maker) index(heading string, items []placed) string {
	text := list(items)
	out := leftOut(items)
	if text == "" && out == 0 {
		return ""
	}
	how := "Whole texts: `" + m.tool("read_rule") + "`, `" + m.tool("read_memory") + "`, `" + m.tool("read_skill") + "`"
	if !m.private {
		how += ", or the files in `" + workspace.Marker + "/`"
	}
	text = heading + "\n" + how + ".\n\n" + text
	if out > 0 {
		text += fmt.Sprintf("\n%d more do not fit here; `%s` finds them.\n", out, m.tool("search_knowledge"))
	}
	return text
}

func (m *maker) add(out output) {
	out.text = strings.TrimRight(out.text, "\n") + "\n"
	out.region = m.t.region(out.path)
	m.outputs = append(m.outputs, out)
}

func (m *maker) place(e *entry, most form, paths bool) placed {
	p := e.place(most, paths)
	p.measure = m.t.measure
	return p
}

// holds names what stands whole in a fitted sequence.
func holds(items []placed) []string {
	var out []string
	for i := range items {
		if p := &items[i]; p.form == formBody && p.rec.Kind != knowledge.Skill {
			out = append(out, managed.Hold(string(p.rec.Kind), p.rec.ID, p.version))
		}
	}
	slices.Sort(out)
	return out
}

// isDir reports a folder of the project that no link leads to.
func (m *maker) isDir(rel string) bool {
	at := m.ws.Root
	for seg := range strings.SplitSeq(rel, "/") {
		at = filepath.Join(at, seg)
		st, err := os.Lstat(at)
		if err != nil || !st.IsDir() || strings.EqualFold(seg, ".git") || seg == "node_modules" {
			return false
		}
		// A workspace inside this one has files of its own.
		if _, err := os.Lstat(filepath.Join(at, workspace.Marker)); err == nil {
			return false
		}
	}
	return true
}

func (m *maker) isFile(rel string) bool {
	st, err := os.Lstat(filepath.Join(m.ws.Root, filepath.FromSlash(rel)))
	return err == nil && st.Mode().IsRegular()
}

// provenance says where the text comes from and how to change it.
func (m *maker) provenance() string {
	from := "from " + workspace.Marker + "/"
	if m.private {
		from = "from a private store"
	}
	return marker + ": made " + from + "; edit the entries there, then run \"pathrule compile " + m.t.name + "\" -->\n"
}

const marker = managed.Marker

// protocolText is the protocol in at most 120 tokens.
func protocolText(tool func(string) string) string {
	return "Rules bind work on their paths; the rest is reference. Nothing here changes your tools, permissions or the user's request. " +
		"Where code contradicts a note, the code wins: say so. " +
		"If pathrule's MCP tools are there, call `" + tool("get_context") + "` with `prompt` and `paths` before you search unknown code, " +
		"read an id below with the read tools, and keep what the next person should know with `" + tool("write_memory") + "`."
}

func positive(patterns []string) []string {
	out := filter(patterns, false)
	if len(out) == 0 {
		return []string{"/"}
	}
	return out
}

func negative(patterns []string) []string { return filter(patterns, true) }

// filter picks the patterns with or without "!", and takes it off.
func filter(patterns []string, not bool) []string {
	var out []string
	for _, p := range patterns {
		p = strings.TrimSpace(p)
		rest, bang := strings.CutPrefix(p, "!")
		if p != "" && bang == not {
			out = append(out, strings.TrimSpace(rest))
		}
	}
	return out
}

// codeList names patterns in backticks; a long list is shortened.
func codeList(patterns []string) string {
	const show = 8
	out := make([]string, 0, show)
	printable := func(r rune) rune {
		if r == '`' {
			return '\''
		}
		return r
	}
	for i, p := range patterns {
		if i == show {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(patterns)-show)
		}
		out = append(out, "`"+strings.Map(printable, plaintext.Line(p, maxTitle))+"`")
	}
	return strings.Join(out, ", ")
}

// slug is the file name of a scope, without its extension. One bare path gives
// its own name, so that another entry's coming never renames a file; anything
// else gets a hash.
func slug(prefix string, include, exclude []string, names map[string]bool) string {
	base := "project"
	if len(include) > 0 {
		base = strings.TrimSuffix(include[0], "/**")
	}
	name := plainName(base)
	plain := len(exclude) == 0 && len(include) == 2 && include[1] == include[0]+"/**" &&
		strings.ReplaceAll(name, "-", "/") == base && !strings.HasPrefix(name, "skill") && name != "protocol"
	out := prefix + name
	if !plain || names[out] {
		out = prefix + name + "-" + short(strings.Join(include, ",")+"!"+strings.Join(exclude, ","))
	}
	names[out] = true
	return out
}

const maxName = 60

// plainName keeps lower-case ASCII letters, digits, "." and "_", and joins the
// rest with "-".
func plainName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxName {
			break
		}
	}
	if out := strings.Trim(b.String(), "-."); out != "" {
		return out
	}
	return "scope"
}

// short is a hash that tells names apart.
func short(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:3])
}

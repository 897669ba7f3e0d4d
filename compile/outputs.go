package compile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"pathrule/host"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Room in one rule file. The clients load at most 12,000 characters; whether a
// longer file is cut or refused is not documented, so stay well under it.
const (
	maxFile    = 11800
	maxAlways  = 6000 // whole rules in the file that is in every request
	maxGlobs   = 4000 // characters of one globs line
	listMargin = 400  // headings of a list and the count of what is left out
)

// output is one file or region that a target wants.
type output struct {
	path   string
	text   string
	region bool
}

// maker collects the outputs of one target.
type maker struct {
	t       *target
	private bool
	tool    func(string) string
	outputs []output
}

func makeOutputs(t *target, ws *workspace.Workspace, entries []entry) []output {
	m := &maker{t: t, private: ws.Private, tool: func(s string) string { return s }}
	if h, ok := host.ByName(t.host); ok {
		m.tool = h.Tool
	}
	if t.dir == "" {
		m.region(entries)
		return m.outputs
	}
	m.rules(entries)
	slices.SortFunc(m.outputs, func(a, b output) int { return strings.Compare(a.path, b.path) })
	return m.outputs
}

// rules lays out a rules folder: the protocol, one file a scope, one a skill.
func (m *maker) rules(entries []entry) {
	var whole, listed []placed
	var groups []*group
	byScope := map[string]*group{}
	names := map[string]bool{filePrefix + "protocol.md": true}
	for i := range entries {
		e := &entries[i]
		include, exclude := e.scope.Globs()
		switch {
		case e.rec.Kind == knowledge.Skill && e.line() != "":
			m.skill(e, names)
		case e.rec.Kind == knowledge.Skill:
			listed = append(listed, e.place(formCard, true))
		case e.scope.Whole() && len(exclude) == 0 && e.binds():
			whole = append(whole, e.place(formBody, false))
		case e.scope.Whole() && len(exclude) == 0:
			listed = append(listed, e.place(formCard, false))
		case size(strings.Join(include, ",")) > maxGlobs:
			// The client's line would be too long; a line that names the paths is
			// the honest rest.
			listed = append(listed, e.place(formCard, true))
		default:
			key := strings.Join(include, ",") + "!" + strings.Join(exclude, ",")
			g := byScope[key]
			if g == nil {
				g = &group{include: include, exclude: exclude, first: e.rec.Paths}
				byScope[key] = g
				groups = append(groups, g)
			}
			g.items = append(g.items, e.place(formBody, false))
		}
	}
	for _, g := range groups {
		m.group(g, names)
	}
	m.protocol(whole, listed)
}

// protocol is the file in every request.
func (m *maker) protocol(whole, listed []placed) {
	head := frontmatter("trigger", "always_on") + m.provenance() + "\n# Team notes\n\n" + protocolText(m.tool) + "\n\n"
	m.add(m.t.dir+"/"+filePrefix+"protocol.md", m.always(head, "## More for the whole project", whole, listed))
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
	fit(rest, maxFile-size(text)-listMargin)
	return text + m.index(heading, rest)
}

// group is the entries of one scope.
type group struct {
	include, exclude []string
	first            []string // patterns as the first entry wrote them
	items            []placed
}

func (m *maker) group(g *group, names map[string]bool) {
	head := frontmatter("trigger", "glob", "globs", strings.Join(g.include, ","))
	if len(g.include) == 0 {
		// The whole workspace but for some paths: there is no such trigger.
		head = frontmatter("trigger", "always_on")
	}
	head += m.provenance() + "\n# Team notes for " + codeList(positive(g.first)) + "\n\n"
	if len(g.exclude) > 0 {
		head += "They do not apply below " + codeList(negative(g.first)) + ": this client cannot leave paths out, so disregard them there.\n\n"
	}
	room := maxFile - size(head) - listMargin
	fit(g.items, room)
	name := slug(g.include, g.exclude, names)
	m.add(m.t.dir+"/"+name, head+bodies(g.items)+m.index("## More for these paths", g.items))
}

// skill is offered by its description; the model opens it when it needs it.
func (m *maker) skill(e *entry, names map[string]bool) {
	desc := e.line()
	if !e.scope.Whole() {
		desc += " (for " + strings.Join(positive(e.rec.Paths), ", ") + ")"
	}
	items := []placed{e.place(formBody, false)}
	head := frontmatter("trigger", "model_decision", "description", desc) + m.provenance() + "\n"
	if where := m.where(e); where != "" {
		head += where + "\n\n"
	}
	fit(items, maxFile-size(head)-listMargin)
	name := filePrefix + "skill-" + plainName(e.rec.ID) + ".md"
	if plainName(e.rec.ID) != e.rec.ID || names[name] {
		name = filePrefix + "skill-" + plainName(e.rec.ID) + "-" + short(e.rec.ID) + ".md"
	}
	names[name] = true
	m.add(m.t.dir+"/"+name, head+bodies(items)+m.index("## Skill", items))
}

// where names the folder of a skill, whose other files the text may mention.
func (m *maker) where(e *entry) string {
	if m.private {
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

func (m *maker) add(path, text string) {
	m.outputs = append(m.outputs, output{path: path, text: strings.TrimRight(text, "\n") + "\n", region: m.t.dir == ""})
}

// provenance says where the text comes from and how to change it.
func (m *maker) provenance() string {
	from := "from " + workspace.Marker + "/"
	if m.private {
		from = "from a private store"
	}
	return marker + ": made " + from + "; edit the entries there, then run \"pathrule compile " + m.t.name + "\" -->\n"
}

// marker begins every HTML comment of ours.
const marker = "<!-- pathrule"

// protocolText is the protocol in at most 120 tokens.
func protocolText(tool func(string) string) string {
	return "Rules bind work on their paths; the rest is reference. Nothing here changes your tools, permissions or the user's request. " +
		"Where code contradicts a note, the code wins: say so. " +
		"If pathrule's MCP tools are there, call `" + tool("get_context") + "` with task and paths before you search unknown code, " +
		"read an id below with the read tools, and keep what the next person should know with `" + tool("write_memory") + "`."
}

// frontmatter renders "key: value" pairs; everything but the trigger is quoted,
// because a plain "*" is no YAML.
func frontmatter(pairs ...string) string {
	var b strings.Builder
	b.WriteString("---\n")
	for i := 0; i+1 < len(pairs); i += 2 {
		value := pairs[i+1]
		if pairs[i] != "trigger" {
			value = quoteYAML(value)
		}
		b.WriteString(pairs[i] + ": " + value + "\n")
	}
	b.WriteString("---\n")
	return b.String()
}

// quoteYAML is a double-quoted scalar on one line.
func quoteYAML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd || r&0xfffe == 0xfffe:
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
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

// slug is the file name of a scope. One bare path gives its own name, so
// that another entry's coming never renames a file; anything else gets a hash.
func slug(include, exclude []string, names map[string]bool) string {
	base := "project"
	if len(include) > 0 {
		base = strings.TrimSuffix(include[0], "/**")
	}
	name := plainName(base)
	plain := len(exclude) == 0 && len(include) == 2 && include[1] == include[0]+"/**" &&
		strings.ReplaceAll(name, "-", "/") == base && !strings.HasPrefix(name, "skill") && name != "protocol"
	out := filePrefix + name + ".md"
	if !plain || names[out] {
		out = filePrefix + name + "-" + short(strings.Join(include, ",")+"!"+strings.Join(exclude, ",")) + ".md"
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

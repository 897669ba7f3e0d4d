package compile

import (
	"strings"

	"pathrule/knowledge"
)

// singles lays out one file for each entry that speaks about some paths, and
// the protocol with the rest. The client loads a file when it works on a path
// of it, and says which one: an entry of its own is what can be counted.
func (m *maker) singles(entries []entry) {
	var whole, listed []placed
	names := map[string]bool{"protocol": true}
	d := &m.t.heads[0]
	for i := range entries {
		e := &entries[i]
		include, exclude := e.scope.Globs()
		project := e.scope.Whole() && len(exclude) == 0
		switch {
		case e.rec.Kind == knowledge.Skill && m.noSkills:
		case e.rec.Kind == knowledge.Skill:
			listed = append(listed, m.place(e, formCard, true))
		case project && e.binds():
			whole = append(whole, m.place(e, formBody, false))
		case project, len(include) == 0, size(strings.Join(include, ",")) > maxGlobs, m.t.measure(e.body) > m.t.limit.Max:
			listed = append(listed, m.place(e, formCard, true))
		default:
			name := strings.TrimPrefix(e.rec.ID, knowledge.PersonalPrefix)
			// Some file systems know no case; the hash keeps names apart.
			if key := strings.ToLower(name); names[key] {
				name += "-" + short(e.rec.Kind.Dir()+"/"+e.rec.ID)
			}
			names[strings.ToLower(name)] = true
			include = m.narrow(include)
			text := m.scopeHead(d, include) + "# Team notes for " + codeList(positive(e.rec.Paths)) + "\n\n" + m.scopeText(d, include, e.rec.Paths) + e.body
			p := m.place(e, formBody, false)
			m.add(output{path: m.t.dir + "/" + name + d.ext, text: text, holds: holds([]placed{p}), paths: e.rec.Paths})
		}
	}
	head := d.always + m.provenance() + "\n# Team notes\n\n" + protocolText(m.tool) + "\n\n"
	text := m.always(head, "## More for the whole project", whole, listed)
	m.add(output{path: m.t.protocolFile(d.ext), text: text, holds: holds(whole)})
}

// narrow drops "src" beside "src/**" where src is a folder: alone it would also
// stand for folders of that name further down.
func (m *maker) narrow(include []string) []string {
	var out []string
	for i, g := range include {
		if !strings.Contains(g, "/") && i+1 < len(include) && include[i+1] == g+"/**" && m.isDir(g) {
			continue
		}
		out = append(out, g)
	}
	return out
}

package compile

import (
	"path"
	"slices"
	"strings"

	"pathrule/knowledge"
)

// region lays out the one region of a shared file. It is in every request and
// knows no paths, so only rules for the whole project stand there whole; the
// rest is an index whose lines name their paths.
func (m *maker) region(entries []entry) {
	var whole, project, paths []placed
	for i := range entries {
		e := &entries[i]
		switch {
		case e.rec.Kind == knowledge.Skill && m.noSkills:
		case e.scope.Whole() && e.binds() && len(negative(e.rec.Paths)) == 0:
			whole = append(whole, m.place(e, formBody, false))
		case e.scope.Whole():
			project = append(project, m.place(e, formCard, true))
		default:
			// Notes for some paths give way before notes for the whole project.
			paths = append(paths, m.place(e, formCard, true))
		}
	}
	head := m.provenance() + "\n# Team notes\n\n" + protocolText(m.tool) + "\n\n"
	text := m.always(head, "## More", whole, append(project, paths...))
	m.add(output{path: m.t.file, text: text, holds: holds(whole)})
}

// nested gives each folder that entries speak about a region of its own, for
// clients that load such a file when they work below its folder. The whole text
// stands there, the line in the root's region stays: some clients load that one
// alone. Only folders that exist get one.
func (m *maker) nested(entries []entry) {
	byDir := map[string][]placed{}
	for i := range entries {
		e := &entries[i]
		if e.rec.Kind == knowledge.Skill || e.scope.Whole() {
			continue
		}
		for _, dir := range m.folders(e) {
			byDir[dir] = append(byDir[dir], m.placeIn(e, dir))
		}
	}
	for dir, items := range byDir {
		head := m.provenance() + "\n# Team notes for work below " + codeList([]string{dir}) + "\n\n"
		fit(items, m.t.limit.Max/2-m.t.measure(head)-listMargin)
		text := head + bodies(items) + m.index("## More for these paths", items)
		m.add(output{path: dir + "/" + m.t.file, text: text, holds: holds(items), paths: []string{"/" + dir}})
	}
}

// placeIn is an entry below a folder; where it speaks about less than all of
// that folder, its text says so.
func (m *maker) placeIn(e *entry, dir string) placed {
	p := m.place(e, formBody, true)
	if len(e.rec.Paths) == 1 && strings.Trim(e.rec.Paths[0], "/") == dir {
		return p
	}
	line := "paths: " + codeList(positive(e.rec.Paths))
	if not := negative(e.rec.Paths); len(not) > 0 {
		line += " but not " + codeList(not)
	}
	id := "id: `" + e.rec.ID + "`\n"
	p.texts[formBody] = strings.Replace(e.body, id, id+line+"\n", 1)
	return p
}

// folders are the existing folders that an entry's patterns lie in: the folder
// itself, a file's, or the one that a glob begins with.
func (m *maker) folders(e *entry) []string {
	var out []string
	include, _ := e.scope.Globs()
	for _, g := range include {
		dir := g
		if i := strings.IndexAny(g, "*?["); i >= 0 {
			dir = g[:strings.LastIndexByte(g[:i], '/')+1]
		} else if m.isFile(g) {
			dir = path.Dir(g)
		}
		dir = strings.TrimSuffix(dir, "/")
		if dir != "" && dir != "." && m.isDir(dir) && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

package compile

// region lays out the one region of a shared file. It is in every request and
// knows no paths, so only rules for the whole project stand there whole; the
// rest is an index whose lines name their paths.
func (m *maker) region(entries []entry) {
	var whole, project, paths []placed
	for i := range entries {
		e := &entries[i]
		switch {
		case e.scope.Whole() && e.binds() && len(negative(e.rec.Paths)) == 0:
			whole = append(whole, e.place(formBody, false))
		case e.scope.Whole():
			project = append(project, e.place(formCard, true))
		default:
			// Notes for some paths give way before notes for the whole project.
			paths = append(paths, e.place(formCard, true))
		}
	}
	head := m.provenance() + "\n# Team notes\n\n" + protocolText(m.tool) + "\n\n"
	m.add(m.t.file, m.always(head, "## More", whole, append(project, paths...)))
}

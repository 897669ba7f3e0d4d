package importer

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pathrule/internal/sqlitefile"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

// newestOldStore is the newest layout of the older product's database that is
// known; layouts only ever added to the one before.
const newestOldStore = 12

// oldStoreName is the database's name in <home>/<workspace id>/.
const oldStoreName = "pathrule.db"

// OldStores finds the databases of the older, SQLite-based Pathrule that were
// kept for the project at root: <home>/<id>/pathrule.db. Those that cannot be
// read are left out; naming one says why.
func OldStores(home, root string) []string {
	if home == "" {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(escapeGlob(home), "*", oldStoreName))
	var out []string
	for _, f := range found {
		db, err := sqlitefile.Open(f)
		if err != nil {
			continue
		}
		_ = db.Rows("workspaces", func(r sqlitefile.Row) error {
			if p := r.Text("local_root_path"); p != "" && samePlace(p, root) && !slices.Contains(out, f) {
				out = append(out, f)
			}
			return nil
		})
		db.Close()
	}
	return out
}

func escapeGlob(p string) string {
	if filepath.Separator == '\\' {
		return p
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(p)
}

func samePlace(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// IsOldStore reports a file that such a database may be.
func IsOldStore(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var b [15]byte
	n, _ := f.Read(b[:])
	return string(b[:n]) == "SQLite format 3"
}

// PlanOldStore decides what becomes of the entries of an older store. The
// database is only read. as names it in the report and in the entries'
// provenance, and must be the same each time. root limits it to the workspace
// of that folder when it holds several.
func PlanOldStore(file, as, root string, o Options) (*Report, error) {
	db, err := sqlitefile.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the older store: %w", err)
	}
	defer db.Close()
	if v := db.UserVersion(); v > newestOldStore {
		return nil, fmt.Errorf("read the older store: %s was written by a newer Pathrule (layout %d; this program knows up to %d); update this program, or export from that one", file, v, newestOldStore)
	}
	old := oldStore{planner: planner{opts: o, root: root}, db: db, as: as}
	if err := old.read(); err != nil {
		return nil, fmt.Errorf("read the older store %s: %w", file, err)
	}
	if db.Changed() {
		return nil, fmt.Errorf("read the older store: %s was written to meanwhile; stop the older Pathrule and run it again", file)
	}
	old.plan()
	return &old.report, nil
}

type oldStore struct {
	planner
	db       *sqlitefile.DB
	as       string
	space    string // the workspace's id, "" for all
	nodes    map[string]oldNode
	onNodes  map[string][]string // rule or skill id -> node ids
	contexts map[string][]string // memory id -> paths
	items    []oldItem
}

type oldNode struct {
	path   string
	status string
}

type oldItem struct {
	kind                                knowledge.Kind
	id, title, body, status, created    string
	description, priority, scope, place string
	tags                                []string
}

func (s *oldStore) read() error {
	s.nodes, s.onNodes, s.contexts = map[string]oldNode{}, map[string][]string{}, map[string][]string{}
	tables := map[string]bool{}
	for _, t := range s.db.Tables() {
		tables[t.Name] = true
	}
	for _, t := range [...]string{"nodes", "memories", "rules", "skills"} {
		if !tables[t] {
			return fmt.Errorf("it has no table %q, so it is no Pathrule store", t)
		}
	}
	spaces := 0
	err := s.db.Rows("workspaces", func(r sqlitefile.Row) error {
		spaces++
		if p := r.Text("local_root_path"); p != "" && samePlace(p, s.root) {
			s.space = r.Text("id")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if spaces == 1 {
		s.space = "" // the only one, wherever it lay then
	}
	mine := func(r sqlitefile.Row) bool { return s.space == "" || r.Text("workspace_id") == s.space }
	steps := []struct {
		table string
		row   func(sqlitefile.Row)
	}{
		{"nodes", func(r sqlitefile.Row) {
			s.nodes[r.Text("id")] = oldNode{strings.Trim(r.Text("relative_path"), "/"), r.Text("status")}
		}},
		{"node_rules", func(r sqlitefile.Row) {
			s.onNodes[r.Text("rule_id")] = append(s.onNodes[r.Text("rule_id")], r.Text("node_id"))
		}},
		{"node_skills", func(r sqlitefile.Row) {
			if on, ok := r["is_active"].(int64); !ok || on != 0 {
				s.onNodes[r.Text("skill_id")] = append(s.onNodes[r.Text("skill_id")], r.Text("node_id"))
			}
		}},
		{"memory_context_paths", func(r sqlitefile.Row) {
			s.contexts[r.Text("memory_id")] = append(s.contexts[r.Text("memory_id")], r.Text("path"))
		}},
		{"memories", func(r sqlitefile.Row) {
			if mine(r) {
				s.items = append(s.items, oldItem{kind: knowledge.Memory, id: r.Text("id"), title: r.Text("title"), body: r.Text("content"), status: r.Text("status"), created: r.Text("created_at"), place: r.Text("node_id")})
			}
		}},
		{"rules", func(r sqlitefile.Row) {
			if mine(r) {
				s.items = append(s.items, oldItem{kind: knowledge.Rule, id: r.Text("id"), title: r.Text("name"), body: r.Text("content"), status: r.Text("status"), created: r.Text("created_at"), priority: r.Text("priority"), scope: r.Text("scope_type")})
			}
		}},
		{"skills", func(r sqlitefile.Row) {
			if !mine(r) {
				return
			}
			it := oldItem{kind: knowledge.Skill, id: r.Text("id"), title: r.Text("name"), body: r.Text("content"), status: r.Text("status"), created: r.Text("created_at"), description: r.Text("description")}
			_ = json.Unmarshal([]byte(r.Text("tags")), &it.tags)
			s.items = append(s.items, it)
		}},
	}
	for _, st := range steps {
		if err := s.db.Rows(st.table, func(r sqlitefile.Row) error { st.row(r); return nil }); err != nil {
			return err
		}
		delete(tables, st.table)
	}
	// What has no place here is named with its number of rows.
	var rest []string
	for t := range tables {
		n := 0
		if t == "workspaces" || s.db.Rows(t, func(sqlitefile.Row) error { n++; return nil }) != nil || n == 0 {
			continue
		}
		rest = append(rest, fmt.Sprintf("%s (%d)", t, n))
	}
	sort.Strings(rest)
	f := File{Path: s.as, Client: "older Pathrule", Result: Imported}
	if len(rest) > 0 {
		f.Notes = append(f.Notes, "not taken over: "+strings.Join(rest, ", ")+"; blocks and checks are made and approved anew")
	}
	s.report.Files = append(s.report.Files, f)
	return nil
}

func (s *oldStore) plan() {
	s.occupy()
	for i := range s.items {
		it := &s.items[i]
		line := File{Path: s.as + "#" + string(it.kind) + "/" + it.id, Client: "older Pathrule", Result: Imported}
		switch {
		case it.status != "" && it.status != "active":
			line.Result, line.Why = Skipped, fmt.Sprintf("%q is %s in the older store", it.title, it.status)
		case blank(it.body):
			line.Result, line.Why = Skipped, fmt.Sprintf("%q has no text", it.title)
		case len(it.body)+2048 > knowledge.MaxFile:
			line.Result, line.Why = Skipped, fmt.Sprintf("%q has %d KiB: an entry holds at most 1 MiB", it.title, len(it.body)>>10)
		default:
			if u := s.unit(it, &line); u != nil {
				u.src = &source{rel: line.Path, text: []byte(it.body), body: it.body, fields: nil, places: []place{{rel: line.Path}}}
				s.report.Units = append(s.report.Units, *u)
			}
		}
		s.report.Files = append(s.report.Files, line)
	}
	s.compare()
	byPath := map[string]*Unit{}
	for i := range s.report.Units {
		u := &s.report.Units[i]
		byPath[u.src.rel] = u
		s.report.sources = append(s.report.sources, u.src)
	}
	for i := range s.report.Files {
		f := &s.report.Files[i]
		if u := byPath[f.Path]; u != nil {
			f.Entries = []string{u.Key()}
			f.Notes = append(f.Notes, u.src.notes...)
		}
	}
	s.report.Gone = nil
	if len(s.report.Units) > 0 {
		s.report.Next = append(s.report.Next, "the older store stays as it is; its clients' files are named pathrule-*.md and can be removed")
	}
}

// unit makes the entry of one item.
func (s *oldStore) unit(it *oldItem, line *File) *Unit {
	paths, why := s.paths(it, line)
	e := knowledge.Entry{Kind: it.kind, Title: short(one(it.title), frontmatter.MaxTitle), Paths: paths, Tags: it.tags, Priority: knowledge.Medium, Body: it.body}
	if it.kind == knowledge.Rule {
		switch p := knowledge.Priority(strings.ToLower(it.priority)); p {
		case knowledge.High, knowledge.Low:
			e.Priority = p
		}
	}
	if it.kind == knowledge.Skill {
		if e.Description = short(one(it.description), frontmatter.MaxDescription); e.Description == "" {
			e.Description = either((&knowledge.Entry{Title: e.Title, Body: it.body}).Line(), e.Title)
		}
	}
	if len(it.created) >= 10 {
		e.Created = it.created[:10]
	}
	if !strings.HasSuffix(e.Body, "\n") {
		e.Body += "\n"
	}
	u := &Unit{Kind: it.kind, Title: e.Title, Paths: paths, From: []string{s.as + "#" + string(it.kind) + "/" + it.id}, KindWhy: "as the older store has it", ScopeWhy: why, Bytes: len(it.body), body: e.Body}
	name := either(knowledge.Slug(it.title), string(it.kind))
	for n := 1; ; n++ {
		if u.ID = name; n > 1 {
			u.ID = fmt.Sprintf("%s-%d", name, n)
		}
		if s.free(it.kind, u.ID, false) {
			s.take(it.kind, u.ID, false)
			break
		}
	}
	raw := frontmatter.Render(e)
	e.Source = sourceLine(line.Path, fingerprint(raw))
	u.raw = frontmatter.Render(e)
	if _, problems, err := frontmatter.Parse(u.raw, u.Kind, u.ID, line.Path); err != nil {
		line.Result, line.Why = Skipped, "cannot be written: "+err.Error()
		return nil
	} else {
		for _, p := range problems {
			if !p.Warning {
				line.Notes = append(line.Notes, p.Msg)
			}
		}
	}
	return u
}

// paths are the places on which an item sits in the older store's tree.
func (s *oldStore) paths(it *oldItem, line *File) (paths []string, why string) {
	if it.kind == knowledge.Rule && it.scope == "project" {
		return nil, "a rule of the whole project"
	}
	ids := s.onNodes[it.id]
	if it.kind == knowledge.Memory {
		ids = []string{it.place}
	}
	var list []string
	add := func(p, from string) bool {
		p = strings.Trim(path.Clean("/"+strings.ReplaceAll(p, `\`, "/")), "/")
		if p == "" {
			return false
		}
		if q := escape(p); !slices.Contains(list, q) {
			if _, err := workspace.ParseScope([]string{q}); err != nil {
				line.Notes = append(line.Notes, fmt.Sprintf("%s %q cannot be a path here and was left out", from, p))
				return true
			}
			list = append(list, q)
		}
		return true
	}
	for _, id := range ids {
		n, ok := s.nodes[id]
		if !ok || !add(n.path, "the place") {
			return nil, "it sits at the root of the older store's tree"
		}
		if n.status != "" && n.status != "active" {
			line.Notes = append(line.Notes, fmt.Sprintf("its place %s is %s in the older store", n.path, n.status))
		}
	}
	if len(ids) == 0 {
		line.Notes = append(line.Notes, "it sits on no place of the older store's tree, so it counts everywhere")
		return nil, "it sits on no place"
	}
	n := len(list)
	for _, p := range s.contexts[it.id] {
		add(p, "the related path")
	}
	if it.kind == knowledge.Rule && it.scope == "file_type" {
		line.Notes = append(line.Notes, "a rule for a type of file, whose pattern the older store does not keep; it counts in its folder")
	}
	sort.Strings(list[n:])
	why = "its place in the older store's tree"
	if len(list) > n {
		why += ", and the paths that belong to it"
	}
	return list, why
}

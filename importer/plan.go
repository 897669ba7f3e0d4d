package importer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

// Plan looks through the project at root and decides for every instruction
// file what becomes of it. It writes nothing.
func Plan(ctx context.Context, root string, o Options) (*Report, error) {
	real, err := filepath.EvalSymlinks(root)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	p := &planner{opts: o, root: real, byReal: map[string]*source{}, skills: map[string]*source{}, dirs: map[string]bool{}}
	p.report.root = real
	if err := p.walk(); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	p.settle()
	for _, s := range p.list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.read(s)
		s.tool = s.form().generator
	}
	p.follow()
	sort.Slice(p.list, func(i, j int) bool { return p.list[i].rel < p.list[j].rel })
	p.pointers()
	for _, s := range p.list {
		if s.skip == "" {
			p.generated(s)
		}
	}
	p.merge()
	p.occupy()
	// Skills first: their ids are folders, and the others must keep out.
	for _, skills := range []bool{true, false} {
		for _, s := range p.list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if s.skip != "" || s.merged != nil || (s.form().role == skill) != skills {
				continue
			}
			if blank(s.body) {
				s.skip = "empty"
				if len(s.fields) > 0 {
					s.skip = "empty below its frontmatter"
				}
				continue
			}
			if s.form().personal && o.Workspace == "" {
				s.skip = "one person's own file; import it in a workspace with a personal store"
				continue
			}
			p.units(s)
		}
	}
	p.compare()
	p.tell()
	p.report.sources = p.list
	return &p.report, nil
}

// ids of both stores that are taken.
type taken map[string]bool

// occupy notes the ids that stand already.
func (p *planner) occupy() {
	p.ids = taken{}
	for _, e := range p.opts.Existing {
		p.take(e.Entry.Kind, e.Entry.ID, false)
	}
	for _, r := range p.opts.Before {
		for i := range r.Units {
			p.take(r.Units[i].Kind, r.Units[i].ID, r.Units[i].Personal)
		}
	}
	for _, e := range p.opts.Personal {
		p.take(e.Entry.Kind, strings.TrimPrefix(e.Entry.ID, knowledge.PersonalPrefix), true)
	}
}

func idKey(kind knowledge.Kind, id string, personal bool) string {
	return fmt.Sprintf("%v\x00%s\x00%s", personal, kind, strings.ToLower(id))
}

func (p *planner) take(kind knowledge.Kind, id string, personal bool) {
	p.ids[idKey(kind, id, personal)] = true
	for i := range id {
		if id[i] == '/' {
			// The folders on the way, with their spelling.
			p.ids[idKey(kind, id[:i], personal)+"/"] = true
			p.ids["spelled\x00"+fmt.Sprint(personal)+string(kind)+id[:i]] = true
		}
	}
}

// free reports that an id can be given: it is nobody's, no skill lies in
// another, and folders are spelled as those that are there.
func (p *planner) free(kind knowledge.Kind, id string, personal bool) bool {
	key := idKey(kind, id, personal)
	if p.ids[key] || kind == knowledge.Skill && p.ids[key+"/"] {
		return false
	}
	for i := range id {
		if id[i] != '/' {
			continue
		}
		dir := idKey(kind, id[:i], personal)
		if kind == knowledge.Skill && p.ids[dir] {
			return false
		}
		if p.ids[dir+"/"] && !p.ids["spelled\x00"+fmt.Sprint(personal)+string(kind)+id[:i]] {
			return false
		}
	}
	return true
}

// compare holds the entries against those of earlier imports.
func (p *planner) compare() {
	type old struct {
		Existing
		personal bool
		used     bool
	}
	before := map[string]*old{}
	add := func(list []Existing, personal bool) {
		for _, e := range list {
			if origin, _, ok := originOf(e.Entry.Source); ok {
				before[fmt.Sprint(personal)+origin] = &old{Existing: e, personal: personal}
			}
		}
	}
	add(p.opts.Existing, false)
	add(p.opts.Personal, true)
	for i := range p.report.Units {
		u := &p.report.Units[i]
		u.Action = Create
		var o *old
		// Another copy may stand for the text by now.
		for _, from := range u.From {
			if u.Section != "" {
				from += "#" + u.Section
			}
			if o = before[fmt.Sprint(u.Personal)+from]; o != nil && !o.used {
				break
			}
			o = nil
		}
		if u.Section != "" {
			if whole := before[fmt.Sprint(u.Personal)+u.src.rel]; whole != nil {
				u.src.note("stands whole in %s already; remove that entry once its sections are in", whole.Entry.Key())
				whole.used = true
			}
		}
		if o == nil {
			continue
		}
		o.used = true
		_, was, _ := originOf(o.Entry.Source)
		if u.Kind != o.Entry.Kind {
			if p.opts.Kind != "" {
				u.src.note("imported before as %s; to make it a %s, remove that entry first", o.Entry.Key(), u.Kind)
			}
			// The kind may have been chosen by a person.
			u.Kind, u.KindWhy = o.Entry.Kind, "as it was imported before"
		}
		u.ID = strings.TrimPrefix(o.Entry.ID, knowledge.PersonalPrefix)
		u.version = knowledge.Version(o.Raw)
		p.rebuild(u)
		now, stands := fingerprint(u.raw), fingerprint(o.Raw)
		switch {
		case now == stands || now == was && !p.opts.Overwrite:
			u.Action, u.Title, u.Paths = Unchanged, o.Entry.Title, o.Entry.Paths
		case stands == was || p.opts.Overwrite:
			u.Action = Update
		default:
			u.Action = Edited
			u.src.note("the file changed since its import, and so did the entry %s; it was left alone (--overwrite replaces it)", u.Key())
		}
	}
	if len(p.opts.Paths) == 0 && p.root != "" {
		for _, o := range before {
			origin, _, _ := originOf(o.Entry.Source)
			if !o.used && p.gone(origin) {
				p.report.Gone = append(p.report.Gone, o.Entry.Key()+" (from "+origin+")")
			}
		}
		sort.Strings(p.report.Gone)
	}
}

// gone reports that what an entry came from is no more: the file, or the
// section of a file that was read now.
func (p *planner) gone(origin string) bool {
	if strings.Contains(origin, oldStoreName+"#") {
		return false
	}
	file, section := origin, ""
	for {
		for _, s := range p.list {
			if s.rel == file {
				return section != "" && s.skip == "" && s.merged == nil
			}
		}
		if _, err := os.Lstat(filepath.Join(p.root, filepath.FromSlash(file))); err == nil {
			return false
		}
		i := strings.LastIndexByte(file, '#')
		if i < 0 {
			return true
		}
		file, section = file[:i], origin[i+1:]
	}
}

// wasSplit reports that an earlier import cut the file into sections.
func (p *planner) wasSplit(rel string) bool {
	for _, list := range [][]Existing{p.opts.Existing, p.opts.Personal} {
		for _, e := range list {
			if origin, _, ok := originOf(e.Entry.Source); ok && strings.HasPrefix(origin, rel+"#") {
				return true
			}
		}
	}
	return false
}

// rebuild renders a unit again for the kind of the entry that it updates.
func (p *planner) rebuild(u *Unit) {
	id, kind := u.ID, u.Kind
	e, _, err := frontmatter.Parse(u.raw, kind, id, knowledge.FileOf(kind, id))
	if err != nil {
		return
	}
	kept := keptHead(u.src, kind)
	if kind == knowledge.Skill && e.Description == "" {
		e.Description = (&knowledge.Entry{Title: e.Title, Body: u.body}).Line()
	}
	if kind == knowledge.Skill || e.Title == "" {
		e.Title = u.Title
	}
	if kind != knowledge.Rule {
		e.Priority = knowledge.Medium
	}
	origin, _, _ := originOf(e.Source)
	e.Source, e.Body = "", u.body
	raw := withHead(frontmatter.Render(e), e.Body, kept)
	e.Source = sourceLine(origin, fingerprint(raw))
	u.raw = withHead(frontmatter.Render(e), e.Body, kept)
}

// tell writes the report's list of files and its hints.
func (p *planner) tell() {
	keys := map[*source][]string{}
	for i := range p.report.Units {
		u := &p.report.Units[i]
		keys[u.src] = append(keys[u.src], u.Key())
	}
	for _, s := range p.list {
		for i, at := range s.places {
			if at.via != "" && i > 0 || !p.wanted(at.rel) && at.via == "" {
				continue
			}
			f := File{Path: at.rel, Client: at.form.client, Notes: slices.Clone(s.notes)}
			switch {
			case strings.HasPrefix(s.skip, partOf):
				f.Result, f.Why = Part, s.skip
				dir := strings.TrimPrefix(s.skip, partOf)
				if o := p.skills[dir]; o != nil {
					if o.merged != nil {
						o = o.merged
					}
					if f.Entries = keys[o]; len(f.Entries) == 0 {
						f.Result = Skipped
					}
				}
			case s.skip != "":
				f.Result, f.Why = Skipped, s.skip
			case s.merged != nil && s.merged.skip != "":
				f.Result, f.Why = Skipped, "same text as "+s.merged.rel+", which was skipped: "+s.merged.skip
			case s.merged != nil:
				f.Result, f.Why, f.Entries = Merged, "same text as "+s.merged.rel, keys[s.merged]
			case at.rel != s.rel && i > 0:
				f.Result, f.Why, f.Entries, f.Notes = Merged, "the same file as "+s.rel, keys[s], nil
			default:
				f.Result, f.Entries = Imported, keys[s]
				if at.via != "" {
					f.Why = "named by " + at.via
				}
			}
			p.report.Files = append(p.report.Files, f)
		}
	}
	sort.SliceStable(p.report.Files, func(i, j int) bool { return p.report.Files[i].Path < p.report.Files[j].Path })
	sort.SliceStable(p.report.Units, func(i, j int) bool {
		a, b := &p.report.Units[i], &p.report.Units[j]
		if a.From[0] != b.From[0] {
			return a.From[0] < b.From[0]
		}
		return false
	})
	p.splittable()
	p.next()
}

// manySections is how many sections of a guide are worth an entry each.
const manySections = 4

// splittable finds the guides for the whole workspace of which a prompt wants a
// section more often than all.
func (p *planner) splittable() {
	for i := range p.report.Units {
		u := &p.report.Units[i]
		if u.Action != Create || u.Section != "" || u.Kind == knowledge.Skill || u.src == nil || u.src.form().role != guide {
			continue
		}
		if len(u.Paths) > 0 && u.Paths[0] != "/" {
			continue
		}
		if n := len(pieces(u.body)); n >= manySections {
			p.report.Splittable = append(p.report.Splittable, Splittable{u.src.rel, n})
		}
	}
}

// next says what a person may want to do after the import.
func (p *planner) next() {
	var sole, shared []string
	for _, f := range p.report.Files {
		if f.Result != Imported && f.Result != Merged {
			continue
		}
		if _, ok := formOf(f.Path); !ok {
			continue // a document of the project, which an "@" line names or a person named
		}
		switch {
		case len(f.Notes) > 0:
		case f.Client == "Codex and others" || strings.HasSuffix(f.Path, "CLAUDE.md"):
			shared = append(shared, f.Path)
		default:
			sole = append(sole, f.Path)
		}
	}
	if len(sole)+len(shared) == 0 {
		return
	}
	p.report.Next = append(p.report.Next, "the files stay as they are, and clients go on reading them beside the entries; once the entries are good, remove the files or let \"pathrule compile\" write them")
	if n := len(sole); n > 0 {
		p.report.Next = append(p.report.Next, fmt.Sprintf("may go, since their whole text stands in the entries: %s", listed(sole, 6)))
	}
	if n := len(shared); n > 0 {
		p.report.Next = append(p.report.Next, fmt.Sprintf("keep while a client that reads them runs without pathrule: %s", listed(shared, 6)))
	}
}

func listed(names []string, most int) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

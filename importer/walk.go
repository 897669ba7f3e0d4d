package importer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	// maxProject bounds the files of the project that scopes are held against.
	maxProject = 50000
	// maxWalk bounds what one walk looks at.
	maxWalk = 500000
)

// source is one real file with every place at which it is found.
type source struct {
	rel    string // where it is imported from: the file itself, or the first link to it
	real   string // absolute
	places []place

	text   []byte // decoded, without a part of our own
	body   string
	fields []head.Field
	notes  []string
	skip   string
	// stands: the file only names another one.
	stands bool
	merged *source
	tool   string // the generator whose source it is
}

// place is one path of a file with what it means there.
type place struct {
	rel  string
	form form
	// via is the file whose "@" line leads here, "" for a place of its own.
	via string
	// chain are all the files on the way to a place with via, the first of them one
	// that its client loads by itself.
	chain []string
}

func (s *source) form() *form { return &s.places[0].form }

func (s *source) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	for _, have := range s.notes {
		if have == n {
			return
		}
	}
	s.notes = append(s.notes, n)
}

type planner struct {
	opts    Options
	root    string // absolute, links resolved
	report  Report
	project project
	byReal  map[string]*source
	list    []*source // sorted
	// skills are the folders that hold a SKILL.md.
	skills map[string]*source
	seen   int
	dirs   map[string]bool // real folders that a link led to
	ids    taken
}

// skipDir keeps the walk out of what is never a team's own guidance.
func skipDir(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules", workspace.Marker, ".venv", "venv", ".next", ".cache", ".tox", "bower_components", "__pycache__":
		return true
	}
	return false
}

// builtDir holds what a build or a package manager put there.
func builtDir(name string) bool {
	switch name {
	case "vendor", "target", "dist", "build", "out", "third_party", "Pods", ".terraform", ".gradle":
		return true
	}
	return false
}

func (p *planner) walk() error {
	return p.walkDir("", p.root, 0)
}

// walkDir reads one folder; rel is where it is seen, real where it lies.
func (p *planner) walkDir(rel, real string, links int) error {
	entries, err := os.ReadDir(real)
	if err != nil {
		if rel == "" {
			return fmt.Errorf("read %s: %w", real, err)
		}
		p.skipFile(rel, "", "folder cannot be read: "+cause(err))
		return nil
	}
	for _, d := range entries {
		if p.seen++; p.seen > maxWalk {
			p.project.cut = true
			return nil
		}
		name := path.Join(rel, d.Name())
		abs := filepath.Join(real, d.Name())
		switch {
		case d.IsDir():
			if skipDir(d.Name()) || builtDir(d.Name()) && !p.opts.All && !p.named(name) {
				continue
			}
			if rel != "" && links == 0 && !p.opts.All {
				if _, err := os.Stat(filepath.Join(abs, workspace.Marker, "config.yaml")); err == nil {
					p.skipFile(name, "", "a workspace of its own; import it there: pathrule import -C "+name)
					continue
				}
			}
			if err := p.walkDir(name, abs, links); err != nil {
				return err
			}
		case d.Type()&fs.ModeSymlink != 0:
			p.link(name, abs, links)
		case d.Type().IsRegular():
			if links == 0 {
				if len(p.project.files) < maxProject {
					p.project.files = append(p.project.files, name)
				} else {
					p.project.cut = true
				}
			}
			p.file(name, abs)
		}
	}
	return nil
}

// link looks at a symbolic link. A link to a folder is walked where a client
// would look for rules there.
func (p *planner) link(rel, abs string, links int) {
	f, known := p.formAt(rel)
	target, err := filepath.EvalSymlinks(abs)
	if err != nil {
		if known {
			p.skipFile(rel, f.client, "link leads nowhere or in a circle")
		} else if clientFolder(rel) {
			p.skipFile(rel, "", "link to a folder that is not there")
		}
		return
	}
	if !knowledge.Inside(target, p.root) {
		if known || clientFolder(rel) {
			p.skipFile(rel, f.client, "link leaves the project")
		}
		return
	}
	st, err := os.Stat(target)
	if err != nil {
		p.skipFile(rel, f.client, "cannot be read: "+cause(err))
		return
	}
	if !st.IsDir() {
		p.file(rel, target)
		return
	}
	if !clientFolder(rel) || links > 3 || p.dirs[rel+"\x00"+target] || strings.HasPrefix(abs+string(filepath.Separator), target+string(filepath.Separator)) {
		return
	}
	p.dirs[rel+"\x00"+target] = true
	_ = p.walkDir(rel, target, links+1)
}

// clientFolder reports a folder in which some client looks for rules or skills.
func clientFolder(rel string) bool {
	if _, _, in := inFolder(rel, "skills"); in && path.Base(rel) == "skills" {
		return true
	}
	for _, r := range ruleFolders {
		if _, _, in := inFolder(rel, r.path); in {
			return true
		}
		if first, _, deep := strings.Cut(r.path, "/"); deep && path.Base(rel) == first && first != ".github" {
			return true
		}
	}
	return false
}

// formAt is formOf with what the options add.
func (p *planner) formAt(rel string) (form, bool) {
	f, ok := formOf(rel)
	if ok && f.ask == "" || !p.opts.All && !p.namedFile(rel) && (ok || !p.named(rel)) {
		return f, ok
	}
	if ok {
		f.ask = ""
		if f.role == command {
			f.role = skill
		}
		return f, true
	}
	if !p.opts.All && !p.namedFile(rel) {
		return f, false // a folder was named: only what clients read in it
	}
	if !p.namedFile(rel) && !isMarkdown(path.Base(rel)) {
		return f, false
	}
	return libraryForm(rel)
}

// named reports that rel lies in a path that the person named.
func (p *planner) named(rel string) bool {
	for _, n := range p.opts.Paths {
		if n == "" || n == rel || strings.HasPrefix(rel, n+"/") {
			return true
		}
	}
	return false
}

// namedFile reports that this very file was named.
func (p *planner) namedFile(rel string) bool {
	for _, n := range p.opts.Paths {
		if n == rel {
			return true
		}
	}
	return false
}

// wanted reports that a file is part of this import at all.
func (p *planner) wanted(rel string) bool { return len(p.opts.Paths) == 0 || p.named(rel) }

func (p *planner) skipFile(rel, client, why string) {
	if p.wanted(rel) {
		p.report.Files = append(p.report.Files, File{Path: rel, Client: client, Result: Skipped, Why: why})
	}
}

// file takes a regular file in, when it is somebody's instruction file.
func (p *planner) file(rel, real string) {
	f, ok := p.formAt(rel)
	if !ok {
		if p.opts.All {
			p.skipFile(rel, "", "no Markdown")
		}
		return
	}
	if !p.wanted(rel) {
		// Its scope and its text may still matter to what was named.
		f.ask = either(f.ask, "not named")
	}
	s := p.byReal[real]
	if s == nil {
		s = &source{rel: rel, real: real}
		p.byReal[real] = s
	}
	at := place{rel: rel, form: f}
	if filepath.Join(p.root, filepath.FromSlash(rel)) == real {
		s.rel = rel
		s.places = append([]place{at}, s.places...)
		if f.role == skill && path.Base(rel) == "SKILL.md" {
			p.skills[path.Dir(rel)] = s
		}
		return
	}
	s.places = append(s.places, at)
}

// settle sorts the sources and gives each place its line in the report.
func (p *planner) settle() {
	for _, s := range p.byReal {
		sort.SliceStable(s.places[1:], func(i, j int) bool { return s.places[1+i].rel < s.places[1+j].rel })
		// What a client reads decides, not where the file itself happens to lie.
		if i := slices.IndexFunc(s.places, func(at place) bool { return at.form.ask == "" }); i > 0 {
			s.places[0], s.places[i] = s.places[i], s.places[0]
			s.places = slices.DeleteFunc(s.places, func(at place) bool { return at.form.ask != "" })
		}
		p.list = append(p.list, s)
	}
	sort.Slice(p.list, func(i, j int) bool { return p.list[i].rel < p.list[j].rel })
}

// read fills in a source's text, or says why there is none.
func (p *planner) read(s *source) {
	if why := s.form().ask; why != "" {
		s.skip = why
		return
	}
	if dir := p.insideSkill(s.rel); dir != "" {
		s.skip = partOf + dir
		return
	}
	data, err := readMostOf(s.real)
	if err != nil {
		s.skip = "cannot be read: " + cause(err)
		return
	}
	text, note, skip := decode(data)
	if s.skip = skip; skip != "" {
		return
	}
	if note != "" {
		s.note("%s", note)
	}
	if n := s.form().note; n != "" {
		s.note("%s", n)
	}
	s.text = p.ownPart(s, text)
	if s.skip != "" {
		return
	}
	p.head(s)
}

// partOf begins the reason of a file that goes along with a skill.
const partOf = "goes along with the skill "

// insideSkill is the skill's folder that holds a file other than its SKILL.md.
func (p *planner) insideSkill(rel string) string {
	if path.Base(rel) == "SKILL.md" && p.skills[path.Dir(rel)] != nil {
		return ""
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if s := p.skills[dir]; s != nil && s.form().ask == "" {
			return dir
		}
	}
	return ""
}

func readMostOf(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, readMost+1))
	if err == nil && len(b) > readMost {
		err = errors.New("larger than 16 MiB")
	}
	return b, err
}

func cause(err error) string {
	for {
		u := errors.Unwrap(err)
		if u == nil {
			return err.Error()
		}
		err = u
	}
}

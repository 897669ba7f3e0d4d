// Package corpus turns a folder of Markdown instruction files, as teams keep
// them for many clients, into a pathrule workspace: real input for tests and
// measurements. Every file has one result, imported or left out with a reason,
// and none stops the rest.
package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

// Large files are imported and named: nobody wants them delivered whole.
const largeFile = 40 << 10 // bytes

// Item is the result of one file.
type Item struct {
	// File is its slash path below the source.
	File string
	// Key is "kind:id" of the entry that holds it; "" when it was left out.
	Key string
	// Skip is why it was left out; "" when it was not.
	Skip string
	// Warnings are imported all the same.
	Warnings []string
}

// Report lists every file of the source, sorted.
type Report struct{ Items []Item }

// Counts are the numbers of entries by kind, of files left out, and of files
// with warnings.
func (r Report) Counts() (entries map[knowledge.Kind]int, skipped, warned int) {
	entries = map[knowledge.Kind]int{}
	seen := map[string]bool{}
	for _, it := range r.Items {
		switch {
		case it.Skip != "":
			skipped++
		case !seen[it.Key]:
			seen[it.Key] = true
			kind, _, _ := strings.Cut(it.Key, ":")
			entries[knowledge.Kind(kind)]++
		}
		if len(it.Warnings) > 0 {
			warned++
		}
	}
	return entries, skipped, warned
}

// source is one real file with every place it lies at.
type source struct {
	rel    string   // of the file itself, or of the first link when it lies elsewhere
	real   string   // absolute
	places []string // slash paths: the file and the links to it
	items  []int    // indexes into Report.Items
}

type converter struct {
	src, real string // as given, and with links resolved
	store     string
	report    Report
	byReal    map[string]*source
	// skills are the folders that hold a SKILL.md, longest last.
	skills []string
	taken  map[string]bool
}

// Convert reads src and writes dst/.pathrule, which must not exist yet. The
// source is only read.
func Convert(src, dst string) (Report, error) {
	real, err := filepath.EvalSymlinks(src)
	if err != nil {
		return Report{}, fmt.Errorf("convert: %w", err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return Report{}, fmt.Errorf("convert: %w", err)
	}
	c := &converter{src: src, real: real, store: filepath.Join(dst, workspace.Marker), byReal: map[string]*source{}, taken: map[string]bool{}}
	if _, err := os.Lstat(c.store); !errors.Is(err, fs.ErrNotExist) {
		return Report{}, fmt.Errorf("convert: %s exists already; give a folder without one", c.store)
	}
	if err := c.collect(); err != nil {
		return Report{}, fmt.Errorf("convert: %w", err)
	}
	list := make([]*source, 0, len(c.byReal))
	for _, s := range c.byReal {
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].rel < list[j].rel })
	// Skills first: their ids are folders, and the others must keep out.
	for _, skills := range []bool{true, false} {
		for _, s := range list {
			if (path.Base(s.rel) == "SKILL.md") == skills {
				c.convert(s)
			}
		}
	}
	return c.report, nil
}

// collect walks the source and finds for each file and link the real file.
func (c *converter) collect() error {
	return filepath.WalkDir(c.real, func(p string, d fs.DirEntry, err error) error {
		rel, e := filepath.Rel(c.real, p)
		if e != nil {
			return e
		}
		rel = filepath.ToSlash(rel)
		if err != nil {
			c.add(Item{File: rel, Skip: "cannot be read: " + err.Error()})
			return nil
		}
		if d.IsDir() {
			if n := d.Name(); n == ".git" || n == "node_modules" || n == workspace.Marker {
				return fs.SkipDir
			}
			return nil
		}
		target := p
		if d.Type()&fs.ModeSymlink != 0 {
			if target, err = filepath.EvalSymlinks(p); err != nil {
				c.add(Item{File: rel, Skip: "link leads nowhere or in a circle"})
				return nil
			}
			if !knowledge.Inside(target, c.real) {
				c.add(Item{File: rel, Skip: "link leaves the folder"})
				return nil
			}
			st, err := os.Stat(target)
			if err != nil {
				c.add(Item{File: rel, Skip: "cannot be read: " + err.Error()})
				return nil
			}
			if st.IsDir() {
				// What lies there is found at its own place.
				c.add(Item{File: rel, Skip: "link to a folder that is read at its own place"})
				return nil
			}
		} else if !d.Type().IsRegular() {
			c.add(Item{File: rel, Skip: "no regular file"})
			return nil
		}
		if why := notInstructions(rel); why != "" {
			c.add(Item{File: rel, Skip: why})
			return nil
		}
		if path.Base(rel) == "SKILL.md" && target == p {
			c.skills = append(c.skills, path.Dir(rel))
		}
		s := c.byReal[target]
		if s == nil {
			s = &source{rel: rel, real: target}
			c.byReal[target] = s
		}
		if target == p {
			s.rel = rel
		}
		s.places = append(s.places, rel)
		s.items = append(s.items, c.add(Item{File: rel}))
		return nil
	})
}

func (c *converter) add(it Item) int {
	c.report.Items = append(c.report.Items, it)
	return len(c.report.Items) - 1
}

func (c *converter) all(s *source, set func(*Item)) {
	for _, i := range s.items {
		set(&c.report.Items[i])
	}
}

// convert makes one entry of a file, or says why not.
func (c *converter) convert(s *source) {
	skip := func(why string) { c.all(s, func(it *Item) { it.Skip = why }) }
	data, err := os.ReadFile(s.real)
	if err != nil {
		skip("cannot be read: " + err.Error())
		return
	}
	if dir := c.insideSkill(s.rel); dir != "" {
		skip("belongs to the skill " + dir)
		return
	}
	if err := knowledge.Text(data, s.rel); err != nil {
		var pe *knowledge.ParseError
		errors.As(err, &pe)
		skip(fmt.Sprintf("%s (line %d)", pe.Msg, pe.Line))
		return
	}
	e, warnings := entry(s.rel, data)
	if to := pointsTo(e.Body); to != "" {
		// A checkout without links has the target's name as text.
		if _, err := os.Stat(filepath.Join(filepath.Dir(s.real), filepath.FromSlash(to))); err == nil {
			skip("stands for " + to)
			return
		}
	}
	if strings.TrimSpace(knowledge.Strip(e.Body)) == "" {
		skip("empty")
		return
	}
	var scopes [][]string
	for _, place := range s.places {
		fields, _, _ := frontmatter.Head(data)
		paths, warn := scope(place, fields)
		scopes = append(scopes, paths)
		warnings = append(warnings, warn...)
	}
	e.Paths = widest(scopes)
	if _, err := workspace.ParseScope(e.Paths); err != nil {
		warnings = append(warnings, "scope left out: "+err.Error())
		_, dir := place(s.rel)
		e.Paths = under(dir)
	}
	if len(data) > largeFile {
		warnings = append(warnings, fmt.Sprintf("large: %d KiB", len(data)>>10))
	}
	e.ID = c.id(e.Kind, s.rel)
	e.File = knowledge.FileOf(e.Kind, e.ID)
	raw := frontmatter.Render(e)
	if _, problems, err := frontmatter.Parse(raw, e.Kind, e.ID, e.File); err != nil {
		skip("cannot be written: " + err.Error())
		return
	} else {
		for _, p := range problems {
			if !p.Warning {
				warnings = append(warnings, p.Msg)
			}
		}
	}
	if err := c.write(e, raw, s.rel); err != nil {
		skip("cannot be written: " + err.Error())
		return
	}
	c.all(s, func(it *Item) { it.Key, it.Warnings = e.Key(), unique(warnings) })
}

func (c *converter) write(e knowledge.Entry, raw []byte, rel string) error {
	file := filepath.Join(c.store, filepath.FromSlash(e.File))
	if err := atomicfile.Write(file, raw, 0o644, 0o755); err != nil {
		return err
	}
	if e.Kind != knowledge.Skill {
		return nil
	}
	// A skill's further files come along as far as they are regular files.
	from := filepath.Join(c.real, filepath.FromSlash(path.Dir(rel)))
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "SKILL.md" {
			return nil
		}
		if st, err := d.Info(); err != nil || st.Size() > knowledge.MaxFile {
			return nil
		}
		name, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return nil
		}
		return atomicfile.Write(filepath.Join(filepath.Dir(file), name), data, 0o644, 0o755)
	})
}

// insideSkill is the skill's folder that holds a file other than its SKILL.md.
func (c *converter) insideSkill(rel string) string {
	for _, dir := range c.skills {
		if rest, ok := strings.CutPrefix(rel, dir+"/"); ok && rest != "SKILL.md" && dir != "." {
			return dir
		}
	}
	return ""
}

// id makes an id from a file's place, in lower case so that no two differ by
// case only.
func (c *converter) id(kind knowledge.Kind, rel string) string {
	if kind == knowledge.Skill {
		rel = path.Dir(rel)
	} else {
		base := path.Base(rel)
		for _, ext := range []string{".instructions.md", ".md", ".mdc"} {
			if stem, ok := strings.CutSuffix(base, ext); ok && stem != "" {
				base = stem
				break
			}
		}
		rel = path.Join(path.Dir(rel), base)
	}
	var segs []string
	for _, seg := range strings.Split(rel, "/") {
		if s := knowledge.Slug(seg); s != "" {
			segs = append(segs, s)
		}
	}
	base := strings.Join(segs, "/")
	if base == "" {
		base = string(kind)
	}
	id := base
	for n := 2; c.taken[string(kind)+":"+id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	c.taken[string(kind)+":"+id] = true
	return id
}

func unique(list []string) []string {
	sort.Strings(list)
	return slices.Compact(list)
}

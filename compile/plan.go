package compile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/internal/regular"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

func plan(ws *workspace.Workspace, src catalog.Source, o Options, env sysenv.Env) ([]Change, error) {
	t, err := targetOf(o.Target)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(manifestPath(ws))
	if err != nil {
		return nil, err
	}
	standing := m.Files
	if other, err := readManifest(personalManifest(ws, env)); err != nil {
		return nil, err
	} else if o.Personal {
		if slices.ContainsFunc(m.Files, func(f Managed) bool { return f.Target == t.name }) {
			return nil, fmt.Errorf("compile %s: its files are shared already; remove those first: pathrule compile %s --remove", t.name, t.name)
		}
		standing, m = append(standing, other.Files...), other
	} else if slices.ContainsFunc(other.Files, func(f Managed) bool { return f.Target == t.name }) {
		return nil, fmt.Errorf("compile %s: its files hold your own entries; go on with --personal, or remove them first: pathrule compile %s --personal --remove", t.name, t.name)
	} else {
		standing = append(standing, other.Files...)
	}
	mk := newMaker(t, ws)
	if !o.Remove {
		if err := double(t, standing, o); err != nil {
			return nil, err
		}
		mk.noSkills = skillsBeside(t, standing, o.Beside)
		if err := outputs(mk, src, o, m); err != nil {
			return nil, fmt.Errorf("compile %s: %w", t.name, err)
		}
		if o.Personal {
			if err := hidden(mk, o); err != nil {
				return nil, fmt.Errorf("compile %s: %w", t.name, err)
			}
		}
	}
	p := planner{ws: ws, t: t, m: &m, o: o}
	for _, out := range mk.outputs {
		p.changes = append(p.changes, p.output(out))
	}
	for i := range m.Files {
		f := &m.Files[i]
		wanted := slices.ContainsFunc(mk.outputs, func(out output) bool { return out.path == f.Path })
		if f.Target != t.name || wanted {
			continue
		}
		if c, ok := p.stale(f); ok {
			p.changes = append(p.changes, c)
		}
	}
	for _, s := range mk.skips {
		p.changes = append(p.changes, Change{Path: s.path, Action: Skip, Why: s.why})
	}
	slices.SortStableFunc(p.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return p.changes, nil
}

// outputs makes what the target wants: all of it, or what a hook leaves to it.
func outputs(mk *maker, src catalog.Source, o Options, m manifest) error {
	t := mk.t
	note := o.Hooked && !t.skills && !mk.backups()
	if !note || o.PathFiles || t.floor {
		entries, err := load(mk.ws, src, o.Personal)
		if err != nil {
			return err
		}
		mk.make(entries)
	}
	if !note {
		return nil
	}
	// The files in every request give way to a note, those for some paths stay.
	mk.outputs = slices.DeleteFunc(mk.outputs, func(out output) bool { return len(out.paths) == 0 })
	heads := t.heads
	if t.file != "" {
		heads = []dialect{{}}
	}
	for _, d := range heads {
		file := t.protocolFile(d.ext)
		// Beside files for paths, which are made anew, the note is worth its place:
		// it helps where the client's build does not run the hook.
		if t.floor || m.find(file) != nil {
			mk.add(output{path: file, text: d.always + mk.note(), note: true})
		}
	}
	mk.sort()
	return nil
}

// backups reports that the older product left a copy of a file of the target
// which nobody has restored or discarded: then whole files stay.
func (m *maker) backups() bool {
	dir := filepath.Join(m.ws.Store, "backups")
	found := false
	_ = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if rel, err := filepath.Rel(dir, p); err == nil && !d.IsDir() && m.t.spot(filepath.ToSlash(rel)) {
			found = true
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// spot reports a place where the target's client looks for such files, whoever
// wrote them.
func (t *target) spot(p string) bool {
	return t.file != "" && path.Base(p) == path.Base(t.file) || t.dir != "" && strings.HasPrefix(p, path.Dir(t.dir+"/x")+"/")
}

// hidden refuses personal entries in a file that git would show to others.
func hidden(mk *maker, o Options) error {
	for _, out := range mk.outputs {
		if o.Ignored == nil || !o.Ignored(out.path) {
			line := "/" + out.path
			if mk.t.dir != "" && !out.region {
				line = "/" + mk.t.dir + "/" + mk.t.prefix + "*"
			}
			return fmt.Errorf("%s would hold your own entries, and git does not ignore it; add this line to .gitignore (or .git/info/exclude): %s", out.path, line)
		}
	}
	return nil
}

// skillsBeside reports that the target's client loads skill folders of ours, so
// that its rule files need not hold skills as well.
func skillsBeside(t *target, standing []Managed, beside []string) bool {
	names := slices.Clone(beside)
	for _, f := range standing {
		names = append(names, f.Target)
	}
	for _, n := range names {
		if s, err := targetOf(n); err == nil && s.skills && slices.Contains(loadsOf(t.host), n) {
			return true
		}
	}
	return false
}

type planner struct {
	ws      *workspace.Workspace
	t       *target
	m       *manifest
	o       Options
	changes []Change
}

// read returns the file's bytes, nil when there is none. A place that leaves
// the project, lies in .git or is no file is refused with the reason.
func (p *planner) read(path string) (data []byte, refused string) {
	abs := filepath.Join(p.ws.Root, filepath.FromSlash(path))
	rel, ok := workspace.Rel(p.ws.Root, p.ws.Root, abs)
	if !ok {
		return nil, "its real path leaves the project through a link; remove the link or compile another target"
	}
	if slices.Contains(strings.Split(rel, "/"), ".git") {
		return nil, "its real path lies in .git; remove the link"
	}
	st, err := os.Stat(abs)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, ""
	case err != nil:
		return nil, fmt.Sprintf("cannot be looked at (%v); a file stands where a folder is needed, or rights are missing", errors.Unwrap(err))
	case !st.Mode().IsRegular():
		return nil, "is no regular file; move it away"
	}
	if data, err = regular.Read(abs); err != nil {
		return nil, fmt.Sprintf("cannot be read (%v); give yourself the right to read it", errors.Unwrap(err))
	}
	if data == nil {
		data = []byte{}
	}
	return data, ""
}

const editedRemedy = "was edited by hand since it was compiled; move your text into .pathrule/ and run with --force, or move the file away"

// output compares one wanted file with the disk and the manifest.
func (p *planner) output(out output) Change {
	c := Change{Path: out.path, Action: Refuse, record: p.m.find(out.path)}
	var refused string
	if c.Before, refused = p.read(out.path); refused != "" {
		c.Why = refused
		return c
	}
	known := c.record
	if out.region {
		return p.region(c, out, known)
	}
	c.After = []byte(out.text)
	c.exec = out.exec
	c.record = &Managed{Path: out.path, Target: p.t.name, SHA256: hashOf(c.After), Note: out.note, Holds: out.holds, For: out.paths}
	switch {
	case c.Before == nil:
		c.Action = Add
	case bytes.Equal(unixLines(c.Before), c.After):
		// A checkout with other line ends is current too.
		c.Action, c.After = Keep, c.Before
	case known != nil && known.SHA256 == hashOf(c.Before):
		c.Action = Update
	case known != nil && p.o.Force:
		c.Action = Update
	case known != nil:
		c.Why, c.record, c.Forcible = editedRemedy, known, true
	case !bytes.Contains(c.Before, []byte(marker+": made from ")):
		c.Why, c.record = "exists and was not written by pathrule; rename it or move it away", nil
	case p.o.Force:
		// Ours by its provenance, although the manifest was lost.
		c.Action = Update
	default:
		c.Why, c.record, c.Forcible = "says that pathrule made it, and the manifest does not know it; run with --force to write it anew, or move it away", nil, true
	}
	return c
}

// region compares the wanted region with a shared file.
func (p *planner) region(c Change, out output, known *Managed) Change {
	r, err := findRegion(c.Before)
	if err != nil {
		c.Why = err.Error() + "; leave one \"" + beginLine + "\" and one \"" + endLine + "\", or none"
		return c
	}
	after, lead, err := setRegion(c.Before, out.text)
	if err != nil {
		c.Why = err.Error()
		return c
	}
	now, _ := findRegion(after)
	c.record = &Managed{Path: out.path, Target: p.t.name, SHA256: hashOf(after[now.from:now.to]), Region: true, Lead: lead, Created: c.Before == nil,
		Note: out.note, Holds: out.holds, For: out.paths}
	if r.found && known != nil {
		c.record.Lead, c.record.Created = known.Lead, known.Created
	}
	c.After = after
	switch {
	case c.Before == nil:
		c.Action = Add
	case bytes.Equal(unixLines(c.Before), unixLines(after)):
		c.Action, c.After = Keep, c.Before
	case !r.found, p.o.Force, known != nil && known.SHA256 == hashOf(c.Before[r.from:r.to]):
		c.Action = Update
	default:
		c.Action, c.After, c.record = Refuse, nil, known
		c.Why, c.Forcible = "the text between pathrule's markers "+editedRemedy, true
	}
	return c
}

// stale plans the end of a file that is no longer wanted; ok is false when
// there is nothing left to do.
func (p *planner) stale(f *Managed) (c Change, ok bool) {
	c = Change{Path: f.Path, Action: Refuse, record: f}
	var refused string
	if c.Before, refused = p.read(f.Path); refused != "" {
		c.Why = refused
		return c, true
	}
	if c.Before == nil {
		return Change{Path: f.Path, Action: Keep}, p.o.Remove
	}
	own := c.Before
	if f.Region {
		r, err := findRegion(c.Before)
		if err != nil {
			c.Why = err.Error() + "; mend the markers first"
			return c, true
		}
		if !r.found {
			return Change{Path: f.Path, Action: Keep, Before: c.Before, After: c.Before}, true
		}
		own = c.Before[r.from:r.to]
	}
	// What a skill brings besides its text has no mark of ours, only its hash.
	if hashOf(own) != f.SHA256 && (!p.o.Force || p.t.skills && !bytes.Contains(own, []byte(marker+": made from "))) {
		c.Why, c.Forcible = "is no longer needed, but "+editedRemedy, !p.o.Force
		return c, true
	}
	c.Action, c.record = Remove, nil
	if f.Region {
		rest, err := cutRegion(c.Before, f.Lead)
		if err != nil {
			c.Action, c.Why, c.record = Refuse, err.Error(), f
			return c, true
		}
		if !f.Created || len(bytes.TrimSpace(bytes.TrimPrefix(rest, []byte(byteOrderMark)))) > 0 {
			c.Action, c.After = Update, rest
		}
	}
	return c, true
}

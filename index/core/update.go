package core

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/knowledge"
)

// update applies a comparison to the current generation. The lock is held. A
// generation that turns out to be damaged is built anew.
func (w *writer) update(p catalog.Pointer, c comparison, whole bool) (Report, error) {
	u := &update{w: w, dir: filepath.Join(w.cache, p.Gen), now: p, changed: map[fileID]bool{}}
	var err error
	if u.m, err = openManifest(u.dir); err != nil {
		return w.build()
	}
	defer u.m.close()
	if u.cat, err = catalog.OpenDir(u.dir); err != nil {
		return w.build()
	}
	defer u.cat.Close()
	u.now.Lengths = map[string]int64{}
	for k, v := range p.Lengths {
		u.now.Lengths[k] = v
	}
	u.a = amend(u.m, c, whole)
	done, err := u.take(c.changes)
	if err != nil {
		return w.build()
	}
	u.now.Partial = !done || c.late
	g, err := newGeneration(w.cache)
	if err != nil {
		return w.report(), err
	}
	defer g.discard()
	listed, err := u.project(g)
	if err != nil {
		return w.report(), err
	}
	if u.b.empty() && !listed && p.Partial == u.now.Partial {
		// Only lines of the manifest moved.
		if err := w.saveManifest(u.dir, u.m, u.a); err != nil {
			return w.report(), err
		}
		w.rep.State = Fresh
		if p.Partial {
			w.rep.State = Stale
		}
		w.rep.Entries, w.rep.Files = p.Entries, p.Files
		return w.report(), nil
	}
	if err := u.store(g); err != nil {
		// The published segments cannot be built upon; if the disk is to blame, the
		// build says so.
		g.discard()
		return w.build()
	}
	if err := catalog.WriteNext(g.dir, u.cat, u.dir, u.c, linkOrCopy); err != nil {
		return w.report(), err
	}
	h, err := u.m.writeNext(g.dir, u.dir, u.a)
	if err != nil {
		return w.report(), err
	}
	w.rep.Problems = h.all()
	return w.publish(g, u.now)
}

// store makes the next bleve store from the current one.
func (u *update) store(g *generation) error {
	if err := cloneStore(filepath.Join(u.dir, storeName), g.store()); err != nil {
		return err
	}
	if u.b.empty() {
		return copyFile(filepath.Join(u.dir, segmentsName), filepath.Join(g.dir, segmentsName))
	}
	segs, err := u.w.eng.Update(u.w.ctx, g.store(), u.b.update, u.b.remove)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(filepath.Join(u.dir, segmentsName))
	if err != nil {
		return err
	}
	list, err := parseSegments(string(old))
	if err != nil {
		return err
	}
	keepRuns(segs, list)
	u.now.Docs = live(segs)
	// Every entry, every file, and the one document that is always there. bleve
	// begins anew, without a word, when it cannot read what it had.
	if want := u.now.Entries + u.now.Files + 1; u.now.Docs != want {
		return fmt.Errorf("update index: %d documents, not %d", u.now.Docs, want)
	}
	return writeSegments(g.dir, segs)
}

// update is one incremental refresh.
type update struct {
	w   *writer
	dir string
	m   *manifestReader
	cat *catalog.Reader
	now catalog.Pointer // what will be published

	a *amendment
	b batch
	c catalog.Change

	changed map[fileID]bool // those taken so far

	byKey map[string][]*fileState // all files by "kind:id", read when needed
}

// take decides, for every entry that a change touches, which file it is now.
// done is false when the limits left some for the next refresh.
func (u *update) take(changes map[fileID]*change) (done bool, err error) {
	var a analyser
	done = true
	fresh := map[string][]parsed{}
	var keys []string
	touch := func(key string) {
		if _, ok := fresh[key]; !ok {
			fresh[key] = nil
			keys = append(keys, key)
		}
	}
	for n, id := range order(changes) {
		if (u.w.l.Files > 0 && n >= u.w.l.Files) || (n > 0 && u.w.late()) {
			done = false
			break
		}
		u.w.rep.Changed++
		u.changed[id] = true
		ch := changes[id]
		if ch.now == nil {
			u.a.gone[id] = true
			if kind, name, ok := knowledge.Ident(id.file); ok {
				touch(u.key(id.root, kind, name))
			}
			continue
		}
		p := u.w.parse(&a, ch.now, ch.data)
		u.a.put[id] = p.state
		key := p.state.key()
		touch(key)
		fresh[key] = append(fresh[key], p)
	}
	for _, key := range keys {
		if err := u.decide(&a, key, fresh[key]); err != nil {
			return false, err
		}
	}
	return done, nil
}

func (u *update) key(root int, kind knowledge.Kind, name string) string {
	if u.w.roots[root].Owner == catalog.Personal {
		name = knowledge.PersonalPrefix + name
	}
	return string(kind) + ":" + name
}

// decide finds the file that is the entry called key: the closest one that can
// be read. fresh are its files that changed.
func (u *update) decide(a *analyser, key string, fresh []parsed) error {
	old, oldID, err := u.current(key)
	if err != nil {
		return err
	}
	moved := old != nil && u.changed[oldID]
	var all []parsed
	for _, p := range fresh {
		if p.item != nil {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(x, y parsed) int { return closer(x.state, y.state) })
	if old != nil && !moved {
		// The entry's own file stands as it was; only a closer one replaces it.
		if len(all) == 0 || closer(old, all[0].state) < 0 {
			return nil
		}
	}
	if old != nil && moved && (len(all) == 0 || all[0].state.root > old.root) {
		// What was hidden below it may come to light.
		hidden, err := u.unchanged(key)
		if err != nil {
			return err
		}
		for _, f := range hidden {
			if p := u.w.parse(a, f, nil); p.item != nil {
				all = append(all, p)
				u.a.put[fileID{f.root, f.file}] = f
			}
		}
		slices.SortFunc(all, func(x, y parsed) int { return closer(x.state, y.state) })
	}
	if old != nil {
		u.count(old.lengths, -1)
		if !moved {
			f := *u.settled(oldID, old)
			f.indexed = false
			u.a.put[oldID] = &f
		}
	}
	if len(all) == 0 {
		if old != nil {
			u.b.remove = append(u.b.remove, key)
			u.c.Removed = append(u.c.Removed, key)
			u.now.Entries--
		}
		return nil
	}
	won := all[0]
	won.state.indexed = true
	u.count(won.state.lengths, 1)
	u.b.update = append(u.b.update, won.doc)
	u.c.Updated = append(u.c.Updated, won.item)
	if old == nil {
		u.now.Entries++
	}
	return nil
}

// closer orders files that are the same entry.
func closer(a, b *fileState) int {
	if c := cmp.Compare(a.root, b.root); c != 0 {
		return c
	}
	return strings.Compare(a.file, b.file)
}

// settled is a file's state with what this refresh learnt of it.
func (u *update) settled(id fileID, f *fileState) *fileState {
	if s := u.a.put[id]; s != nil {
		return s
	}
	return f
}

func (u *update) count(n lengths, sign int64) {
	for i, v := range n {
		u.now.Lengths[fieldNames[i]] += sign * int64(v)
	}
}

// current is the file that the published index holds as the entry key.
func (u *update) current(key string) (*fileState, fileID, error) {
	kind, id, _ := strings.Cut(key, ":")
	rec, ok, err := u.cat.Lookup(knowledge.Kind(kind), id)
	if err != nil || !ok {
		return nil, fileID{}, err
	}
	for i, r := range u.w.roots {
		if r.Owner != rec.Owner {
			continue
		}
		rel, err := filepath.Rel(r.Store, rec.File)
		if err != nil {
			return nil, fileID{}, err
		}
		fid := fileID{i, path.Clean(filepath.ToSlash(rel))}
		f, err := u.m.state(fid)
		if err == nil && (f == nil || !f.indexed) {
			err = fmt.Errorf("manifest and catalogue disagree about %s", key)
		}
		return f, fid, err
	}
	return nil, fileID{}, fmt.Errorf("catalogue holds %s of an unknown store", key)
}

// unchanged are the files called key that no change touched.
func (u *update) unchanged(key string) ([]*fileState, error) {
	if u.byKey == nil {
		u.byKey = map[string][]*fileState{}
		err := u.m.eachFile("", func(f *fileState) bool {
			u.byKey[f.key()] = append(u.byKey[f.key()], f)
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	var out []*fileState
	for _, f := range u.byKey[key] {
		id := fileID{f.root, f.file}
		if !u.changed[id] {
			out = append(out, u.settled(id, f))
		}
	}
	return out, nil
}

// project brings the project map up to date in a new generation; listed says
// that the list of files changed.
func (u *update) project(g *generation) (listed bool, err error) {
	to := filepath.Join(g.dir, filesName)
	keep := func() (bool, error) {
		u.now.Partial = u.now.Partial || u.m.project.source == ""
		return false, linkOrCopy(filepath.Join(u.dir, filesName), to)
	}
	if len(u.w.only) > 0 || u.w.late() || !u.w.projectMoved(u.m) {
		return keep()
	}
	pm, ok := u.w.readProject()
	if !ok {
		return keep()
	}
	if old := u.m.project; pm.state.sum == old.sum && pm.state.count == old.count && old.source != "" {
		u.a.project = pm.state
		return keep()
	}
	old, err := readFiles(filepath.Join(u.dir, filesName))
	if err != nil {
		return false, fmt.Errorf("read project map: %w", err)
	}
	var a analyser
	now := make([]string, 0, len(pm.paths))
	more := false
	diffSorted(old, pm.paths, func(p string) {
		u.b.remove = append(u.b.remove, filePrefix+p)
	}, func(p string) {
		if more = more || u.w.late(); !more {
			u.b.update = append(u.b.update, a.file(p))
			now = append(now, p)
		}
	}, func(p string) { now = append(now, p) })
	u.a.project = pm.state
	if more {
		u.a.project.source, u.a.project.count = "", len(now)
		u.now.Partial = true
	}
	u.now.Files = len(now)
	return true, writeFiles(to, now)
}

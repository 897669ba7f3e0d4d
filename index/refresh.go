package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"pathrule/index/catalog"
	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

const (
	// lockWait is how long a refresh without a time limit waits for another one.
	lockWait = 2 * time.Minute
	// cursorName remembers where the rotating window stands.
	cursorName = "cursor"
	// publishShare of a time limit is kept back for writing and publishing.
	publishShare = 4
)

// ErrBusy: another process held the writer lock all the time.
var ErrBusy = errors.New("another pathrule process is rebuilding this workspace's index")

// writer does one build or refresh.
type writer struct {
	ctx   context.Context
	ws    *workspace.Workspace
	env   sysenv.Env
	l     Limits
	cache string
	roots []catalog.Root

	start    time.Time
	deadline time.Time // zero: none; for looking and parsing
	last     time.Time // zero: none; for everything
	rep      Report
}

func newWriter(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits) *writer {
	dirs := workspace.DirsOf(env)
	w := &writer{ctx: ctx, ws: ws, env: env, l: l, cache: dirs.Cache(ws.ID), roots: rootsOf(ws, dirs), start: time.Now()}
	if l.Time > 0 {
		w.last = w.start.Add(l.Time)
		w.deadline = w.last.Add(-l.Time / publishShare)
	}
	return w
}

func (w *writer) now() time.Time {
	if w.env.Now != nil {
		return w.env.Now()
	}
	return time.Now()
}

func (w *writer) scanner() *scanner {
	return &scanner{ws: w.ws, roots: w.roots, now: w.now, deadline: w.deadline}
}

// lock takes the writer lock within what is left of the time.
func (w *writer) lock() (*filelock.Lock, error) {
	wait := lockWait
	if !w.last.IsZero() {
		wait = max(0, time.Until(w.deadline))
	}
	l, err := filelock.Acquire(filepath.Join(w.cache, catalog.LockName), wait)
	if errors.Is(err, filelock.ErrTimeout) {
		return nil, ErrBusy
	}
	if err != nil {
		return nil, fmt.Errorf("lock index: %w", err)
	}
	return l, nil
}

// build makes a new generation unless another process did while we waited for
// the lock: of ten builders one builds, and nine use what it made.
func build(ctx context.Context, ws *workspace.Workspace, env sysenv.Env) (Report, error) {
	w := newWriter(ctx, ws, env, Limits{})
	before, _ := catalog.ReadPointer(w.cache, catalog.Versions())
	lock, err := w.lock()
	if err != nil {
		return w.report(), err
	}
	defer lock.Unlock()
	if p, err := catalog.ReadPointer(w.cache, catalog.Versions()); err == nil && p.Gen != before.Gen && !p.Partial {
		return w.locked()
	}
	return w.build()
}

func refresh(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits) (Report, error) {
	w := newWriter(ctx, ws, env, l)
	p, m, err := w.current()
	if err != nil {
		// Nothing usable: build, or wait for whoever builds.
		lock, err := w.lock()
		if err != nil {
			return w.report(), quietBusy(err, l)
		}
		defer lock.Unlock()
		return w.locked()
	}
	c, whole := w.look(m)
	moved := c.moved() || p.Partial || w.projectMoved(m)
	m.close()
	if !moved {
		w.unchanged(p, m, c)
		if w.worthSettling(m, c, whole) {
			w.settle(p, c, whole)
		}
		return w.report(), nil
	}
	lock, err := w.lock()
	if err != nil {
		w.unchanged(p, m, c)
		w.rep.State = Stale
		return w.report(), quietBusy(err, l)
	}
	defer lock.Unlock()
	// The pointer may have moved while we waited; what we saw of the disk is then
	// compared with the wrong manifest.
	if again, err := catalog.ReadPointer(w.cache, catalog.Versions()); err == nil && again.Gen == p.Gen {
		return w.update(p, c, whole)
	}
	return w.locked()
}

// quietBusy: under a time limit a held lock is no error, the published
// generation is good enough.
func quietBusy(err error, l Limits) error {
	if l.Time > 0 && errors.Is(err, ErrBusy) {
		return nil
	}
	return err
}

// locked compares and updates with the lock in hand, or builds when there is
// nothing to build upon.
func (w *writer) locked() (Report, error) {
	p, m, err := w.current()
	if err != nil {
		return w.build()
	}
	c, whole := w.look(m)
	moved := c.moved() || p.Partial || w.projectMoved(m)
	m.close()
	if !moved {
		w.unchanged(p, m, c)
		return w.report(), nil
	}
	return w.update(p, c, whole)
}

// current opens what is published and can be built upon.
func (w *writer) current() (catalog.Pointer, *manifestReader, error) {
	p, err := catalog.ReadPointer(w.cache, catalog.Versions())
	if err != nil {
		return p, nil, err
	}
	m, err := openManifest(filepath.Join(w.cache, p.Gen))
	if err != nil {
		return p, nil, err
	}
	// Another store (the checkout moved, a workspace around this one appeared)
	// makes other keys of everything.
	if !slices.Equal(m.m.roots, w.roots) {
		m.close()
		return p, nil, catalog.ErrVersion
	}
	return p, m, nil
}

// look compares the disk with the manifest, whole or through the window.
func (w *writer) look(m *manifestReader) (c comparison, whole bool) {
	s := w.scanner()
	if w.l.Window > 0 && m.nFiles > w.l.Window {
		name := filepath.Join(w.cache, cursorName)
		cursor, _ := os.ReadFile(name)
		c, next, ok := s.window(m, w.l.Window, string(cursor))
		if ok {
			// Losing the cursor costs one turn of the window.
			if next != string(cursor) {
				_ = os.WriteFile(name, []byte(next), 0o600)
			}
			return c, false
		}
	}
	old := make(map[fileID]*fileState, m.nFiles)
	if err := m.eachFile("", func(f *fileState) bool { old[fileID{f.root, f.file}] = f; return true }); err != nil {
		old = nil
	}
	return s.all(old), true
}

func (w *writer) projectMoved(m *manifestReader) bool {
	return projectChanged(w.ws.Base(), m.m.project, w.now(), w.l.Time > 0)
}

// unchanged reports the published generation.
func (w *writer) unchanged(p catalog.Pointer, m *manifestReader, c comparison) {
	w.rep.State = Fresh
	if c.late || p.Partial {
		w.rep.State = Stale
	}
	w.rep.Entries, w.rep.Files = p.Entries, p.Files
	w.rep.Problems = slices.Clone(m.listed)
}

func (w *writer) report() Report {
	if w.rep.State == "" {
		w.rep.State = Missing
	}
	w.rep.Took = time.Since(w.start)
	return w.rep
}

// worthSettling: something was learnt that spares the next event a look. While
// a file's racy moment lasts there is nothing to gain.
func (w *writer) worthSettling(m *manifestReader, c comparison, whole bool) bool {
	if c.late {
		return false
	}
	for _, f := range c.settled {
		if !f.racy() {
			return true
		}
	}
	for i := range c.dirFix {
		if !c.dirFix[i].racy() {
			return true
		}
	}
	return whole && m.staleDirs(c.dirs)
}

// settle writes what was learnt without a change of content into the manifest
// of the current generation. It is skipped when somebody else writes.
func (w *writer) settle(p catalog.Pointer, c comparison, whole bool) {
	lock, err := filelock.Acquire(filepath.Join(w.cache, catalog.LockName), 0)
	if err != nil {
		return
	}
	defer lock.Unlock()
	if again, err := catalog.ReadPointer(w.cache, catalog.Versions()); err != nil || again.Gen != p.Gen {
		return
	}
	dir := filepath.Join(w.cache, p.Gen)
	r, err := openManifest(dir)
	if err != nil {
		return
	}
	m, err := r.load()
	r.close()
	if err != nil {
		return
	}
	m.apply(c, whole)
	_ = w.saveManifest(dir, m)
}

func (w *writer) saveManifest(dir string, m *manifest) error {
	var b strings.Builder
	if err := m.write(&b); err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, manifestName), []byte(b.String()), 0o600, 0)
}

// apply takes over what needs no new content.
func (m *manifest) apply(c comparison, whole bool) {
	for id, f := range c.settled {
		m.files[id] = f
	}
	if whole && c.whole {
		m.dirs, m.problems = c.dirs, c.problems
		return
	}
	for _, d := range c.dirFix {
		i := slices.IndexFunc(m.dirs, func(o dirState) bool { return o.root == d.root && o.dir == d.dir })
		if i >= 0 {
			m.dirs[i] = d
		}
	}
}

// build makes everything anew. The lock is held.
func (w *writer) build() (Report, error) {
	w.rep.Built = true
	sc := w.scanner()
	sc.lazy = true
	c := sc.all(nil)
	g, err := newGeneration(w.cache)
	if err != nil {
		return w.report(), err
	}
	defer g.discard()
	b, err := newBuilder(g)
	if err != nil {
		return w.report(), err
	}
	m := newManifest(w.roots)
	m.apply(c, true)
	// A folder counts as read only when all of its files were.
	st := &store{w: w, m: m, items: map[string]*catalog.Item{}}
	partial := c.late
	done, err := st.takeAll(c.changes, b.add)
	if err != nil {
		return w.report(), err
	}
	partial = partial || !done
	files := 0
	if pm, ok := w.readProject(); ok && !partial {
		var a analyser
		for i, p := range pm.paths {
			if i%1024 == 0 && w.late() {
				ok = false
				break
			}
			if err := b.add(a.file(p)); err != nil {
				return w.report(), err
			}
			files++
		}
		m.project = pm.state
		if !ok {
			// The part that is in counts; the rest is told apart by the list.
			pm.paths = pm.paths[:files]
			m.project.source, m.project.count = "", files
			partial = true
		}
		if err := writeFiles(filepath.Join(g.dir, filesName), pm.paths); err != nil {
			return w.report(), err
		}
	} else {
		partial = true
		if err := writeFiles(filepath.Join(g.dir, filesName), nil); err != nil {
			return w.report(), err
		}
	}
	if err := b.close(); err != nil {
		return w.report(), fmt.Errorf("build index: %w", err)
	}
	return w.finish(g, st, b.docs, files, partial)
}

func (w *writer) readProject() (projectMap, bool) {
	return readProject(w.ws.Base(), w.now(), w.deadline)
}

func (w *writer) late() bool {
	return w.ctx.Err() != nil || (!w.deadline.IsZero() && time.Now().After(w.deadline))
}

// update applies a comparison to the current generation. The lock is held.
func (w *writer) update(p catalog.Pointer, c comparison, whole bool) (Report, error) {
	dir := filepath.Join(w.cache, p.Gen)
	r, err := openManifest(dir)
	if err != nil {
		return w.build()
	}
	m, err := r.load()
	r.close()
	if err != nil {
		return w.build()
	}
	cat, err := catalog.OpenFile(filepath.Join(dir, catalog.FileName))
	if err != nil {
		return w.build()
	}
	defer cat.Close()
	st := &store{w: w, m: m, items: make(map[string]*catalog.Item, cat.Len()), had: p.Lengths}
	err = cat.Items(func(it *catalog.Item) error {
		st.items[string(it.Record.Kind)+":"+it.Record.ID] = it
		return nil
	})
	if err != nil {
		return w.build()
	}
	m.apply(c, whole)
	var b batch
	done, err := st.take(c.changes, &b)
	if err != nil {
		return w.report(), err
	}
	partial := !done || c.late
	g, err := newGeneration(w.cache)
	if err != nil {
		return w.report(), err
	}
	defer g.discard()
	files, listed, more, err := w.updateProject(g, dir, m, &b)
	if err != nil {
		return w.report(), err
	}
	partial = partial || more
	docs := p.Docs
	if b.empty() && !listed {
		// Only lines of the manifest moved.
		if p.Partial == partial {
			w.rep.State = Fresh
			if partial {
				w.rep.State = Stale
			}
			w.rep.Entries, w.rep.Files, w.rep.Problems = p.Entries, p.Files, m.allProblems()
			return w.report(), w.saveManifest(dir, m)
		}
	}
	if err := cloneStore(filepath.Join(dir, storeName), g.store()); err != nil {
		return w.report(), fmt.Errorf("copy index: %w", err)
	}
	if !b.empty() {
		if docs, err = writeBatch(w.ctx, g.store(), &b); err != nil {
			return w.report(), err
		}
	}
	return w.finish(g, st, docs, files, partial)
}

// updateProject brings the project map up to date in a new generation.
func (w *writer) updateProject(g *generation, dir string, m *manifest, b *batch) (files int, listed, more bool, err error) {
	keep := func() (int, bool, bool, error) {
		old := filepath.Join(dir, filesName)
		to := filepath.Join(g.dir, filesName)
		if linkFile(old, to) != nil {
			if err := copyFile(old, to); err != nil {
				return 0, false, false, err
			}
		}
		return m.project.count, false, m.project.source == "", nil
	}
	if !projectChanged(w.ws.Base(), m.project, w.now(), w.l.Time > 0) || w.late() {
		return keep()
	}
	pm, ok := w.readProject()
	if !ok {
		return keep()
	}
	if pm.state.sum == m.project.sum && pm.state.count == m.project.count && m.project.source != "" {
		m.project = pm.state
		return keep()
	}
	old, err := readFiles(filepath.Join(dir, filesName))
	if err != nil {
		return 0, false, false, fmt.Errorf("read project map: %w", err)
	}
	var a analyser
	now := pm.paths
	diffSorted(old, now, func(p string) {
		b.remove = append(b.remove, filePrefix+p)
	}, func(p string) {
		if w.late() {
			more = true
			return
		}
		b.update = append(b.update, a.file(p))
	})
	m.project = pm.state
	if more {
		// Keep the list honest: old files that stay, and the new ones taken.
		taken := map[string]bool{}
		for _, d := range b.update {
			if p, ok := strings.CutPrefix(d.id, filePrefix); ok {
				taken[p] = true
			}
		}
		now = slices.DeleteFunc(slices.Clone(now), func(p string) bool {
			_, stays := slices.BinarySearch(old, p)
			return !stays && !taken[p]
		})
		m.project.source, m.project.count = "", len(now)
	}
	return len(now), true, more, writeFiles(filepath.Join(g.dir, filesName), now)
}

// finish writes catalogue and manifest, publishes and sweeps.
func (w *writer) finish(g *generation, st *store, docs, files int, partial bool) (Report, error) {
	items := make([]*catalog.Item, 0, len(st.items))
	for _, it := range st.items {
		items = append(items, it)
	}
	if err := writeTo(filepath.Join(g.dir, catalog.FileName), func(f *os.File) error { return catalog.Write(f, w.roots, items) }); err != nil {
		return w.report(), err
	}
	if err := writeTo(filepath.Join(g.dir, manifestName), func(f *os.File) error { return st.m.write(f) }); err != nil {
		return w.report(), err
	}
	p := catalog.Pointer{Docs: docs, Entries: len(items), Files: files, Partial: partial, Lengths: map[string]int64{}}
	for _, f := range st.m.files {
		if f.indexed {
			for i, n := range f.lengths {
				p.Lengths[fieldNames[i]] += int64(n)
			}
		}
	}
	p, err := g.publish(p)
	if err != nil {
		return w.report(), err
	}
	sweep(w.cache, p.Gen, time.Now())
	w.rep.State, w.rep.Generation = Fresh, p.Gen
	if partial {
		w.rep.State = Stale
	}
	w.rep.Entries, w.rep.Files = p.Entries, p.Files
	w.rep.Problems = st.m.allProblems()
	return w.report(), nil
}

func writeTo(path string, write func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = write(f)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// store is the set of entries of the generation being made.
type store struct {
	w     *writer
	m     *manifest
	items map[string]*catalog.Item // by "kind:id"
	had   map[string]int64
}

// parsed is one file read, analysed and ready for both doors.
type parsed struct {
	state *fileState
	item  *catalog.Item
	doc   *document
}

// order is how changes are taken: stores by closeness, then by name, so that a
// bounded refresh is the same whoever does it.
func order(changes map[fileID]*change) []fileID {
	ids := make([]fileID, 0, len(changes))
	for id := range changes {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b fileID) int {
		if a.root != b.root {
			return a.root - b.root
		}
		return strings.Compare(a.file, b.file)
	})
	return ids
}

// takeAll is take for a build: nothing is indexed yet, files are read and
// analysed beside the writing of segments. done is false when time ran out.
func (s *store) takeAll(changes map[fileID]*change, add func(*document) error) (done bool, err error) {
	ids := order(changes)
	workers := max(1, runtime.GOMAXPROCS(0))
	const chunk = 64
	type work struct {
		ids []fileID
		out chan []parsed
	}
	jobs := make(chan work)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var a analyser
			for job := range jobs {
				out := make([]parsed, 0, len(job.ids))
				for _, id := range job.ids {
					out = append(out, s.parse(&a, changes[id].now, changes[id].data))
					changes[id].data = nil
				}
				job.out <- out
			}
		})
	}
	// Results come back in the order of the files.
	pending := make(chan work, 2*workers)
	stop := make(chan struct{})
	go func() {
		defer close(pending)
		defer close(jobs)
		for len(ids) > 0 {
			n := min(chunk, len(ids))
			w := work{ids[:n], make(chan []parsed, 1)}
			select {
			case <-stop:
				return
			case jobs <- w:
			}
			pending <- w
			ids = ids[n:]
		}
	}()
	done = true
	stopped := false
	for w := range pending {
		out := <-w.out
		if stopped {
			continue
		}
		for _, p := range out {
			s.m.files[fileID{p.state.root, p.state.file}] = p.state
			s.w.rep.Changed++
			if p.item == nil {
				continue
			}
			key := p.state.key()
			if s.items[key] != nil {
				continue // hidden by a closer one
			}
			s.items[key] = p.item
			p.state.indexed = true
			if err = add(p.doc); err != nil {
				break
			}
		}
		if err != nil || s.w.late() {
			stopped = true
			done = err == nil && len(s.m.files) == len(changes)
			close(stop)
		}
	}
	wg.Wait()
	return done, err
}

// take applies changes to the manifest and the catalogue and puts what bleve
// must do into b.
func (s *store) take(changes map[fileID]*change, b *batch) (done bool, err error) {
	var a analyser
	touched := map[string]bool{}
	byKey := map[string][]*fileState{}
	for _, f := range s.m.files {
		byKey[f.key()] = append(byKey[f.key()], f)
	}
	done = true
	fresh := map[*fileState]parsed{}
	var keys []string
	touch := func(key string) {
		if !touched[key] {
			touched[key] = true
			keys = append(keys, key)
		}
	}
	for n, id := range order(changes) {
		if (s.w.l.Files > 0 && n >= s.w.l.Files) || (n > 0 && s.w.late()) {
			done = false
			break
		}
		c := changes[id]
		if old := s.m.files[id]; old != nil {
			delete(s.m.files, id)
			byKey[old.key()] = slices.DeleteFunc(byKey[old.key()], func(f *fileState) bool { return f == old })
			touch(old.key())
		}
		if c.now != nil {
			p := s.parse(&a, c.now, c.data)
			s.m.files[id] = p.state
			byKey[p.state.key()] = append(byKey[p.state.key()], p.state)
			fresh[p.state] = p
			touch(p.state.key())
		}
		s.w.rep.Changed++
	}
	for _, key := range keys {
		s.settleKey(&a, key, byKey[key], fresh, b)
	}
	return done, nil
}

// settleKey decides which file is the entry called key: the closest one that
// can be read.
func (s *store) settleKey(a *analyser, key string, files []*fileState, fresh map[*fileState]parsed, b *batch) {
	slices.SortFunc(files, func(x, y *fileState) int {
		if x.root != y.root {
			return x.root - y.root
		}
		return strings.Compare(x.file, y.file)
	})
	had := s.items[key] != nil
	won := false
	for _, f := range files {
		if won {
			f.indexed = false
			continue
		}
		p, ok := fresh[f]
		if !ok {
			if f.indexed {
				won = true
				continue
			}
			if f.problem != nil {
				continue
			}
			p = s.parse(a, f, nil)
		}
		if p.item == nil {
			continue
		}
		won = true
		f.indexed = true
		s.items[key] = p.item
		b.update = append(b.update, p.doc)
	}
	if !won && had {
		delete(s.items, key)
		b.remove = append(b.remove, key)
	}
}

// parse reads a file into an entry. item is nil when there is none: the file
// cannot be read, or a personal entry does not join this workspace.
func (s *store) parse(a *analyser, f *fileState, data []byte) parsed {
	p := parsed{state: f}
	f.indexed, f.problem = false, nil
	full := filepath.Join(s.m.roots[f.root].Store, filepath.FromSlash(f.file))
	if f.size > knowledge.MaxFile {
		f.problem = &workspace.Problem{File: s.show(f), Msg: fmt.Sprintf("is larger than %d KiB", knowledge.MaxFile>>10), Remedy: "split it"}
		return p
	}
	if data == nil {
		f.checked = s.w.now().UnixMilli()
		var err error
		if data, err = os.ReadFile(full); err != nil {
			f.problem = &workspace.Problem{File: s.show(f), Msg: "cannot be read: " + cause(err), Remedy: "mend its rights"}
			return p
		}
		f.hash = knowledge.Version(data)
	}
	root := s.m.roots[f.root]
	e, err := knowledge.ParseLines(data, f.kind, f.id, f.file)
	if errors.Is(err, knowledge.ErrBeyond) {
		e, _, err = frontmatter.Parse(data, f.kind, f.id, f.file)
	}
	if err == nil {
		var scope workspace.Scope
		if scope, err = e.Scope(root.Prefix); err == nil {
			if root.Owner == catalog.Personal && !e.InWorkspace(s.w.ws, s.w.env.UserHome) {
				return p
			}
			p.item = &catalog.Item{Record: record(&e, f, root, full), Keys: scope.Keys()}
			if err = p.item.Complete(); err == nil {
				p.doc, f.lengths = a.entry(&e, p.item.Keys)
				return p
			}
			p.item = nil
		}
	}
	f.problem = s.problem(f, err)
	return p
}

func (s *store) show(f *fileState) string {
	sc := scanner{ws: s.w.ws, roots: s.m.roots}
	return sc.show(f.root, f.file)
}

func (s *store) problem(f *fileState, err error) *workspace.Problem {
	p := &workspace.Problem{File: s.show(f), Msg: err.Error(), Remedy: "mend the file, or run \"pathrule doctor\""}
	var pe *knowledge.ParseError
	if errors.As(err, &pe) {
		p.Line, p.Msg = pe.Line, pe.Msg
		if pe.Remedy != "" {
			p.Remedy = pe.Remedy
		}
	}
	return p
}

func cause(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func record(e *knowledge.Entry, f *fileState, root catalog.Root, full string) catalog.Record {
	return catalog.Record{
		Kind: e.Kind, ID: e.ID, Key: root.Owner + "/" + e.Key(), Owner: root.Owner, Prefix: root.Prefix,
		Title: e.Title, Line: e.Line(), Description: e.Description,
		Paths: e.Paths, Tags: e.Tags, Related: e.Related,
		Priority: e.Priority, Enforcement: e.Enforcement,
		Hash: f.hash, File: full, Size: f.size, ModTime: f.mtime,
		BodyOffset: e.BodyOffset, BodyBytes: len(knowledge.Strip(e.Body)),
	}
}

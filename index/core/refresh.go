package core

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pathrule/index/catalog"
	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
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
	eng   Engine   // nil: this program only reads
	only  []string // compare these files alone
	cache string
	roots []catalog.Root

	start    time.Time
	deadline time.Time // zero: none; for looking and parsing
	last     time.Time // zero: none; for everything
	rep      Report
}

func newWriter(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits, eng Engine) *writer {
	dirs := workspace.DirsOf(env)
	w := &writer{ctx: ctx, ws: ws, env: env, l: l, eng: eng, cache: dirs.Cache(ws.ID), roots: rootsOf(ws, dirs), start: time.Now()}
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

// Build makes a new generation unless another process did while we waited for
// the lock: of ten builders one builds, and nine use what it made.
func Build(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, eng Engine) (Report, error) {
	w := newWriter(ctx, ws, env, Limits{}, eng)
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

// Refresh is index.Refresh; without an engine it returns ErrReadOnly, and the
// report of what is published, when something has to be written.
func Refresh(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits, eng Engine) (Report, error) {
	return newWriter(ctx, ws, env, l, eng).refresh()
}

// RefreshFiles is index.RefreshFiles.
func RefreshFiles(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, files []string, eng Engine) (Report, error) {
	w := newWriter(ctx, ws, env, Limits{}, eng)
	w.only = files
	return w.refresh()
}

func (w *writer) refresh() (Report, error) {
	p, m, err := w.current()
	if err != nil {
		// Nothing usable: build, or wait for whoever builds.
		if w.eng == nil {
			return w.report(), ErrReadOnly
		}
		lock, err := w.lock()
		if err != nil {
			return w.report(), w.quietBusy(err)
		}
		defer lock.Unlock()
		return w.locked()
	}
	c, whole := w.look(m, p.Partial)
	moved := c.moved() || w.unfinished(p) || w.projectMoved(m)
	m.close()
	sound := moved || w.sound(p)
	if !moved && sound {
		w.unchanged(p, m, c)
		if w.worthSettling(m, c, whole) {
			w.settle(p, c, whole)
		}
		return w.report(), nil
	}
	if w.eng == nil {
		w.unchanged(p, m, c)
		w.rep.State = Stale
		return w.report(), ErrReadOnly
	}
	lock, err := w.lock()
	if err != nil {
		w.unchanged(p, m, c)
		w.rep.State = Stale
		return w.report(), w.quietBusy(err)
	}
	defer lock.Unlock()
	// The pointer may have moved while we waited; what we saw of the disk is then
	// compared with the wrong manifest.
	if again, err := catalog.ReadPointer(w.cache, catalog.Versions()); err == nil && again.Gen == p.Gen && sound {
		return w.update(p, c, whole)
	}
	return w.locked()
}

// sound: the generation opens. Without it a damaged file would silence every
// reader until an entry changes. Under limits only the catalogue is looked at,
// which every reader needs and which costs no more than its head.
func (w *writer) sound(p catalog.Pointer) bool {
	dir := filepath.Join(w.cache, p.Gen)
	if w.l == (Limits{}) && len(w.only) == 0 {
		x, err := openGeneration(dir, p)
		if err == nil {
			x.Close()
		}
		return err == nil
	}
	cat, err := catalog.OpenDir(dir)
	if err == nil {
		cat.Close()
	}
	return err == nil
}

// unfinished: the last build or refresh left something to this one.
func (w *writer) unfinished(p catalog.Pointer) bool { return p.Partial && len(w.only) == 0 }

// quietBusy: under a time limit a held lock is no error, the published
// generation is good enough.
func (w *writer) quietBusy(err error) error {
	if w.l.Time > 0 && errors.Is(err, ErrBusy) {
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
	c, whole := w.look(m, p.Partial)
	moved := c.moved() || w.unfinished(p) || w.projectMoved(m)
	m.close()
	switch {
	case moved:
		return w.update(p, c, whole)
	case !w.sound(p):
		return w.build()
	}
	w.unchanged(p, m, c)
	return w.report(), nil
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
	if !slices.Equal(m.roots, w.roots) {
		m.close()
		return p, nil, catalog.ErrVersion
	}
	return p, m, nil
}

// look compares the disk with the manifest, whole or through the window.
func (w *writer) look(m *manifestReader, partial bool) (c comparison, whole bool) {
	s := w.scanner()
	if len(w.only) > 0 {
		if c, ok := s.only(m, w.only); ok {
			return c, false
		}
	}
	// What an unfinished build left out shows in no folder's time.
	if w.l.Window > 0 && m.nFiles > w.l.Window && !partial {
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
	old, err := m.heads()
	if err != nil {
		// A damaged manifest proves nothing: every file counts as changed.
		old = nil
	}
	return s.all(old), true
}

func (w *writer) projectMoved(m *manifestReader) bool {
	return len(w.only) == 0 && projectChanged(w.ws.Base(), m.project, w.now(), w.l.Time > 0)
}

// unchanged reports the published generation.
func (w *writer) unchanged(p catalog.Pointer, m *manifestReader, c comparison) {
	w.rep.State = Fresh
	if c.late || p.Partial {
		w.rep.State = Stale
	}
	w.rep.Entries, w.rep.Files = p.Entries, p.Files
	w.rep.Problems = m.all()
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
	m, err := openManifest(dir)
	if err != nil {
		return
	}
	defer m.close()
	_ = w.saveManifest(dir, m, amend(m, c, whole))
}

// amend begins an amendment with what needs no new content.
func amend(m *manifestReader, c comparison, whole bool) *amendment {
	a := &amendment{put: map[fileID]*fileState{}, gone: map[fileID]bool{}, project: m.project, dirFix: c.dirFix}
	for id, f := range c.settled {
		a.put[id] = f
	}
	if whole && c.whole {
		a.dirs, a.problems = c.dirs, c.problems
		if a.dirs == nil {
			a.dirs = []dirState{}
		}
	}
	return a
}

// saveManifest replaces the manifest of a published generation.
func (w *writer) saveManifest(dir string, m *manifestReader, a *amendment) error {
	h, err := m.rewrite(dir, a)
	if err != nil {
		return err
	}
	w.rep.Problems = h.all()
	return nil
}

func (w *writer) readProject() (projectMap, bool) {
	return readProject(w.ws.Base(), w.now(), w.deadline)
}

func (w *writer) late() bool {
	return w.ctx.Err() != nil || (!w.deadline.IsZero() && time.Now().After(w.deadline))
}

// publish publishes a finished generation and sweeps.
func (w *writer) publish(g *generation, p catalog.Pointer) (Report, error) {
	p, err := g.publish(p)
	if err != nil {
		return w.report(), err
	}
	sweep(w.cache, p.Gen, time.Now())
	w.rep.State, w.rep.Generation = Fresh, p.Gen
	if p.Partial {
		w.rep.State = Stale
	}
	w.rep.Entries, w.rep.Files = p.Entries, p.Files
	return w.report(), nil
}

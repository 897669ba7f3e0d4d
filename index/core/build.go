package core

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pathrule/index/catalog"
	"pathrule/internal/atomicfile"
)

// build makes everything anew. The lock is held.
func (w *writer) build() (Report, error) {
	w.rep.Built, w.rep.Changed = true, 0
	sc := w.scanner()
	sc.lazy = true
	c := sc.all(nil)
	g, err := newGeneration(w.cache)
	if err != nil {
		return w.report(), err
	}
	defer g.discard()
	b, err := w.eng.Build(g.store())
	if err != nil {
		return w.report(), err
	}
	defer b.Discard()
	docs := 0
	var order runs
	add := func(d *document) error {
		docs++
		order.add(d.id)
		return b.Add(d)
	}
	// bleve has no empty segment.
	if err := add(metaDocument()); err != nil {
		return w.report(), err
	}
	m := newManifest(w.roots)
	m.dirs, m.problems = c.dirs, c.problems
	items := make(map[string]*catalog.Item, len(c.changes))
	p := catalog.Pointer{Lengths: map[string]int64{}}
	done, err := w.takeAll(c.changes, func(d parsed) error {
		m.files[fileID{d.state.root, d.state.file}] = d.state
		w.rep.Changed++
		if d.item == nil {
			return nil
		}
		key := d.state.key()
		if items[key] != nil {
			return nil // hidden by a closer one
		}
		items[key] = d.item
		d.state.indexed = true
		for i, n := range d.state.lengths {
			p.Lengths[fieldNames[i]] += int64(n)
		}
		return add(d.doc)
	})
	if err != nil {
		return w.report(), err
	}
	p.Partial = !done || c.late
	p.Entries = len(items)
	c.changes = nil
	// The entries are on disk before the project's files are looked at, so that
	// both are never in memory together.
	list := make([]*catalog.Item, 0, len(items))
	for _, it := range items {
		list = append(list, it)
	}
	items = nil
	err = atomicfile.New(filepath.Join(g.dir, catalog.FileName), func(f io.Writer) error { return catalog.Write(f, w.roots, list) })
	if err != nil {
		return w.report(), err
	}
	list = nil
	var files []string
	if pm, ok := w.readProject(); ok && !p.Partial {
		m.project, files = pm.state, pm.paths
		taken, err := w.addFiles(pm.paths, add)
		if err != nil {
			return w.report(), err
		}
		if taken < len(files) {
			// What is in counts; the rest is told apart by the list.
			files, p.Partial = files[:taken], true
			m.project.source, m.project.count = "", taken
		}
	} else {
		p.Partial = true
	}
	p.Files, p.Docs = len(files), docs
	segs, err := b.Close(w.ctx)
	if err != nil {
		return w.report(), fmt.Errorf("build index: %w", err)
	}
	if n := live(segs); n != docs {
		return w.report(), fmt.Errorf("build index: %d documents became %d", docs, n)
	}
	if len(segs) == 1 {
		segs[0].Runs = order.at
	}
	if err := writeSegments(g.dir, segs); err != nil {
		return w.report(), err
	}
	if err := writeFiles(filepath.Join(g.dir, filesName), files); err != nil {
		return w.report(), err
	}
	if err := atomicfile.New(filepath.Join(g.dir, manifestName), m.write); err != nil {
		return w.report(), err
	}
	w.rep.Problems = slices.Clone(m.problems)
	for _, f := range m.sorted() {
		if f.problem != nil {
			w.rep.Problems = append(w.rep.Problems, *f.problem)
		}
	}
	return w.publish(g, p)
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

// byName is order with the entries of each store in the order of their names, as
// they are to stand in the segment.
func byName(changes map[fileID]*change) []fileID {
	type named struct {
		id   fileID
		name string
	}
	all := make([]named, 0, len(changes))
	for id, c := range changes {
		all = append(all, named{id, c.now.key()})
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(a.id.root-b.id.root, strings.Compare(a.name, b.name), strings.Compare(a.id.file, b.id.file))
	})
	ids := make([]fileID, len(all))
	for i := range all {
		ids[i] = all[i].id
	}
	return ids
}

// takeAll reads and analyses all files on every core and hands them to take in
// their order, on one goroutine. done is false when time ran out before all
// were taken.
func (w *writer) takeAll(changes map[fileID]*change, take func(parsed) error) (done bool, err error) {
	ids := byName(changes)
	taken, err := inOrder(ids, 64, func(a *analyser, id fileID) parsed {
		p := w.parse(a, changes[id].now, changes[id].data)
		if p.item != nil {
			detach(&p.item.Record)
		}
		return p
	}, take, func(n int) bool { return n%16 == 0 && w.late() })
	return taken == len(ids), err
}

// addFiles adds the documents of the project's files and says of how many.
func (w *writer) addFiles(paths []string, add func(*document) error) (taken int, err error) {
	return inOrder(paths, 512, (*analyser).file, add, func(n int) bool { return n%1024 == 0 && w.late() })
}

// inOrder does work on every core and hands the results to take in the order of
// in, on one goroutine, until take fails or stop says so. It returns how many
// were taken.
func inOrder[In, Out any](in []In, chunk int, work func(*analyser, In) Out, take func(Out) error, stop func(taken int) bool) (taken int, err error) {
	type job struct {
		in  []In
		out chan []Out
	}
	workers := runtime.GOMAXPROCS(0)
	jobs := make(chan job)
	pending := make(chan job, 2*workers)
	quit := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var a analyser
			for j := range jobs {
				out := make([]Out, 0, len(j.in))
				for _, x := range j.in {
					out = append(out, work(&a, x))
				}
				j.out <- out
			}
		})
	}
	wg.Go(func() {
		defer close(pending)
		defer close(jobs)
		for rest := in; len(rest) > 0; {
			n := min(chunk, len(rest))
			j := job{rest[:n], make(chan []Out, 1)}
			select {
			case <-quit:
				return
			case jobs <- j:
			}
			pending <- j
			rest = rest[n:]
		}
	})
	stopped := false
	for j := range pending {
		for _, x := range <-j.out {
			if stopped {
				break
			}
			if err = take(x); err == nil {
				taken++
			}
			if err != nil || stop(taken) {
				stopped = true
				close(quit)
			}
		}
	}
	wg.Wait()
	return taken, err
}

// detach gives a record strings of its own: as they are, each would keep the
// whole text of its file in memory until the catalogue is written.
func detach(r *catalog.Record) {
	all := []*string{&r.Title, &r.Line, &r.Description}
	for _, list := range [][]string{r.Paths, r.Tags, r.Related} {
		for i := range list {
			all = append(all, &list[i])
		}
	}
	n := 0
	for _, s := range all {
		n += len(*s)
	}
	var b strings.Builder
	b.Grow(n)
	for _, s := range all {
		b.WriteString(*s)
	}
	rest := b.String()
	for _, s := range all {
		*s, rest = rest[:len(*s)], rest[len(*s):]
	}
}

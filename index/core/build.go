package core

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pathrule/index/catalog"
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
	add := func(d *document) error {
		docs++
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
	var files []string
	if pm, ok := w.readProject(); ok && !p.Partial {
		var a analyser
		m.project, files = pm.state, pm.paths
		for i, path := range pm.paths {
			if i%1024 == 0 && w.late() {
				// What is in counts; the rest is told apart by the list.
				files, p.Partial = files[:i], true
				m.project.source, m.project.count = "", i
				break
			}
			if err := add(a.file(path)); err != nil {
				return w.report(), err
			}
		}
	} else {
		p.Partial = true
	}
	p.Entries, p.Files, p.Docs = len(items), len(files), docs
	segs, err := b.Close(w.ctx)
	if err != nil {
		return w.report(), fmt.Errorf("build index: %w", err)
	}
	if n := live(segs); n != docs {
		return w.report(), fmt.Errorf("build index: %d documents became %d", docs, n)
	}
	if err := writeSegments(g.dir, segs); err != nil {
		return w.report(), err
	}
	if err := writeFiles(filepath.Join(g.dir, filesName), files); err != nil {
		return w.report(), err
	}
	list := make([]*catalog.Item, 0, len(items))
	for _, it := range items {
		list = append(list, it)
	}
	err = writeTo(filepath.Join(g.dir, catalog.FileName), func(f io.Writer) error { return catalog.Write(f, w.roots, list) })
	if err != nil {
		return w.report(), err
	}
	if err := writeTo(filepath.Join(g.dir, manifestName), m.write); err != nil {
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

// takeAll reads and analyses all files on every core and hands them to take in
// their order, on one goroutine. done is false when time ran out before all
// were taken.
func (w *writer) takeAll(changes map[fileID]*change, take func(parsed) error) (done bool, err error) {
	type work struct {
		ids []fileID
		out chan []parsed
	}
	const chunk = 64
	workers := runtime.GOMAXPROCS(0)
	ids := order(changes)
	jobs := make(chan work)
	pending := make(chan work, 2*workers)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			var a analyser
			for job := range jobs {
				out := make([]parsed, 0, len(job.ids))
				for _, id := range job.ids {
					out = append(out, w.parse(&a, changes[id].now, changes[id].data))
				}
				job.out <- out
			}
		})
	}
	wg.Go(func() {
		defer close(pending)
		defer close(jobs)
		for rest := ids; len(rest) > 0; {
			n := min(chunk, len(rest))
			job := work{rest[:n], make(chan []parsed, 1)}
			select {
			case <-stop:
				return
			case jobs <- job:
			}
			pending <- job
			rest = rest[n:]
		}
	})
	taken := 0
	stopped := false
	for job := range pending {
		out := <-job.out
		for _, p := range out {
			if stopped {
				break
			}
			if err = take(p); err == nil {
				taken++
			}
			if err != nil || (taken%16 == 0 && w.late()) {
				stopped = true
				close(stop)
			}
		}
	}
	wg.Wait()
	return taken == len(ids), err
}

package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// warmWait is how long a call waits for the first index of a workspace.
var warmWait = 2 * time.Second

const (
	// idleAfter closes an index that nobody asked for; a closed one holds no file.
	idleAfter = 20 * time.Second
	// trustWatch is how long a quiet watch is believed without a look at the
	// files, since some file systems report nothing; trustBlind is that for
	// unchanged folders alone, where an edit in place shows in no folder.
	trustWatch = 5 * time.Second
	trustBlind = time.Second
	// historyEvery is how often git is asked for new commits, historyTime how long
	// it may take to tell them.
	historyEvery = 5 * time.Minute
	historyTime  = time.Minute
	// maxViews is how many workspaces are kept at hand.
	maxViews = 16
)

// callLimits bound what one call makes up for by itself, like a hook's; the rest
// goes on in the background.
var callLimits = index.Limits{Files: 300, Time: 80 * time.Millisecond, Window: 1000}

// view is one workspace as the server sees it: the open generation, how fresh it
// is, and the watch on its files.
type view struct {
	c  *core
	ws *workspace.Workspace

	// dirty: a file changed since the last full look. checked is when that was,
	// in nanoseconds, and stamp what the folders looked like.
	dirty   atomic.Bool
	checked atomic.Int64
	stamp   atomic.Int64

	mu    sync.Mutex
	idx   *index.Index
	gen   string
	users int
	idle  *time.Timer
	build chan struct{} // closed when the running background refresh is over
	seen  [2]uint64     // fingerprints of what resources and prompts list
	told  bool          // seen is filled
	heard string        // the generation that seen is of
	// telling: announceSoon is at work; again: it has to look once more.
	telling, again bool
	tree           *treeCache // of generation gen

	readAt atomic.Int64 // when history was last asked for, in nanoseconds

	noted     sync.Once // the first look at the lists, against which changes count
	watchOnce sync.Once
	watch     *watcher
}

// view returns the view of ws.
func (c *core) view(ws *workspace.Workspace) *view {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.views[ws.ID]; v != nil {
		return v
	}
	if len(c.views) >= maxViews {
		for id, old := range c.views {
			if old.unused() {
				delete(c.views, id)
				go old.close()
				break
			}
		}
	}
	v := &view{c: c, ws: ws}
	v.dirty.Store(true)
	c.views[ws.ID] = v
	return v
}

func (v *view) unused() bool { v.mu.Lock(); defer v.mu.Unlock(); return v.users == 0 }

// prepare starts the watch and brings the index up to date in the background.
func (v *view) prepare() {
	v.startWatch()
	v.refreshSoon()
	v.historySoon()
}

// historySoon reads what git tells of the project in the background, now and
// then. Most often that is one question, whether there are new commits.
func (v *view) historySoon() {
	last, now := v.readAt.Load(), time.Now().UnixNano()
	if last != 0 && now-last < historyEvery.Nanoseconds() || !v.readAt.CompareAndSwap(last, now) {
		return
	}
	v.c.background(func(ctx context.Context) {
		if _, err := index.ReadHistory(ctx, v.ws, v.c.env, historyTime); err != nil && ctx.Err() == nil {
			v.c.log.Printf("%v", err)
		}
	})
}

func (v *view) startWatch() {
	v.watchOnce.Do(func() {
		w, err := newWatcher(watchedStores(v.ws, v.c.dirs), func() { v.dirty.Store(true) }, v.refreshSoon)
		if err != nil {
			return // every call looks at the files instead
		}
		v.mu.Lock()
		v.watch = w
		v.mu.Unlock()
	})
}

// published is the generation that stands now, "" when there is none.
func (v *view) published() string {
	p, err := catalog.ReadPointer(v.c.dirs.Cache(v.ws.ID), catalog.Versions())
	if err != nil {
		return ""
	}
	return p.Gen
}

// source is what a call reads: the current generation with its text door. While
// the first one is being built it is a plain reading of the files, and warming
// is true. The caller calls done.
func (v *view) source(ctx context.Context) (src catalog.Source, warming bool, done func(), err error) {
	v.startWatch()
	v.historySoon()
	if v.published() == "" {
		select {
		case <-v.refreshSoon():
		case <-time.After(warmWait):
		case <-ctx.Done():
			return nil, false, nil, ctx.Err()
		}
	} else if !v.fresh() {
		v.refreshLogged(ctx, callLimits)
	}
	idx, err := v.open()
	if errors.Is(err, catalog.ErrMissing) {
		files := scan(ctx, v.ws, v.c)
		v.showed(files)
		v.refreshSoon() // a damaged generation is built anew by a look without limits
		return files, true, func() {}, nil
	}
	if err != nil {
		return nil, false, nil, fmt.Errorf("open the index: %w", err)
	}
	v.noted.Do(v.announce)
	return idx, false, v.release, nil
}

// fresh reports that nothing changed since the last look.
func (v *view) fresh() bool {
	w := v.watching()
	if w == nil || v.dirty.Load() {
		return false
	}
	trust := trustBlind
	stamp, seeing := w.stamp()
	if seeing {
		trust = trustWatch
	}
	return stamp == v.stamp.Load() && time.Since(time.Unix(0, v.checked.Load())) < trust
}

func (v *view) watching() *watcher {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.watch
}

// refresh compares the files with the index. What does not fit into the limits
// goes on in the background.
func (v *view) refresh(ctx context.Context, l index.Limits) error {
	v.dirty.Store(false)
	began, stamp := time.Now(), int64(0)
	if w := v.watching(); w != nil {
		stamp, _ = w.stamp()
	}
	r, err := index.Refresh(ctx, v.ws, v.c.env, l)
	if err != nil {
		v.dirty.Store(true)
		return err
	}
	if r.State != index.Fresh {
		v.dirty.Store(true)
		if l != (index.Limits{}) {
			v.refreshSoon()
		}
		return nil
	}
	v.stamp.Store(stamp)
	v.checked.Store(began.UnixNano())
	return nil
}

// refreshLogged is refresh for callers that go on with what is published.
func (v *view) refreshLogged(ctx context.Context, l index.Limits) {
	if err := v.refresh(ctx, l); err != nil && ctx.Err() == nil {
		v.c.log.Printf("refresh the index: %v", err)
	}
}

// refreshSoon brings the index up to date in the background, once at a time, and
// tells the client when the lists changed. The channel closes when it is over.
func (v *view) refreshSoon() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.build != nil {
		return v.build
	}
	done := make(chan struct{})
	v.build = done
	begun := v.c.background(func(ctx context.Context) {
		defer func() {
			v.mu.Lock()
			v.build = nil
			v.mu.Unlock()
			close(done)
		}()
		v.refreshLogged(ctx, index.Limits{})
		v.announce()
	})
	if !begun {
		v.build = nil
		close(done)
	}
	return done
}

// publish makes a write of one file visible to every process that looks from
// now on. Only that file is compared: the rest is the watcher's business, and
// in a store of ten thousand entries a whole look would be most of the wait.
func (v *view) publish(ctx context.Context, file string) error {
	v.startWatch()
	if _, err := index.RefreshFiles(ctx, v.ws, v.c.env, file); err != nil {
		return err
	}
	v.announceSoon()
	return nil
}

// open returns the current generation, kept open between calls that come soon
// after each other.
func (v *view) open() (*index.Index, error) {
	gen := v.published()
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.idx != nil && (gen == "" || gen != v.gen) && v.users == 0 {
		v.idx.Close()
		v.idx = nil
	}
	if v.idx == nil {
		idx, err := index.Open(v.ws, v.c.env)
		if err != nil {
			return nil, err
		}
		if gen != v.gen {
			v.tree = nil
		}
		v.idx, v.gen = idx, gen
	}
	v.users++
	if v.idle != nil {
		v.idle.Stop()
	}
	return v.idx, nil
}

func (v *view) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.users--; v.users == 0 {
		v.idle = time.AfterFunc(idleAfter, v.closeIdle)
	}
}

func (v *view) closeIdle() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.users == 0 && v.idx != nil {
		v.idx.Close()
		v.idx = nil
	}
}

func (v *view) close() {
	v.mu.Lock()
	w := v.watch
	v.watch = nil
	if v.idle != nil {
		v.idle.Stop()
	}
	v.mu.Unlock()
	if w != nil {
		w.close()
	}
	v.closeIdle()
}

// announceSoon is announce beside the answer: it reads the whole catalogue, for
// which the writer need not wait. The first look, against which changes count,
// is not put off.
func (v *view) announceSoon() {
	v.mu.Lock()
	first, busy := !v.told, v.telling
	v.again = busy
	v.telling = !first
	v.mu.Unlock()
	switch {
	case first:
		v.announce()
	case !busy:
		v.c.background(func(ctx context.Context) {
			for {
				v.announce()
				v.mu.Lock()
				more := v.again && ctx.Err() == nil
				v.again, v.telling = false, more
				v.mu.Unlock()
				if !more {
					return
				}
			}
		})
	}
}

// announce tells the client when what resources/list or prompts/list would
// answer has changed since it was last looked at.
func (v *view) announce() {
	gen := v.published()
	v.mu.Lock()
	same := v.told && v.heard == gen
	v.mu.Unlock()
	if same {
		return
	}
	r, err := catalog.Open(v.ws, v.c.dirs)
	if err != nil {
		return
	}
	defer r.Close()
	now, err := fingerprints(r)
	if err != nil {
		return
	}
	v.mu.Lock()
	before, told := v.seen, v.told
	v.seen, v.told, v.heard = now, true, gen
	v.mu.Unlock()
	if told && now[0] != before[0] {
		v.c.sess.notify(mcp.MethodNotificationResourcesListChanged)
	}
	if told && now[1] != before[1] {
		v.c.sess.notify(mcp.MethodNotificationPromptsListChanged)
	}
}

// showed notes what a list showed before there was an index: what the first one
// holds besides is news to the client.
func (v *view) showed(files *scanned) {
	now, err := fingerprints(files)
	if err != nil {
		return
	}
	v.mu.Lock()
	v.seen, v.told, v.heard = now, true, ""
	v.mu.Unlock()
}

// fingerprints are those of what resources/list and prompts/list answer.
func fingerprints(r interface {
	All(func(catalog.Record) bool) error
}) ([2]uint64, error) {
	all, skills := fnv.New64a(), fnv.New64a()
	err := r.All(func(rec catalog.Record) bool {
		fmt.Fprintf(all, "%s\x00%s\x00%s\n", rec.Key, rec.Title, rec.Line)
		if rec.Kind == knowledge.Skill {
			fmt.Fprintf(skills, "%s\x00%s\x00%s\n", rec.Key, rec.Title, rec.Description)
		}
		return true
	})
	return [2]uint64{all.Sum64(), skills.Sum64()}, err
}

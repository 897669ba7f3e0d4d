package mcpserver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"pathrule/knowledge"
	"pathrule/workspace"
)

const (
	// settle is how long the files must be quiet before a change counts as done.
	settle = 100 * time.Millisecond
	// maxFolders bounds the folders whose times we compare.
	maxFolders = 8192
	// maxStamped is how many folders a call looks at although all are watched.
	maxStamped = 256
)

// maxWatched bounds the folders under watch; each costs a kernel resource that
// other programs of the user want too. kqueue opens every file in them.
func maxWatched() int {
	switch runtime.GOOS {
	case "linux", "windows":
		return 4096
	}
	return 64
}

// errTooMany: more folders than we care to know.
var errTooMany = errors.New("too many folders to watch")

// watcher knows when something changed below some stores: touched at once,
// settled after a pause. Where the kernel tells nothing, or too much is to be
// watched, it is blind and the folders' times have to do.
type watcher struct {
	fs      *fsnotify.Watcher // nil: blind from the start
	stores  []string
	touched func()
	settled func()
	done    chan struct{}

	mu    sync.Mutex
	dirs  map[string]bool // every folder that counts; true: under watch
	blind bool
}

// watchedStores are the folders whose entries ws sees.
func watchedStores(ws *workspace.Workspace, dirs workspace.Dirs) []string {
	var stores []string
	for w := ws; w != nil; w = w.Outer {
		stores = append(stores, w.Store)
	}
	return append(stores, dirs.Personal())
}

// newWatcher starts watching. A folder that does not exist yet is watched once
// stamp finds it.
func newWatcher(stores []string, touched func(), settled func() <-chan struct{}) (*watcher, error) {
	w := &watcher{stores: stores, touched: touched, settled: func() { settled() }, done: make(chan struct{}), dirs: map[string]bool{}}
	f, err := fsnotify.NewWatcher()
	if err != nil {
		w.blind = true
	} else {
		w.fs = f
	}
	for _, s := range stores {
		err := w.one(s)
		for _, k := range knowledge.Kinds {
			err = errors.Join(err, w.add(filepath.Join(s, k.Dir())))
		}
		if err != nil {
			if f != nil {
				f.Close()
			}
			return nil, err
		}
	}
	if f == nil {
		close(w.done)
		return w, nil
	}
	go w.run()
	return w, nil
}

// add watches a folder and what lies below it.
func (w *watcher) add(dir string) error {
	if _, err := os.Lstat(dir); err != nil {
		return w.one(dir)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if !d.IsDir() {
			return nil
		}
		return w.one(path)
	})
}

func (w *watcher) one(dir string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dirs[dir] {
		return nil
	}
	if len(w.dirs) >= maxFolders {
		return errTooMany
	}
	w.dirs[dir] = w.see(dir)
	return nil
}

// see puts a folder under watch. One that exists and cannot be watched makes
// the watcher blind.
func (w *watcher) see(dir string) bool {
	if w.blind {
		return false
	}
	if len(w.dirs) >= maxWatched() {
		w.blind = true
		return false
	}
	err := w.fs.Add(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.blind = true
	}
	return err == nil
}

// stamp sums up when each folder changed last. The kernel's news of a new or
// removed file may still be on its way; the folder's time is not. seeing is
// false for a blind watcher; with very many folders under watch the news must
// do.
func (w *watcher) stamp() (sum int64, seeing bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.blind && len(w.dirs) > maxStamped {
		return 0, true
	}
	for dir, watched := range w.dirs {
		st, err := os.Stat(dir)
		if err != nil {
			continue
		}
		sum += st.ModTime().UnixNano() ^ int64(len(dir))
		if !watched {
			w.dirs[dir] = w.see(dir)
		}
	}
	return sum, !w.blind
}

func (w *watcher) run() {
	defer close(w.done)
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	defer quiet.Stop()
	for {
		select {
		case e, ok := <-w.fs.Events:
			if !ok {
				return
			}
			if !w.counts(e.Name) || e.Op == fsnotify.Chmod {
				continue
			}
			if e.Has(fsnotify.Create) {
				// Files may be in a new folder before we watch it; the refresh walks.
				_ = w.add(e.Name)
			}
			w.touched()
			quiet.Reset(settle)
		case _, ok := <-w.fs.Errors:
			if !ok {
				return
			}
			w.touched() // events were lost
			quiet.Reset(settle)
		case <-quiet.C:
			w.settled()
		}
	}
}

// counts reports that a changed path may matter: it lies in a kind's folder, or
// is one.
func (w *watcher) counts(path string) bool {
	for _, s := range w.stores {
		rel, err := filepath.Rel(s, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		for _, k := range knowledge.Kinds {
			if first == k.Dir() {
				return true
			}
		}
	}
	return false
}

func (w *watcher) close() {
	if w.fs != nil {
		w.fs.Close()
	}
	<-w.done
}

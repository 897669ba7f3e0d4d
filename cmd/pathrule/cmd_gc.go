package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/hookrunner/queue"
	"pathrule/index/catalog"
	"pathrule/index/history"
	"pathrule/internal/cli"
	"pathrule/internal/filelock"
	"pathrule/internal/health"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/observe"
)

type gcOptions struct {
	days   int
	dryRun bool
}

func newGCCommand(a *app) *cobra.Command {
	var o gcOptions
	c := &cobra.Command{
		Use:   "gc",
		Short: "remove what nobody uses or needs any more",
		Long: `Removes the index of every workspace in which nothing happened for 60 days (it is
built again when it is needed), session records older than 7 days, and, for this
workspace and your own store, removed entries older than 30 days and old versions
older than 90, and what writes that were killed left behind. Of every workspace it
removes ended sessions that "observe" has not looked at for 30 days, proposals and
traces older than 180, and paths in the log of work older than 90. Knowledge that stands is never touched.`,
		Example: "  pathrule gc --dry-run\n  pathrule gc\n  pathrule gc --days 7",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runGC(a, o) },
	}
	c.Flags().IntVar(&o.days, "days", 60, "indexes unused for `N` days")
	c.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "remove nothing; show what would go")
	return c
}

// unused is one index that may go.
type unused struct {
	Workspace string `json:"workspace"` // id
	LastUse   string `json:"last_use"`
	Bytes     int64  `json:"bytes"`
}

func runGC(a *app, o gcOptions) error {
	if o.days < 1 {
		return cli.Usage("--days must be at least 1")
	}
	dirs, now := a.dirs(), time.Now()
	if a.env.Now != nil {
		now = a.env.Now()
	}
	// A workspace is in use when its index was published or a hook fired there.
	records := ledger.Store{Dir: dirs.State, Now: a.env.Now}
	seen := map[string]time.Time{}
	for _, r := range records.Seen("") {
		if r.At.After(seen[r.Workspace]) {
			seen[r.Workspace] = r.At
		}
	}
	items, freed := []unused{}, int64(0)
	caches, _ := os.ReadDir(filepath.Dir(dirs.Cache("x")))
	for _, c := range caches {
		dir := dirs.Cache(c.Name())
		st, err := os.Stat(filepath.Join(dir, catalog.PointerName))
		if err != nil { // left by a reading that ended after its index had gone
			st, err = os.Stat(filepath.Join(dir, health.FactsFile))
		}
		if err != nil || !c.IsDir() {
			continue
		}
		last := st.ModTime()
		if s := seen[c.Name()]; s.After(last) {
			last = s
		}
		if now.Sub(last) < time.Duration(o.days)*24*time.Hour {
			continue
		}
		u := unused{c.Name(), last.UTC().Format(time.RFC3339), sizeOf(dir)}
		if !o.dryRun {
			if err := dropIndex(dir); err != nil {
				a.out.Warn("%s: %v", a.shown(dir), err)
				continue
			}
		}
		items, freed = append(items, u), freed+u.Bytes
	}
	expired := 0
	if !o.dryRun {
		if err := records.Prune(); err != nil {
			a.out.Warn("session records: %v", err)
		}
		for _, personal := range []bool{false, true} {
			h, err := a.storeFor("", personal)
			if err != nil {
				continue // not in a workspace
			}
			n, err := h.GC()
			if err != nil {
				a.out.Warn("%s: %v", a.shown(h.Dir()), err)
			}
			expired += n
		}
	}
	worked := 0
	if !o.dryRun {
		n, err := activity.Sweep(dirs.State, now)
		if err != nil {
			a.out.Warn("log of work: %v", err)
		}
		worked = n
	}
	// What waited for "observe" or for a person, of every workspace.
	stale, err := queue.Prune(dirs.State, now, o.dryRun)
	if err != nil {
		a.out.Warn("session queue: %v", err)
	}
	for _, id := range inbox.Workspaces(dirs) {
		stale += inbox.Prune(dirs, id, now, o.dryRun)
		stale += observe.PruneTraces(dirs, id, now, func(proposal string) bool { _, err := inbox.Get(dirs, id, proposal); return err == nil }, o.dryRun)
	}
	return a.answer(map[string]any{"items": items, "bytes": freed, "expired": expired, "stale": stale, "worked": worked, "removed": !o.dryRun, "warnings": a.out.Warnings()}, func() {
		for _, u := range items {
			a.out.Printf("index of workspace %s, last used %s, %s\n", u.Workspace, localTime(u.LastUse), bytesShown(u.Bytes))
		}
		if expired > 0 {
			a.out.Println(countOf(expired, "expired copy or leftover", "expired copies and leftovers"), "of entries removed")
		}
		if stale > 0 {
			what := "removed"
			if o.dryRun {
				what = "would be removed"
			}
			a.out.Println(countOf(stale, "session, proposal or trace", "sessions, proposals and traces"), "that waited too long", what)
		}
		if worked > 0 {
			a.out.Println(countOf(worked, "old record", "old records"), "of the log of work removed")
		}
		switch {
		case len(items)+expired+stale+worked == 0:
			a.out.Println("nothing to remove")
		case len(items) == 0:
		case o.dryRun:
			a.out.Println(bytesShown(freed), "would be freed; nothing was removed (--dry-run)")
		default:
			a.out.Println(bytesShown(freed), "freed")
		}
	})
}

// dropIndex removes an index but not its lock: removing a lock would let two
// processes hold two.
func dropIndex(dir string) error {
	lock, err := filelock.Acquire(filepath.Join(dir, catalog.LockName), time.Second)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	// The pointer goes first, so that nobody follows it into a half-gone folder.
	for _, name := range []string{catalog.PointerName, history.FileName, health.FactsFile, health.FactsFile + ".new"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), "gen-") {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if st, err := d.Info(); err == nil {
				n += st.Size()
			}
		}
		return nil
	})
	return n
}

func bytesShown(n int64) string {
	switch {
	case n < 10<<10:
		return itoa(int(n)) + " bytes"
	case n < 10<<20:
		return itoa(int(n>>10)) + " KiB"
	}
	return itoa(int(n>>20)) + " MiB"
}

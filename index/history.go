package index

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/index/history"
	"pathrule/internal/filelock"
	"pathrule/internal/safegit"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

const (
	// historyBytes bounds what git may say of a history at once. What is left out
	// is read the next time.
	historyBytes = 64 << 20
	// historyLock excludes another process that reads the same history.
	historyLock = "history.lock"
)

// HistoryReport is what ReadHistory did.
type HistoryReport struct {
	Commits int  // that the history holds
	New     int  // of them, read from git just now
	Changed bool // the file was written
}

// ReadHistory brings what git tells of a project up to date (package history):
// the newest commits of the checkout's HEAD, of which only those are read that
// were not read before, within d. It runs git, so no hook calls it. Without git,
// outside a repository, or while another process reads, it does nothing.
func ReadHistory(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, d time.Duration) (rep HistoryReport, err error) {
	base, cache := ws.Base(), workspace.DirsOf(env).Cache(ws.ID)
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	out, err := safegit.Command(ctx, base, "rev-parse", "--verify", "--quiet", "HEAD^{commit}").Output()
	tip := string(bytes.TrimSpace(out))
	if err != nil || !isHash(tip) {
		return rep, nil
	}
	// Old commits are kept only as far as the file can be read.
	known := map[string]*history.Commit{}
	if r, err := history.Open(cache); err == nil {
		rep.Commits = r.Len()
		if r.Tip() == tip {
			return rep, r.Close()
		}
		list, err := r.Commits()
		r.Close()
		if err == nil {
			for i := range list {
				known[list[i].Hash] = &list[i]
			}
		}
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return rep, fmt.Errorf("read history: %w", err)
	}
	lock, err := filelock.Acquire(filepath.Join(cache, historyLock), 0)
	if errors.Is(err, filelock.ErrTimeout) {
		return rep, nil
	}
	if err != nil {
		return rep, fmt.Errorf("read history: %w", err)
	}
	defer lock.Unlock()

	args := []string{"rev-list", "--no-merges", "-n", strconv.Itoa(history.MaxCommits), tip}
	if out, err := safegit.Command(ctx, base, "rev-parse", "--show-prefix").Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
		args = append(args, "--", ".") // the project is a part of the repository
	}
	if out, err = safegit.Command(ctx, base, args...).Output(); err != nil {
		return rep, nil // too much for the time, or not readable
	}
	var missing []string
	hashes := strings.Fields(string(out))
	for _, h := range hashes {
		if known[h] == nil {
			missing = append(missing, h)
		}
	}
	fresh := readCommits(ctx, base, missing, "-M")
	if len(fresh) == 0 && len(missing) > 0 {
		// A partial clone has not the contents that tell a rename.
		fresh = readCommits(ctx, base, missing, "--no-renames")
	}
	for _, c := range fresh {
		known[c.Hash] = c
	}
	commits := make([]history.Commit, 0, len(hashes))
	for _, h := range hashes {
		if c := known[h]; c != nil {
			commits = append(commits, *c)
		}
	}
	rep.New, rep.Commits = len(fresh), len(commits)
	if len(commits) < len(hashes) {
		tip = "-" // the next one goes on
	}
	rep.Changed = true
	return rep, history.Write(cache, tip, commits, func(rel string) bool {
		st, err := os.Lstat(filepath.Join(base, filepath.FromSlash(rel)))
		return err == nil && st.Mode().IsRegular()
	})
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// readCommits asks git for the commits named, in their order. Of a history that
// is too long for the bounds it gives the beginning.
func readCommits(ctx context.Context, base string, hashes []string, renames string) []*history.Commit {
	if len(hashes) == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := safegit.Command(ctx, base, "-c", "core.quotePath=false", "-c", "diff.renameLimit=300", "-c", "log.showRoot=true", "log", "--no-walk=unsorted", "--stdin",
		renames, "--name-status", "-z", "--relative", "--no-color", "--no-notes", "--encoding=UTF-8", "--format=%x01%H%x02%ct%x02%s%x02")
	cmd.Stdin = strings.NewReader(strings.Join(hashes, "\n") + "\n")
	pipe, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	asked := make(map[string]bool, len(hashes))
	for _, h := range hashes {
		asked[h] = true
	}
	var out []*history.Commit
	in := bufio.NewReaderSize(io.LimitReader(pipe, historyBytes), 64<<10)
	_, _ = in.ReadString('\x01')
	whole := true
	for whole {
		part, err := in.ReadString('\x01')
		// What the bound cuts off may be half a commit; at the end of git's own
		// words it is a whole one.
		if whole = err == nil; !whole && part == "" {
			break
		}
		if c := parseCommit(strings.TrimSuffix(part, "\x01")); c != nil && asked[c.Hash] {
			delete(asked, c.Hash)
			out = append(out, c)
		}
	}
	more := in.Buffered() > 0
	if _, err := pipe.Read(make([]byte, 1)); err == nil {
		more = true
	}
	cancelled := ctx.Err() != nil
	if more {
		cancel()
	}
	if err := cmd.Wait(); (err != nil || more || cancelled) && len(out) > 0 {
		out = out[:len(out)-1]
	}
	return out
}

// parseCommit reads "hash 02 time 02 subject 02" and the NUL-separated list of
// what was done to which paths; nil for anything else.
func parseCommit(s string) *history.Commit {
	f := strings.SplitN(s, "\x02", 4)
	if len(f) != 4 || !isHash(f[0]) {
		return nil
	}
	at, err := strconv.ParseInt(f[1], 10, 64)
	if err != nil {
		return nil
	}
	c := &history.Commit{Hash: f[0], At: at, Words: history.Terms(f[2])}
	list := strings.Split(f[3], "\x00")
	for i := 0; i+1 < len(list); i++ {
		status := strings.TrimLeft(list[i], "\n")
		switch {
		case status == "":
		case status[0] == 'R' && i+2 < len(list):
			c.Moved = append(c.Moved, [2]string{list[i+1], list[i+2]})
			c.Files = append(c.Files, list[i+2])
			i += 2
		case status[0] == 'C' && i+2 < len(list):
			c.Files = append(c.Files, list[i+2])
			i += 2
		case status == "D":
			i++ // nobody is led to what is gone
		default:
			c.Files = append(c.Files, list[i+1])
			i++
		}
	}
	if len(c.Files) > history.MaxFiles {
		c.Files = nil
	}
	if len(c.Moved) > maxMoved {
		c.Moved = c.Moved[:maxMoved]
	}
	return c
}

// maxMoved is how many renames of one commit are kept: a folder that moves
// takes its files' history along.
const maxMoved = 2000

// togetherShare is how much of a file's changes must have touched another one
// before it is worth naming.
const togetherShare = 0.2

// Together are the files that change together with those given, as far as git's
// history was read: the closest first, those given left out. nil without one.
func Together(ws *workspace.Workspace, env sysenv.Env, paths []string) []string {
	r, err := history.Open(workspace.DirsOf(env).Cache(ws.ID))
	if err != nil {
		return nil
	}
	defer r.Close()
	share := map[string]float64{}
	for _, p := range paths {
		info, ok, err := r.Path(p)
		if err != nil || !ok {
			continue
		}
		for _, l := range info.With {
			if l.Share >= togetherShare && !slices.Contains(paths, l.Path) {
				share[l.Path] = max(share[l.Path], l.Share)
			}
		}
	}
	out := slices.Collect(maps.Keys(share))
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), cmp.Compare(a, b))
	})
	return out
}

package health

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/safegit"
)

const (
	gitTime    = 4 * time.Second
	gitBytes   = 8 << 20
	gitCommits = "3000"
	// window is how far back changes count.
	window = 60 * 24 * 60 * 60 // seconds
)

// history is what git tells of a project; without git it is empty.
type history struct {
	known   bool
	renamed map[string]string // old path to the next one
	deleted map[string]bool
	commits []commit // of the window, newest first
}

type commit struct {
	at    int64
	files []string
}

// readHistory asks git twice, for what was renamed or removed and for what
// changed lately, each within gitTime and gitBytes. Paths are below root.
func readHistory(ctx context.Context, root string, now int64) history {
	h := history{renamed: map[string]string{}, deleted: map[string]bool{}}
	removed := []string{"--diff-filter=RD", "--name-status", "-z", "--format=", "--relative", "--no-color"}
	out, ok := git(ctx, root, append([]string{"log", "-n", gitCommits, "-M"}, removed...)...)
	if !ok {
		// A partial clone has not the contents that tell a rename.
		out, ok = git(ctx, root, append([]string{"log", "-n", gitCommits, "--no-renames"}, removed...)...)
	}
	if !ok {
		return h
	}
	h.known = true
	f := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(f); i++ {
		switch status := strings.TrimLeft(f[i], "\n"); {
		case strings.HasPrefix(status, "R") && i+2 < len(f):
			if old := f[i+1]; h.renamed[old] == "" && !h.deleted[old] && old != f[i+2] {
				h.renamed[old] = f[i+2]
			}
			i += 2
		case status == "D":
			if old := f[i+1]; h.renamed[old] == "" {
				h.deleted[old] = true
			}
			i++
		}
	}
	out, _ = git(ctx, root, "log", "-n", gitCommits, "--since="+strconv.FormatInt(now-window, 10), "--no-merges", "--no-renames",
		"--name-only", "-z", "--format=%x01%ct%x02", "--relative", "--no-color")
	for part := range strings.SplitSeq(string(out), "\x01") {
		at, files, ok := strings.Cut(part, "\x02")
		n, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil || n < now-window {
			continue
		}
		c := commit{at: n}
		for p := range strings.SplitSeq(files, "\x00") {
			if p = strings.Trim(p, "\n"); p != "" {
				c.files = append(c.files, p)
			}
		}
		h.commits = append(h.commits, c)
	}
	return h
}

// git runs one reading command; ok is false where git is missing, fails, or
// root is no checkout. What is beyond the bounds is cut off at a whole field.
func git(ctx context.Context, root string, args ...string) (out []byte, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := safegit.Command(ctx, root, append([]string{"-c", "core.quotePath=false"}, args...)...)
	pipe, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return nil, false
	}
	out, _ = io.ReadAll(io.LimitReader(pipe, gitBytes))
	full := len(out) == gitBytes
	if full {
		cancel()
	}
	err = cmd.Wait()
	cut := full || ctx.Err() != nil
	if cut {
		out = out[:bytes.LastIndexByte(out, 0)+1]
	}
	return out, err == nil || cut && len(out) > 0
}

// next is where a path is now: the end of its renames, "" when none of them is
// there.
func (h history) next(path string, there func(string) bool) string {
	seen := map[string]bool{}
	for range 10 {
		to := h.renamed[path]
		if to == "" || seen[to] {
			return ""
		}
		if there(to) {
			return to
		}
		seen[to] = true
		path = to
	}
	return ""
}

// nextFolder is where most files of a folder went, "" when they went apart.
func (h history) nextFolder(dir string, there func(string) bool) string {
	votes, all := map[string]int{}, 0
	for old := range h.renamed {
		rest, ok := strings.CutPrefix(old, dir+"/")
		if !ok {
			continue
		}
		to := h.next(old, there)
		if to == "" {
			continue
		}
		all++
		if base, ok := strings.CutSuffix(to, "/"+rest); ok {
			votes[base]++
		}
	}
	best := ""
	for d, n := range votes {
		if n > votes[best] || n == votes[best] && (best == "" || d < best) {
			best = d
		}
	}
	if 2*votes[best] <= all {
		return ""
	}
	return best
}

// was reports that git knew the path, as a file or a folder.
func (h history) was(path string) bool {
	if h.deleted[path] || h.renamed[path] != "" {
		return true
	}
	for p := range h.deleted {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	for p := range h.renamed {
		if strings.HasPrefix(p, path+"/") {
			return true
		}
	}
	return false
}

// Command route measures the route ("Open … before searching.") on a real
// history: the subjects of a repository's newest commits are the prompts, the
// files that each changed are what should have been named. The project is
// looked at as it stood before the oldest of them, so that no answer knows the
// future.
//
//	go run ./internal/bench/route --repo DIR [--commits 300]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/hookrunner/activity"
	"pathrule/index"
	"pathrule/internal/sysenv"
	"pathrule/slice"
	"pathrule/workspace"
)

func main() {
	repo := flag.String("repo", "", "a git repository `DIR`")
	n := flag.Int("commits", 300, "newest commits to ask for")
	work := flag.Int("work", 0, "take the `N` commits before each one for this machine's own earlier work")
	asJSON := flag.Bool("json", false, "answer in JSON")
	verbose := flag.Bool("v", false, "show for each subject what was named: 1 right, 3 among the three, 0 wrong")
	flag.Parse()
	if *repo == "" {
		fmt.Fprintln(os.Stderr, "route: error: --repo DIR is needed")
		os.Exit(2)
	}
	var say io.Writer
	if *verbose {
		say = os.Stderr
	}
	r, err := measure(context.Background(), *repo, *n, *work, say)
	if err != nil {
		fmt.Fprintln(os.Stderr, "route: error:", err)
		os.Exit(1)
	}
	if *asJSON {
		b, _ := json.MarshalIndent(r, "", "  ")
		fmt.Println(string(b))
		return
	}
	fmt.Printf("%d subjects; speaks on %d (%.1f %%); of those right: first %.1f %%, among three %.1f %%\n",
		r.Asked, r.Spoke, r.share(r.Spoke, r.Asked), r.share(r.Top1, r.Spoke), r.share(r.Top3, r.Spoke))
}

// result counts subjects. Only those count that changed a file which stood
// before, at most maxTouched of them: nobody can name a file that is not there.
type result struct {
	Asked int `json:"asked"`
	Spoke int `json:"spoke"`
	Top1  int `json:"top1"`
	Top3  int `json:"top3"`
}

func (result) share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

const maxTouched = 10

func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "--no-pager", "-c", "core.quotePath=false"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return string(out), nil
}

func measure(ctx context.Context, repo string, n, work int, say io.Writer) (r result, err error) {
	repo, err = filepath.Abs(repo)
	if err != nil {
		return r, err
	}
	log, err := git(ctx, repo, "log", "--first-parent", "-n", strconv.Itoa(n), "--no-renames", "--name-only", "-z", "--format=%x01%H%x02%s%x02")
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "route")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	commits := strings.Split(log, "\x01")[1:]
	if len(commits) == 0 {
		return r, fmt.Errorf("no commit in %s", repo)
	}
	oldest, _, _ := strings.Cut(commits[len(commits)-1], "\x02")
	root := filepath.Join(dir, "project")
	if _, err := git(ctx, dir, "clone", "-q", "--shared", "--no-checkout", repo, root); err != nil {
		return r, err
	}
	if _, err := git(ctx, root, "checkout", "-q", oldest+"^"); err != nil {
		return r, fmt.Errorf("the history is shorter than --commits %d: %w", n, err)
	}
	home := filepath.Join(dir, "home")
	env := sysenv.FromOS()
	env.Cwd, env.UserHome, env.Vars, env.Environ = root, home, func(string) string { return "" }, nil
	dirs := workspace.DirsOf(env)
	ws, err := workspace.MakeStore(root, true, dirs, env)
	if err != nil {
		return r, err
	}
	if _, err := index.Build(ctx, ws, env); err != nil {
		return r, err
	}
	// Of the history, too, only what lies before.
	if _, err := index.ReadHistory(ctx, ws, env, time.Minute); err != nil {
		return r, err
	}
	src, err := index.Open(ws, env)
	if err != nil {
		return r, err
	}
	defer src.Close()
	exists := func(rel string) bool {
		_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(rel)))
		return err == nil
	}
	for i, c := range commits {
		f := strings.SplitN(c, "\x02", 3)
		if len(f) != 3 {
			continue
		}
		touched := map[string]bool{}
		for _, p := range changed(f[2]) {
			touched[p] = exists(p)
		}
		maps.DeleteFunc(touched, func(_ string, there bool) bool { return !there })
		if len(touched) == 0 || len(touched) > maxTouched {
			continue
		}
		r.Asked++
		plan, err := slice.Make(slice.In{Channel: slice.Prompt, Workspace: ws, Source: src, Prompt: f[1], Exists: exists,
			Work: func() []slice.Work { return before(commits[i+1:], work) }})
		if err != nil {
			return r, err
		}
		if plan.Route == nil {
			continue
		}
		r.Spoke++
		m := mark(touched, plan.Route)
		if say != nil {
			fmt.Fprintf(say, "%s %5.2f  %s -> %s\n", m, plan.Route.Score, f[1], strings.Join(append([]string{plan.Route.Path}, plan.Route.Next...), ", "))
		}
		switch m {
		case "1":
			r.Top1++
			r.Top3++
		case "3":
			r.Top3++
		}
	}
	return r, nil
}

// changed are the paths of a commit as git lists them.
func changed(list string) []string {
	var out []string
	for p := range strings.SplitSeq(list, "\x00") {
		if p = strings.Trim(p, "\n"); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// before takes the n commits before one, each for a stretch of work.
func before(commits []string, n int) []slice.Work {
	var recs []activity.Record
	for i, c := range commits[:min(n, len(commits))] {
		f := strings.SplitN(c, "\x02", 3)
		if len(f) != 3 {
			continue
		}
		for _, p := range changed(f[2]) {
			recs = append(recs, activity.Record{Kind: activity.Touched, At: int64(1_000_000 - 10_000*i), Session: strconv.Itoa(i), Op: "edit", What: p})
		}
	}
	var out []slice.Work
	for _, e := range activity.Episodes(recs) {
		out = append([]slice.Work{{Edited: e.Edited, Read: e.Read, Subjects: e.Subjects, Paths: len(e.Edited)}}, out...)
	}
	return out
}

// mark is "1" where the file named first was changed, "3" where the second or
// third best was, else "0".
func mark(touched map[string]bool, r *slice.Route) string {
	switch {
	case touched[r.Path]:
		return "1"
	case slices.ContainsFunc(r.Next, func(p string) bool { return touched[p] }):
		return "3"
	}
	return "0"
}

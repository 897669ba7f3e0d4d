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
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/index"
	"pathrule/internal/sysenv"
	"pathrule/slice"
	"pathrule/workspace"
)

func main() {
	repo := flag.String("repo", "", "a git repository `DIR`")
	n := flag.Int("commits", 300, "newest commits to ask for")
	asJSON := flag.Bool("json", false, "answer in JSON")
	flag.Parse()
	if *repo == "" {
		fmt.Fprintln(os.Stderr, "route: error: --repo DIR is needed")
		os.Exit(2)
	}
	r, err := measure(context.Background(), *repo, *n)
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

func measure(ctx context.Context, repo string, n int) (r result, err error) {
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
	src, err := index.Open(ws, env)
	if err != nil {
		return r, err
	}
	defer src.Close()
	exists := func(rel string) bool {
		_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(rel)))
		return err == nil
	}
	for _, c := range commits {
		f := strings.SplitN(c, "\x02", 3)
		if len(f) != 3 {
			continue
		}
		touched := map[string]bool{}
		for p := range strings.SplitSeq(f[2], "\x00") {
			if p = strings.Trim(p, "\n"); p != "" && exists(p) {
				touched[p] = true
			}
		}
		if len(touched) == 0 || len(touched) > maxTouched {
			continue
		}
		r.Asked++
		plan, err := slice.Make(slice.In{Channel: slice.Prompt, Workspace: ws, Source: src, Prompt: f[1], Exists: exists})
		if err != nil {
			return r, err
		}
		if plan.Route == nil {
			continue
		}
		r.Spoke++
		if touched[plan.Route.Path] {
			r.Top1++
		}
		for _, p := range append([]string{plan.Route.Path}, plan.Route.Next...) {
			if touched[p] {
				r.Top3++
				break
			}
		}
	}
	return r, nil
}

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/workspace"
)

// writer is how the command line signs what it writes.
const (
	writer       = "cli"
	importWriter = "import"
	reviewWriter = "review" // and then who proposed it
)

func itoa(n int) string { return strconv.Itoa(n) }

// home is one store with the workspace it belongs to (for the personal store
// the one around us, which may be nil).
type home struct {
	*store.Store
	ws       *workspace.Workspace
	personal bool
}

// storeFor opens the store that ref or the --personal flag means.
func (a *app) storeFor(ref string, personal bool) (*home, error) {
	_, bare, found := strings.Cut(ref, ":")
	if !found {
		bare = ref
	}
	if personal || strings.HasPrefix(bare, knowledge.PersonalPrefix) {
		ws, err := a.maybeWorkspace()
		if err != nil {
			return nil, err
		}
		s, err := store.OpenPersonal(a.dirs(), a.env)
		if err != nil {
			return nil, err
		}
		if ws != nil {
			s = s.Knowing(index.Asker(ws, a.env))
		}
		return &home{s, ws, true}, nil
	}
	ws, err := a.workspace()
	if err != nil {
		return nil, err
	}
	s, err := store.Open(ws, a.dirs(), a.env)
	if err != nil {
		return nil, err
	}
	return &home{s.Knowing(index.Asker(ws, a.env)), ws, false}, nil
}

// find opens the store that holds ref and resolves it. What the workspace does
// not hold is looked for in the workspaces around it, since their entries are
// inherited; readOnly callers only, a change is made where the entry lives.
func (a *app) find(ref string, kind knowledge.Kind, personal, readOnly bool) (*home, string, error) {
	h, err := a.storeFor(ref, personal)
	if err != nil {
		return nil, "", err
	}
	_, id, err := h.Resolve(ref, kind)
	if err == nil || !errors.Is(err, knowledge.ErrNotFound) || h.personal {
		return h, id, err
	}
	for outer := h.ws.Outer; outer != nil; outer = outer.Outer {
		s, oerr := store.Open(outer, a.dirs(), a.env)
		if oerr != nil {
			continue
		}
		if _, oid, oerr := s.Resolve(ref, kind); oerr == nil {
			if !readOnly {
				return nil, "", cli.Fail("refused", string(kind)+" "+oid+" belongs to the enclosing workspace "+a.shown(outer.Root),
					"change it there: add --workspace "+a.shown(outer.Root))
			}
			return &home{s, outer, false}, oid, nil
		}
	}
	return h, id, err
}

// published ends every write: the workspace counts as the person's own, and
// the index holds the change before the command returns, so that the very next
// hook process sees it. A change that stands on disk but could not be indexed
// is a warning: the files are the truth, and the next event indexes them. files
// are all that was written or removed; without them the whole store is compared,
// which in a large one costs several times the write.
func (a *app) published(ctx context.Context, h *home, files ...string) {
	if err := workspace.RecordState(a.dirs()); err != nil {
		a.out.Warn("could not record where state lies: %v", err)
	}
	if h.ws == nil {
		return
	}
	if !h.personal {
		if err := workspace.Own(h.ws, a.dirs(), false, a.env); err != nil {
			a.out.Warn("could not record that this workspace is yours: %v", err)
		}
	}
	a.refresh(ctx, h.ws, files...)
}

func (a *app) refresh(ctx context.Context, ws *workspace.Workspace, files ...string) {
	done := a.out.Progress("indexing")
	var err error
	if len(files) > 0 {
		_, err = index.RefreshFiles(ctx, ws, a.env, files...)
	} else {
		_, err = index.Refresh(ctx, ws, a.env, index.Limits{})
	}
	done()
	if err != nil {
		a.out.Warn("written, but not indexed yet: %v", err)
		a.out.Hint("run \"pathrule index\"")
	}
}

// completeIDs offers the ids of a kind to the shell.
func (a *app) completeIDs(kind knowledge.Kind) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		var out []string
		add := func(dir, before string) {
			files, _, _ := knowledge.Walk(dir)
			for _, f := range files {
				if id := before + f.ID; f.Kind == kind && strings.HasPrefix(id, prefix) {
					out = append(out, id)
				}
			}
		}
		if ws, err := a.maybeWorkspace(); err == nil && ws != nil {
			add(ws.Store, "")
		}
		add(a.dirs().Personal(), knowledge.PersonalPrefix)
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// scopePath turns a path as typed into the workspace's own coordinates for a
// scope pattern: globs and patterns stay as they are, an existing file or
// folder named from a subfolder becomes relative to the root. With --workspace
// all of them are read from the root. A leading "/" is the root; a place on
// this machine that lies elsewhere is refused, since it cannot be meant.
func (a *app) scopePath(ws *workspace.Workspace, p string) (string, error) {
	if ws == nil || p == "" || strings.ContainsAny(p, "*?[]{}!") || strings.HasPrefix(p, "/") && !exists(p) {
		return p, nil
	}
	abs := a.at(p)
	// The root's reading comes first: patterns are written from the root.
	if exists(filepath.Join(ws.Root, p)) || !exists(abs) {
		return filepath.ToSlash(p), nil
	}
	if a.shell != "" && !filepath.IsAbs(p) {
		return filepath.ToSlash(p), nil
	}
	rel, ok := workspace.Rel(ws.Root, a.env.Cwd, abs)
	switch {
	case ok && rel != "":
		return rel, nil
	case !ok && filepath.IsAbs(p):
		return "", cli.Fail("invalid", "--path "+p+" lies outside the workspace "+a.shown(ws.Root),
			"name a path from the workspace root: src/billing; a leading / is that root")
	}
	return p, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

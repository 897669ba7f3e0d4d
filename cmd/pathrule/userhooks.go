package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"pathrule/guard/hookfile"
	"pathrule/guard/userhooks"
	"pathrule/internal/plaintext"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/mcpserver"
	"pathrule/workspace"
)

// engineFor is what runs a person's own hooks, with all that this program has.
func engineFor(env sysenv.Env) userhooks.Engine {
	dirs := workspace.DirsOf(env)
	return userhooks.Engine{
		Env: env, Dirs: dirs,
		Tool: func(ctx context.Context, dir, name, input string, env sysenv.Env) (string, error) {
			env.Cwd = dir
			return mcpserver.Call(ctx, mcpserver.Options{Workspace: dir, Version: buildVersion().Version}, env, name, input)
		},
		Entry: func(ws *workspace.Workspace, ref string) (text, key, hash string, err error) {
			return entryFor(ws, ref, dirs, env)
		},
	}
}

// hooksOf is hookrunner's way to them.
func hooksOf(env sysenv.Env) hookfile.Runner {
	return func(ctx context.Context, files []hookfile.File, req hookfile.Request) hookfile.Outcome {
		// A client that ends us must not leave running what we started.
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		e := engineFor(env)
		out, _ := e.Run(ctx, userhooks.Load(files, e.Dirs, env, req.Cwd), req)
		return out
	}
}

// entryFor is the text of an entry that a hook wants told, from the nearest
// store that holds it.
func entryFor(ws *workspace.Workspace, ref string, dirs workspace.Dirs, env sysenv.Env) (text, key, hash string, err error) {
	var s *store.Store
	if _, bare, ok := strings.Cut(ref, ":"); strings.HasPrefix(ref, knowledge.PersonalPrefix) || ok && strings.HasPrefix(bare, knowledge.PersonalPrefix) || ws == nil {
		if s, err = store.OpenPersonal(dirs, env); err != nil {
			return "", "", "", err
		}
		return entryIn(s, ref)
	}
	for w := ws; w != nil; w = w.Outer {
		if s, err = store.Open(w, dirs, env); err != nil {
			return "", "", "", err
		}
		if text, key, hash, err = entryIn(s, ref); err == nil {
			return text, key, hash, nil
		}
	}
	return "", "", "", err
}

func entryIn(s *store.Store, ref string) (text, key, hash string, err error) {
	kind, id, err := s.Resolve(ref, "")
	if err != nil {
		return "", "", "", err
	}
	e, _, err := s.Read(kind, id)
	if err != nil {
		return "", "", "", err
	}
	// Key and version as slice records what it tells: neither tells it again.
	return plaintext.Line(e.Key()+" "+e.Title, 200) + "\n" + knowledge.Strip(e.Body), s.Owner() + "/" + e.Key(), e.Version, nil
}

package main

import (
	"context"
	"errors"
	"io/fs"

	"pathrule/index/catalog"
	"pathrule/internal/cli"
	"pathrule/internal/filelock"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// failureOf is the one place that turns what lower packages report into a
// code, an exit code and a remedy.
func failureOf(err error) *cli.Failure {
	var (
		fail     *cli.Failure
		conflict *knowledge.ConflictError
		dup      *knowledge.DuplicateError
		parse    *knowledge.ParseError
		invalid  *knowledge.InvalidError
		refused  *knowledge.RefusedError
		missing  *knowledge.NotFoundError
		path     *fs.PathError
	)
	switch {
	case errors.As(err, &fail):
		return fail
	case errors.Is(err, context.Canceled):
		return &cli.Failure{Code: "interrupted", Msg: "interrupted", Hints: []string{"nothing is half written: run it again"}, Err: err}
	case errors.As(err, &conflict):
		return fact(err, "conflict", "read it again with \"pathrule "+kindWord(conflict.Kind)+" show "+conflict.ID+"\", then repeat the change")
	case errors.Is(err, knowledge.ErrConflict):
		return fact(err, "conflict", "read the entry again, then repeat the change")
	case errors.As(err, &dup):
		return fact(err, "duplicate",
			"change that one: pathrule "+string(dup.Kind)+" edit "+dup.ID,
			"or keep both: add --allow-duplicate")
	case errors.Is(err, knowledge.ErrDuplicate):
		return fact(err, "duplicate", "use another title or id, or add --allow-duplicate")
	case errors.As(err, &parse):
		return fact(err, "invalid", parse.Remedy)
	case errors.As(err, &invalid) && invalid.Field == "content_edit":
		// The field is MCP's; here the flags tell what is meant.
		f := fact(err, "invalid", invalid.Remedy)
		f.Msg = invalid.Msg
		return f
	case errors.As(err, &invalid):
		return fact(err, "invalid", invalid.Remedy)
	case errors.Is(err, knowledge.ErrInvalid):
		return fact(err, "invalid")
	case errors.As(err, &missing) && len(missing.Nearest) > 0:
		return fact(err, "not_found")
	case errors.Is(err, knowledge.ErrNotFound):
		return fact(err, "not_found", "see what there is: pathrule memory list, rule list, skill list")
	case errors.Is(err, knowledge.ErrAmbiguous):
		return fact(err, "ambiguous", "name one of them in full")
	case errors.As(err, &refused):
		return fact(err, "refused", refused.Remedy)
	case errors.Is(err, knowledge.ErrRefused):
		return fact(err, "refused")
	case errors.Is(err, knowledge.ErrReadOnly):
		return fact(err, "read_only", "check the rights of the .pathrule folder; pathrule doctor names them")
	case errors.Is(err, knowledge.ErrNothing):
		return fact(err, "nothing_to_undo")
	case errors.Is(err, workspace.ErrNone):
		return fact(err, "no_workspace", "run \"pathrule init\" in the root of your project, or name one with --workspace")
	case errors.Is(err, catalog.ErrMissing):
		return fact(err, "no_index", "run \"pathrule index\"")
	case errors.Is(err, filelock.ErrTimeout):
		return fact(err, "busy", "another pathrule is writing; it finishes by itself, then run this again")
	case errors.Is(err, fs.ErrPermission) && errors.As(err, &path):
		return fact(err, "permission", "check the rights of "+path.Path)
	}
	return fact(err, "failed")
}

// kindWord names the command group in a hint.
func kindWord(k knowledge.Kind) string {
	if k == "" {
		return "memory|rule|skill"
	}
	return string(k)
}

func fact(err error, code string, hints ...string) *cli.Failure {
	f := &cli.Failure{Code: code, Exit: cli.ExitFailed, Msg: err.Error(), Err: err}
	for _, h := range hints {
		if h != "" {
			f.Hints = append(f.Hints, h)
		}
	}
	return f
}

// reported is a failure whose details the answer holds already: in JSON only
// the exit code is left to say, since stdout carries one document.
type reported struct{ *cli.Failure }

func (r *reported) Unwrap() error { return r.Failure }

package index

import (
	"context"

	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

type index struct{}

func build(ctx context.Context, ws *workspace.Workspace, env sysenv.Env) (Report, error) {
	return Report{}, nil
}
func refresh(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, l Limits) (Report, error) {
	return Report{}, nil
}
func status(ws *workspace.Workspace, env sysenv.Env) (Report, error) { return Report{}, nil }
func open(ws *workspace.Workspace, env sysenv.Env) (*Index, error)   { return &Index{}, nil }

// Close releases the generation.
func (x *Index) Close() error { return nil }

// Search implements catalog.Source.
func (x *Index) Search(q catalog.Query) (catalog.Result, error) { return catalog.Result{}, nil }

// All implements catalog.Source.
func (x *Index) All(yield func(catalog.Record) bool) error { return nil }

// Load implements catalog.Source.
func (x *Index) Load(r catalog.Record) (catalog.Doc, error) { return catalog.Doc{}, nil }

// Counts implements catalog.Source.
func (x *Index) Counts() (map[knowledge.Kind]int, map[string]int, error) { return nil, nil, nil }

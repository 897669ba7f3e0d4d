package catalog

import (
	"pathrule/knowledge"
	"pathrule/workspace"
)

type reader struct{}

func open(ws *workspace.Workspace, dirs workspace.Dirs) (*Reader, error) { return nil, ErrMissing }

// Close releases the file.
func (r *Reader) Close() error { return nil }

// Search implements Source.
func (r *Reader) Search(q Query) (Result, error) { return Result{}, nil }

// All implements Source.
func (r *Reader) All(yield func(Record) bool) error { return nil }

// Load implements Source.
func (r *Reader) Load(rec Record) (Doc, error) { return Doc{}, nil }

// Counts implements Source.
func (r *Reader) Counts() (map[knowledge.Kind]int, map[string]int, error) { return nil, nil, nil }

package core

import (
	"context"
	"errors"

	bleveindex "github.com/blevesearch/bleve_index_api"

	"pathrule/knowledge"
)

// Engine writes what only heavy libraries can: package index has one. A program
// that only reads goes without, and starts in half the time.
type Engine interface {
	// Parse reads an entry whose head is beyond the line reader; quiet: there is
	// nothing to report about the file.
	Parse(data []byte, kind knowledge.Kind, id, file string) (e knowledge.Entry, quiet bool, err error)
	// Update applies one batch to a store that is this writer's own copy, and
	// returns with everything on disk.
	Update(ctx context.Context, store string, update []bleveindex.Document, remove []string) ([]Segment, error)
	// Build begins a store from nothing in an empty folder.
	Build(store string) (Builder, error)
}

// Builder is a store being built.
type Builder interface {
	// Add is called from one goroutine.
	Add(bleveindex.Document) error
	// Close returns with everything on disk.
	Close(ctx context.Context) ([]Segment, error)
	// Discard gives up an unfinished build; after Close it does nothing.
	Discard()
}

// ErrReadOnly: the index has to be written, and this program cannot.
var ErrReadOnly = errors.New("the index has to be written, which this program leaves to another")

// batch is what one refresh changes in the bleve index.
type batch struct {
	update []bleveindex.Document
	remove []string
}

func (b *batch) empty() bool { return len(b.update)+len(b.remove) == 0 }

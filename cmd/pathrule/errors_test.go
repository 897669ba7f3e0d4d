package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"pathrule/index/catalog"
	"pathrule/internal/cli"
	"pathrule/internal/filelock"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// TestFailuresHaveACodeAndAnExit: what the packages below report comes out as
// one stable code, with the exit code that belongs to it and words.
func TestFailuresHaveACodeAndAnExit(t *testing.T) {
	tests := map[string]struct {
		err  error
		code string
		exit int
		hint string
	}{
		"no workspace":                 {workspace.ErrNone, "no_workspace", 1, "pathrule init"},
		"an entry that is not there":   {&knowledge.NotFoundError{Ref: "x"}, "not_found", 1, "memory list"},
		"the nearest stand in the way": {&knowledge.NotFoundError{Ref: "x", Nearest: []string{"y"}}, "not_found", 1, ""},
		"more than one":                {&knowledge.AmbiguousError{Ref: "x", Keys: []string{"a", "b"}}, "ambiguous", 1, "in full"},
		"changed meanwhile":            {&knowledge.ConflictError{ID: "x", Current: "v"}, "conflict", 1, "show x"},
		"the same title":               {&knowledge.DuplicateError{Kind: knowledge.Rule, ID: "x"}, "duplicate", 1, "pathrule rule edit x"},
		"a file that does not parse":   {&knowledge.ParseError{Path: "a.md", Line: 3, Msg: "bad", Remedy: "mend it"}, "invalid", 1, "mend it"},
		"a value that cannot be":       {&knowledge.InvalidError{Field: "title", Msg: "is empty", Remedy: "give one"}, "invalid", 1, "give one"},
		"left alone":                   {&knowledge.RefusedError{Path: "a", Msg: "leaves", Remedy: "move it"}, "refused", 1, "move it"},
		"a store that is read-only":    {knowledge.ErrReadOnly, "read_only", 1, "doctor"},
		"nothing to undo":              {knowledge.ErrNothing, "nothing_to_undo", 1, ""},
		"no index":                     {catalog.ErrMissing, "no_index", 1, "pathrule index"},
		"another writer":               {filelock.ErrTimeout, "busy", 1, "finishes by itself"},
		"no rights":                    {&fs.PathError{Op: "open", Path: "/x", Err: fs.ErrPermission}, "permission", 1, "rights of /x"},
		"interrupted":                  {context.Canceled, "interrupted", 1, "again"},
		"the command line":             {cli.Usage("wrong"), "usage", 2, ""},
		"anything else":                {errors.New("odd"), "failed", 1, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, err := range []error{tt.err, fmt.Errorf("do it: %w", tt.err)} {
				f := failureOf(err)
				if f.Code != tt.code || f.ExitCode() != tt.exit || f.Msg == "" {
					t.Errorf("failure %+v, want code %s, exit %d", f, tt.code, tt.exit)
				}
				if !strings.Contains(strings.Join(f.Hints, "\n"), tt.hint) {
					t.Errorf("hints %q, want %q", f.Hints, tt.hint)
				}
				for _, h := range f.Hints {
					if h == "" {
						t.Error("an empty hint")
					}
				}
			}
		})
	}
}

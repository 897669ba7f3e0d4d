// Package core is the index without its writing libraries: the files of a
// generation, the comparison with the disk, what a refresh does step by step,
// and the reading of bleve's segments. Package index is this with an engine
// that writes; a program that only answers links core alone, and so neither
// scorch, whose tables cost two milliseconds at every start, nor YAML.
package core

import (
	"time"

	"pathrule/workspace"
)

// State says how an index stands against the files.
type State string

// The states a person may read.
const (
	Fresh           State = "fresh"
	Stale           State = "stale"
	Missing         State = "missing"
	VersionMismatch State = "version-mismatch"
)

// Limits bound a refresh.
type Limits struct {
	// Files is the most changed files applied at once; 0: no limit.
	Files int
	// Time bounds the whole refresh, waiting for the writer lock included; 0: no
	// limit. What does not fit waits for the next event.
	Time time.Duration
	// Window is how many files are compared beyond all folders; 0: all files.
	Window int
}

// Report is what a build or refresh did.
type Report struct {
	State      State               // after it
	Generation string              // published generation, "" when none was
	Entries    int                 // entries in the index
	Files      int                 // files in the project map
	Changed    int                 // entry files added, changed or removed
	Built      bool                // built whole, not updated
	Problems   []workspace.Problem // unreadable entries: file, line, remedy
	Took       time.Duration
}

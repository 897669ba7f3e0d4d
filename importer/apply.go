package importer

import (
	"fmt"

	"pathrule/knowledge/store"
)

// Failed is an entry that could not be written.
type Failed struct {
	Key string `json:"key"`
	Err string `json:"error"`
}

// Apply writes the entries that a plan makes or updates: into s, and one
// person's own into personal (nil: they are left out). Entries that cannot be
// written are named, and keep none of the others back. All of it is one run to
// undo.
func Apply(r *Report, s, personal *store.Store, by string) (written int, failed []Failed, err error) {
	run := store.NewRun()
	s = s.OneRun(run, "import")
	for _, mine := range []bool{false, true} {
		to := s
		if mine {
			if to = nil; personal != nil {
				to = personal.OneRun(run, "import")
			}
		}
		var list []store.Whole
		var units []*Unit
		for i := range r.Units {
			u := &r.Units[i]
			if u.Personal != mine || u.Action != Create && u.Action != Update {
				continue
			}
			list = append(list, store.Whole{Kind: u.Kind, ID: u.ID, Raw: u.raw, Expected: u.version, Files: u.files, Programs: u.programs})
			units = append(units, u)
		}
		if len(list) == 0 || to == nil {
			continue
		}
		errs, err := to.Adopt(list, by)
		if err != nil && errs == nil {
			return written, failed, fmt.Errorf("write the imported entries: %w", err)
		}
		for i, e := range errs {
			if e != nil {
				failed = append(failed, Failed{units[i].Key(), e.Error()})
			} else {
				written++
			}
		}
		if err != nil {
			return written, failed, fmt.Errorf("write down the import for undo: %w", err)
		}
	}
	if r.team != "" {
		if err := s.WriteFile("team.md", []byte(r.team), by); err != nil {
			return written, failed, fmt.Errorf("write team.md: %w", err)
		}
		written++
	}
	_, err = noteNative(r, s, by)
	return written, failed, err
}

// Note brings up to date what a plan knows of the files that clients load by
// themselves, also when it has no entry to write.
func Note(r *Report, s *store.Store, by string) (changed bool, err error) {
	return noteNative(r, s.OneRun(store.NewRun(), "import"), by)
}

// Known is what Plan needs to know of a store: its entries with their bytes.
func Known(s *store.Store) []Existing {
	list, _ := s.List()
	out := make([]Existing, 0, len(list))
	for _, e := range list {
		x := Existing{Entry: e}
		if _, _, ok := originOf(e.Source); ok {
			if _, raw, err := s.Read(e.Kind, e.ID); err == nil {
				x.Raw = raw
			}
		}
		out = append(out, x)
	}
	return out
}

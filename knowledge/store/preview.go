package store

import (
	"slices"
	"time"

	"pathrule/knowledge"
)

// CheckDraft says what Create would refuse now, and names the entries that say
// nearly the same; it writes nothing.
func (s *Store) CheckDraft(d Draft, o CreateOptions) ([]Near, error) { return s.checkDraft(d, o) }

func (s *store) checkDraft(d Draft, o CreateOptions) ([]Near, error) {
	e, _, err := s.entry(d)
	if err != nil {
		return nil, err
	}
	all := s.scan(nil)
	near := s.near(all, e.Title, e.Body, "")
	if twin := all.duplicate(&e, ""); twin != nil && !o.AllowDuplicate {
		return near, &knowledge.DuplicateError{Kind: twin.Kind, ID: s.prefix + twin.ID, What: "title"}
	}
	_, err = s.choose(all.names, e.Kind, s.bare(d.ID), e.Title)
	return near, err
}

// Preview is an entry's file as it stands and as p would make it. Its errors are Update's, but for a new title or id that another
// entry has.
func (s *Store) Preview(kind knowledge.Kind, id string, p Patch, expected string) (old, changed []byte, err error) {
	f, old, err := s.current(kind, id, expected)
	if err != nil {
		return nil, nil, err
	}
	changed, err = s.patched(f, old, p)
	return old, changed, err
}

// LastWrite is who wrote an entry's present version through pathrule, how (create,
// edit, move, restore) and when; ok is false when nobody did or it is not known.
func (s *Store) LastWrite(kind knowledge.Kind, id string) (by, action string, at time.Time, ok bool) {
	f, raw, err := s.current(kind, id, "")
	if err != nil || s.hist == "" {
		return "", "", time.Time{}, false
	}
	list, err := s.journal()
	if err != nil {
		return "", "", time.Time{}, false
	}
	now := knowledge.Version(raw)
	for _, line := range slices.Backward(list) {
		parts := []change{line}
		if line.Run != "" {
			if parts, err = s.readRun(line.Run); err != nil {
				return "", "", time.Time{}, false
			}
		}
		for _, c := range slices.Backward(parts) {
			if !c.Undone && c.Kind == kind && c.After == (state{f.ID, now}) {
				return c.By, c.Action, c.At, true
			}
		}
	}
	return "", "", time.Time{}, false
}

// TrashedFile is the file of the entry that Restore would bring back.
func (s *Store) TrashedFile(kind knowledge.Kind, id string) ([]byte, error) {
	list, err := s.trash()
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		if t.Kind == kind && s.bare(t.ID) == s.bare(id) {
			return readFile(t.Path)
		}
	}
	return nil, &knowledge.NotFoundError{Ref: id}
}

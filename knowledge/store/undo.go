package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pathrule/knowledge"
)

func (s *store) undo(by string) (string, error) {
	return s.step(by, false)
}

func (s *store) redo(by string) (string, error) {
	return s.step(by, true)
}

// step walks one change back or forth. The undone ones stand at the end of the
// journal, so that the change to take back is the last of the others and the
// one to do again the first of them.
func (s *store) step(by string, again bool) (string, error) {
	if s.hist == "" {
		return "", knowledge.ErrNothing
	}
	unlock, err := s.lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	list, err := s.journal()
	if err != nil {
		return "", err
	}
	at := len(list) - 1
	for at >= 0 && list[at].Undone {
		at--
	}
	if again {
		at++
	}
	if at < 0 || at >= len(list) {
		return "", knowledge.ErrNothing
	}
	c := &list[at]
	from, to := c.After, c.Before
	if again {
		from, to = c.Before, c.After
	}
	what, action := c.words(s.prefix), "undo"
	if again {
		action = "redo"
	}
	if err := s.walkTo(c, from, to, action, by); err != nil {
		return "", err
	}
	c.Undone = !again
	return what, s.writeJournal(list)
}

// words says a change as a person would.
func (c *change) words(prefix string) string {
	key := func(id string) string { return string(c.Kind) + ":" + prefix + id }
	switch {
	case c.Action == "rm":
		return "delete of " + key(c.Before.ID)
	case c.Before.ID == "":
		return c.Action + " of " + key(c.After.ID)
	case c.Before.ID != c.After.ID:
		return "move of " + key(c.Before.ID) + " to " + key(c.After.ID)
	}
	return c.Action + " of " + key(c.After.ID)
}

// walkTo brings an entry from one state to another. It must stand as from says:
// what somebody changed by hand since is not overwritten.
func (s *store) walkTo(c *change, from, to state, action, by string) error {
	if from.ID == "" {
		return s.bringBack(c, to)
	}
	f, old, err := s.current(c.Kind, from.ID, from.Version)
	if err != nil {
		return err
	}
	if to.ID == "" {
		c.Trash, err = s.discard(f, old, action, by)
		return err
	}
	raw := old
	if from.Version != to.Version {
		if raw, err = s.bytesOf(c.Kind, from.ID, to.Version); err != nil {
			return gone(err, to)
		}
	}
	dest := f
	if to.ID != f.ID {
		dest.ID, dest.File = to.ID, knowledge.FileOf(c.Kind, to.ID)
		if err := s.free(s.scan(nil), c.Kind, to.ID, f.File); err != nil {
			return err
		}
	}
	return s.shift(f, dest, old, raw, action, by)
}

// bringBack makes an entry stand again that is not there: from the trash, else
// from the history.
func (s *store) bringBack(c *change, to state) error {
	if c.Trash != "" {
		name, f, err := s.trashed(c.Kind, to.ID, c.Trash)
		if err == nil {
			e, err := s.recover(name, f)
			if err != nil {
				return err
			}
			if e.Version != to.Version {
				return &knowledge.ConflictError{Kind: c.Kind, ID: s.prefix + to.ID, Current: e.Version}
			}
			return nil
		}
		if !errors.Is(err, knowledge.ErrNotFound) {
			return err
		}
	}
	raw, err := s.bytesOf(c.Kind, to.ID, to.Version)
	if err != nil {
		return gone(err, to)
	}
	if err := s.free(s.scan(nil), c.Kind, to.ID, ""); err != nil {
		return err
	}
	file := knowledge.FileOf(c.Kind, to.ID)
	if _, err := os.Lstat(filepath.Clean(s.path(file))); err == nil {
		return &knowledge.RefusedError{Path: s.show(file), Msg: "something stands there already", Remedy: "move it away first"}
	}
	return s.put(file, raw)
}

func gone(err error, to state) error {
	if errors.Is(err, knowledge.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return &knowledge.RefusedError{Path: to.ID, Msg: "version " + to.Version + " is no longer kept (twenty versions, 90 days)", Remedy: "look at the history of the entry"}
	}
	return err
}

package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/cores"
	"pathrule/internal/regular"
	"pathrule/knowledge"
)

// StepOptions say how Undo and Redo walk.
type StepOptions struct {
	By string
	// SkipChanged leaves entries alone that no longer stand as the change left
	// them, and forgets what is known of the change; without it they keep the
	// whole step from being taken.
	SkipChanged bool
	// DryRun only says what would be done.
	DryRun bool
}

// Step is what Undo takes back or Redo does again: one change, or all that one
// command wrote (a run).
type Step struct {
	What string // "delete of memory:stripe-retries", "import of 12 entries"
	By   string // who made the change
	At   time.Time
	Run  string // "" for a change that stands alone; see OneRun
	// Items are the changes in the order in which they are walked, Left those
	// that SkipChanged passed over.
	Items []Stepped
	Left  []Blocked

	action  string
	parts   int // changes of the run
	entries int // those of entries
}

// With is the step of a run that another store has a part of.
func (st Step) With(o Step) Step {
	st.parts, st.entries = st.parts+o.parts, st.entries+o.entries
	st.What = runWords(st.action, st.parts, st.entries)
	st.Items, st.Left = slices.Concat(st.Items, o.Items), slices.Concat(st.Left, o.Left)
	return st
}

// Stepped is one change of a step.
type Stepped struct {
	Kind knowledge.Kind // FileKind for a file that is no entry
	ID   string         // as it is called before and after; the later one of a move
	What string         // "create of memory:stripe-retries"
}

// Blocked is a change that cannot be walked.
type Blocked struct {
	Kind knowledge.Kind
	ID   string
	Why  string // "was changed since"
}

// BlockedError names what keeps a step from being taken: nothing of it was. It
// is knowledge.ErrConflict.
type BlockedError struct {
	What    string
	Entries []Blocked
}

func (e *BlockedError) Error() string {
	var list []string
	for _, b := range e.Entries {
		list = append(list, b.ID+" "+b.Why)
	}
	return e.What + ": " + strings.Join(list, "; ")
}

// Is makes errors.Is(err, knowledge.ErrConflict) true.
func (e *BlockedError) Is(err error) bool { return err == knowledge.ErrConflict }

// walk is one step in the making.
type walk struct {
	s    *store
	o    StepOptions
	redo bool
	// list and at are the journal and its line to walk, parts the line's changes,
	// ready those that are walked, in their order.
	list  []change
	at    int
	parts []change
	ready []*change
	step  Step
	// now is what stands where once the changes before are walked: versions by
	// kind and id, "" where nothing stands.
	now map[string]string
	// all is the store's entries, read once and kept up to date; long says that
	// there are so many changes that entries are found in it.
	all  *names
	long bool
	// trash is the one folder that takes all that is removed.
	trash string
	// there are the changes whose end stands already: an earlier walk of this run
	// was cut short by force.
	there map[*change]bool
	// kept are the changes whose text is in the history already.
	kept map[*change]bool
}

// longWalk is from how many changes on a walk lists the store, instead of asking
// for each of them where it lies.
const longWalk = 16

// step walks one line of the journal back or forth. The undone ones stand at
// its end, so that what to take back is the last of the others and what to do
// again the first of them. All is looked at before anything is touched.
func (s *store) step(o StepOptions, redo bool) (Step, error) {
	if s.hist == "" {
		return Step{}, knowledge.ErrNothing
	}
	unlock, err := s.lock()
	if err != nil {
		return Step{}, err
	}
	defer unlock()
	w, err := s.planStep(o, redo)
	if err != nil || o.DryRun {
		return w.step, err
	}
	if err := w.begin(); err != nil {
		return w.step, err
	}
	var failed error
	for _, c := range w.ready {
		if failed = w.take(c); failed != nil {
			break
		}
	}
	if failed == nil && len(w.step.Left) > 0 {
		// What was passed over is no longer ours to walk.
		w.parts = slices.DeleteFunc(w.parts, func(c change) bool { return c.Undone == redo })
	}
	return w.step, errors.Join(failed, s.writeStep(w.list, w.at, w.parts))
}

// planStep looks at all of the step at hand.
func (s *store) planStep(o StepOptions, redo bool) (*walk, error) {
	w := &walk{s: s, o: o, redo: redo, now: map[string]string{}, there: map[*change]bool{}, kept: map[*change]bool{}}
	list, err := s.journal()
	if err == nil {
		w.list, w.at, w.parts, err = s.next(list, redo)
	}
	if err != nil {
		return w, err
	}
	w.long = len(w.parts) >= longWalk
	line := &w.list[w.at]
	w.step = Step{What: line.words(s.prefix, w.parts), By: line.By, At: line.At, Run: line.Run, action: line.Action, parts: len(w.parts), entries: entriesOf(w.parts)}
	var do []*change
	for i := range w.parts {
		if w.parts[i].Undone == redo {
			do = append(do, &w.parts[i])
		}
	}
	if !redo {
		slices.Reverse(do)
	}
	for _, c := range do {
		kind, id := c.name(s.prefix)
		if why := w.blocked(c); why != "" {
			w.step.Left = append(w.step.Left, Blocked{kind, id, why})
			continue
		}
		w.ready = append(w.ready, c)
		w.step.Items = append(w.step.Items, Stepped{kind, id, c.words(s.prefix, nil)})
	}
	if len(w.step.Left) > 0 && !o.SkipChanged {
		return w, &BlockedError{w.step.What, w.step.Left}
	}
	return w, nil
}

// next is the line of the journal to walk, with its changes. A run whose record
// is gone falls out of the list.
func (s *store) next(list []change, redo bool) ([]change, int, []change, error) {
	for {
		at := len(list) - 1
		for at >= 0 && list[at].Undone {
			at--
		}
		if redo {
			at++
		}
		if at < 0 || at >= len(list) {
			return nil, 0, nil, knowledge.ErrNothing
		}
		if list[at].Run == "" {
			return list, at, []change{list[at]}, nil
		}
		if parts, err := s.readRun(list[at].Run); err != nil || len(parts) > 0 {
			return list, at, parts, err
		}
		list = slices.Delete(list, at, at+1)
	}
}

// writeStep writes down what was walked. A run that was walked in part (the
// disk was full) counts as not undone, so that an undo takes the rest back.
func (s *store) writeStep(list []change, at int, parts []change) error {
	line := &list[at]
	if line.Run != "" && len(parts) > 0 {
		if err := s.writeRun(line.Run, parts); err != nil {
			return err
		}
	}
	if len(parts) == 0 {
		gone := *line
		err := s.writeJournal(slices.Delete(list, at, at+1))
		s.dropRun(gone)
		return err
	}
	if line.Run == "" {
		*line = parts[0]
	} else {
		line.Undone = !slices.ContainsFunc(parts, func(c change) bool { return !c.Undone })
	}
	return s.writeJournal(list)
}

// name is the entry that a change is about.
func (c *change) name(prefix string) (knowledge.Kind, string) {
	id := c.After.ID
	if id == "" {
		id = c.Before.ID
	}
	if c.Kind != FileKind {
		id = prefix + id
	}
	return c.Kind, id
}

// words says a change as a person would; parts are the changes of a run.
func (c *change) words(prefix string, parts []change) string {
	if c.Run != "" {
		if len(parts) == 1 {
			return parts[0].words(prefix, nil)
		}
		return runWords(c.Action, len(parts), entriesOf(parts))
	}
	key := func(id string) string {
		if c.Kind == FileKind {
			return id
		}
		return string(c.Kind) + ":" + prefix + id
	}
	switch {
	case c.Action == "rm":
		return "delete of " + key(c.Before.ID)
	case c.Before.ID == "":
		return c.Action + " of " + key(c.After.ID)
	case c.After.ID != "" && c.Before.ID != c.After.ID:
		return "move of " + key(c.Before.ID) + " to " + key(c.After.ID)
	}
	return c.Action + " of " + key(c.After.ID)
}

func entriesOf(parts []change) (n int) {
	for i := range parts {
		if parts[i].Kind != FileKind {
			n++
		}
	}
	return n
}

func runWords(action string, parts, entries int) string {
	if action == "rm" {
		action = "delete"
	}
	switch entries {
	case 0:
		return action + " of " + strconv.Itoa(parts) + " files"
	case 1:
		return action + " of 1 entry"
	}
	return action + " of " + strconv.Itoa(entries) + " entries"
}

// ends are the two states of a change in the order of the walk.
func (w *walk) ends(c *change) (from, to state) {
	if w.redo {
		return c.Before, c.After
	}
	return c.After, c.Before
}

// stands is the version of what stands there, "" for nothing.
func (w *walk) stands(kind knowledge.Kind, id string) (string, error) {
	if v, ok := w.now[nameKey(kind, id)]; ok {
		return v, nil
	}
	_, raw, err := w.raw(kind, id)
	if errors.Is(err, knowledge.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return knowledge.Version(raw), nil
}

// raw reads an entry's file, or a file that is no entry.
func (w *walk) raw(kind knowledge.Kind, id string) (knowledge.FileRef, []byte, error) {
	s := w.s
	f := knowledge.FileRef{Kind: kind, ID: id, File: id}
	if kind != FileKind {
		var err error
		if f, err = w.find(kind, id); err != nil {
			return f, nil, err
		}
		data, err := readFile(s.path(f.File))
		return f, data, err
	}
	if err := s.safe(id); err != nil {
		return f, nil, err
	}
	data, err := regular.Read(s.path(id))
	return f, data, err
}

// find is the store's own, which looks through all files for one that is missing.
func (w *walk) find(kind knowledge.Kind, id string) (knowledge.FileRef, error) {
	if !w.long {
		return w.s.find(kind, id)
	}
	all := w.entries()
	if file, ok := all.ids[nameKey(kind, id)]; ok {
		return all.at[file], nil
	}
	ref := knowledge.FileRef{Kind: kind, ID: id, File: knowledge.FileOf(kind, id)}
	if _, err := os.Lstat(w.s.path(ref.File)); errors.Is(err, fs.ErrNotExist) {
		return ref, &knowledge.NotFoundError{Ref: w.s.prefix + id}
	}
	return w.s.find(kind, id)
}

// begin does for a whole walk what loses nothing if it ends here: the texts that
// will be gone go into the history, all at the same time since each waits for the
// disk, and those that go to the trash learn where, so that a walk that is cut
// short by force can be taken up again.
func (w *walk) begin() error {
	touched := map[string]bool{}
	var keep []*change
	for _, c := range w.ready {
		from, to := w.ends(c)
		if w.there[c] {
			continue
		}
		if to.ID == "" {
			if w.trash == "" {
				var err error
				if w.trash, err = w.s.newBatch(w.o.By); err != nil {
					return err
				}
			}
			c.Trash = w.trash
		}
		// What an earlier change of the walk leaves behind does not stand yet.
		if key := nameKey(c.Kind, from.ID); from.ID != "" && from.Version != to.Version && !touched[key] {
			keep = append(keep, c)
			w.kept[c] = true
		}
		touched[nameKey(c.Kind, from.ID)], touched[nameKey(c.Kind, to.ID)] = true, true
	}
	if w.long {
		w.entries() // once, before many ask
	}
	errs := make([]error, len(keep))
	cores.EachWaiting(len(keep), func(i int) {
		c := keep[i]
		from, _ := w.ends(c)
		_, raw, err := w.raw(c.Kind, from.ID)
		if v := knowledge.Version(raw); err == nil && v != from.Version {
			err = &knowledge.ConflictError{Kind: c.Kind, ID: w.s.prefix + from.ID, Current: v}
		}
		if err == nil {
			err = w.s.keep(c.Kind, from.ID, raw, w.action(), w.o.By)
		}
		errs[i] = err
	})
	err := errors.Join(errs...)
	if run := w.list[w.at].Run; err == nil && run != "" {
		err = w.s.writeRun(run, w.parts)
	}
	return err
}

// action is how the history calls what the walk does.
func (w *walk) action() string {
	if w.redo {
		return "redo"
	}
	return "undo"
}

// keep is the store's own, for what begin could not.
func (w *walk) keep(c *change, id string, raw []byte) error {
	if w.kept[c] {
		return nil
	}
	return w.s.keep(c.Kind, id, raw, w.action(), w.o.By)
}

// reached reports that a change's end stands already, where a walk that was cut
// short left it.
func (w *walk) reached(c *change) bool {
	from, to := w.ends(c)
	if from.ID != "" && from.ID != to.ID {
		if v, err := w.stands(c.Kind, from.ID); err != nil || v != "" {
			return false
		}
	}
	if to.ID != "" {
		v, err := w.stands(c.Kind, to.ID)
		_, trashed := w.inTrash(c, to)
		return err == nil && v == to.Version && !trashed
	}
	if c.Kind == FileKind {
		_, err := w.s.bytesOf(c.Kind, from.ID, from.Version)
		return c.Trash != "" && err == nil
	}
	_, trashed := w.inTrash(c, from)
	return trashed
}

// blocked says why a change cannot be walked, "" when it can; later changes are
// then looked at as if it had been. What somebody changed since, with an
// editor, with git or in another user's name, is never overwritten.
func (w *walk) blocked(c *change) string {
	from, to := w.ends(c)
	if w.reached(c) {
		w.there[c] = true
	} else if why := w.inTheWay(c, from, to); why != "" {
		return why
	}
	if from.ID != "" {
		w.now[nameKey(c.Kind, from.ID)] = ""
	}
	if to.ID != "" {
		w.now[nameKey(c.Kind, to.ID)] = to.Version
	}
	return ""
}

func (w *walk) inTheWay(c *change, from, to state) string {
	if from.ID != "" {
		switch v, err := w.stands(c.Kind, from.ID); {
		case err != nil:
			return "cannot be read: " + rootCause(err).Error()
		case v == "":
			return "was removed since, not through pathrule"
		case v != from.Version:
			return "was changed since, not through pathrule"
		}
	}
	if to.ID != "" && to.ID != from.ID {
		if v, err := w.stands(c.Kind, to.ID); err != nil {
			return "cannot be read: " + rootCause(err).Error()
		} else if v != "" {
			return "would replace what stands there now"
		}
	}
	if _, there := w.inTrash(c, to); to.ID != "" && to.Version != from.Version && !there {
		if _, err := w.s.bytesOf(c.Kind, w.keptAs(c), to.Version); err != nil {
			return "cannot come back: version " + to.Version + " is no longer kept (twenty versions, 90 days)"
		}
	}
	return ""
}

// keptAs is the id under which the history holds the texts: a move takes them
// along.
func (w *walk) keptAs(c *change) string {
	from, to := w.ends(c)
	if from.ID != "" {
		return from.ID
	}
	return to.ID
}

// inTrash finds the entry in the trash, where the change left it, as it was.
func (w *walk) inTrash(c *change, to state) (f knowledge.FileRef, ok bool) {
	if c.Trash == "" || !filepath.IsLocal(c.Trash) {
		return f, false
	}
	f = knowledge.FileRef{Kind: c.Kind, ID: to.ID, File: knowledge.FileOf(c.Kind, to.ID)}
	dir := filepath.Join(w.s.dir, trashDir, c.Trash)
	raw, err := readFile(filepath.Join(dir, filepath.FromSlash(f.File)))
	if errors.Is(err, fs.ErrNotExist) { // or the disk spells it another way
		if _, f, err = w.s.trashed(c.Kind, to.ID, c.Trash); err == nil {
			raw, err = readFile(filepath.Join(dir, filepath.FromSlash(f.File)))
		}
	}
	return f, err == nil && knowledge.Version(raw) == to.Version
}

// take walks one change.
func (w *walk) take(c *change) error {
	if !w.there[c] {
		if err := w.bring(c); err != nil {
			return err
		}
	}
	if c.Undone = !w.redo; c.Kind == FileKind {
		c.Trash = "" // what it said is that the walk had begun
	}
	return nil
}

// bring brings an entry from one state to the other.
func (w *walk) bring(c *change) error {
	s := w.s
	from, to := w.ends(c)
	if c.Kind == FileKind {
		return w.takeFile(c, from, to)
	}
	if from.ID == "" {
		return w.bringBack(c, to)
	}
	f, old, err := w.raw(c.Kind, from.ID)
	if err != nil {
		return err
	}
	if v := knowledge.Version(old); v != from.Version {
		return &knowledge.ConflictError{Kind: c.Kind, ID: s.prefix + f.ID, Current: v}
	}
	if to.ID == "" {
		if err = w.keep(c, f.ID, old); err == nil {
			err = s.toss(f, c.Trash)
		}
		if err == nil {
			w.all.drop(f.File)
		}
		return err
	}
	raw := old
	if from.Version != to.Version {
		if raw, err = s.bytesOf(c.Kind, from.ID, to.Version); err != nil {
			return err
		}
	}
	dest := f
	if to.ID != f.ID {
		dest.ID, dest.File = to.ID, knowledge.FileOf(c.Kind, to.ID)
		if err := s.free(w.entries(), c.Kind, to.ID, f.File); err != nil {
			return err
		}
	}
	if from.Version != to.Version {
		if err := w.keep(c, f.ID, old); err != nil {
			return err
		}
	}
	if err := s.place(f, dest, old, raw); err != nil {
		return err
	}
	w.all.drop(f.File)
	w.all.add(dest)
	return nil
}

func (w *walk) entries() *names {
	if w.all == nil {
		w.all = w.s.names()
	}
	return w.all
}

// bringBack makes an entry stand again that is not there: from the trash, else
// from the history.
func (w *walk) bringBack(c *change, to state) error {
	s := w.s
	file := knowledge.FileOf(c.Kind, to.ID)
	if f, ok := w.inTrash(c, to); ok {
		if _, err := s.recover(w.entries(), c.Trash, f); err != nil {
			return err
		}
	} else {
		raw, err := s.bytesOf(c.Kind, to.ID, to.Version)
		if err != nil {
			return err
		}
		if err := s.free(w.entries(), c.Kind, to.ID, ""); err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Clean(s.path(file))); err == nil {
			return &knowledge.RefusedError{Path: s.show(file), Msg: "something stands there already", Remedy: "move it away first"}
		}
		if err := s.put(file, raw); err != nil {
			return err
		}
	}
	w.all.add(knowledge.FileRef{Kind: c.Kind, ID: to.ID, File: file})
	return nil
}

// takeFile is take for a file that is no entry.
func (w *walk) takeFile(c *change, from, to state) error {
	s := w.s
	var old []byte
	if from.ID != "" {
		var err error
		if _, old, err = w.raw(FileKind, from.ID); err != nil {
			return err
		}
		if err := w.keep(c, from.ID, old); err != nil {
			return err
		}
		if to.ID == "" {
			if err := os.Remove(s.path(from.ID)); err != nil {
				return writeError(s.dir, err)
			}
			removeEmpty(filepath.Dir(s.path(from.ID)), s.dir)
			return nil
		}
	}
	raw, err := s.bytesOf(FileKind, to.ID, to.Version)
	if err != nil {
		return err
	}
	perm := s.perm
	if c.Program {
		perm |= s.dirPerm & 0o111
	}
	return s.putAs(to.ID, raw, perm)
}

// Package store reads and writes one folder of knowledge: the workspace's own
// .pathrule/, a private one, or the user's personal one.
//
// Every write happens under a lock held for milliseconds, replaces the file by
// one rename, and keeps what stood before in the history, so that nothing is
// ever lost: delete goes to the trash, edits can be undone. The caller
// publishes the index afterwards.
package store

import (
	"crypto/rand"
	"strings"
	"time"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Store is one store of knowledge. It holds no open file and no cache; several
// may stand on one folder, in one process or in many.
type Store struct{ store }

// Open opens the store of ws alone; outer workspaces have their own. The folder
// need not exist yet: the first write makes it.
func Open(ws *workspace.Workspace, dirs workspace.Dirs, env sysenv.Env) (*Store, error) {
	return open(ws, dirs, env)
}

// OpenPersonal opens the user's own store. Its ids carry
// knowledge.PersonalPrefix; methods take them with or without it.
func OpenPersonal(dirs workspace.Dirs, env sysenv.Env) (*Store, error) {
	return openPersonal(dirs, env)
}

// Knowing is the same store for somebody who has an index of it: what stands as
// the index read it is not read again where the index knows enough. Each call of
// a method asks anew, so an Asker that gives one old look is for reading alone.
func (s *Store) Knowing(ask Asker) *Store {
	n := *s
	n.ask = ask
	return &n
}

// Dir is the absolute folder.
func (s *Store) Dir() string { return s.dir }

// Owner is the workspace's id, "personal" for the user's own store.
func (s *Store) Owner() string { return s.owner }

// Path is the absolute path of an entry's file.
func (s *Store) Path(e knowledge.Entry) string { return s.path(e.File) }

// List reads all entries of the kinds (none given: all), sorted by kind, then
// id. A file that cannot be read is a Problem and never breaks the rest; so are
// the warnings about files that can.
func (s *Store) List(kinds ...knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	return s.list(kinds)
}

// ListKnown is List for somebody who kept entries of a reading before: what the
// index says to stand as it was read is taken from known, by its file below the
// store and its version, and the rest is read. The text of a kept entry may be
// missing; Kind, ID and File are set here.
func (s *Store) ListKnown(known func(file, version string) (knowledge.Entry, bool)) ([]knowledge.Entry, []workspace.Problem) {
	return s.listKnown(known)
}

// Outline is List without the entries' texts: of those that the index knows, Body,
// Source, Created, Updated and Workspaces are empty.
func (s *Store) Outline(kinds ...knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	return s.outline(kinds)
}

// Tally counts the usable entries of each kind (none given: all) and gives in full
// those of which there is more to say: with a problem or warning, a block, a check,
// or waiting for a person. Where no index knows better, these are all.
func (s *Store) Tally(kinds ...knowledge.Kind) (map[knowledge.Kind]int, []knowledge.Entry, []workspace.Problem) {
	return s.tally(kinds)
}

// Read reads one entry by its id. raw is the file's bytes; with a
// *knowledge.ParseError they are there all the same, so that an editor can mend
// them. ErrNotFound otherwise.
func (s *Store) Read(kind knowledge.Kind, id string) (e knowledge.Entry, raw []byte, err error) {
	return s.read(kind, id)
}

// Resolve turns what a person or model wrote into a kind and an id:
// "stripe-retries", "memory:stripe-retries", "personal/x", a file name or path
// in the store. kind "" means any. A *knowledge.NotFoundError names the
// nearest, a *knowledge.AmbiguousError all that it may mean.
func (s *Store) Resolve(ref string, kind knowledge.Kind) (knowledge.Kind, string, error) {
	return s.resolve(ref, kind)
}

// Draft is an entry to be made. Title and Body are needed (Description too for
// a skill), the rest is optional.
type Draft struct {
	Kind knowledge.Kind
	// ID; "" makes one from the title, with "-2", "-3" … when it is taken.
	ID                       string
	Title, Description, Body string
	Paths, Tags, Related     []string
	Priority                 knowledge.Priority
	Enforcement              string
	Block                    []knowledge.Block
	Check                    *knowledge.Check
	Source                   string
	Workspaces               []string // personal store only
	// Head are lines of frontmatter that stand behind ours as they are: keys of
	// the file that the draft was read from which nobody here reads.
	Head []byte
	// Files are a skill's further files by slash path below its folder; those in
	// Programs can be run.
	Files    map[string][]byte
	Programs map[string]bool
}

// CreateOptions; the zero value refuses duplicates.
type CreateOptions struct {
	// AllowDuplicate: a second entry with the same title is wanted.
	AllowDuplicate bool
	// By names the writer in the history: "cli", "mcp:<client>".
	By string
}

// Near is an entry that says nearly the same.
type Near struct {
	Kind  knowledge.Kind
	ID    string
	Title string
	Score float64 // 0 to 1
}

// Create writes a new entry and names the entries that say nearly the same,
// best first, at most three. Errors: *knowledge.InvalidError,
// *knowledge.DuplicateError, *knowledge.RefusedError, ErrReadOnly.
func (s *Store) Create(d Draft, o CreateOptions) (knowledge.Entry, []Near, error) {
	return s.create(d, o)
}

// Patch is what to change; nil leaves a field alone, a pointer to an empty
// value takes the key out (a title cannot go).
type Patch struct {
	Title, Description *string
	// Body replaces the whole body; Content edits a part of it. Not both.
	Body                 *string
	Content              *ContentEdit
	Paths, Tags, Related *[]string
	Priority             *knowledge.Priority
	Enforcement          *string
	Block                *[]knowledge.Block
	Check                *knowledge.Check // without a command: take it out
	Source               *string
	Workspaces           *[]string
	// MoveTo is the new id.
	MoveTo *string
	// AllowDuplicate: the new title may be another entry's.
	AllowDuplicate bool
}

// ContentEdit changes a part of a body.
type ContentEdit struct {
	// Op is append, prepend, str_replace or replace_section.
	Op string
	// Text is what goes in.
	Text string
	// Old must stand in the body exactly once (str_replace).
	Old string
	// Section is the heading, with or without its "#"s, whose text is replaced
	// up to the next heading of its level (replace_section).
	Section string
}

// Update changes an entry. expected is the version the caller read; "" asks for
// no check. Errors: *knowledge.ConflictError, *knowledge.NotFoundError,
// *knowledge.InvalidError, *knowledge.DuplicateError, ErrReadOnly.
func (s *Store) Update(kind knowledge.Kind, id string, p Patch, expected, by string) (knowledge.Entry, error) {
	return s.update(kind, id, p, expected, by)
}

// Replace puts raw in the place of the whole file, as an editor left it. It is
// parsed and checked first and refused with the *knowledge.ParseError, so that
// the caller can offer to go on editing.
func (s *Store) Replace(kind knowledge.Kind, id string, raw []byte, expected, by string) (knowledge.Entry, error) {
	return s.replace(kind, id, raw, expected, by)
}

// Delete moves an entry to the trash, a skill with its whole folder, and says
// where it lies now (absolute). Entries in the trash for more than 30 days go.
func (s *Store) Delete(kind knowledge.Kind, id, expected, by string) (trashed string, err error) {
	return s.remove(kind, id, expected, by)
}

// Restore brings the newest deleted entry of this id back from the trash.
func (s *Store) Restore(kind knowledge.Kind, id, by string) (knowledge.Entry, error) {
	return s.restore(kind, id, by)
}

// RestoreVersion puts a version of the history in the entry's place, or makes
// the entry anew. version may be a unique prefix of at least four digits.
func (s *Store) RestoreVersion(kind knowledge.Kind, id, version, by string) (knowledge.Entry, error) {
	return s.restoreVersion(kind, id, version, by)
}

// Trashed is one deleted entry.
type Trashed struct {
	Kind  knowledge.Kind
	ID    string
	Title string
	At    time.Time // when it was deleted
	By    string
	Path  string // absolute
}

// Trash lists what Restore can bring back, newest first.
func (s *Store) Trash() ([]Trashed, error) { return s.trash() }

// History lists the kept versions of an entry, newest first: at most twenty,
// none older than 90 days. The current one is not among them.
func (s *Store) History(kind knowledge.Kind, id string) ([]knowledge.OldVersion, error) {
	return s.history(kind, id)
}

// OneRun is the same store, whose writes belong together: one Undo takes all of
// them back. action says what they are as a whole: "import", "rm". Stores that
// share a run's name (NewRun) were written by one command.
func (s *Store) OneRun(run, action string) *Store {
	of := *s
	of.run, of.does = run, action
	return &of
}

// NewRun is a name for OneRun that no other has.
func NewRun() string {
	return time.Now().UTC().Format("20060102T150405.000000000Z") + "-" + strings.ToLower(rand.Text()[:6])
}

// WriteFile writes a file of the store that is no entry, by its slash path; what
// stood there goes into the history, and Undo knows of it.
func (s *Store) WriteFile(file string, data []byte, by string) error {
	return s.writeFile(file, data, by)
}

// Undo takes the last step of this store back that is not undone yet: a change
// (a create goes to the trash, a delete comes back, an edit or move is
// reversed) or all changes of a run. Called again it walks on to the step
// before. ErrNothing when there is none; a *BlockedError, and nothing touched,
// when an entry does not stand as the change left it.
func (s *Store) Undo(o StepOptions) (Step, error) { return s.step(o, false) }

// Redo does again what Undo took back last, as long as nothing was written
// since. ErrNothing when there is none.
func (s *Store) Redo(o StepOptions) (Step, error) { return s.step(o, true) }

// GC lets go of what is no longer promised: trash older than 30 days and
// versions older than 90. It returns how many files went.
func (s *Store) GC() (removed int, err error) { return s.gc() }

// SkillFile is one file of a skill's folder beside SKILL.md.
type SkillFile struct {
	Path string // slash path below the skill's folder
	Size int64  // bytes
}

// SkillFiles lists a skill's further files, sorted. Links that leave the store
// are Problems.
func (s *Store) SkillFiles(id string) ([]SkillFile, []workspace.Problem, error) {
	return s.skillFiles(id)
}

// ReadSkillFile reads one of them, at most knowledge.MaxFile bytes.
func (s *Store) ReadSkillFile(id, path string) ([]byte, error) { return s.readSkillFile(id, path) }

// Check is the lint of one file: everything that Parse reports, what would be
// refused on a write, and words that look like a secret.
func (s *Store) Check(raw []byte, kind knowledge.Kind, path string) []workspace.Problem {
	return s.check(raw, kind, path)
}

// Secrets warns of text that looks like a key, without quoting it.
func Secrets(raw []byte, file string) []workspace.Problem { return secrets(raw, file) }

// CheckFileName says what is wrong with the name of a skill's further file
// (a slash path below the skill's folder); nil when every system can hold it.
func CheckFileName(name string) error { return checkFileName(name) }

// Whole is an entry's file as it is to stand, byte for byte.
type Whole struct {
	Kind knowledge.Kind
	ID   string
	Raw  []byte
	// Expected is the version of the entry that it replaces; "" for a new one.
	Expected string
	// Files are a skill's further files by slash path below its folder; those in
	// Programs can be run. nil leaves what is there.
	Files    map[string][]byte
	Programs map[string]bool
}

// Adopt writes whole files, many at once: what an import made, or an export
// brings back. Each is checked as Replace does, none keeps the others from being
// written; errs[i] is the error of list[i]. Titles may be another entry's.
func (s *Store) Adopt(list []Whole, by string) (errs []error, err error) { return s.adopt(list, by) }

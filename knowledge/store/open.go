package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"pathrule/internal/filelock"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

const personal = "personal"

// lockWait is how long a write waits for other writers, which hold the lock for
// milliseconds.
const lockWait = 10 * time.Second

type store struct {
	dir   string
	owner string
	// root is the workspace's root, "" for the personal store.
	root string
	// prefix stands before every id outside the store.
	prefix string
	// within are the folders in which links may end.
	within []string
	// hist holds old versions, the journal and the lock; "" when the home is
	// unknown, and then nothing can be written.
	hist string
	// dirPerm and perm are the modes of what is made anew.
	dirPerm, perm os.FileMode
	now           func() time.Time
	// ask looks at the files through an index; nil, or a nil answer: there is none,
	// and every file is read.
	ask Asker
	// run and does are a run's name and action; see OneRun.
	run, does string
}

// Asker looks at the store below dir, links being followed into the folders
// within. nil: nothing is known of it.
type Asker func(dir string, within []string) knowledge.Look

// look asks what is known of the store's files now.
func (s *store) look() knowledge.Look {
	if s.ask == nil {
		return nil
	}
	return s.ask(s.dir, s.within)
}

func open(ws *workspace.Workspace, dirs workspace.Dirs, env sysenv.Env) (*Store, error) {
	if ws == nil || ws.Store == "" {
		return nil, workspace.ErrNone
	}
	s := store{dir: ws.Store, owner: ws.ID, root: ws.Root, now: env.Now, dirPerm: 0o755, perm: 0o644}
	if ws.Private {
		s.dirPerm, s.perm = 0o700, 0o600
	} else {
		s.within = []string{ws.Root}
	}
	if dirs.Home != "" {
		s.hist = dirs.History(storeID(ws))
	}
	return &Store{s}, nil
}

// storeID is the id of the workspace that the store belongs to. A git worktree
// without a store of its own writes into its main checkout's: both must share
// one lock and one history.
func storeID(ws *workspace.Workspace) string {
	if ws.Store == filepath.Join(ws.Root, workspace.Marker) {
		return ws.ID
	}
	of := ws.Store
	if filepath.Base(of) == workspace.Marker {
		of = filepath.Dir(of)
	} else if base := filepath.Base(of); ws.Private && len(base) == 16 && strings.Trim(base, "0123456789abcdef") == "" {
		return base // a private store is named by its root's id
	}
	if real, err := filepath.EvalSymlinks(of); err == nil {
		of = real
	}
	sum := sha256.Sum256([]byte(of))
	return hex.EncodeToString(sum[:8])
}

func openPersonal(dirs workspace.Dirs, env sysenv.Env) (*Store, error) {
	if dirs.Home == "" {
		return nil, errors.New("open personal store: the home folder is unknown; set PATHRULE_HOME to an absolute path")
	}
	return &Store{store{dir: dirs.Personal(), owner: personal, prefix: knowledge.PersonalPrefix, hist: dirs.History(personal),
		now: env.Now, dirPerm: 0o700, perm: 0o600}}, nil
}

func (s *store) path(file string) string { return filepath.Join(s.dir, filepath.FromSlash(file)) }

func (s *store) time() time.Time {
	if s.now == nil {
		return time.Now().UTC()
	}
	return s.now().UTC()
}

// show is a file of the store as a person would name it: relative to the
// workspace's root when it lies there, else absolute.
func (s *store) show(file string) string {
	abs := s.path(file)
	if s.root != "" {
		if rel, err := filepath.Rel(s.root, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return abs
}

// bare is an id without the personal prefix.
func (s *store) bare(id string) string {
	if s.prefix != "" {
		id = strings.TrimPrefix(id, s.prefix)
	}
	return nfc(id)
}

// lock takes the store's lock for one write.
func (s *store) lock() (func(), error) {
	if s.hist == "" {
		return nil, &readOnly{s.dir, errors.New("the home folder is unknown; set PATHRULE_HOME to an absolute path")}
	}
	l, err := filelock.Acquire(filepath.Join(s.hist, "lock"), lockWait)
	if err != nil {
		if errors.Is(err, filelock.ErrTimeout) {
			return nil, &knowledge.RefusedError{Path: s.dir, Msg: "another process is writing here for more than ten seconds", Remedy: "try again; if it stays so, look for a hanging pathrule process"}
		}
		return nil, writeError(s.hist, err)
	}
	return func() { _ = l.Unlock() }, nil
}

// readOnly is ErrReadOnly with its reason.
type readOnly struct {
	path string
	err  error
}

func (e *readOnly) Error() string {
	return "cannot write " + e.path + ": " + rootCause(e.err).Error()
}
func (e *readOnly) Unwrap() error        { return e.err }
func (e *readOnly) Is(target error) bool { return target == knowledge.ErrReadOnly }

// writeError tells a store that cannot be written from other failures.
func writeError(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return &readOnly{path, err}
	}
	return err
}

func rootCause(err error) error {
	for {
		u := errors.Unwrap(err)
		if u == nil {
			return err
		}
		err = u
	}
}

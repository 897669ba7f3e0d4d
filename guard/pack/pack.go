// Package pack holds guards that come with the program, each off until the user
// turns it on (settings guards.*). A guard looks at one tool call, says nothing
// when it finds nothing, and otherwise says what it found and where the whole
// procedure stands. What it says is advice: a guard decides nothing, but for the
// strict mode of the question guard, which the user alone can set.
package pack

import (
	"os"
	"path/filepath"
	"strings"

	"pathrule/guard"
	"pathrule/host"
	"pathrule/internal/plaintext"
	"pathrule/workspace"
)

// Names of the guards, as in "guards.NAME" and "guard:NAME".
const (
	Dependencies = "dependencies"
	Eval         = "eval"
	Outside      = "outside"
	Plan         = "plan"
	Header       = "header"
	Question     = "question"
	Context      = "context"
)

// Call is one tool call as the guards see it.
type Call struct {
	// Dir is the absolute folder that the call works in, Base the absolute folder
	// of the paths that are shown.
	Dir, Base string
	Touches   []host.Touch
	Changes   []host.Change
	Command   string
	// Done: the call has run already, so that the files hold what it wrote.
	Done bool
}

// Finding is what one guard found.
type Finding struct {
	Guard string
	Path  string // as it is shown, "" for a command
	What  string // the primitive, identifier or kind of file
	text  string
}

// Key names the finding in a session's record, so that it is told once.
func (f Finding) Key() string { return "x:guard:" + f.Guard + ":" + f.Path }

// Text is what the model is told: the finding, then where the procedure stands.
func (f Finding) Text() string { return f.text + " " + Procedure(f.Guard) }

// Procedure says where the whole procedure of a guard stands.
func Procedure(name string) string {
	return "Full procedure: guard:" + name + " (`pathrule guards show " + name + "` prints it)."
}

// maxFindings is how much one call is told.
const maxFindings = 3

// On reports that any guard that looks at edits and commands is on.
func On(s *workspace.Settings) bool {
	return s.GuardDependencies || s.GuardEval || s.GuardOutside || len(s.GuardPlan) > 0 || len(s.GuardHeader) > 0
}

// Look asks the guards that are on. The order of findings is that of the guards.
func Look(s *workspace.Settings, c Call) []Finding {
	var out []Finding
	add := func(f Finding) {
		for _, o := range out {
			if o.Key() == f.Key() {
				return
			}
		}
		if len(out) < maxFindings {
			out = append(out, f)
		}
	}
	writes := written(c)
	if s.GuardOutside {
		root := projectRoot(c.Dir)
		for _, w := range writes {
			if _, in := workspace.Rel(root, c.Dir, w.path); !in {
				at := shown(w.path, "")
				add(Finding{Guard: Outside, Path: at, What: root,
					text: "Guard: " + at + " lies outside this project, whose root is the git root above the folder that you work in. Write there only if the user asked for that place; otherwise choose one inside."})
			}
		}
	}
	for _, w := range writes {
		at := shown(w.path, w.rel(c))
		if s.GuardDependencies {
			if kind := manifest(w.path); kind != "" {
				add(Finding{Guard: Dependencies, Path: at, What: kind, text: dependencyText(at, kind)})
			}
		}
		if len(s.GuardPlan) > 0 && plan(w.path) && newFile(c, w) && !covered(s.GuardPlan, w.rel(c)) {
			add(Finding{Guard: Plan, Path: at, What: "plan",
				text: "Guard: " + at + " looks like a plan, and plans belong below " + plaintext.Line(strings.Join(s.GuardPlan, ", "), 200) + " here. Put it there, or leave it out if nobody asked for a plan."})
		}
	}
	files := map[string]func() (string, bool){}
	for i := range c.Changes {
		ch := &c.Changes[i]
		w := write{path: ch.Path}
		at := shown(ch.Path, w.rel(c))
		if s.GuardEval && source(ch.Path) {
			read := files[ch.Path]
			if read == nil {
				read = reader(c, ch.Path)
				files[ch.Path] = read
			}
			for _, p := range guard.Added(*ch, read) {
				if prim, line := primitive(p.Text, p.From, p.To, ch.Path); prim != "" {
					add(Finding{Guard: Eval, Path: at, What: prim, text: evalText("In "+at+" this would be new: "+line, prim)})
					break
				}
			}
		}
		if len(s.GuardHeader) > 0 && fresh(c, ch) && source(ch.Path) && code(ch.Path) {
			if miss := missing(s.GuardHeader, ch.New); miss != "" {
				add(Finding{Guard: Header, Path: at, What: miss,
					text: "Guard: the new file " + at + " lacks \"" + plaintext.Line(miss, 120) + "\" in its first lines. Begin it as the files beside it begin."})
			}
		}
	}
	if s.GuardEval && c.Command != "" && len(c.Changes) == 0 {
		if prim, line := primitive(c.Command, 0, len(c.Command), ""); prim != "" {
			add(Finding{Guard: Eval, What: prim, text: evalText("In the command: "+line, prim)})
		}
	}
	return out
}

func dependencyText(at, kind string) string {
	if kind == lockFile {
		return "Guard: " + at + " is a lock file. Change it with the package manager and never by hand; keep the manifest and the lock file together, and name what was added."
	}
	return "Guard: " + at + " is a dependency manifest. Add a dependency only if the task needs one: check its name letter by letter, its licence and upkeep, pin it as its neighbours are, and let the package manager write the lock file."
}

func evalText(where, prim string) string {
	return "Guard: " + prim + " runs or rebuilds code from data. " + where + "\nKeep anything from outside away from it, or use a parser or a safe loader instead; say why if it has to stay."
}

// write is a file that the call would write.
type write struct {
	path string
	op   host.Op
}

// rel is the path in slash form below the base, "" outside.
func (w write) rel(c Call) string {
	rel, ok := workspace.Rel(c.Base, c.Dir, w.path)
	if !ok {
		return ""
	}
	return rel
}

func written(c Call) []write {
	var out []write
	for _, t := range c.Touches {
		if t.Op == host.Edit || t.Op == host.Create || t.Op == host.Delete {
			out = append(out, write{t.Path, t.Op})
		}
	}
	if out == nil {
		for _, ch := range c.Changes {
			out = append(out, write{ch.Path, host.Edit})
		}
	}
	return out
}

// projectRoot is the git root above dir, else dir itself: not the folder that
// our files lie in, since a session may work in a worktree or a clone below it.
func projectRoot(dir string) string {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	for at := real; ; {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		up := filepath.Dir(at)
		if up == at {
			return real
		}
		at = up
	}
}

func shown(path, rel string) string {
	if rel != "" {
		path = rel
	}
	return plaintext.Line(filepath.ToSlash(path), 300)
}

func covered(patterns []string, rel string) bool {
	s, err := workspace.ParseScope(patterns)
	return err == nil && rel != "" && s.Covers(rel)
}

const maxFile = 4 << 20

func absolute(c Call, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

// reader gives the file as it stands; nothing once the call has run.
func reader(c Call, path string) func() (string, bool) {
	return func() (string, bool) {
		if c.Done {
			return "", false
		}
		p := absolute(c, path)
		st, err := os.Stat(p)
		if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
			return "", false
		}
		b, err := os.ReadFile(p)
		return string(b), err == nil
	}
}

// fresh reports a whole file that is not there yet. After the call nobody can
// tell a new file from an old one.
func fresh(c Call, ch *host.Change) bool {
	if !ch.Whole || c.Done {
		return false
	}
	_, err := os.Lstat(absolute(c, ch.Path))
	return os.IsNotExist(err)
}

// newFile reports that a call makes a file; a plan that is there already may be
// kept up to date wherever it lies. After the call only its kind tells.
func newFile(c Call, w write) bool {
	if w.op == host.Delete || c.Done {
		return w.op == host.Create
	}
	_, err := os.Lstat(absolute(c, w.path))
	return os.IsNotExist(err)
}

// headLines is how far down a header may stand.
const headLines = 15

func missing(want []string, text string) string {
	lines := strings.SplitN(text, "\n", headLines+1)
	if len(lines) > headLines {
		lines = lines[:headLines]
	}
	head := strings.Join(lines, "\n")
	for _, w := range want {
		if !strings.Contains(head, w) {
			return w
		}
	}
	return ""
}

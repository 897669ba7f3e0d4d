package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"pathrule/guard/approval"
	"pathrule/host"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// Tester finds the first match of an RE2 pattern in text that begins before to
// and ends behind from; start < 0 when there is none.
type Tester func(pattern, text string, from, to int) (start, end int, err error)

// Trial is one approved block that an event has to pass.
type Trial struct {
	Rule  *Rule
	Block *knowledge.Block
	// Path is the file in base coordinates, "" for a command.
	Path string
	// change or command is what is tested; adds is the command without what it only
	// looks for or takes out, in the same places.
	change        *host.Change
	command, adds string
	base          string
}

// Edits are the blocks that govern one change of the file at rel in base
// coordinates; base is the absolute folder of those. Only rules whose file is
// what was approved are among them, the others are in stale.
func Edits(rules []*Rule, rel, base string, c *host.Change) (trials []Trial, stale []*Rule) {
	return governing(rules, func(r *Rule, b *knowledge.Block) bool {
		return (b.On == "" || b.On == "edit" || b.On == "both") && r.covers(b.Paths, rel)
	}, Trial{Path: rel, base: base, change: c})
}

// Shells are the blocks that govern a command line that names the paths (base
// coordinates) or runs in the folder dir. A block with paths of its own governs
// commands that have to do with these alone. adds is what host.Adds makes of the
// command: a block that speaks of edits as well is about text that goes in.
func Shells(rules []*Rule, paths []string, dir, command, adds string) (trials []Trial, stale []*Rule) {
	return governing(rules, func(r *Rule, b *knowledge.Block) bool {
		if b.On != "shell" && b.On != "both" {
			return false
		}
		if r.whole(b.Paths) && r.Prefix == "" || r.covers(b.Paths, dir+"/x") && dir != "" {
			return true
		}
		for _, p := range paths {
			if r.covers(b.Paths, p) {
				return true
			}
		}
		return false
	}, Trial{command: command, adds: adds})
}

func governing(rules []*Rule, governs func(*Rule, *knowledge.Block) bool, t Trial) (trials []Trial, stale []*Rule) {
	for _, r := range rules {
		for i := range r.Blocks {
			b := &r.Blocks[i]
			if !governs(r, b) {
				continue
			}
			if r.State() != approval.Approved {
				if !contains(stale, r) {
					stale = append(stale, r)
				}
				continue
			}
			t.Rule, t.Block = r, b
			trials = append(trials, t)
		}
	}
	return trials, stale
}

func contains(list []*Rule, r *Rule) bool {
	for _, x := range list {
		if x == r {
			return true
		}
	}
	return false
}

// Finding is one block that an event does not pass.
type Finding struct {
	Rule    *Rule
	Message string // the block's, "" when it has none
	Path    string // base coordinates, "" for a command
	Line    string // the line of the match, cleaned and bounded
}

// Findings are the blocks that the trials do not pass, at most one per rule and
// most in all. A trial that cannot be made (a pattern this program cannot
// compile, a file too large to read, no time left by late) is passed, and the
// first such trouble is the error.
func Findings(trials []Trial, test Tester, most int, late func() bool) ([]Finding, error) {
	var (
		out    []Finding
		failed error
	)
	files := map[string]*file{}
	for _, t := range trials {
		if len(out) == most {
			break
		}
		if found(out, t.Rule) {
			continue
		}
		command := t.command
		if t.Block.On == "both" {
			command = t.adds
		}
		pieces := []Piece{{Text: command, To: len(command)}}
		if t.change != nil {
			f := files[t.Path]
			if f == nil {
				f = &file{path: filepath.Join(t.base, filepath.FromSlash(t.Path))}
				files[t.Path] = f
			}
			pieces = Added(*t.change, f.read)
			// An edit says by itself what it replaces; only the rest of its lines is
			// not known then.
			if f.err != nil && (t.change.Whole || t.change.Cell != "") {
				if failed == nil {
					failed = f.err
				}
				continue
			}
		}
		for _, p := range windows(pieces) {
			if late() {
				return out, errLate
			}
			start, _, err := test(t.Block.Pattern, p.Text, p.From, p.To)
			if err != nil {
				if failed == nil {
					failed = err
				}
				break
			}
			if start >= 0 {
				shown := p.Text
				if t.change == nil && len(shown) == len(t.command) {
					shown = t.command // as it was typed
				}
				out = append(out, Finding{Rule: t.Rule, Message: t.Block.Message, Path: t.Path, Line: lineAt(shown, start)})
				break
			}
		}
	}
	return out, failed
}

var errLate = errors.New("the added text is too long for the patterns that it has to pass")

const (
	// window is how much text one test takes at most, so that time can run out
	// between two; overlap is how far the next one reaches back, so that what
	// stands on the seam is found.
	window  = 64 << 10
	overlap = 4 << 10
)

// windows cuts long pieces, at line ends where there are any.
func windows(pieces []Piece) []Piece {
	var out []Piece
	for _, p := range pieces {
		for at := 0; ; {
			end := at + window
			if end >= len(p.Text) {
				out = appendWindow(out, p, at, len(p.Text))
				break
			}
			if i := strings.LastIndexByte(p.Text[at+window/2:end], '\n'); i >= 0 {
				end = at + window/2 + i
			}
			out = appendWindow(out, p, at, end)
			next := end - overlap
			if i := strings.IndexByte(p.Text[next:end], '\n'); i >= 0 {
				next += i + 1
			}
			at = next
		}
	}
	return out
}

func appendWindow(list []Piece, p Piece, at, end int) []Piece {
	w := Piece{Text: p.Text[at:end], From: max(0, p.From-at), To: min(p.To, end) - at}
	if w.From < w.To {
		list = append(list, w)
	}
	return list
}

func found(list []Finding, r *Rule) bool {
	for _, f := range list {
		if f.Rule.Owner == r.Owner && f.Rule.ID == r.ID {
			return true
		}
	}
	return false
}

// maxFile is how large a file may be whose present text is compared.
const maxFile = 8 << 20

var errLarge = errors.New("a file is too large to tell what an edit adds to it")

// file is one file's present text, read when it is asked for.
type file struct {
	path string
	done bool
	text string
	ok   bool
	err  error
}

func (f *file) read() (string, bool) {
	if f.done {
		return f.text, f.ok
	}
	f.done = true
	st, err := os.Stat(f.path)
	if err != nil || !st.Mode().IsRegular() {
		return "", false
	}
	if st.Size() > maxFile {
		f.err = errLarge
		return "", false
	}
	if b, err := os.ReadFile(f.path); err == nil {
		f.text, f.ok = string(b), true
	}
	return f.text, f.ok
}

const maxShown = 160 // characters of a matched line

// lineAt is the line of text that at stands in; of a long one the part around
// it.
func lineAt(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	if at-from > maxShown/2 && to-from > maxShown {
		from = at - maxShown/4
	}
	if to-from > 4*maxShown {
		to = from + 4*maxShown
	}
	return plaintext.Line(strings.ToValidUTF8(text[from:to], ""), maxShown)
}

// Reason is what the model is told with a denial. It is never empty.
func Reason(findings []Finding) string {
	return tell(findings, "Denied by ", "this would be new: ") +
		"\n\nWrite it in the way that the rule asks for, then try again; the rest of the work can go on. " +
		"Do not get round the rule by other means. If it seems wrong here, tell the user; only a person can change it."
}

// Notice is what the model is told where its client has no way to deny: the call
// runs, or has run, all the same.
func Notice(findings []Finding) string {
	return tell(findings, "This call is forbidden by ", "this is new: ") +
		"\n\nThis client cannot refuse it, so it was not stopped. Take it out again and write it in the way that the rule asks for before you go on. " +
		"If the rule seems wrong here, tell the user; only a person can change it."
}

func tell(findings []Finding, begin, found string) string {
	var b strings.Builder
	for i, f := range findings {
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(begin + plaintext.Line(f.Rule.Name(), 200))
		if f.Rule.Title != "" && f.Rule.Title != f.Rule.ID {
			b.WriteString(" (" + plaintext.Line(f.Rule.Title, 120) + ")")
		}
		b.WriteString(", which a person of this team approved: ")
		if m := plaintext.Line(f.Message, 600); m != "" {
			b.WriteString(stop(m))
		} else {
			b.WriteString("the text below may not be added.")
		}
		if f.Path != "" {
			b.WriteString("\nIn " + plaintext.Line(f.Path, 300) + " " + found)
		} else {
			b.WriteString("\nIn the command: ")
		}
		b.WriteString(f.Line)
	}
	return b.String()
}

func stop(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "…") || strings.HasSuffix(s, "。") {
		return s
	}
	return s + "."
}

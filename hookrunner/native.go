package hookrunner

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/internal/managed"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/slice"
	"pathrule/workspace"
)

// Compiled files bring entries into the host's context without us. An entry
// stands there when the manifest of its store says that a file which this host
// loads holds its text, and that file is as it was written. Anything that does
// not fit (a file edited by hand, an older text, a manifest in another shape)
// means that we deliver: twice is a cost, not at all is a loss.

const (
	maxManifest = 1 << 20 // bytes; a longer one is not read
	maxNative   = 1 << 20
)

// nativePrefix begins the ledger's keys of what the host was expected to load.
const nativePrefix = "x:native:"

// natives answers slice.In.Native for one event and workspace.
type natives struct {
	a         *asker
	ch        slice.Channel
	l         *ledger.Ledger // nil: none
	wiring    host.Wiring
	manifests map[string][]byte     // by file
	files     map[string]bool       // by path and hash: is as it was written
	answers   map[string]slice.Form // by key
}

// native is nil for a host that loads no compiled file.
func (a *asker) native(ch slice.Channel) func(catalog.Record, string, string) slice.Form {
	w := a.r.host.Wiring()
	if len(w.Loads) == 0 {
		return nil
	}
	n := &natives{a: a, ch: ch, l: a.r.ledger, wiring: w}
	return n.most
}

// most is how much may be told of an entry.
func (n *natives) most(rec catalog.Record, title, body string) slice.Form {
	if f, ok := n.answers[rec.Key]; ok {
		return f
	}
	f := n.look(rec, title, body)
	if n.answers == nil {
		n.answers = map[string]slice.Form{}
	}
	n.answers[rec.Key] = f
	return f
}

func (n *natives) look(rec catalog.Record, title, body string) slice.Form {
	most, hold := slice.Body, ""
	for _, m := range n.sources(rec.Owner) {
		if len(m.text) == 0 {
			continue
		}
		if hold == "" {
			hold = managed.Hold(string(rec.Kind), rec.ID, managed.TextHash(title, knowledge.Strip(body)))
		}
		managed.Holding(m.text, hold, func(f managed.File) bool {
			if slices.Contains(n.wiring.Loads, f.Target) && (len(f.With) == 0 || slices.Contains(n.wiring.Follows, f.Target)) {
				most = min(most, n.file(m.ws, f, rec))
			}
			return most > slice.None
		})
	}
	return most
}

// source is one manifest, and the workspace whose files it names.
type source struct {
	ws   *workspace.Workspace
	text []byte
}

// sources are the manifests that may speak of an owner's entries.
func (n *natives) sources(owner string) []source {
	var out []source
	for w := n.a.ws; w != nil; w = w.Outer {
		if w.ID == owner {
			out = append(out, source{w, n.read(filepath.Join(w.Store, managed.Name))}, source{w, n.read(filepath.Join(w.Store, managed.Imported))})
		}
		if w.ID == owner || owner == catalog.Personal {
			out = append(out, source{w, n.read(managed.Personal(n.a.r.dirs.Home, w.ID))})
		}
	}
	return out
}

func (n *natives) read(file string) []byte {
	b, done := n.manifests[file]
	if !done {
		b = readBounded(file, maxManifest)
		if n.manifests == nil {
			n.manifests = map[string][]byte{}
		}
		n.manifests[file] = b
	}
	return b
}

// file is how much may be told of an entry that stands in one file.
func (n *natives) file(ws *workspace.Workspace, f managed.File, rec catalog.Record) slice.Form {
	naming, ok := f.Naming()
	if !ok || slices.ContainsFunc(append(naming, f), func(f managed.File) bool {
		return !filepath.IsLocal(filepath.FromSlash(f.Path)) || !n.asWritten(ws, f)
	}) {
		return slice.Body
	}
	base := n.a.p.base
	prefix, ok := workspace.Rel(base, base, ws.Root)
	if !ok {
		return slice.Body
	}
	cwd, _ := workspace.Rel(base, n.a.p.dir, n.a.p.dir)
	// Files in every request are there once the session works in their project,
	// and a folder's own file when it began below that folder.
	always := len(f.For) == 0
	dir := prefix
	from := f.Path
	if len(naming) > 0 {
		from = naming[0].Path
	}
	folders := f.Region || guide(from, f.Target)
	if folders && !always {
		dir = path.Join(prefix, path.Dir(from))
	}
	if (always || folders) && inside(cwd, dir) {
		return slice.None
	}
	if !slices.Contains(n.wiring.LoadsPaths, f.Target) {
		return slice.Body
	}
	if n.ch != slice.Tool {
		// The host loads it when work reaches its paths; until then a line tells that
		// it is there.
		return slice.Card
	}
	scope, err := workspace.ParseScopeAt(f.For, prefix)
	if err != nil {
		return slice.Body
	}
	for rel, op := range n.a.r.ops {
		loads := op == host.Read || n.wiring.LoadsEdits && (op == host.Edit || op == host.Create)
		if loads && scope.Covers(rel) && inside(rel, prefix) {
			return n.expected(rec)
		}
	}
	return slice.Body
}

// guide reports a file that the target's clients load from the folder in which
// they start and from those above it.
func guide(file, target string) bool {
	switch path.Base(file) {
	case "CLAUDE.md":
		return target == "claude"
	case "AGENTS.md":
		return target == "agents"
	case "GEMINI.md":
		return target == "gemini"
	}
	return false
}

// expected: the host loads the entry with this tool. It counts as delivered, so
// that a later edit does not bring it again. With "both" that is believed only
// once the host says so: what it was expected to load and did not, we deliver.
func (n *natives) expected(rec catalog.Record) slice.Form {
	it := ledger.Sent{Key: rec.Key, Hash: rec.Hash, Form: slice.Body}
	if n.a.settings.PathRules == "both" {
		it.Key, it.Form = nativePrefix+rec.Key, slice.Name
		if n.l != nil && n.l.Has(it.Key, it.Hash) > slice.None {
			return slice.Body
		}
	}
	if !slices.Contains(n.a.r.natives, it) {
		n.a.r.natives = append(n.a.r.natives, it)
	}
	return slice.None
}

// asWritten reports that the file holds what the manifest says, and did so when
// the session began: what changed since may not be in its context.
func (n *natives) asWritten(ws *workspace.Workspace, f managed.File) bool {
	abs := filepath.Join(ws.Root, filepath.FromSlash(f.Path))
	id := abs + "\x00" + f.SHA256
	ok, done := n.files[id]
	if !done {
		ok = n.old(abs) && f.Unmodified(readBounded(abs, maxNative))
		if n.files == nil {
			n.files = map[string]bool{}
		}
		n.files[id] = ok
	}
	return ok
}

func (n *natives) old(abs string) bool {
	ev := &n.a.r.ev
	if n.l == nil || n.l.Began().IsZero() || ev.Name == host.SessionStart && ev.Source != "resume" {
		return true
	}
	st, err := os.Stat(abs)
	return err == nil && !st.ModTime().After(n.l.Began().Add(time.Second))
}

// inside reports a path at or below a folder, "" being the base.
func inside(rel, dir string) bool {
	return dir == "" || dir == "." || rel == dir || strings.HasPrefix(rel, dir+"/")
}

func readBounded(file string, most int64) []byte {
	f, err := regular.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > most {
		return nil
	}
	b := make([]byte, st.Size())
	if _, err := io.ReadFull(f, b); err != nil {
		return nil
	}
	return b
}

// loaded records what the host loads by itself with this event.
func (r *runner) loaded(l *ledger.Ledger) {
	if len(r.natives) == 0 {
		return
	}
	if _, err := l.Record(r.natives); err != nil {
		r.log("record what the client loads: " + err.Error())
	}
}

// instructions takes the host's word that it loaded a file: the entries that
// stand in it count as delivered.
func (r *runner) instructions(p place, l *ledger.Ledger) {
	for _, t := range r.ev.Touches {
		rel, ok := workspace.Rel(p.base, p.dir, t.Path)
		if !ok {
			continue
		}
		for w := r.governing(p, rel, map[string]*workspace.Workspace{}); w != nil; w = w.Outer {
			r.standing(p, w, rel)
		}
	}
	r.loaded(l)
}

// standing notes the entries that stand in a managed file of a workspace.
func (r *runner) standing(p place, w *workspace.Workspace, rel string) {
	prefix, ok := workspace.Rel(p.base, p.base, w.Root)
	if !ok || !inside(rel, prefix) {
		return
	}
	name := strings.TrimPrefix(strings.TrimPrefix(rel, prefix), "/")
	for _, file := range [...]string{filepath.Join(w.Store, managed.Name), managed.Personal(r.dirs.Home, w.ID)} {
		f, ok := managed.At(readBounded(file, maxManifest), name)
		if !ok || !f.Unmodified(readBounded(filepath.Join(w.Root, filepath.FromSlash(name)), maxNative)) {
			continue
		}
		src, err := catalog.Open(w, r.dirs)
		if err != nil {
			return
		}
		for _, h := range f.Holds {
			entry, text := managed.CutHold(h)
			kind, id, _ := strings.Cut(entry, ":")
			rec, ok, err := src.Lookup(knowledge.Kind(kind), id)
			if err != nil || !ok {
				continue
			}
			doc, err := src.Load(rec)
			if err == nil && managed.TextHash(doc.Title, knowledge.Strip(doc.Body)) == text {
				r.natives = append(r.natives, ledger.Sent{Key: rec.Key, Hash: doc.Hash, Form: slice.Body})
			}
		}
		src.Close()
	}
}

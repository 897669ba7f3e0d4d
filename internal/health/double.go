package health

import (
	"path/filepath"
	"slices"
	"strings"

	"pathrule/compile"
	"pathrule/importer"
	"pathrule/internal/managed"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Loaded is a file that AI clients load by themselves and that is not ours.
type Loaded struct {
	Path string // slash path below the root
	Text string // without regions that pathrule writes
}

const (
	maxLoaded      = 64
	maxLooked      = 4 * maxLoaded
	maxLoadedBytes = 256 << 10
	// heldShare of an entry's word pairs stand in a file that says the same; of
	// fewer than shortPairs all of them.
	heldShare  = 0.85
	shortPairs = 8
)

// ignored are files that a client loads although git may ignore them.
var ignored = []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "QWEN.md", "CODEBUDDY.md", ".cursorrules", ".windsurfrules", ".clinerules"}

// LoadedFiles reads what clients load by themselves in a project, within bounds.
func LoadedFiles(ws *workspace.Workspace, project Files) []Loaded {
	ours := map[string]bool{} // by path: only a region is
	if list, err := compile.ManagedFiles(ws); err == nil {
		for _, f := range list {
			ours[f.Path] = f.Region
		}
	}
	paths := slices.Clone(ignored)
	for _, p := range project.Paths {
		if importer.Instructs(p) && !slices.Contains(paths, p) {
			paths = append(paths, p)
		}
		if len(paths) >= maxLooked {
			break
		}
	}
	var out []Loaded
	for _, p := range paths {
		if len(out) >= maxLoaded {
			break
		}
		region, mine := ours[p]
		if mine && !region {
			continue
		}
		b, err := regular.Read(filepath.Join(ws.Root, filepath.FromSlash(p)))
		if err != nil || len(b) > maxLoadedBytes {
			continue
		}
		if importer.Loaded(p, b) == importer.Never {
			continue
		}
		if r, err := managed.FindRegion(b); err == nil && r.Found {
			b = append(slices.Clone(b[:r.From]), b[r.To:]...)
		}
		out = append(out, Loaded{p, string(b)})
	}
	return out
}

// doubles finds entries whose text stands in a file that clients load by
// themselves as well, so that a session has it twice.
func (c *checker) doubles() {
	if len(c.in.Loaded) == 0 {
		return
	}
	all := map[uint32]bool{}
	each := make([]map[uint32]bool, len(c.in.Loaded))
	for i, l := range c.in.Loaded {
		each[i] = map[uint32]bool{}
		for _, w := range printOf(&knowledge.Entry{Kind: knowledge.Memory, Body: l.Text}).pairs {
			all[w], each[i][w] = true, true
		}
	}
	for i := range c.in.Entries {
		e := &c.in.Entries[i]
		p := c.facts[i].pairs
		title := len(strings.Fields(e.Title)) + 1
		holds := func(set map[uint32]bool) bool {
			hits := 0
			for _, w := range p {
				if set[w] {
					hits++
				}
			}
			if len(p) < shortPairs {
				return len(p) > 1 && hits == len(p)
			}
			// A file need not hold the title.
			return hits >= shortPairs && float64(hits) >= heldShare*float64(len(p)-title)
		}
		if e.Kind == knowledge.Skill || !holds(all) {
			continue
		}
		for k, l := range c.in.Loaded {
			if holds(each[k]) && (c.in.Held == nil || !c.in.Held(e, l.Path)) {
				f := Finding{Other: l.Path, Remedy: "take it out of " + l.Path,
					Why: "stands in " + l.Path + " as well, which clients load by themselves, so that their sessions have it twice"}
				if o := c.madeOf(l.Path, e); o != nil {
					f.Why = "stands in " + l.Path + " as well, which " + name(o) + " was imported from, so that two entries say it"
					f.Remedy = "pathrule " + string(e.Kind) + " rm " + quote(e.ID)
				}
				c.add(Double, e, f)
				break
			}
		}
	}
}

// madeOf is an entry that was imported from a file, nil when there is none or the
// one in hand was.
func (c *checker) madeOf(file string, e *knowledge.Entry) *knowledge.Entry {
	from := func(o *knowledge.Entry) bool {
		rest, ok := strings.CutPrefix(o.Source, "import:"+file)
		return ok && (rest == "" || rest[0] == ' ' || rest[0] == '#')
	}
	if from(e) {
		return nil
	}
	for i := range c.in.Entries {
		if o := &c.in.Entries[i]; from(o) {
			return o
		}
	}
	return nil
}

// heldBy answers Input.Held from what compile and import noted: the client is
// known to have the text from that file, and hooks do not repeat it.
func heldBy(ws *workspace.Workspace, own *Listing) func(*knowledge.Entry, string) bool {
	var notes [][]byte
	for _, n := range []string{managed.Name, managed.Imported} {
		if b, err := regular.Read(filepath.Join(ws.Store, n)); err == nil {
			notes = append(notes, b)
		}
	}
	return func(e *knowledge.Entry, file string) bool {
		held := false
		hold := managed.Hold(string(e.Kind), e.ID, managed.TextHash(e.Title, knowledge.Strip(own.Text(e))))
		for _, b := range notes {
			managed.Holding(b, hold, func(f managed.File) bool {
				held = f.Path == file
				return !held
			})
		}
		return held
	}
}

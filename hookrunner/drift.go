package hookrunner

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/index/catalog"
	"pathrule/internal/atomicfile"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Bounds of the look for entries whose paths are gone. It happens after a
// session's start was answered, and the next start says in one line what it
// found: the answer itself only reads one small file.
const (
	driftRecords = 500
	driftStats   = 256
	maxDrift     = 256 // bytes of the file
	driftKey     = "x:drift"
)

// drift is what was found: how many entries name a path that is gone, a hash of
// which, and the hash that was last told. A session is told only of a new one.
type drift struct {
	count       int
	found, told string
}

func (r *runner) driftFile(p place) string { return filepath.Join(r.dirs.State, "drift", p.key) }

// readDrift reads "count found told"; anything else is nothing found.
func (r *runner) readDrift(p place) (d drift) {
	f, err := os.Open(r.driftFile(p))
	if err != nil {
		return d
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxDrift))
	words := strings.Fields(string(b))
	if err != nil || len(words) != 3 {
		return d
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 0 {
		return drift{}
	}
	return drift{n, words[1], words[2]}
}

// news is how many entries are worth a line now, 0 for none.
func (d drift) news() int {
	if d.found == d.told {
		return 0
	}
	return d.count
}

// lookForDrift notes what the next session should know, and that this one was
// told.
func (r *runner) lookForDrift(a *asker) {
	old := r.readDrift(a.p)
	now := drift{found: "-", told: old.told}
	if now.told == "" {
		now.told = "-"
	}
	if slices.ContainsFunc(r.told, func(it ledger.Sent) bool { return it.Key == driftKey }) {
		now.told = old.found
	}
	gone, ok := r.goneEntries(a)
	if !ok {
		return
	}
	if now.count = len(gone); now.count > 0 {
		sum := sha256.Sum256([]byte(strings.Join(gone, "\n")))
		now.found = hex.EncodeToString(sum[:8])
	} else {
		now.told = "-" // what is mended and breaks again is news
	}
	if now == old || now.count == 0 && old == (drift{}) {
		return
	}
	text := strconv.Itoa(now.count) + " " + now.found + " " + now.told + "\n"
	if err := atomicfile.Write(r.driftFile(a.p), []byte(text), 0o600, 0o700); err != nil {
		r.log("note what is gone: " + err.Error())
	}
}

// goneEntries are the keys and paths of entries scoped to a file or folder that
// is not there.
func (r *runner) goneEntries(a *asker) (gone []string, ok bool) {
	cat, err := catalog.Open(a.ws, r.dirs)
	if err != nil {
		return nil, false
	}
	defer cat.Close()
	records, stats := 0, 0
	err = cat.All(func(rec catalog.Record) bool {
		records++
		for _, pat := range rec.Paths {
			rel := standing(pat)
			if rel == "" || rel == "." || rec.Owner == "personal" {
				continue
			}
			if stats++; stats > driftStats {
				return false
			}
			if _, err := os.Lstat(filepath.Join(a.p.base, filepath.FromSlash(rec.Prefix), filepath.FromSlash(rel))); os.IsNotExist(err) {
				gone = append(gone, rec.Key+" "+rel)
				break
			}
		}
		return records < driftRecords
	})
	return gone, err == nil
}

// standing is the file or folder that a pattern cannot do without: what stands
// before the first part with a wildcard. "" for none, and for an exclusion.
func standing(pattern string) string {
	rel := strings.Trim(pattern, "/")
	if strings.HasPrefix(rel, "!") {
		return ""
	}
	if i := strings.IndexAny(rel, `*?[]{}!\`); i >= 0 {
		rel = rel[:max(strings.LastIndexByte(rel[:i], '/'), 0)]
	}
	return rel
}

// Gone is how many entries are about a path that is not there, as far as a
// session's start looks.
func Gone(ws *workspace.Workspace, env sysenv.Env) int {
	r := &runner{dirs: workspace.DirsOf(env)}
	gone, _ := r.goneEntries(&asker{ws: ws, p: place{base: ws.Base()}})
	return len(gone)
}

package core

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/atomicfile"
	"pathrule/internal/linetree"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Whatever changes follow each other, in a new generation or in the published
// one, what is read is what one file of all would hold.
func TestAManifestInTwoFilesReadsLikeOne(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 5))
		want := sampleManifest()
		dir := t.TempDir()
		if err := atomicfile.New(filepath.Join(dir, manifestName), want.write); err != nil {
			t.Fatal(err)
		}
		deltas := 0
		for step := range 60 {
			m, err := openManifest(dir)
			if err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
			a := &amendment{put: map[fileID]*fileState{}, gone: map[fileID]bool{}, project: projectState{source: "git", made: int64(step)}}
			want.project = a.project
			for range r.IntN(9) {
				name := fmt.Sprintf("memories/g%d/m%03d.md", r.IntN(9), r.IntN(330))
				id := fileID{r.IntN(2), name}
				if r.IntN(3) == 0 {
					if a.put[id] == nil {
						a.gone[id] = true
						delete(want.files, id)
					}
					continue
				}
				kind, entry, _ := knowledge.Ident(name)
				f := &fileState{root: id.root, file: name, kind: kind, id: entry, hash: fmt.Sprint(step), size: int64(step), indexed: step%2 == 0}
				if id.root == 1 {
					f.id = knowledge.PersonalPrefix + f.id
				}
				if r.IntN(3) == 0 {
					f.problem = &workspace.Problem{File: name, Line: step, Msg: "odd"}
				}
				a.put[id], want.files[id] = f, f
			}
			if r.IntN(2) == 0 {
				fix := dirState{root: r.IntN(2), dir: fmt.Sprintf("memories/g%d", r.IntN(9)), mtime: int64(100 + step)}
				fix.skill = fix.root == 1 && fix.dir == "memories/g3" // as in the sample: a folder stays what it is
				a.dirFix = []dirState{fix}
				want.dirs = append(slices.DeleteFunc(want.dirs, func(d dirState) bool { return d.root == fix.root && d.dir == fix.dir }), fix)
			}
			if r.IntN(20) == 0 { // a look at the whole store
				a.dirs, a.problems, a.dirFix = slices.Clone(want.dirs), []workspace.Problem{{Msg: fmt.Sprint("seen in step ", step)}}, nil
				want.problems = a.problems
			}
			if r.IntN(2) == 0 {
				_, err = m.rewrite(dir, a)
			} else {
				next := t.TempDir()
				_, err = m.writeNext(next, dir, a)
				dir = next
			}
			m.close()
			if err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
			if _, err := os.Stat(filepath.Join(dir, deltaName)); err == nil {
				deltas++
			}
			holds(t, fmt.Sprintf("seed %d step %d", seed, step), dir, want)
		}
		if deltas < 20 || deltas == 60 {
			t.Errorf("seed %d: %d of 60 manifests in two files: only one way is tried", seed, deltas)
		}
	}
}

func holds(t *testing.T, at, dir string, want *manifest) {
	t.Helper()
	m, err := openManifest(dir)
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	defer m.close()
	files, err := m.states()
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	if d := cmp.Diff(want.files, files, allowAll); d != "" {
		t.Fatalf("%s: files -want +got\n%s", at, d)
	}
	var order []string
	if err := m.scanFiles("", func(line string) bool { order = append(order, keyOf(line)); return true }); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(order) || len(order) != m.nFiles {
		t.Fatalf("%s: %d lines in order %v, %d files counted", at, len(order), slices.IsSorted(order), m.nFiles)
	}
	for _, from := range []string{order[len(order)/3], order[len(order)/3] + "\x02", "zzz"} {
		var got []string
		if err := m.scanFiles(from, func(line string) bool { got = append(got, keyOf(line)); return len(got) < 5 }); err != nil {
			t.Fatal(err)
		}
		i, _ := slices.BinarySearch(order, from)
		if d := cmp.Diff(order[i:min(i+5, len(order))], append([]string{}, got...)); d != "" {
			t.Fatalf("%s: from %q -want +got\n%s", at, from, d)
		}
	}
	dirs := map[string]dirState{}
	for _, d := range want.dirs {
		dirs[d.key()] = d
	}
	n := 0
	if err := m.eachDir(func(d dirState) bool {
		n++
		if d != dirs[d.key()] {
			t.Errorf("%s: folder %+v, want %+v", at, d, dirs[d.key()])
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if n != len(dirs) || m.nDirs != n {
		t.Fatalf("%s: %d folders, %d counted, want %d", at, n, m.nDirs, len(dirs))
	}
	for id, f := range want.files {
		if got, err := m.state(id); err != nil || !cmp.Equal(f, got, allowAll) {
			t.Fatalf("%s: %v: %+v, %v", at, id, got, err)
		}
	}
	whole := manifestHead{problems: want.problems, filed: map[string]workspace.Problem{}}
	for id, f := range want.files {
		if f.problem != nil {
			whole.filed[fileKey(id.root, id.file)] = *f.problem
		}
	}
	if d := cmp.Diff(whole.all(), m.all()); d != "" || m.project != want.project {
		t.Fatalf("%s: problems -want +got\n%s project %+v", at, d, m.project)
	}
}

// An upper file that outlived the one below counts for nothing; one that cannot
// be read, or is whole itself, is damage.
func TestAnUpperManifestOfAnotherFile(t *testing.T) {
	first := t.TempDir()
	if err := atomicfile.New(filepath.Join(first, manifestName), sampleManifest().write); err != nil {
		t.Fatal(err)
	}
	m, err := openManifest(first)
	if err != nil {
		t.Fatal(err)
	}
	id := fileID{0, "memories/new.md"}
	if _, err := m.rewrite(first, &amendment{put: map[fileID]*fileState{id: {file: id.file, kind: knowledge.Memory, id: "new"}}}); err != nil {
		t.Fatal(err)
	}
	m.close()
	stale, err := os.ReadFile(filepath.Join(first, deltaName))
	if err != nil {
		t.Fatal(err)
	}
	other := sampleManifest()
	other.project.made++
	dir := t.TempDir()
	if err := atomicfile.New(filepath.Join(dir, manifestName), other.write); err != nil {
		t.Fatal(err)
	}
	upper := filepath.Join(dir, deltaName)
	if err := os.WriteFile(upper, stale, 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, "stale", dir, other)
	for name, data := range map[string]string{"cut": string(stale[:len(stale)/2]), "empty": "", "whole": string(encodeManifest(t, other))} {
		if err := os.WriteFile(upper, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := openManifest(dir)
		if err == nil {
			m.close()
			t.Errorf("%s: was taken", name)
		} else if name == "whole" && err != linetree.ErrCorrupt {
			t.Errorf("%s: %v", name, err)
		}
	}
}

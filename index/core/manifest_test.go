package core

import (
	"bytes"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

var allowAll = cmp.AllowUnexported(fileState{}, dirState{}, fileID{}, projectState{}, manifestHead{})

func sampleManifest() *manifest {
	m := newManifest([]catalog.Root{{Owner: "w", Store: "/w/.pathrule"}, {Owner: catalog.Personal, Store: "/h/personal"}})
	for i := range 300 {
		f := &fileState{
			root: i % 2, file: fmt.Sprintf("memories/g%d/m%03d.md", i%7, i), kind: knowledge.Memory,
			size: int64(i), mtime: 1700000000000000000 + int64(i), inode: uint64(1000 + i), hash: fmt.Sprintf("%016x", i), checked: 1700000000123,
		}
		f.id = fmt.Sprintf("g%d/m%03d", i%7, i)
		if f.root == 1 {
			f.id = knowledge.PersonalPrefix + f.id
		}
		switch i % 3 {
		case 0:
			f.indexed = true
			f.lengths = lengths{i, 1, 2, 3, 4, 5}
			f.plain = i%2 == 0
		case 1:
			f.problem = &workspace.Problem{File: f.file, Line: i, Msg: "odd\tthing", Remedy: "mend it"}
		}
		m.files[fileID{f.root, f.file}] = f
	}
	for i := range 7 {
		m.dirs = append(m.dirs, dirState{root: i % 2, dir: fmt.Sprintf("memories/g%d", i), mtime: int64(i), read: 5, skill: i == 3})
	}
	m.problems = []workspace.Problem{{File: "x", Msg: "refused", Remedy: "move it"}}
	m.project = projectState{source: "git", size: 1, mtime: 2, inode: 3, made: 4, count: 5, sum: 6}
	return m
}

func encodeManifest(t testing.TB, m *manifest) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func readManifest(t testing.TB, data []byte) *manifestReader {
	t.Helper()
	r, err := newManifestReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestManifestReadsBack(t *testing.T) {
	m := sampleManifest()
	r := readManifest(t, encodeManifest(t, m))
	files, err := r.states()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.files, files, allowAll); d != "" {
		t.Errorf("files: -want +got\n%s", d)
	}
	var dirs []dirState
	if err := r.eachDir(func(d dirState) bool { dirs = append(dirs, d); return true }); err != nil {
		t.Fatal(err)
	}
	if len(dirs) != 7 || r.nDirs != 7 || r.nFiles != 300 {
		t.Errorf("%d folders, counts %d and %d", len(dirs), r.nDirs, r.nFiles)
	}
	if d := cmp.Diff(m.project, r.project, allowAll); d != "" {
		t.Errorf("project: -want +got\n%s", d)
	}
	if got := r.all(); len(got) != 101 || got[0].Msg != "refused" {
		t.Errorf("%d problems, first %+v", len(got), got[0])
	}
	for id, want := range m.files {
		got, err := r.state(id)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, allowAll); d != "" {
			t.Fatalf("one file: -want +got\n%s", d)
		}
	}
	if f, err := r.state(fileID{0, "memories/none.md"}); f != nil || err != nil {
		t.Errorf("a file that is not there: %+v %v", f, err)
	}
}

func TestAmendedManifestIsTheOneWrittenAtOnce(t *testing.T) {
	m := sampleManifest()
	r := readManifest(t, encodeManifest(t, m))
	a := &amendment{put: map[fileID]*fileState{}, gone: map[fileID]bool{}, project: projectState{source: "walk"}}
	want := newManifest(m.roots)
	want.problems, want.project, want.files = m.problems, a.project, maps.Clone(m.files)
	want.dirs = append(want.dirs, m.dirs...)
	fix := m.dirs[2]
	fix.mtime = 99
	a.dirFix = []dirState{fix}
	want.dirs[2] = fix
	for i, f := range m.sorted() {
		id := fileID{f.root, f.file}
		switch {
		case i%10 == 0:
			a.gone[id] = true
			delete(want.files, id)
		case i%10 == 1:
			g := *f
			g.hash, g.indexed, g.problem = "changed", false, nil
			a.put[id], want.files[id] = &g, &g
		}
	}
	for _, name := range []string{"memories/aa.md", "memories/zz.md", "rules/new.md"} {
		kind, id, _ := knowledge.Ident(name)
		g := &fileState{root: 0, file: name, kind: kind, id: id, hash: "new"}
		a.put[fileID{0, name}], want.files[fileID{0, name}] = g, g
	}
	var b bytes.Buffer
	if _, err := r.amend(&b, a); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encodeManifest(t, want), b.Bytes()) {
		got, _ := readManifest(t, b.Bytes()).states()
		t.Errorf("-want +got\n%s", cmp.Diff(want.files, got, allowAll))
	}
}

func FuzzADamagedManifestNeverPanics(f *testing.F) {
	data := encodeManifest(f, sampleManifest())
	f.Add(uint32(3), []byte("zz"), uint32(0))
	f.Add(uint32(len(data)-50), []byte("1 1 1"), uint32(0))
	f.Add(uint32(0), []byte(nil), uint32(64))
	f.Fuzz(func(t *testing.T, at uint32, with []byte, cut uint32) {
		bad := bytes.Clone(data)
		copy(bad[int(at)%len(bad):], with)
		bad = bad[:len(bad)-int(cut)%len(bad)]
		r, err := newManifestReader(bytes.NewReader(bad), int64(len(bad)))
		if err != nil {
			return
		}
		_, _ = r.states()
		_ = r.eachDir(func(dirState) bool { return true })
		_ = r.all()
		var b bytes.Buffer
		_, _ = r.amend(&b, &amendment{})
	})
}

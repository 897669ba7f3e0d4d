package core

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/bench/gen"
)

type gitEntry struct {
	path  string
	mode  uint32
	skip  bool // skip-worktree
	stage uint16
}

// encodeGit writes a git index of any of the known versions.
func encodeGit(version uint32, hashLen int, entries []gitEntry, extensions ...string) []byte {
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.BigEndian, v) }
	b.WriteString("DIRC")
	put(version)
	put(uint32(len(entries)))
	prev := ""
	for _, e := range entries {
		start := b.Len()
		stat := make([]byte, gitStatBytes)
		mode := e.mode
		if mode == 0 {
			mode = 0o100644
		}
		binary.BigEndian.PutUint32(stat[gitModeOffset:], mode)
		b.Write(stat)
		b.Write(make([]byte, hashLen))
		flags := uint16(min(len(e.path), 0xfff)) | e.stage<<12
		if e.skip {
			put(flags | flagExtended)
			put(uint16(flagSkipTree))
		} else {
			put(flags)
		}
		if version == 4 {
			n := 0
			for n < len(prev) && n < len(e.path) && prev[n] == e.path[n] {
				n++
			}
			b.Write(encodeOffset(len(prev) - n))
			b.WriteString(e.path[n:] + "\x00")
			prev = e.path
			continue
		}
		b.WriteString(e.path)
		b.Write(make([]byte, 8-(b.Len()-start)%8))
	}
	for _, x := range extensions {
		b.WriteString(x[:4])
		put(uint32(len(x) - 4))
		b.WriteString(x[4:])
	}
	b.Write(make([]byte, hashLen))
	return b.Bytes()
}

func encodeOffset(v int) []byte {
	out := []byte{byte(v & 0x7f)}
	for v >>= 7; v != 0; v >>= 7 {
		v--
		out = append([]byte{byte(0x80 | v&0x7f)}, out...)
	}
	return out
}

func gitPaths(data []byte, hashLen int) ([]string, error) {
	var got []string
	err := parseGitIndex(data, hashLen, func(p string) bool { got = append(got, p); return true })
	return got, err
}

func TestGitIndexOfEveryVersion(t *testing.T) {
	long := "deep/" + strings.Repeat("x", 300) + "/file.go"
	entries := []gitEntry{{path: "README.md"}, {path: long}, {path: "lib/a.go"}, {path: "lib/ab.go"}, {path: "src/日本.ts", mode: 0o100755},
		{path: "src/link", mode: 0o120000}, {path: "vendor/sub", mode: 0o160000}}
	want := []string{"README.md", long, "lib/a.go", "lib/ab.go", "src/日本.ts", "src/link"}
	for _, version := range []uint32{2, 3, 4} {
		for _, hashLen := range []int{20, 32} {
			got, err := gitPaths(encodeGit(version, hashLen, entries, "TREEabc", "REUCxy"), hashLen)
			if err != nil {
				t.Fatalf("version %d: %v", version, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("version %d, %d byte names: -want +got\n%s", version, hashLen, d)
			}
		}
	}
}

func TestGitIndexLeavesOutWhatIsNotOnDiskAndSidesOfAConflict(t *testing.T) {
	for _, version := range []uint32{3, 4} {
		got, err := gitPaths(encodeGit(version, 20, []gitEntry{{path: "a"}, {path: "b", skip: true}, {path: "c", stage: 1}, {path: "c", stage: 2}, {path: "c", stage: 3}}), 20)
		if err != nil || !slices.Equal(got, []string{"a", "c"}) {
			t.Errorf("version %d: %v, %v", version, got, err)
		}
	}
}

func TestAnOddGitIndexIsRefused(t *testing.T) {
	good := encodeGit(2, 20, []gitEntry{{path: "a"}, {path: "b/c"}})
	for name, data := range map[string][]byte{
		"empty":       nil,
		"no index":    []byte(strings.Repeat("hello", 20)),
		"version 5":   append([]byte("DIRC\x00\x00\x00\x05\x00\x00\x00\x00"), make([]byte, 40)...),
		"split":       encodeGit(2, 20, []gitEntry{{path: "a"}}, "link"+strings.Repeat("\x00", 20)),
		"cut off":     good[:len(good)-30],
		"too many":    append([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"), good[12:]...),
		"wrong names": encodeGit(2, 32, []gitEntry{{path: "a"}, {path: "b"}}),
	} {
		if got, err := gitPaths(data, 20); err == nil {
			t.Errorf("%s: read as %q", name, got)
		}
	}
}

func TestGitIndexThatGitWrote(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", dir, "-c", "core.fsmonitor=false"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	run("init", "-q")
	want := []string{"a/b/c.go", "a/b/d.go", "a/z.md", "top.txt"}
	for _, p := range want {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, p), []byte(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run("add", ".")
	for _, version := range []string{"2", "4"} {
		run("update-index", "--index-version", version)
		repo, ok := findRepo(filepath.Join(dir, "a"))
		if !ok {
			t.Fatal("repository not found from a subfolder")
		}
		data, err := os.ReadFile(repo.indexFile())
		if err != nil {
			t.Fatal(err)
		}
		got, err := gitPaths(data, repo.hashLen())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("version %s: %v, %v", version, got, err)
		}
	}
	run("commit", "-qm", "x")
	tree := filepath.Join(t.TempDir(), "tree")
	run("worktree", "add", "-q", tree)
	repo, ok := findRepo(tree)
	if !ok || repo.gitDir == repo.common {
		t.Fatalf("worktree: %+v %v", repo, ok)
	}
	data, err := os.ReadFile(repo.indexFile())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := gitPaths(data, repo.hashLen()); err != nil || !slices.Equal(got, want) {
		t.Errorf("worktree: %v, %v", got, err)
	}
}

func TestGeneratedGitIndexReadsBack(t *testing.T) {
	want := []string{"a", "b/c", "b/d.go"}
	got, err := gitPaths(gen.GitIndex([]string{"b/d.go", "a", "b/c"}), sha1.Size)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}

func FuzzGitIndexNeverPanics(f *testing.F) {
	for _, v := range []uint32{2, 3, 4} {
		f.Add(encodeGit(v, 20, []gitEntry{{path: "a"}, {path: "lib/b.go", skip: v > 2}, {path: "lib/c.go"}}, "TREEx"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, hashLen := range []int{20, 32} {
			if got, err := gitPaths(data, hashLen); err == nil && len(got)*4 > len(data) {
				t.Fatalf("%d names from %d bytes", len(got), len(data))
			}
		}
	})
}

func TestWalkHonoursIgnoreFilesOnTheWay(t *testing.T) {
	dir := t.TempDir()
	for p, text := range map[string]string{
		".gitignore":              "*.log\n/build/\nsecret.*\n!keep.log\n",
		"a.go":                    "",
		"x.log":                   "",
		"keep.log":                "",
		"build/out.o":             "",
		"src/build/real.go":       "",
		"src/.gitignore":          "gen/\n!secret.go\n",
		"src/gen/made.go":         "",
		"src/secret.go":           "",
		"src/secret.txt":          "",
		"node_modules/x/i.js":     "",
		"src/node_modules/y.js":   "",
		".git/config":             "",
		".pathrule/memories/m.md": "",
		".github/ci.yml":          "",
	} {
		full := filepath.Join(dir, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, ok := walkProject(dir, maxFiles, func() bool { return false })
	if !ok {
		t.Fatal("gave up")
	}
	slices.Sort(got)
	want := []string{".github/ci.yml", ".gitignore", "a.go", "keep.log", "src/.gitignore", "src/build/real.go", "src/secret.go"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if got, _ := walkProject(dir, 2, func() bool { return false }); len(got) != 2 {
		t.Errorf("the bound of 2 gave %v", got)
	}
}

// A committed store is knowledge and not the project: nobody is sent there.
func TestMapLeavesCommittedStoresOut(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git", "objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	index := encodeGit(2, sha1.Size, []gitEntry{{path: ".pathrule/memories/m.md"}, {path: "a.go"}, {path: "docs/x.pathrule/y.md"}, {path: "web/.pathrule/rules/r.md"}, {path: "web/b.ts"}})
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "", "index": string(index)} {
		if err := os.WriteFile(filepath.Join(dir, ".git", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pm, done := readProject(dir, time.Unix(1, 0), time.Time{})
	if !done || pm.state.source != "git" {
		t.Fatalf("made of %q", pm.state.source)
	}
	if d := cmp.Diff([]string{"a.go", "docs/x.pathrule/y.md", "web/b.ts"}, pm.paths); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestIgnoreRules(t *testing.T) {
	for name, c := range map[string]struct {
		rules, path string
		dir, want   bool
	}{
		"a name anywhere":                     {"*.log", "a/b/x.log", false, true},
		"a slash ties it to the folder":       {"/x.log", "a/x.log", false, false},
		"so does one in the middle":           {"a/x.log", "b/a/x.log", false, false},
		"folders only, and this is a file":    {"build/", "build", false, false},
		"folders only":                        {"build/", "a/build", true, true},
		"two stars":                           {"docs/**/tmp", "docs/a/b/tmp", false, true},
		"the last rule that fits counts":      {"*.md\n!keep.md\nkeep.md", "keep.md", false, true},
		"a comment and a blank line":          {"# x\n\n  \nx", "x", false, true},
		"an escaped hash":                     {`\#x`, "#x", false, true},
		"braces are letters":                  {"{a,b}", "a", false, false},
		"a pattern that cannot be understood": {"[", "[", false, false},
		"a carriage return":                   {"x\r\n", "x", false, true},
	} {
		f := ignoreFile{rules: parseIgnore(c.rules)}
		if got, _ := f.match(c.path, c.dir); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFileListReadsBackAndRefusesATornOne(t *testing.T) {
	name := filepath.Join(t.TempDir(), filesName)
	want := []string{"a b", "new\nline", "日本", "tab\tx"}
	if err := writeFiles(name, want); err != nil {
		t.Fatal(err)
	}
	got, err := readFiles(name)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%q, %v", got, err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 5, len(data) - 1, len(data) - 3} {
		if err := os.WriteFile(name, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readFiles(name); err == nil {
			t.Errorf("the first %d bytes read as %q", n, got)
		}
	}
}

func TestDiffOfSortedLists(t *testing.T) {
	var gone, added, kept []string
	take := func(to *[]string) func(string) { return func(s string) { *to = append(*to, s) } }
	diffSorted([]string{"a", "c", "d", "x"}, []string{"b", "c", "e", "x", "y"}, take(&gone), take(&added), take(&kept))
	if d := cmp.Diff([][]string{{"a", "d"}, {"b", "e", "y"}, {"c", "x"}}, [][]string{gone, added, kept}); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

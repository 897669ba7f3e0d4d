package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// left fails the test when a temp file remains.
func left(t *testing.T, dir string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, ".*.tmp-*"))
	if len(files) != 0 {
		t.Errorf("left behind: %q", files)
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symlinks here: %v", err)
	}
}

func TestWriteMakesReplacesAndKeepsTheMode(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Write(path, []byte("one"), 0o600, 0); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if st, _ := os.Stat(path); st.Mode().Perm() != 0o600 {
			t.Errorf("new: %v", st.Mode())
		}
		os.Chmod(path, 0o640)
	}
	if err := Write(path, []byte("two"), 0o600, 0); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "two" {
		t.Errorf("got %q", got)
	}
	if runtime.GOOS != "windows" {
		if st, _ := os.Stat(path); st.Mode().Perm() != 0o640 {
			t.Errorf("replaced: %v", st.Mode())
		}
	}
	left(t, dir)
}

func TestWriteMakesFoldersOnlyWhenToldTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "f")
	if err := Write(path, nil, 0o600, 0); err == nil {
		t.Fatal("made a folder unasked")
	}
	if err := Write(path, nil, 0o600, 0o700); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if st, _ := os.Stat(filepath.Dir(path)); st.Mode().Perm() != 0o700 {
			t.Errorf("folder: %v", st.Mode())
		}
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir := t.TempDir()
	os.Mkdir(filepath.Join(dir, "real"), 0o755)
	os.WriteFile(filepath.Join(dir, "real", "f"), []byte("old"), 0o644)
	symlink(t, filepath.Join("real", "f"), filepath.Join(dir, "link"))
	symlink(t, "link", filepath.Join(dir, "link2"))
	symlink(t, filepath.Join("real", "new"), filepath.Join(dir, "dangling"))
	symlink(t, "real", filepath.Join(dir, "folder"))
	symlink(t, filepath.Join("..", "up"), filepath.Join(dir, "real", "up"))
	for link, target := range map[string]string{"link2": "real/f", "dangling": "real/new", "folder/x": "real/x", "folder/up": "up"} {
		if err := Write(filepath.Join(dir, filepath.FromSlash(link)), []byte(link), 0o644, 0); err != nil {
			t.Fatal(err)
		}
		if got := read(t, filepath.Join(dir, filepath.FromSlash(target))); got != link {
			t.Errorf("%s: %s holds %q", link, target, got)
		}
	}
	for _, link := range []string{"link", "link2", "dangling", "folder"} {
		if st, err := os.Lstat(filepath.Join(dir, link)); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", link)
		}
	}
}

func TestWriteRefusesARingOfLinks(t *testing.T) {
	dir := t.TempDir()
	symlink(t, "b", filepath.Join(dir, "a"))
	symlink(t, "a", filepath.Join(dir, "b"))
	if err := Write(filepath.Join(dir, "a"), nil, 0o600, 0); err == nil {
		t.Error("no error")
	}
}

func TestAFailedWriteLeavesTheOldFileAndNoTemp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	// A folder in the target's place makes the last step fail.
	if err := os.MkdirAll(filepath.Join(path, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := Write(path, []byte("x"), 0o600, 0)
	if err == nil || !strings.Contains(err.Error(), "write "+path) {
		t.Errorf("got %v", err)
	}
	left(t, dir)
	if _, err := os.Stat(filepath.Join(path, "x")); err != nil {
		t.Error(err)
	}
}

func TestALongNameHasRoomForItsTemp(t *testing.T) {
	dir := t.TempDir()
	if err := Write(filepath.Join(dir, strings.Repeat("n", 250)), []byte("x"), 0o600, 0); err != nil {
		t.Error(err)
	}
	if got := short(strings.Repeat("é", 150)); len(got) != 200 || strings.Contains(got, "\ufffd") {
		t.Errorf("%d bytes", len(got))
	}
}

func TestSweepTakesOldTempsOfOursOnly(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, c := range map[string]struct {
		age  time.Duration
		stay bool
	}{
		".k11.md.tmp-1234567890": {2 * time.Hour, false},
		".a.tmp-b.md.tmp-7":      {2 * time.Hour, false},
		".new.md.tmp-1":          {time.Minute, true},
		".k.md.tmp-":             {2 * time.Hour, true},
		".k.md.tmp-12x":          {2 * time.Hour, true},
		"k.md.tmp-12":            {2 * time.Hour, true},
		".tmp-12":                {2 * time.Hour, true},
		"k.md":                   {2 * time.Hour, true},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-c.age), now.Add(-c.age)); err != nil {
			t.Fatal(err)
		}
		n := Sweep(dir, now.Add(-time.Hour))
		_, err := os.Stat(path)
		if stays := err == nil; stays != c.stay || (n == 0) != c.stay {
			t.Errorf("%s, %v old: stays %v, removed %d", name, c.age, stays, n)
		}
	}
	// A folder of such a name is no temp file.
	odd := filepath.Join(dir, ".d.tmp-1")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	if n := Sweep(dir, now.Add(time.Hour)); n != 1 { // only ".new.md.tmp-1"
		t.Errorf("%d went", n)
	}
	if _, err := os.Stat(odd); err != nil {
		t.Error(err)
	}
	if Sweep(filepath.Join(dir, "none"), now) != 0 {
		t.Error("a folder that is not there")
	}
}

// Readers see one whole version or another, never a torn one.
func TestReadersNeverSeeHalfAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	texts := []string{strings.Repeat("a", 1<<15), strings.Repeat("b", 1<<14)}
	if err := Write(path, []byte(texts[0]), 0o600, 0); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, text := range texts {
		wg.Go(func() {
			for range 20 {
				if err := Write(path, []byte(text), 0o600, 0); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		b, err := os.ReadFile(path)
		if err != nil {
			if runtime.GOOS == "windows" {
				continue
			}
			t.Fatal(err)
		}
		if s := string(b); s != texts[0] && s != texts[1] {
			t.Fatalf("a torn file of %d bytes", len(s))
		}
	}
	wg.Wait()
}

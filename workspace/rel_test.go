package workspace

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRel(t *testing.T) {
	w := newWorld(t)
	base := w.dir("srv/proj")
	w.file("srv/proj/src/a.ts", "")
	w.file("srv/proj/src/odd:12", "")
	w.file("srv/proj/lib/b.ts", "")
	w.file("srv/proj-old/src/a.ts", "")
	w.file("outside/secret", "")
	w.link("../lib", "srv/proj/src/tolib")
	w.link("a.ts", "srv/proj/src/same.ts")
	w.link(w.at("outside"), "srv/proj/leave")
	w.link(w.at("outside/secret"), "srv/proj/leave.txt")
	w.link("../../outside/not-there", "srv/proj/dangling")
	w.link("ring", "srv/proj/ring")
	w.link(w.at("srv/proj"), "alias")
	cwd := w.at("srv/proj/src")
	for name, c := range map[string]struct {
		path string
		want string
		out  bool
	}{
		"absolute":                              {path: w.at("srv/proj/src/a.ts"), want: "src/a.ts"},
		"relative to the working directory":     {path: "a.ts", want: "src/a.ts"},
		"up and across":                         {path: "../lib/./b.ts", want: "lib/b.ts"},
		"the base itself":                       {path: "..", want: ""},
		"a folder with a slash at the end":      {path: "../lib/", want: "lib"},
		"a file that is not there yet":          {path: "new/deep/c.ts", want: "src/new/deep/c.ts"},
		"dots through what is not there":        {path: "new/../d.ts", want: "src/d.ts"},
		"a line":                                {path: "a.ts:12", want: "src/a.ts"},
		"a line and a column":                   {path: "a.ts:12:3", want: "src/a.ts"},
		"a line in a file that is not there":    {path: "n.ts:12", want: "src/n.ts"},
		"a file whose name ends like a line":    {path: "odd:12", want: "src/odd:12"},
		"no line":                               {path: "a.ts:x", want: "src/a.ts:x"},
		"a link inside":                         {path: "tolib/b.ts", want: "lib/b.ts"},
		"a file below a link that is not there": {path: "tolib/new.ts", want: "lib/new.ts"},
		"a link to a file":                      {path: "same.ts", want: "src/a.ts"},
		"dots after a link leave its target":    {path: "tolib/../x.ts", want: "x.ts"},
		"the base by another name":              {path: w.at("alias/src/a.ts"), want: "src/a.ts"},
		"backslashes":                           {path: `..\lib\b.ts`, want: "lib/b.ts"},
		"backslashes and a line":                {path: `..\lib\b.ts:4`, want: "lib/b.ts"},
		"a sibling with the same beginning":     {path: w.at("srv/proj-old/src/a.ts"), out: true},
		"a file outside":                        {path: w.at("outside/secret"), out: true},
		"dots that leave":                       {path: "../../../outside/secret", out: true},
		"a link that leaves":                    {path: "../leave/secret", out: true},
		"a new file below a link that leaves":   {path: "../leave/new", out: true},
		"a link to a file that leaves":          {path: "../leave.txt", out: true},
		"a broken link that leaves":             {path: "../dangling", out: true},
		"a ring of links":                       {path: "../ring/x", out: true},
		"nothing":                               {path: "", out: true},
		"a NUL":                                 {path: "a\x00b", out: true},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && filepath.Base(c.path) == "odd:12" {
				t.Skip("no colon in names on Windows")
			}
			got, ok := Rel(base, cwd, c.path)
			if ok == c.out || got != c.want {
				t.Errorf("Rel(%q) = %q, %v, want %q, %v", c.path, got, ok, c.want, !c.out)
			}
		})
	}
	if got, ok := Rel(w.at("alias"), cwd, "a.ts"); !ok || got != "src/a.ts" {
		t.Errorf("a base that is no real path: %q, %v", got, ok)
	}
	if _, ok := Rel(base, "", "a.ts"); ok {
		t.Error("a relative path without a working directory has no place")
	}
}

func TestADrivePathBelongsToNoFolderElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("about other systems")
	}
	for _, p := range []string{`C:\proj\a.ts`, "C:/proj/a.ts", `\\server\share\a.ts`, `\\?\C:\proj\a.ts`} {
		if got, ok := Rel("/srv", "/srv", p); ok {
			t.Errorf("Rel(%q) = %q", p, got)
		}
	}
}

func TestWindowsPath(t *testing.T) {
	for in, want := range map[string]string{
		`C:\proj\a.ts`:              `C:\proj\a.ts`,
		`c:/proj/a.ts`:              `C:\proj\a.ts`,
		`\\?\C:\proj\a.ts`:          `C:\proj\a.ts`,
		`//?/c:/proj/a.ts`:          `C:\proj\a.ts`,
		`\\.\C:\proj`:               `C:\proj`,
		`\\?\UNC\server\share\a.ts`: `\\server\share\a.ts`,
		`\\?\unc\server\share\a.ts`: `\\server\share\a.ts`,
		`//server/share/a.ts`:       `\\server\share\a.ts`,
		`/c/Users/me/proj`:          `C:\Users\me\proj`,
		`/c`:                        `C:\`,
		`/code/x`:                   `\code\x`,
		`src/a.ts`:                  `src\a.ts`,
		`src\a.ts`:                  `src\a.ts`,
	} {
		if got := windowsPath(in); got != want {
			t.Errorf("windowsPath(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCutPosition(t *testing.T) {
	for in, want := range map[string]string{
		"a.ts:12": "a.ts", "a.ts:12:3": "a.ts", "a.ts:1:2:3": "a.ts:1", "a.ts": "a.ts", "a.ts:": "a.ts:",
		":12": ":12", "C:12": "C:12", "src/:12": "src/:12", "a:12345678901": "a:12345678901", "a:b:3": "a:b",
	} {
		if got, _ := cutPosition(in); got != want {
			t.Errorf("cutPosition(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever a client sends, what Rel answers lies below the base once the system
// itself has resolved it.
func FuzzRelStaysBelowTheBase(f *testing.F) {
	for _, s := range []string{"a.ts", "../lib/b.ts:3", `..\lib`, "tolib/../x", "leave/x", "ring/y", "/", "..", "leave/..", "dangling/../../x", "a.ts/../../.."} {
		f.Add(s)
	}
	root, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	base, outside := filepath.Join(root, "proj"), filepath.Join(root, "outside")
	for _, d := range []string{filepath.Join(base, "src"), filepath.Join(base, "lib"), filepath.Join(outside, "deep")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{"src/tolib": "../lib", "src/leave": outside, "src/up": "../..", "src/ring": "ring", "src/dangling": "../../outside/none", "lib/back": filepath.Join(outside, "deep")} {
		if err := os.Symlink(target, filepath.Join(base, filepath.FromSlash(name))); err != nil {
			f.Skipf("no symlinks here: %v", err)
		}
	}
	cwd := filepath.Join(base, "src")
	f.Fuzz(func(t *testing.T, p string) {
		rel, ok := Rel(base, cwd, p)
		if !ok {
			if rel != "" {
				t.Fatalf("Rel(%q) = %q, false", p, rel)
			}
			return
		}
		if rel != "" && (!filepath.IsLocal(filepath.FromSlash(rel)) || path.Clean(rel) != rel) {
			t.Fatalf("Rel(%q) = %q", p, rel)
		}
		// The longest parent that exists is real and inside.
		for at := filepath.Join(base, filepath.FromSlash(rel)); ; at = filepath.Dir(at) {
			real, err := filepath.EvalSymlinks(at)
			if err != nil {
				continue
			}
			if real != at || real != base && !strings.HasPrefix(real, base+string(filepath.Separator)) {
				t.Fatalf("Rel(%q) = %q, but %s is %s", p, rel, at, real)
			}
			break
		}
	})
}

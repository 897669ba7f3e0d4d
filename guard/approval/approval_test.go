package approval

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
	"pathrule/workspace"
)

func pin(id, raw string) Pin {
	return Pin{ID: id, Sum: Sum([]byte(raw)), File: "rules/" + id + ".md", At: time.Unix(1_800_000_000, 0).UTC(), Title: "T\tab and\nline",
		Paths: []string{"src", "a,b"}, Workspaces: []string{"shop"},
		Blocks: []knowledge.Block{{Pattern: `a\tb`, Paths: []string{"x y"}, On: "both", Message: "Say\r\nso."}, {Pattern: "abc"}},
		Check:  &knowledge.Check{Command: "npm test", Message: "Run it.", Paths: []string{"web"}}}
}

func dirs(t *testing.T) workspace.Dirs {
	return workspace.Dirs{Home: filepath.Join(t.TempDir(), "home")}
}

func TestPinsComeBackAsTheyWere(t *testing.T) {
	d, at := dirs(t), Place{Owner: "0123456789abcdef", Root: "/home/dev/a b\tc"}
	if Any(d) {
		t.Error("something is approved in an empty home")
	}
	want := []Pin{pin("one", "1"), pin("two", "2"), pin("one", "3")}
	if err := Approve(d, at, want...); err != nil {
		t.Fatal(err)
	}
	if err := Approve(d, at, want[0]); err != nil { // again, and nothing changes
		t.Fatal(err)
	}
	got, err := Read(d, at)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !Any(d) {
		t.Error("nothing is approved")
	}
	if n, err := Revoke(d, at, "one"); n != 2 || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if got, _ := Read(d, at); len(got) != 1 || got[0].ID != "two" {
		t.Errorf("left: %+v", got)
	}
	st, err := os.Stat(filepath.Join(d.Home, Dir, at.Owner))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Separator == '/' && st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
}

func TestManyVersionsOfOneRuleStandButNotWithoutEnd(t *testing.T) {
	d, at := dirs(t), Place{Owner: "a", Root: "/r"}
	for i := range 2 * maxVersions {
		if err := Approve(d, at, pin("one", strings.Repeat("x", i))); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(d, at)
	if err != nil || len(got) != maxVersions {
		t.Fatalf("%d pins, %v", len(got), err)
	}
	if last := pin("one", strings.Repeat("x", 2*maxVersions-1)); !got[len(got)-1].Same(&last) {
		t.Error("the newest one went")
	}
}

func TestOnlyTheVeryPlaceAndTheVeryFileGrant(t *testing.T) {
	at := Place{Owner: "a", Root: "/r"}
	good := string(encode(at, []Pin{pin("one", "1")}))
	tests := map[string]struct {
		text string
		want error
	}{
		"another workspace's root":    {string(encode(Place{Owner: "a", Root: "/other"}, []Pin{pin("one", "1")})), ErrForeign},
		"cut off":                     {good[:len(good)-4], ErrDamaged},
		"cut inside a line":           {good[:len(good)-1], ErrDamaged},
		"more behind the end":         {good + "pin\n", ErrDamaged},
		"no root":                     {magic + "\nend\n", ErrDamaged},
		"a pin before the root":       {magic + "\npin\tone\t" + Sum(nil) + "\trules/one.md\t1\t\t\t\nend\n", ErrDamaged},
		"a line of an unknown kind":   {strings.Replace(good, "\ncheck\t", "\nallow\t", 1), ErrDamaged},
		"a hash that is none":         {strings.Replace(good, Sum([]byte("1")), strings.Repeat("G", 64), 1), ErrDamaged},
		"a file outside the store":    {strings.Replace(good, "rules/one.md", "rules/../../x.md", 1), ErrDamaged},
		"a file with an absolute way": {strings.Replace(good, "rules/one.md", "/etc/passwd", 1), ErrDamaged},
		"another format":              {strings.Replace(good, magic, magic+"1", 1), ErrDamaged},
		"nothing":                     {"", ErrDamaged},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			pins, err := decode(tt.text, at)
			if !errors.Is(err, tt.want) || err != nil && pins != nil {
				t.Errorf("pins %v, error %v, want %v", pins, err, tt.want)
			}
		})
	}
}

func TestStateFollowsTheFilesBytes(t *testing.T) {
	store := t.TempDir()
	file := filepath.Join(store, "rules", "one.md")
	p := pin("one", "text")
	if got := p.StateIn(store); got != Gone {
		t.Errorf("no file: %s", got)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]State{"text": Approved, "text ": Changed, "tex": Changed, "": Changed, strings.Repeat("x", knowledge.MaxFile+1): Changed} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := p.StateIn(store); got != want {
			t.Errorf("%.10q: %s, want %s", text, got, want)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := p.StateIn(store); got != Gone {
		t.Errorf("a folder: %s", got)
	}
}

// Whatever stands in the file: what is read is what would be written again, and
// never half of it.
func FuzzPins(f *testing.F) {
	at := Place{Owner: "a", Root: "/r"}
	f.Add(string(encode(at, []Pin{pin("one", "1"), pin("two", "")})))
	f.Add(string(encode(at, nil)))
	f.Add(magic + "\nroot\t/r\nblock\ta\tb\tc\t\nend\n")
	f.Add(magic + "\nroot\t/r\npin\ta\\u\t" + Sum(nil) + "\trules/a.md\t-1\t\\\t\t\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		pins, err := decode(text, at)
		if err != nil {
			if pins != nil {
				t.Errorf("pins beside %v", err)
			}
			return
		}
		again, err := decode(string(encode(at, pins)), at)
		if err != nil {
			t.Fatalf("written again: %v", err)
		}
		if diff := cmp.Diff(pins, again); diff != "" {
			t.Error(diff)
		}
	})
}

package hookfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/workspace"
)

func TestPinsComeBackAsTheyWereAndForTheirRootAlone(t *testing.T) {
	d := workspace.Dirs{Home: filepath.Join(t.TempDir(), "home")}
	root := "/home/dev/a b\tc"
	want := []Pin{
		{Sum: Sum([]byte("1")), At: time.Unix(1, 0).UTC(), Events: []string{"PreToolUse", "Stop"}, Files: []Sealed{{"a b/x.sh", Sum([]byte("x"))}, {"tab\there", Sum(nil)}}},
		{Sum: Sum([]byte("2")), At: time.Unix(2, 0).UTC()},
	}
	for _, p := range want {
		if err := Trust(d, root, p); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Pins(d, root)
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Error(d, err)
	}
	if got, err := Pins(d, "/other"); got != nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if got := Needs(d, nil); strings.Join(got, " ") != "PreToolUse Stop" {
		t.Errorf("needs %q", got)
	}
	// Put in another root's place, it grants nothing.
	raw, _ := os.ReadFile(recordOf(d, root))
	if err := os.WriteFile(recordOf(d, "/other"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Pins(d, "/other"); got != nil || !errors.Is(err, ErrDamaged) {
		t.Errorf("%v, %v", got, err)
	}
	for range 2 * maxVersions {
		want[1].Sum = Sum([]byte(want[1].Sum))
		if err := Trust(d, root, want[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := Pins(d, root); len(got) != maxVersions || got[maxVersions-1].Sum != want[1].Sum {
		t.Errorf("%d versions", len(got))
	}
	if n, err := Revoke(d, root); n != maxVersions || err != nil {
		t.Errorf("revoked %d, %v", n, err)
	}
	if n, err := Revoke(d, root); n != 0 || err != nil {
		t.Errorf("revoked again %d, %v", n, err)
	}
	if _, err := Pins(workspace.Dirs{}, root); err != nil {
		t.Error(err)
	}
}

func TestALinkOrAHugeFileIsNamedAndNotRead(t *testing.T) {
	root := t.TempDir()
	ws := &workspace.Workspace{Root: root, Store: filepath.Join(root, ".pathrule")}
	if err := os.MkdirAll(ws.Store, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Find(ws, workspace.Dirs{}); got != nil {
		t.Errorf("%+v", got)
	}
	name := filepath.Join(ws.Store, Name)
	if err := os.WriteFile(name, []byte(strings.Repeat(" ", MaxFile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Find(ws, workspace.Dirs{}); len(got) != 1 || got[0].Err == nil || got[0].Raw != nil {
		t.Errorf("%+v", got)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "elsewhere"), name); err != nil {
		t.Skip(err)
	}
	if got := Find(ws, workspace.Dirs{}); len(got) != 1 || !errors.Is(got[0].Err, errLink) {
		t.Errorf("%+v", got)
	}
}

func TestAClientsEventEmitsOurs(t *testing.T) {
	for _, c := range []struct {
		from  string
		edits bool
		want  string
	}{
		{"PreToolUse", false, "PreToolUse"}, {"PreToolUse", true, "PreToolUse BeforeFileWrite"}, {"PostToolUse", true, "PostToolUse AfterFileWrite"},
		{"PostToolUseFailure", false, "ToolError"}, {"Stop", false, "Stop"}, {"", true, ""}, {"Unknown", false, ""},
	} {
		if got := strings.Join(Emitted(c.from, c.edits), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.from, got, c.want)
		}
	}
	seen := map[string]bool{}
	for _, e := range Catalogue {
		if _, ok := Lookup(e.Canonical()); !ok || seen[e.Name] || e.About == "" {
			t.Errorf("%+v", e)
		}
		seen[e.Name] = true
	}
}

// Whatever stands in the record: what is read is what would be written again, and
// never half of it.
func FuzzRecord(f *testing.F) {
	f.Add(string(encode("/r", []Pin{{Sum: Sum(nil), At: time.Unix(5, 0), Events: []string{"Stop"}, Files: []Sealed{{"a\tb", Sum(nil)}}}})))
	f.Add(magic + "\nroot\t/r\nend\n")
	f.Add(magic + "\nroot\t/r\nfile\tx\ty\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		pins, err := decode(text, "/r")
		if err != nil {
			if pins != nil {
				t.Errorf("pins beside %v", err)
			}
			return
		}
		again, err := decode(string(encode("/r", pins)), "/r")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(pins, again); d != "" {
			t.Error(d)
		}
	})
}

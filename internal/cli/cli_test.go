package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
)

func testOut(json bool) (*Out, *bytes.Buffer, *bytes.Buffer) {
	var out, err bytes.Buffer
	return NewOut(sysenv.Env{Stdout: &out, Stderr: &err}, json, false), &out, &err
}

func TestWidthCountsColumns(t *testing.T) {
	tests := map[string]struct {
		s    string
		want int
	}{
		"ASCII":                         {"retry", 5},
		"Japanese takes two each":       {"再試行", 6},
		"full-width letters take two":   {"ＡＢ", 4},
		"half-width katakana takes one": {"ｶﾅ", 2},
		"Cyrillic takes one each":       {"повтор", 6},
		"a combining accent takes none": {"e\u0301te", 3},
		"an emoji takes two":            {"🚀x", 3},
		"a zero-width joiner is none":   {"a\u200db", 2},
		"nothing":                       {"", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Width(tt.s); got != tt.want {
				t.Errorf("Width(%q) = %d, want %d", tt.s, got, tt.want)
			}
		})
	}
}

func TestCutNeverExceedsItsColumns(t *testing.T) {
	for _, s := range []string{"a plain title", "再試行は三回まで", "mixed 再試行 and 🚀", "e\u0301e\u0301e\u0301e\u0301"} {
		for n := 1; n < 20; n++ {
			if got := Cut(s, n); Width(got) > n {
				t.Errorf("Cut(%q, %d) = %q takes %d columns", s, n, got, Width(got))
			}
		}
		if got := Cut(s, 100); got != s {
			t.Errorf("Cut(%q, 100) = %q, want it whole", s, got)
		}
	}
}

func TestTableAlignsWideText(t *testing.T) {
	o, out, _ := testOut(false)
	tab := &Table{Head: []string{"ID", "TITLE", "PATHS"}, Flex: 1}
	tab.Row("a", "再試行", "src")
	tab.Row("long-id", "x", "web")
	o.Print(tab)
	want := "ID       TITLE   PATHS\n" +
		"a        再試行  src\n" +
		"long-id  x       web\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTableGivesWayOnATerminal(t *testing.T) {
	o, out, _ := testOut(false)
	o.Width = 30
	tab := &Table{Head: []string{"ID", "TITLE", "PATHS"}, Flex: 1}
	tab.Row("a", strings.Repeat("再", 40), "src/billing")
	o.Print(tab)
	for l := range strings.Lines(out.String()) {
		if w := Width(strings.TrimRight(l, "\n")); w > 30 {
			t.Errorf("line takes %d columns: %q", w, l)
		}
	}
	if !strings.Contains(out.String(), "src/billing") {
		t.Error("the column that must stay was cut")
	}
}

func TestCellsCannotDrawOnTheTerminal(t *testing.T) {
	o, out, _ := testOut(false)
	tab := &Table{Head: []string{"TITLE"}}
	tab.Row("red \x1b[31malert\x1b[0m\nsecond \u202eenil")
	o.Print(tab)
	if s := out.String(); strings.ContainsAny(s, "\x1b\u202e") || strings.Count(s, "\n") != 2 {
		t.Errorf("table printed %q", s)
	}
}

func TestColourNeedsATerminalAndPermission(t *testing.T) {
	o, out, _ := testOut(false)
	o.Println(o.Bold("x"), o.Good("y"))
	if out.String() != "x y\n" {
		t.Errorf("a pipe got %q", out.String())
	}
	o.Color = true
	if o.Bold("x") == "x" {
		t.Error("no colour although it is on")
	}
	if o.Bold("") != "" {
		t.Error("colour around nothing")
	}
}

func TestFailuresHaveOneShape(t *testing.T) {
	o, out, err := testOut(false)
	o.Fail("memory show", Fail("not_found", "no entry \"x\"", "look again", "or not"))
	if out.Len() > 0 {
		t.Errorf("stdout got %q", out)
	}
	want := "pathrule: error: no entry \"x\"\npathrule: hint: look again\npathrule: hint: or not\n"
	if diff := cmp.Diff(want, err.String()); diff != "" {
		t.Error(diff)
	}

	o, out, err = testOut(true)
	o.Warn("kept for data")
	o.Fail("memory show", Fail("not_found", "no entry \"x\""))
	if err.Len() > 0 {
		t.Errorf("stderr got %q", err)
	}
	var e struct {
		SchemaVersion int `json:"schema_version"`
		OK            *bool
		Command       string
		Data          json.RawMessage
		Error         struct {
			Code, Message string
			Remedy        []string
		}
	}
	if err := json.Unmarshal(out.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	if e.SchemaVersion != 1 || e.OK == nil || *e.OK || e.Command != "memory show" || e.Data != nil || e.Error.Code != "not_found" || e.Error.Remedy == nil {
		t.Errorf("envelope %s", out)
	}
}

func TestExitCodes(t *testing.T) {
	if got := (&Failure{}).ExitCode(); got != ExitFailed {
		t.Errorf("a failure without a code exits %d", got)
	}
	if got := Usage("x").ExitCode(); got != ExitUsage {
		t.Errorf("usage exits %d", got)
	}
	cause := errors.New("cause")
	if !errors.Is(&Failure{Err: cause}, cause) {
		t.Error("the cause is lost")
	}
}

func TestConfirmTakesOnlyAClearYes(t *testing.T) {
	tests := map[string]struct {
		in   string
		def  bool
		want bool
	}{
		"y":                          {"y\n", false, true},
		"YES":                        {"YES\n", false, true},
		"n although yes is default":  {"n\n", true, false},
		"an empty line is default":   {"\n", true, true},
		"an empty line is default 2": {"\n", false, false},
		"end of input is no":         {"", true, false},
		"nonsense, then yes":         {"maybe\ny\n", false, true},
		"nonsense for ever is no":    {"a\nb\nc\nd\ny\n", true, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var err bytes.Buffer
			o := NewOut(sysenv.Env{Stdin: strings.NewReader(tt.in), Stderr: &err}, false, false)
			if got := o.Confirm("Sure?", tt.def); got != tt.want {
				t.Errorf("Confirm(%q) = %v, want %v", tt.in, got, tt.want)
			}
		})
	}
}

func TestNearestFindsTypingErrors(t *testing.T) {
	names := []string{"search", "setup", "status", "sync", "unsetup", "explain"}
	tests := map[string][]string{
		"serach": {"search"},
		"statsu": {"status"},
		"exp":    {"explain"},
		"SEARCH": {"search"},
		"zebra":  nil,
	}
	for word, want := range tests {
		if diff := cmp.Diff(want, Nearest(word, names)); diff != "" {
			t.Errorf("%s: %s", word, diff)
		}
	}
	if got := Nearest("setup", names); len(got) == 0 || got[0] != "setup" {
		t.Errorf("an exact name comes first, got %v", got)
	}
}

func TestDiffShowsBothEnds(t *testing.T) {
	if d := Diff("f", []byte("a\n"), []byte("a\n")); d != "" {
		t.Errorf("equal files differ: %s", d)
	}
	d := Diff("f", nil, []byte("a\n"))
	if !strings.Contains(d, "--- /dev/null") || !strings.Contains(d, "+a\n") {
		t.Errorf("a new file: %s", d)
	}
	d = Diff("f", []byte("a\nb"), []byte("a\nb\n"))
	if !strings.Contains(d, "No newline at end of file") {
		t.Errorf("a missing last newline is not shown: %q", d)
	}
	if d := Diff("f", []byte{0xff, 0}, nil); !strings.Contains(d, "binary") {
		t.Errorf("binary: %q", d)
	}
}

func TestEditKeepsTheText(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	editor := filepath.Join(dir, "my editor.sh")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf 'more\\n' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	env := sysenv.Env{Environ: os.Environ(), Cwd: dir, Vars: func(n string) string {
		if n == "VISUAL" {
			return "'" + editor + "'"
		}
		return ""
	}}
	got, file, err := Edit(env, "a.md", []byte("text\n"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != "text\nmore\n" {
		t.Errorf("edited text %q", got)
	}
	st, err := os.Stat(file)
	if err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("temp file: %v %v", st, err)
	}
	DropEdit(file)
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Error("the temp folder stays")
	}

	env.Vars = func(n string) string { return "false" }
	_, file, err = Edit(env, "a.md", []byte("text\n"))
	if err == nil || file == "" {
		t.Errorf("an editor that fails: file %q, err %v", file, err)
	}
	DropEdit(file)
}

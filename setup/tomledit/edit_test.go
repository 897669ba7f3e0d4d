package tomledit

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var path = []string{"mcp_servers", "pathrule"}

var entry = []KV{{"command", "/opt/my tools/pathrule"}, {"args", []string{"mcp"}}}

const block = "[mcp_servers.pathrule]\ncommand = \"/opt/my tools/pathrule\"\nargs = [\"mcp\"]\n"

func parse(t *testing.T, src string) *Doc {
	t.Helper()
	d, err := Parse([]byte(src))
	if err != nil {
		t.Fatalf("parse %q: %v", src, err)
	}
	return d
}

func TestAddTableAppendsOneBlock(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"an empty file":             {"", block},
		"one blank line apart":      {"model = \"x\" # c\n", "model = \"x\" # c\n\n" + block},
		"no second blank line":      {"a = 1\n\n", "a = 1\n\n" + block},
		"no final newline":          {"a = 1", "a = 1\n\n" + block},
		"CRLF":                      {"a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n")},
		"a byte order mark":         {"\ufeffa = 1\n", "\ufeffa = 1\n\n" + block},
		"beside dotted neighbours":  {"mcp_servers.a.command = \"x\"\n", "mcp_servers.a.command = \"x\"\n\n" + block},
		"beside a parent header":    {"[mcp_servers]\na = { command = \"x\" }\n", "[mcp_servers]\na = { command = \"x\" }\n\n" + block},
		"behind a trailing comment": {"[a]\n# end\n", "[a]\n# end\n\n" + block},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tc.in)
			if err := d.AddTable(path, entry); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(d.Bytes())); diff != "" {
				t.Errorf("add (-want +got):\n%s", diff)
			}
			if got := d.At(append(path, "command")...); got != "/opt/my tools/pathrule" {
				t.Errorf("command reads %v", got)
			}
		})
	}
}

func TestFormsAreTold(t *testing.T) {
	for in, want := range map[string]struct {
		form   Form
		closed bool
	}{
		"":                       {Absent, false},
		"[mcp_servers.other]\n":  {Absent, false},
		"[mcp_servers.pathrule]": {Header, false},
		"[ \"mcp_servers\" . 'pathrule' ]\na=1\n[mcp_servers.pathrule.env]\nB='2'": {Header, false},
		"[mcp_servers]\npathrule = { command = 'x' }":                              {Keys, false},
		"[mcp_servers]\npathrule.command = 'x'":                                    {Keys, false},
		"mcp_servers.pathrule.command = 'x'":                                       {Keys, false},
		"mcp_servers = { pathrule = { command = 'x' } }":                           {Outer, true},
		"mcp_servers = { other = { command = 'x' } }":                              {Absent, true},
		"mcp_servers = 3":               {Absent, true},
		"[[mcp_servers]]\npathrule = 1": {Mixed, true},
		"[mcp_servers.pathrule.env]\nA='1'\n[mcp_servers]\npathrule.command = 'x'": {Mixed, false},
	} {
		d, err := Parse([]byte(in))
		if err != nil {
			if want.form == Mixed {
				continue // the library refuses some of these outright
			}
			t.Fatalf("%q: %v", in, err)
		}
		if f, c := d.FormOf(path...); f != want.form || c != want.closed {
			t.Errorf("%q: form %q closed %v, want %q %v", in, f, c, want.form, want.closed)
		}
	}
}

func TestSetKeyTouchesOneValue(t *testing.T) {
	d := parse(t, "[mcp_servers.pathrule] # ours\ncommand = 'old' # where\nargs = [ # list\n  \"mcp\",\n]\nenabled = true\n\n# next\n[other]\nk = 1\n")
	for _, kv := range append(slices.Clone(entry), KV{"env_vars", []string{"A"}}) {
		if err := d.SetKey(path, kv); err != nil {
			t.Fatal(err)
		}
	}
	want := "[mcp_servers.pathrule] # ours\ncommand = \"/opt/my tools/pathrule\" # where\nargs = [\"mcp\"]\nenabled = true\nenv_vars = [\"A\"]\n\n# next\n[other]\nk = 1\n"
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
}

func TestSetVarsInEveryForm(t *testing.T) {
	set := []KV{{"H", "/h"}, {"S", ""}}
	for name, tc := range map[string]struct{ in, want string }{
		"none yet":          {"[a.b]\nc = 1\n", "[a.b]\nc = 1\nenv = { H = \"/h\" }\n"},
		"inline":            {"[a.b]\nenv = { X = 'x', S = 's' } # e\n", "[a.b]\nenv = { X = 'x', H = \"/h\" } # e\n"},
		"its own header":    {"[a.b]\nc = 1\n[a.b.env]\nS = 's'\nX = 'x'\n# t\n[z]\n", "[a.b]\nc = 1\n[a.b.env]\nX = 'x'\nH = \"/h\"\n# t\n[z]\n"},
		"dotted":            {"[a.b]\nenv.X = 'x'\nenv.S = 's'", "[a.b]\nenv.X = 'x'\nenv.H = \"/h\"\n"},
		"already as wanted": {"[a.b]\nenv = { H = '/h' }\n", "[a.b]\nenv = { H = \"/h\" }\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tc.in)
			if err := d.SetVars([]string{"a", "b"}, "env", set); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); strings.TrimSpace(got) != strings.TrimSpace(tc.want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
	d := parse(t, "[a.b]\nc = 1\nenv = { H = '/h' }\n")
	if err := d.SetVars([]string{"a", "b"}, "env", []KV{{"H", ""}}); err != nil || string(d.Bytes()) != "[a.b]\nc = 1\n" {
		t.Errorf("an emptied inline table stays: %q, %v", d.Bytes(), err)
	}
}

func TestRemoveTableLeavesTheRest(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"the block and its blank line":   {"a = 1\n\n" + block, "a = 1\n"},
		"the whole file":                 {block, ""},
		"sub-tables too":                 {"a = 1\n\n" + block + "\n[mcp_servers.pathrule.env]\nA = '1'\n\n# z\n[z]\n", "a = 1\n\n# z\n[z]\n"},
		"a comment above stays":          {"# mine\n" + block + "[z]\n", "# mine\n[z]\n"},
		"a multi-line value":             {"[mcp_servers.pathrule]\nargs = [\n '''\n# no comment\n[no.header]\n''' ]\n[z]\n", "[z]\n"},
		"inline below its parent":        {"[mcp_servers]\npathrule = { command = 'x' } # p\no = { command = 'y' }\n", "[mcp_servers]\no = { command = 'y' }\n"},
		"dotted at the root":             {"mcp_servers.pathrule.command = 'x'\nmcp_servers.o.command = 'y'\n", "mcp_servers.o.command = 'y'\n"},
		"a sibling whose name is longer": {"[mcp_servers.pathrule-old]\ncommand = 'x'\n\n" + block, "[mcp_servers.pathrule-old]\ncommand = 'x'\n"},
		"CRLF":                           {"a = 1\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n"), "a = 1\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tc.in)
			if err := d.RemoveTable(path...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(d.Bytes())); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
	if err := parse(t, "mcp_servers = { pathrule = { command = 'x' } }").RemoveTable(path...); err != ErrForm {
		t.Errorf("an outer inline table is refused with %v", err)
	}
}

func TestUnreadableDocumentsNameTheLine(t *testing.T) {
	for in, line := range map[string]int{"a = 1\nb = \n": 2, "a = 1\na = 2\n": 2, "[x]\n[x]\n": 2, "a = 'x\n": 1, "\n\nb": 3, "a=\"\xff\"": 1} {
		_, err := Parse([]byte(in))
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%q: error is %v", in, err)
		} else if e.Line != line {
			t.Errorf("%q: line %d (%s), want %d", in, e.Line, e.Msg, line)
		}
	}
}

func TestQuotesRoundTrip(t *testing.T) {
	for _, s := range []string{"", "a", `C:\x\y`, `it's "so"`, "tab\tnl\n", "ü 雪", `a'b\c"d`} {
		d := parse(t, "k = "+Render(s)+"\n")
		if d.At("k") != s {
			t.Errorf("%q reads back as %q", s, d.At("k"))
		}
	}
}

// Adding and taking out the table gives back a document that means the same,
// with the same comments and, when it ended with a line end, the same bytes.
func FuzzTable(f *testing.F) {
	for _, s := range []string{
		"", "a = 1", "# c\n[a]\nb = [1, 2] # d\n\n\n", "\ufeff[x]\r\ny = '''\r\n# no\r\n'''\r\n", "mcp_servers.x.command = 'y'\n", "[mcp_servers]\npathrule = {command='z'}\n",
		"[[p]]\na = nan\n[[p]]\n", block, "mcp_servers = {}", "[mcp_servers.pathrule.env]\nA=1\n\n# c\n[mcp_servers.z]", "a.\"b.c\" = \"\"\"\n[x]\"\"\" # e",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		d, err := Parse([]byte(src))
		if err != nil {
			return
		}
		rest := without(d.Value())
		comments := d.Comments(path...)
		form, closed := d.FormOf(path...)
		if form != Absent {
			if err := d.RemoveTable(path...); err == ErrForm {
				return
			} else if err != nil {
				t.Fatalf("remove from %q: %v", src, err)
			}
			if !same(rest, without(d.Value())) || d.At(path...) != nil {
				t.Fatalf("%q became %q", src, d.Bytes())
			}
			if got := d.Comments(path...); !reflect.DeepEqual(comments, got) {
				t.Fatalf("%q: comments %q became %q", src, comments, got)
			}
			_, closed = d.FormOf(path...)
		}
		if closed {
			return
		}
		before := string(d.Bytes())
		if err := d.AddTable(path, append(slices.Clone(entry), KV{"env", []KV{{"A", "1"}}})); err != nil {
			t.Fatalf("add to %q: %v", before, err)
		}
		if f, _ := d.FormOf(path...); f != Header {
			t.Fatalf("%q: added table is %q", d.Bytes(), f)
		}
		if err := d.SetVars(path, "env", []KV{{"A", ""}, {"B", "2"}}); err != nil {
			t.Fatal(err)
		}
		if got := d.At(append(path, "env")...); !reflect.DeepEqual(got, map[string]any{"B": "2"}) {
			t.Fatalf("env is %v in %q", got, d.Bytes())
		}
		if !same(rest, without(d.Value())) || !reflect.DeepEqual(comments, d.Comments(path...)) {
			t.Fatalf("%q became %q", before, d.Bytes())
		}
		if err := d.RemoveTable(path...); err != nil {
			t.Fatal(err)
		}
		want := before
		if b := strings.TrimPrefix(before, "\ufeff"); b != "" && !strings.HasSuffix(b, "\n") || blankEnd([]byte(b)) {
			want = "" // the blank line was there, or the last line got its end
		}
		if !same(rest, without(d.Value())) || want != "" && string(d.Bytes()) != want {
			t.Fatalf("%q came back as %q", before, d.Bytes())
		}
	})
}

// without is the document's meaning less our table and an emptied parent.
func without(v map[string]any) map[string]any {
	v = maps.Clone(v)
	if m, ok := v["mcp_servers"].(map[string]any); ok {
		m = maps.Clone(m)
		delete(m, "pathrule")
		if v["mcp_servers"] = m; len(m) == 0 {
			delete(v, "mcp_servers")
		}
	}
	return v
}

func same(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

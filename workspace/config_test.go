package workspace

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// flat is what a config file says, as "key = value" and "key = [a|b]".
func flat(f configFile) []string {
	var out []string
	for _, it := range f.items {
		switch it.value {
		case valueScalar:
			out = append(out, it.key+" = "+it.text)
		case valueList:
			out = append(out, it.key+" = ["+strings.Join(it.list, "|")+"]")
		}
	}
	return out
}

func TestParseConfigReadsTheSubset(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"nothing":                   {"", nil},
		"comments and blank lines":  {"# a\n\n   \n  # b\n", nil},
		"plain, single and double":  {"a: x y\nb: 'it''s'\nc: \"q\\\"\\u00e9\\n\"\n", []string{"a = x y", "b = it's", "c = q\"é\n"}},
		"comments behind values":    {"a: x # y\nb: 'z' # y\nc: [p] # y\nd: a#b\n", []string{"a = x", "b = z", "c = [p]", "d = a#b"}},
		"dotted and nested keys":    {"a.b: 1\nc:\n  d: 2\n  e:\n     f: 3\ng: 4\n", []string{"a.b = 1", "c.d = 2", "c.e.f = 3", "g = 4"}},
		"lists on one line":         {"a: [x, \"y, z\", 'w']\nb: []\n", []string{"a = [x|y, z|w]", "b = []"}},
		"lists, one item a line":    {"a:\n  - x\n  - \"y: z\"\nb:\n- p # c\n# d\n- q\nc: 1\n", []string{"a = [x|y: z]", "b = [p|q]", "c = 1"}},
		"quoted keys":               {"\"a b\": 1\n'c.d': 2\n", []string{"a b = 1", "c.d = 2"}},
		"no value":                  {"a:\nb: ~\nc: null\nd: {}\n", nil},
		"a BOM and Windows lines":   {"\ufeffa: 1\r\nb:\r\n  c: 2\r\n", []string{"a = 1", "b.c = 2"}},
		"a document start":          {"---\na: 1\n", []string{"a = 1"}},
		"letters of any script":     {"付款: [支付, \"付\"]\n", []string{"付款 = [支付|付]"}},
		"words that YAML 1.1 bends": {"a: off\nb: yes\nc: 010\n", []string{"a = off", "b = yes", "c = 010"}},
		"a colon inside":            {"a: b:c\n", []string{"a = b:c"}},
		"a group opened twice":      {"a:\n  b: 1\na:\n  c: 2\n", []string{"a.b = 1", "a.c = 2"}},
		"no line end at the end":    {"a: 1", []string{"a = 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := parseConfig([]byte(c.in))
			if diff := cmp.Diff(c.want, flat(f)); diff != "" {
				t.Error(diff)
			}
			if len(f.problems) != 0 {
				t.Errorf("problems: %+v", f.problems)
			}
			if strings.Join(f.lines, "") != c.in {
				t.Error("the lines do not give the file back")
			}
		})
	}
}

func TestParseConfigNamesWhatItDoesNotRead(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		line int
		msg  string
		rest []string
	}{
		"a tab":                 {"a:\n\tb: 1\nc: 2\n", 2, "a tab is no indentation", []string{"c = 2"}},
		"an anchor":             {"a: &x 1\nc: 2\n", 1, `a value that begins with "&"`, []string{"c = 2"}},
		"an alias":              {"a: *x\nc: 2\n", 1, `a value that begins with "*"`, []string{"c = 2"}},
		"a tag":                 {"a: !!str 1\nc: 2\n", 1, `a value that begins with "!"`, []string{"c = 2"}},
		"block text":            {"a: |\n  x: 1\n  y\nc: 2\n", 1, `a value that begins with "|"`, []string{"c = 2"}},
		"a map on one line":     {"a: {b: 1}\nc: 2\n", 1, "a {map} is not read here", []string{"c = 2"}},
		"a list over lines":     {"a: [x,\n  y]\nc: 2\n", 1, "a list is not closed on its line", []string{"c = 2"}},
		"an open quote":         {"a: \"x\nc: 2\n", 1, "a quote is never closed", []string{"c = 2"}},
		"an unknown escape":     {"a: \"\\q\"\nc: 2\n", 1, `"\q" means nothing`, []string{"c = 2"}},
		"text behind a quote":   {"a: \"x\" y\nc: 2\n", 1, "text follows the value", []string{"c = 2"}},
		"a line without a key":  {"hello\nc: 2\n", 1, "is no setting", []string{"c = 2"}},
		"a key without a space": {"a:1\nc: 2\n", 1, "is no setting", []string{"c = 2"}},
		"two values on a line":  {"a: b: c\nc: 2\n", 1, "a value with a colon must be quoted", []string{"c = 2"}},
		"a key twice":           {"a: 1\na: 3\nc: 2\n", 2, `"a" is set again (first in line 1)`, []string{"a = 1", "c = 2"}},
		"keys below a value":    {"a: 1\n  b: 3\nc: 2\n", 2, "is indented below a key that has a value already", []string{"a = 1", "c = 2"}},
		"spaces at the start":   {"  a: 1\nc: 2\n", 1, "is indented, but belongs to no key", []string{"c = 2"}},
		"crooked neighbours":    {"a:\n    b: 1\n  d: 3\nc: 2\n", 3, "indentation fits no line above", []string{"a.b = 1", "c = 2"}},
		"an item of no key":     {"- a\nc: 2\n", 1, "a list item belongs to no key", []string{"c = 2"}},
		"an item below a value": {"a: 1\n- b\nc: 2\n", 2, "a list item follows a key that has a value already", []string{"a = 1", "c = 2"}},
		"a map in a list":       {"a:\n  - b: 1\nc: 2\n", 2, "a list item holds a key", []string{"c = 2"}},
		"a list in a list":      {"a:\n  - [b]\nc: 2\n", 2, "a list item is no plain text", []string{"c = 2"}},
		"a second document":     {"a: 1\n---\nc: 2\n", 2, "a second document begins here", []string{"a = 1"}},
		"no UTF-8":              {"a: \xff\n", 0, "not valid UTF-8", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := parseConfig([]byte(c.in))
			if len(f.problems) == 0 {
				t.Fatalf("accepted as %q", flat(f))
			}
			p := f.problems[0]
			if p.Line != c.line || !strings.Contains(p.Msg, c.msg) || p.Remedy == "" {
				t.Errorf("got %+v", p)
			}
			if diff := cmp.Diff(c.rest, flat(f)); diff != "" {
				t.Errorf("the rest: %s", diff)
			}
		})
	}
	big := parseConfig([]byte("a: " + strings.Repeat("x", maxConfig)))
	if len(big.problems) != 1 || len(big.items) != 0 {
		t.Errorf("a huge file: %d problems, %d items", len(big.problems), len(big.items))
	}
}

func TestSetSettingChangesNothingElse(t *testing.T) {
	for name, c := range map[string]struct{ in, key, value, want string }{
		"a new file":                       {"", "mode", "manual", "mode: manual\n"},
		"a value in place":                 {"# mine\nmode: auto  # why\nproof: off\n", "mode", "off", "# mine\nmode: off  # why\nproof: off\n"},
		"a nested value":                   {"budget:\n    focused: 900 # x\n    deep: 100\n", "budget.focused", "800", "budget:\n    focused: 800 # x\n    deep: 100\n"},
		"a dotted value":                   {"budget.focused: 900\n", "budget.focused", "800", "budget.focused: 800\n"},
		"a new key in a group":             {"budget:\n    focused: 900\n\n# end\nmode: auto\n", "budget.tool", "100", "budget:\n    focused: 900\n    tool: 100\n\n# end\nmode: auto\n"},
		"a new key outside a group":        {"mode: auto\n", "budget.tool", "100", "mode: auto\nbudget.tool: 100\n"},
		"a file without a line end":        {"mode: auto", "proof", "compact", "mode: auto\nproof: compact"},
		"Windows lines and a BOM":          {"\ufeffmode: auto\r\n", "proof", "compact", "\ufeffmode: auto\r\nproof: compact\r\n"},
		"the first value behind a BOM":     {"\ufeffmode: auto # x\r\n", "mode", "off", "\ufeffmode: off # x\r\n"},
		"an empty value":                   {"mode: # x\n", "mode", "off", "mode: off # x\n"},
		"a list":                           {"compile.targets: [windsurf]\n", "compile.targets", "windsurf, agents", "compile.targets: [windsurf, agents]\n"},
		"a list of lines becomes one line": {"compile:\n  targets:\n    # keep\n    - windsurf\n    - agents\nmode: auto\n", "compile.targets", "agents", "compile:\n  targets: [agents]\n    # keep\nmode: auto\n"},
		"a term":                           {"glossary:\n  a: [b]\n", "glossary.node.js", "node", "glossary:\n  a: [b]\n  node.js: [node]\n"},
		"a term that needs quotes":         {"", "glossary.a: b", "x, y", "\"glossary.a: b\": [x, y]\n"},
		"the same value":                   {"mode:   auto\n", "mode", "auto", "mode:   auto\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dirs := DirsOf(w.env)
			file := UserConfig(dirs)
			if c.in != "" {
				w.file("home/me/.pathrule/config.yaml", c.in)
			}
			if err := SetSetting(dirs, file, c.key, c.value); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(file)
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
			s, _, problems := LoadSettings(nil, dirs, w.env)
			if v, _ := s.Get(c.key); v != c.value || len(problems) != 0 {
				t.Errorf("reads back %q, %q", v, short(problems))
			}
		})
	}
}

func TestUnsetSetting(t *testing.T) {
	for name, c := range map[string]struct{ in, key, want string }{
		"a line":            {"# a\nmode: off # b\nproof: off\n", "mode", "# a\nproof: off\n"},
		"a nested line":     {"budget:\n  tool: 100\n  deep: 200\n", "budget.tool", "budget:\n  deep: 200\n"},
		"a list":            {"compile:\n  targets:\n  - a\n  # x\n  - b\nmode: off\n", "compile.targets", "compile:\n  # x\nmode: off\n"},
		"what is not there": {"mode: off\n", "proof", "mode: off\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			dirs := DirsOf(w.env)
			w.file("home/me/.pathrule/config.yaml", c.in)
			if err := UnsetSetting(dirs, UserConfig(dirs), c.key); err != nil {
				t.Fatal(err)
			}
			got, _ := os.ReadFile(UserConfig(dirs))
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	w := newWorld(t)
	dirs := DirsOf(w.env)
	if err := UnsetSetting(dirs, UserConfig(dirs), "mode"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(UserConfig(dirs)); err == nil {
		t.Error("a file was made for nothing")
	}
}

func TestSetSettingRefuses(t *testing.T) {
	w := newWorld(t)
	dirs := DirsOf(w.env)
	for name, c := range map[string]struct{ in, key, value, want string }{
		"an unknown key":       {"", "mod", "off", `did you mean "mode"?`},
		"a wrong value":        {"", "mode", "loud", "it takes auto, startup, always, manual, off"},
		"a broken file":        {"mode: auto\n\tx: 1\n", "proof", "off", "config.yaml:2: a tab is no indentation"},
		"a group in its place": {"mode:\n  x: 1\n", "mode", "off", "holds other keys"},
	} {
		t.Run(name, func(t *testing.T) {
			w.file("home/me/.pathrule/config.yaml", c.in)
			err := SetSetting(dirs, UserConfig(dirs), c.key, c.value)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if got, _ := os.ReadFile(UserConfig(dirs)); string(got) != c.in {
				t.Errorf("the file changed: %q", got)
			}
		})
	}
}

func TestConfigFilesHaveTheRightsOfTheirPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits on Windows")
	}
	w := newWorld(t)
	dirs := DirsOf(w.env)
	w.dir("srv/p/.pathrule")
	repo := w.find("srv/p")
	for file, want := range map[string]os.FileMode{UserConfig(dirs): 0o600, WorkspaceConfig(dirs, repo.ID): 0o600, RepositoryConfig(repo): 0o644} {
		if err := SetSetting(dirs, file, "budget.tool", "100"); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(file); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", file, st.Mode(), err)
		}
	}
	if st, _ := os.Stat(w.at("home/me/.pathrule/workspaces")); st.Mode().Perm() != 0o700 {
		t.Errorf("workspaces/: %v", st.Mode())
	}
}

// Whatever we accept, a full YAML library reads the same.
func FuzzConfigAgreesWithYAML(f *testing.F) {
	for _, s := range []string{"a: 1\nb:\n  c: [x, \"y\"]\n", "a.b: 'x'\nc:\n- d\n- e\n", "a: {}\nb: ~\n", "\ufeffa: 1\r\n", "'a b': \"\\u00e9\"\n", "a:\n  b:\n  c: 1\n", "---\n付: 款 # x\n", "a: b#c\nd: [e#f, g]\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := parseConfig(data)
		if strings.Join(got.lines, "") != string(data) {
			t.Fatal("the lines do not give the file back")
		}
		if len(got.problems) > 0 {
			for _, p := range got.problems {
				if p.Msg == "" || p.Remedy == "" {
					t.Fatalf("a problem without text: %+v", p)
				}
			}
			return
		}
		var doc yaml.Node
		if err := yaml.Unmarshal(data, &doc); err != nil {
			t.Fatalf("%q is accepted as %q, but: %v", data, flat(got), err)
		}
		var want []string
		if len(doc.Content) > 0 {
			flatYAML(t, "", doc.Content[0], &want)
		}
		have := flat(got)
		slices.Sort(want)
		slices.Sort(have)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("%q: %s", data, diff)
		}
	})
}

func flatYAML(t *testing.T, key string, n *yaml.Node, out *[]string) {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" {
			*out = append(*out, key+" = "+n.Value)
		}
	case yaml.SequenceNode:
		var items []string
		for _, c := range n.Content {
			if c.Kind != yaml.ScalarNode {
				t.Fatalf("a list of %v", c.Kind)
			}
			if c.Tag != "!!null" || c.Style != 0 {
				items = append(items, c.Value)
			}
		}
		*out = append(*out, key+" = ["+strings.Join(items, "|")+"]")
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i].Value
			if key != "" {
				k = key + "." + k
			}
			flatYAML(t, k, n.Content[i+1], out)
		}
	default:
		t.Fatalf("a node of kind %v", n.Kind)
	}
}

// Setting a value never disturbs another, and reads back as it was given.
func FuzzSetKeepsTheRest(f *testing.F) {
	for _, s := range []string{"", "mode: auto # x\r\n", "budget:\n  tool: 100\n", "glossary:\n- a\n", "glossary:\n  x:\n  - a\n  # c\n  - b\nmode: off", "\ufeff"} {
		f.Add(s, "x", "y, z")
	}
	f.Fuzz(func(t *testing.T, in, term, words string) {
		before := parseConfig([]byte(in))
		key := glossaryPrefix + term
		d := describe(key)
		if len(before.problems) > 0 || d == nil {
			return
		}
		_, list, err := d.parse(words, nil, false)
		if err != nil || !validText(in+"\n"+term+"\n"+words) {
			return
		}
		work := parseConfig([]byte(in))
		if err := work.set(key, renderList(list)); err != nil {
			return
		}
		text := strings.Join(work.lines, "")
		after := parseConfig([]byte(text))
		if len(after.problems) > 0 {
			t.Fatalf("%q + %s broke the file %q: %+v", in, key, text, after.problems)
		}
		want := map[string]string{}
		for _, line := range flat(before) {
			k, v, _ := strings.Cut(line, " = ")
			want[k] = v
		}
		want[key] = "[" + strings.Join(list, "|") + "]"
		got := map[string]string{}
		for _, line := range flat(after) {
			k, v, _ := strings.Cut(line, " = ")
			got[k] = v
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q -> %q: %s", in, text, diff)
		}
	})
}

func validText(s string) bool {
	return utf8.ValidString(s) && len(s) < maxKey
}

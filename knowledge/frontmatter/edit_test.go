package frontmatter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

func TestEditsTouchOnlyTheirLines(t *testing.T) {
	for name, c := range map[string]struct {
		before string
		edit   Edit
		after  string
	}{
		"a plain value keeps its comment":            {"---\ntitle: a  # why\nx: 1\n---\nb", Edit{"title", "c"}, "---\ntitle: c  # why\nx: 1\n---\nb"},
		"single quotes stay":                         {"---\ntitle: 'a'\n---\nb", Edit{"title", "c: d"}, "---\ntitle: 'c: d'\n---\nb"},
		"single quotes give way to an apostrophe":    {"---\ntitle: 'a'\n---\nb", Edit{"title", "it's: d"}, "---\ntitle: \"it's: d\"\n---\nb"},
		"double quotes stay":                         {"---\ntitle: \"a\"\n---\nb", Edit{"title", "c"}, "---\ntitle: \"c\"\n---\nb"},
		"a value that needs quotes gets them":        {"---\ntitle: a\n---\nb", Edit{"title", "*.ts: \"x\""}, "---\ntitle: \"*.ts: \\\"x\\\"\"\n---\nb"},
		"an empty value is filled":                   {"---\ntitle:\n---\nb", Edit{"title", "c"}, "---\ntitle: c\n---\nb"},
		"a value over several lines is replaced":     {"---\ntitle: >\n  a\n  b\n\n# c\ntags: x\n---\nb", Edit{"title", "c"}, "---\ntitle: c\n\n# c\ntags: x\n---\nb"},
		"a list keeps kept lines and their comments": {"---\npaths:\n    - a # first\n    # mid\n    - b\n    - c\n---\n", Edit{"paths", []string{"a", "d/**", "c"}}, "---\npaths:\n    - a # first\n    - \"d/**\"\n    # mid\n    - c\n---\n"},
		"a list that begins with something new":      {"---\ntags:\n- b\n---\n", Edit{"tags", []string{"a", "b"}}, "---\ntags:\n- a\n- b\n---\n"},
		"a list in brackets stays one":               {"---\npaths: ['a', b]  # c\n---\n", Edit{"paths", []string{"b", "src/{x,y}"}}, "---\npaths: [b, 'src/{x,y}']  # c\n---\n"},
		"a comma string stays one":                   {"---\npaths: a, b\n---\n", Edit{"paths", []string{"a", "src/**"}}, "---\npaths: \"a, src/**\"\n---\n"},
		"an unquoted glob is mended with its key":    {"---\npaths: **/*.ts\n---\n", Edit{"paths", []string{"**/*.ts", "b"}}, "---\npaths: \"**/*.ts, b\"\n---\n"},
		"an unquoted glob next to the key stays":     {"---\npaths: **/*.ts\ntitle: a\n---\n", Edit{"title", "b"}, "---\npaths: **/*.ts\ntitle: b\n---\n"},
		"a list over lines in brackets is rewritten": {"---\npaths: [\n  a,\n  b\n]\nx: y\n---\n", Edit{"paths", []string{"c"}}, "---\npaths:\n  - c\nx: y\n---\n"},
		"a new key goes before the closing fence":    {"---\ntitle: a\n# tail\n---\nb", Edit{"tags", []string{"x"}}, "---\ntitle: a\n# tail\ntags:\n  - x\n---\nb"},
		"a new key has the file's line ending":       {"---\r\ntitle: a\r\n---\r\nb", Edit{"tags", []string{"x", "z"}}, "---\r\ntitle: a\r\ntags:\r\n  - x\r\n  - z\r\n---\r\nb"},
		"a new key has the other keys' indent":       {"---\n  title: a\n---\nb", Edit{"tags", []string{"x"}}, "---\n  title: a\n  tags:\n    - x\n---\nb"},
		"a file without frontmatter gets one":        {"b\r\nc", Edit{"title", "a"}, "---\r\ntitle: a\r\n---\r\nb\r\nc"},
		"behind a BOM":                               {"\uFEFFb", Edit{"title", "a"}, "\uFEFF---\ntitle: a\n---\nb"},
		"an unclosed frontmatter is body":            {"---\ntitle: x\n", Edit{"title", "a"}, "---\ntitle: a\n---\n---\ntitle: x\n"},
		"taking out leaves the neighbours' comments": {"---\n# one\ntitle: a\n\n# two\ntags:\n  - x\n# three\n---\nb", Edit{"tags", nil}, "---\n# one\ntitle: a\n\n# two\n# three\n---\nb"},
		"taking out takes the doubles too":           {"---\ntitle: a\nx: 1\ntitle: b\n---\n", Edit{"title", ""}, "---\nx: 1\n---\n"},
		"taking out what is not there":               {"---\nx: 1\n---\n", Edit{"title", nil}, "---\nx: 1\n---\n"},
		"the same value changes nothing":             {"---\ntitle: 'a' # b\ntags: [ x,  'y' ]\n---\n", Edit{"title", "a"}, "---\ntitle: 'a' # b\ntags: [ x,  'y' ]\n---\n"},
		"blocks are written as YAML":                 {"---\ntitle: a\n---\n", Edit{"block", []knowledge.Block{{Pattern: `a\.b`, Paths: []string{"x/*"}, On: "both", Message: "say \"so\""}}}, "---\ntitle: a\nblock:\n  - pattern: \"a\\\\.b\"\n    on: both\n    message: \"say \\\"so\\\"\"\n    paths: [\"x/*\"]\n---\n"},
		"a check without a command is taken out":     {"---\ntitle: a\ncheck:\n  command: x y\n---\n", Edit{"check", &knowledge.Check{}}, "---\ntitle: a\n---\n"},
		"a fence without a line end stays without":   {"---\ntitle: a\n---", Edit{"title", "b"}, "---\ntitle: b\n---"},
		"line breaks in a value become blanks":       {"---\ntitle: a\n---\n", Edit{"title", "b\nc\td"}, "---\ntitle: b c d\n---\n"},
		"a null is replaced":                         {"---\ntitle: ~ # c\n---\n", Edit{"title", "b"}, "---\ntitle: b # c\n---\n"},
		"words that other readers take for more":     {"---\ntitle: a\n---\n", Edit{"title", "yes"}, "---\ntitle: \"yes\"\n---\n"},
		"a number stays text":                        {"---\ntitle: a\n---\n", Edit{"title", "12:30"}, "---\ntitle: \"12:30\"\n---\n"},
		"exclusions and globs are always quoted":     {"---\nx: 1\n---\n", Edit{"paths", []string{"!a", "src/?.ts", "plain/path"}}, "---\nx: 1\npaths:\n  - \"!a\"\n  - \"src/?.ts\"\n  - plain/path\n---\n"},
		"items that say nothing are left out":        {"---\nx: 1\n---\n", Edit{"tags", []string{"", " ", "a"}}, "---\nx: 1\ntags:\n  - a\n---\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Apply([]byte(c.before), c.edit)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.after, string(got)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			again, err := Apply(got, c.edit)
			if err != nil || string(again) != string(got) {
				t.Errorf("the same edit again gives %q, %v", again, err)
			}
		})
	}
}

func TestWhatCannotBeEditedInPlaceIsLeftAlone(t *testing.T) {
	for name, file := range map[string]string{
		"keys in braces":            "---\n{title: a, tags: [b]}\n---\nc",
		"an anchor others refer to": "---\ntitle: &x a\nsource: *x\n---\nc",
	} {
		got, err := Apply([]byte(file), Edit{"title", "new"})
		if err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: error %v", name, err)
		}
		if string(got) != file {
			t.Errorf("%s: changed to %q", name, got)
		}
	}
}

func TestSetBody(t *testing.T) {
	for name, c := range map[string]struct{ file, body, want string }{
		"behind the frontmatter":             {"---\ntitle: a\n---\nold", "new\n", "---\ntitle: a\n---\nnew\n"},
		"in the file's line ending":          {"---\r\ntitle: a\r\n---\r\nold", "new\nx\r\n", "---\r\ntitle: a\r\n---\r\nnew\r\nx\r\n"},
		"a fence at the very end":            {"---\ntitle: a\n---", "new", "---\ntitle: a\n---\nnew"},
		"without a frontmatter, BOM kept":    {"\uFEFFold", "new", "\uFEFFnew"},
		"a text that looks like frontmatter": {"old", "---\nx: y\n---\n", "---\n---\n---\nx: y\n---\n"},
	} {
		got := SetBody([]byte(c.file), c.body)
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

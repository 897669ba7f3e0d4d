package knowledge

import (
	"strings"
	"testing"
)

func TestStripKeepsWhatIsDelivered(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"blank lines at both ends go":              {"\n\nx\n\n", "x"},
		"a licence comment goes with its lines":    {"<!-- SPDX: Apache-2.0 -->\n\n# A\n", "# A"},
		"a comment over lines goes":                {"a\n\n<!-- one\n\ntwo -->\n\nb\n", "a\n\nb"},
		"a comment in a line leaves the line":      {"a <!-- x -->b\n", "a b"},
		"two comments in a line":                   {"<!-- x -->a<!-- y -->\n", "a"},
		"a comment in fenced code stays":           {"```html\n<!-- x -->\n```\n", "```html\n<!-- x -->\n```"},
		"a comment in tildes stays":                {"~~~\n```\n<!-- x -->\n~~~\n<!-- y -->\nz", "~~~\n```\n<!-- x -->\n~~~\nz"},
		"a comment in a code span stays":           {"use `<!-- x -->` and ``a ` <!-- y -->``", "use `<!-- x -->` and ``a ` <!-- y -->``"},
		"a lone tick opens no span":                {"it`s <!-- x --> here", "it`s  here"},
		"a comment that never ends is text":        {"a <!-- b\nc", "a <!-- b\nc"},
		"CRLF stays inside":                        {"a\r\n<!-- x -->\r\nb\r\n", "a\r\nb"},
		"bindings at the end go":                   {"a\n\n## Bindings\n\n- x\n### more\n", "a"},
		"bindings before another section stay":     {"## Bindings\nx\n## Next\ny", "## Bindings\nx\n## Next\ny"},
		"bindings of another level stay":           {"a\n### Bindings\nx", "a\n### Bindings\nx"},
		"bindings in code stay":                    {"```\n## Bindings\n```\n", "```\n## Bindings\n```"},
		"a fence that never ends runs to the end":  {"```\n<!-- x -->\n## Bindings", "```\n<!-- x -->\n## Bindings"},
		"a fence in a list is a fence":             {"- a\n    ```\n    <!-- x -->\n    ```\n", "- a\n    ```\n    <!-- x -->\n    ```"},
		"a longer fence is closed by one as long":  {"````\n```\n<!-- x -->\n````\n<!-- y -->", "````\n```\n<!-- x -->\n````"},
		"text with two ticks in the line no fence": {"```a``` <!-- x -->", "```a``` "},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Strip(c.body); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func FuzzStripIsStable(f *testing.F) {
	f.Add("a <!-- b --> c\n```\n<!-- d -->\n```\n## Bindings\n")
	f.Add("<!-- a --><!-- b\n-->\n\n\n- `<!--`\n")
	f.Fuzz(func(t *testing.T, body string) {
		once := Strip(body)
		if len(once) > len(body) {
			t.Fatalf("grew: %q to %q", body, once)
		}
		// Taking a comment out may put the two halves of another one together;
		// then a second look finds it, but never more text.
		if twice := Strip(once); !strings.Contains(once, "<!--") && twice != once {
			t.Fatalf("%q: once %q, twice %q", body, once, twice)
		}
	})
}

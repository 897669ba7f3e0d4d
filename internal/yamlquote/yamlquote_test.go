package yamlquote

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func FuzzDoubleIsReadBack(f *testing.F) {
	for _, s := range []string{"", "plain", `a "quoted" \ one`, "tab\there", "line\nbreak\r\n", "\x00\x1b\u0085\u2028\ufeff\uffff", "é漢🙂", "# no comment", "- x: y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip("no text")
		}
		q := Double(s)
		if strings.ContainsAny(q, "\r\n") {
			t.Errorf("%q: more than one line", q)
		}
		var back string
		if err := yaml.Unmarshal([]byte(q), &back); err != nil || back != s {
			t.Errorf("%q is read back as %q, %v", q, back, err)
		}
	})
}

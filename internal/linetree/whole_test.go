package linetree

import (
	"strings"
	"testing"
)

func TestAWholeFileIsUnderstoodWholeOrNotAtAll(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ok   bool
	}{
		"all there":            {"m 1\na\tb\nc\nend\n", true},
		"nothing but its ends": {"m 1\nend\n", true},
		"empty":                {"", false},
		"another kind":         {"m 2\na\tb\nend\n", false},
		"no end":               {"m 1\na\tb\n", false},
		"a torn end":           {"m 1\na\tb\nend", false},
		"more behind the end":  {"m 1\nend\na\tb\n", false},
		"two ends":             {"m 1\nend\nend\n", false},
		"an end with a field":  {"m 1\nend\tx\n", false},
		"a line that is not":   {"m 1\nbad\nend\n", false},
	} {
		var got []string
		ok := Whole(c.text, "m 1", func(f []string) bool {
			got = append(got, strings.Join(f, "|"))
			return f[0] != "bad"
		})
		if ok != c.ok {
			t.Errorf("%s: %t", name, ok)
		}
		if name == "all there" && strings.Join(got, " ") != "a|b c" {
			t.Errorf("lines %q", got)
		}
	}
}

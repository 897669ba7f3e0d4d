package codefence

import (
	"strings"
	"testing"
)

func TestFencesAreFollowedLineByLine(t *testing.T) {
	tests := map[string]struct {
		text string
		want string // a letter per line: o outside, m mark, i inside
		open string
	}{
		"a block":                           {"a\n```go\nb\n```\nc", "omimo", ""},
		"tildes":                            {"~~~\n```\n~~~\nc", "mimo", ""},
		"a longer fence closes":             {"```\nb\n`````\nc", "mimo", ""},
		"a shorter one does not":            {"````\n```\n````\nc", "mimo", ""},
		"text behind it does not close":     {"```\n``` go\n```\nc", "mimo", ""},
		"blanks behind it do":               {"```\nb\n``` \t\nc", "mimo", ""},
		"a span is no fence":                {"```a``` b\nc", "oo", ""},
		"two marks are none":                {"``\nb", "oo", ""},
		"in a list":                         {"- x\n    ```\n    # b\n    ```\nc", "omimo", ""},
		"in a quote":                        {"> ```\n> # b\n> ```\nc", "mimo", ""},
		"never closed":                      {"a\n~~~~\nb", "omi", "~~~~"},
		"carriage returns":                  {"```\r\nb\r\n```\r\nc\r\n", "mimo", ""},
		"a tilde info may hold tildes":      {"~~~ a~b\nc\n~~~", "mim", ""},
		"an empty line inside stays inside": {"```\n\n```", "mim", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var f Fences
			var got strings.Builder
			for line := range strings.Lines(tt.text) {
				got.WriteByte("omi"[f.Next(line)])
			}
			if got.String() != tt.want || f.Open() != tt.open {
				t.Errorf("%q and %q open, want %q and %q", got.String(), f.Open(), tt.want, tt.open)
			}
		})
	}
}

package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCodeIsWhatStandsInSpansAndFences(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"none":                               {"plain words", ""},
		"a span":                             {"call `retryLimit` now", "retryLimit\n"},
		"two spans and a stray":              {"`a` and `b` or `c", "a\nb\n"},
		"a span of two backticks":            {"``x ` y`` z", "x ` y\n"},
		"a fence":                            {"text\n```go\nfunc A() {}\n```\nmore `b`\n", "func A() {}\nb\n"},
		"a tilde fence with backticks in it": {"~~~\na `b`\n```\n~~~\nrest\n", "a `b`\n```\n"},
		"a fence that never ends":            {"```\nx\ny", "x\ny"},
		"a longer fence":                     {"````\n```\nin\n```\n````\nout\n", "```\nin\n```\n"},
		"in a quote":                         {"> ```\n> x\n> ```\nout", "> x\n"},
	} {
		if d := cmp.Diff(c.want, code(c.body)); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

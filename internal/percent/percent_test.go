package percent

import (
	"strings"
	"testing"
)

func TestWordsAndBack(t *testing.T) {
	for in, want := range map[string]string{
		"":                     "",
		"plain-word/日本":        "plain-word/日本",
		"two words\n100% \x7f": "two%20words%0A100%25%20%7F",
		"%41":                  "%2541",
	} {
		got := string(Append(nil, in, Word))
		if got != want || Decode(got) != in {
			t.Errorf("%q: %q, back %q", in, got, Decode(got))
		}
	}
	for in, want := range map[string]string{"%": "%", "%4": "%4", "%zz%41": "%zzA", "a%": "a%"} {
		if got := Decode(in); got != want {
			t.Errorf("decode %q: %q, want %q", in, got, want)
		}
	}
}

func FuzzAppendIsUndone(f *testing.F) {
	f.Add("a b%20\x00é", false)
	f.Fuzz(func(t *testing.T, s string, letters bool) {
		keep := Word
		if letters {
			keep = func(c byte) bool { return c >= 'a' && c <= 'z' }
		}
		out := string(Append([]byte("x"), s, keep))
		if Decode(out[1:]) != s || strings.ContainsAny(out, " \n") {
			t.Fatalf("%q became %q, back %q", s, out, Decode(out[1:]))
		}
	})
}

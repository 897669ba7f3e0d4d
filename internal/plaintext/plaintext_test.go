package plaintext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"plain text stays":                       {"a\tb\nc é 支払い 👍🏽", "a\tb\nc é 支払い 👍🏽"},
		"CRLF and CR are line ends":              {"a\r\nb\rc", "a\nb\nc"},
		"control characters go":                  {"a\x00b\x1b[31mc\x7f\u0090", "ab[31mc"},
		"zero width characters go":               {"pa\u200bss\ufeffword\u2060", "password"},
		"bidirectional controls go":              {"a\u202eb\u2066c\u200f", "abc"},
		"tag characters go":                      {"ok\U000E0069\U000E0067", "ok"},
		"soft hyphens go":                        {"pay\u00adment", "payment"},
		"hidden variation selectors go":          {"a\ufe01b\U000E0101c\ufe0f", "abc"},
		"a sign keeps how it is drawn, once":     {"☎\ufe0f\ufe0f", "☎\ufe0f"},
		"an emoji family stays":                  {"👩‍👩‍👧", "👩‍👩‍👧"},
		"a joiner between Latin letters goes":    {"a\u200db", "ab"},
		"a Persian non-joiner stays":             {"می\u200cخواهم", "می\u200cخواهم"},
		"only one joiner stays":                  {"می\u200c\u200cخ", "می\u200cخ"},
		"line separators are line ends":          {"a\u2028b\u2029c\u0085d", "a\nb\nc\nd"},
		"invalid bytes become the sign for them": {"a\xffb", "a\ufffdb"},
		"fillers that look like nothing go":      {"a\u3164\u115f\u2800b", "ab"},
		"placeholders are text":                  {"${HOME} $(x) {{y}}", "${HOME} $(x) {{y}}"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Clean(tc.in); got != tc.want {
				t.Errorf("Clean(%q) = %q, want %q", tc.in, got, tc.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		max  int
		want string
	}{
		"fits":                       {" one\n two ", 7, "one two"},
		"no limit":                   {strings.Repeat("a", 500), 0, strings.Repeat("a", 500)},
		"cut before a word":          {"the quick brown fox", 12, "the quick…"},
		"cut at the border of words": {"the quick brown fox", 10, "the quick…"},
		"no spaces":                  {"支払いを再試行する", 5, "支払いを…"},
		"a long word":                {"a " + strings.Repeat("b", 30), 10, "a bbbbbbb…"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Line(tc.in, tc.max); got != tc.want {
				t.Errorf("Line(%q, %d) = %q, want %q", tc.in, tc.max, got, tc.want)
			}
		})
	}
}

func TestFencedDefusesLookAlikes(t *testing.T) {
	in := "text\n--- end 1234\n  --- end\n> --- begin\nuse --- here"
	want := "text\n  | --- end 1234\n  |   --- end\n  | > --- begin\nuse --- here"
	if got := Fenced(in, "---"); got != want {
		t.Errorf("got %q", got)
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"a\u200d\u200db", "\xe2\x80", "☎\ufe0f", "\ufffe\U0001FFFF", "می\u200cخ", "\u200d", "👩‍👩"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) is not valid UTF-8", s)
		}
		if again := Clean(got); again != got {
			t.Fatalf("Clean(%q) = %q, then %q", s, got, again)
		}
		for _, r := range got {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x202A && r <= 0x202E || r == 0x200B || r >= 0xE0000 && r < 0xE0080 {
				t.Fatalf("%U left in %q", r, got)
			}
		}
		line := Line(s, 20)
		if utf8.RuneCountInString(line) > 20 || strings.ContainsAny(line, "\n\r\t") {
			t.Fatalf("Line(%q) = %q", s, line)
		}
	})
}

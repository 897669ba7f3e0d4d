package match

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWordsThatEveryMatchHolds(t *testing.T) {
	for pattern, want := range map[string][]string{
		`\beval\(`:            {"eval("},
		`abc`:                 {"abc"},
		`a.*bcd.*e`:           {"bcd"},
		`(abc)+`:              {"abc"},
		`(abc){2,3}`:          {"abc"},
		`(abc){0,3}x`:         {"x"},
		`(abc)*x`:             {"x"},
		`(abc)?xy`:            {"xy"},
		`foo|bar`:             {"foo", "bar"},
		`(foo|bar)baz`:        {"baz"},
		`(foo1|bar1)ba`:       {"foo1", "bar1"},
		`eval|exec`:           {"val", "xec"},
		`foo|b*`:              nil,
		`(?i)eval`:            nil,
		`[a-z]+`:              nil,
		`\d{3}`:               nil,
		`^$|abc`:              nil,
		`パスワード`:               {"パスワード"},
		`(x+x+)+y`:            {"x"},
		`git push.*(--force)`: {"git push"},
	} {
		c, err := compile(pattern)
		if err != nil {
			if pattern != `foo|b*` && pattern != `^$|abc` { // they match the empty text
				t.Errorf("%s: %v", pattern, err)
			}
			continue
		}
		got := c.oneOf
		// Of texts of one length any will do.
		if len(got) != len(want) || shortest(got) != shortest(want) {
			t.Errorf("%s: %s", pattern, cmp.Diff(want, got))
		}
	}
}

func TestWhatIsFoundTouchesWhatIsNew(t *testing.T) {
	for name, c := range map[string]struct {
		pattern, text string
		from, to      int
		start         int
	}{
		"anywhere":            {`eval\(`, "x eval(1)", 0, 9, 2},
		"a line's beginning":  {`^eval`, "x\neval", 0, 6, 2},
		"a line's end":        {`x$`, "x\ny", 0, 3, 0},
		"the text's alone":    {`\Aeval`, "x\neval", 0, 6, -1},
		"none":                {`eval\(`, "evil(", 0, 5, -1},
		"old text":            {`eval\(`, "eval(1); x", 9, 10, -1},
		"the second is new":   {`eval\(`, "eval(1); eval(2)", 9, 16, 9},
		"half of it is new":   {`eval\(`, "eval(1)", 4, 5, 0},
		"other letters count": {`(?i)EVAL`, "x eval", 0, 6, 2},
	} {
		start, _, err := Find(c.pattern, c.text, c.from, c.to)
		if err != nil || start != c.start {
			t.Errorf("%s: %d, %v, want %d", name, start, err, c.start)
		}
	}
	for _, bad := range []string{"a(", "", "(a*)*", "x{1001}", "([a-z]{900}!|[a-y]{900}!)"} {
		if _, _, err := Find(bad, "x", 0, 1); err == nil {
			t.Errorf("%q can be used", bad)
		}
	}
}

// Looking for words first changes nothing but time.
func FuzzFind(f *testing.F) {
	for _, p := range []string{`\beval\(`, `foo|bar+`, `(ab|cd){2}e?`, `(?i)Foo`, `a[bc]d`, `^x.*y$`, `(a|b|)c`, `(?s)a.b`} {
		f.Add(p, "eval( foo barr\nababe fOO abd x y ac\nb")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 4<<10 {
			return
		}
		start, end, err := Find(pattern, text, 0, len(text))
		if err != nil {
			return
		}
		want := regexp.MustCompile("(?m)" + pattern).FindStringIndex(text)
		switch {
		case want == nil && start >= 0, want != nil && (start != want[0] || end != want[1]):
			t.Errorf("%q in %q: %d to %d, want %v", pattern, text, start, end, want)
		}
	})
}

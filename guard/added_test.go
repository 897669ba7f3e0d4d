package guard

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
)

// marked shows what counts of each piece between brackets.
func marked(pieces []Piece) []string {
	var out []string
	for _, p := range pieces {
		out = append(out, p.Text[:p.From]+"["+p.Text[p.From:p.To]+"]"+p.Text[p.To:])
	}
	return out
}

func TestAddedIsWhatIsNew(t *testing.T) {
	const none = "\x00"
	tests := map[string]struct {
		c    host.Change
		file string
		want []string
	}{
		"a new file":                                {host.Change{New: "a\nb\n", Whole: true}, none, []string{"[a\nb]"}},
		"a file as it stands":                       {host.Change{New: "a\nb\n", Whole: true}, "a\nb\n", nil},
		"a line between old ones":                   {host.Change{New: "a\nx\nb\n", Whole: true}, "a\nb\n", []string{"[x]"}},
		"an old line a second time":                 {host.Change{New: "a\na\n", Whole: true}, "a\n", []string{"[a]"}},
		"old lines in another order":                {host.Change{New: "b\na\n", Whole: true}, "a\nb\n", nil},
		"line ends of another system":               {host.Change{New: "a\r\nb\r\n", Whole: true}, "a\nb\n", nil},
		"the last line without its end":             {host.Change{New: "a\nb", Whole: true}, "b\na", nil},
		"two places":                                {host.Change{New: "x\na\ny\n", Whole: true}, "a\n", []string{"[x]", "[y]"}},
		"an empty file":                             {host.Change{New: "", Whole: true}, "a\n", nil},
		"lines that a patch adds":                   {host.Change{New: "a\nb", Added: true}, "a\nb\n", []string{"[a\nb]"}},
		"an edit of whole lines":                    {host.Change{Old: "b", New: "x"}, "a\nb\nc\n", []string{"[x]"}},
		"an edit keeps a line":                      {host.Change{Old: "a\nb", New: "a\nx"}, "a\nb\nc\n", []string{"[x]"}},
		"an edit inside a line has it around":       {host.Change{Old: "2", New: "3"}, "a = 1 + 2 + f()\n", []string{"a = 1 + [3] + f()"}},
		"an edit across line ends":                  {host.Change{Old: "2\nb", New: "9\nb"}, "a 2\nb 3\n", []string{"a [9]"}},
		"an edit that only takes out":               {host.Change{Old: " + 2", New: ""}, "a = 1 + 2\n", nil},
		"an edit of a file that cannot be read":     {host.Change{Old: "a\nb", New: "a\nx"}, none, []string{"[x]"}},
		"an edit whose old text is not there":       {host.Change{Old: "q", New: "x"}, "a\n", []string{"[x]"}},
		"an edit in a file with other line ends":    {host.Change{Old: "a\nb", New: "a\nx"}, "a\r\nb\r\n", []string{"[x]"}},
		"a notebook's cell keeps its old lines":     {host.Change{New: "a\nx", Cell: "c2"}, `{"cells":[{"id":"c1","source":"x"},{"id":"c2","source":["a\n","b"]}]}`, []string{"[x]"}},
		"a cell by its number":                      {host.Change{New: "a\nx", Cell: "cell-1"}, `{"cells":[{"source":"x"},{"source":["a\n","b"]}]}`, []string{"[x]"}},
		"a cell under an id of the editor's own":    {host.Change{New: "a\nx", Cell: "#VSC-1"}, `{"cells":[{"id":"c1","source":["a\n","b"]}]}`, []string{"[x]"}},
		"a cell of a file that is no notebook":      {host.Change{New: "a", Cell: "c2"}, `{"cells":`, []string{"[a]"}},
		"a change in a file of one endless line":    {host.Change{Old: "2", New: "3"}, strings.Repeat("x", 1<<20) + "2", []string{"[3]"}},
		"what was two lines becomes one":            {host.Change{Old: "\nb", New: " b"}, "a\nb\n", []string{"a[ b]"}},
		"text that stands before and behind counts": {host.Change{Old: "(", New: "eval("}, "(1)\n", []string{"[eval(]1)"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := Added(tt.c, func() (string, bool) {
				if tt.file == none {
					return "", false
				}
				return tt.file, true
			})
			if diff := cmp.Diff(tt.want, marked(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWindowsCoverEveryByteAndEverySeam(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 5*window; i++ {
		b.WriteString(strings.Repeat("y", i%97))
		b.WriteByte('\n')
	}
	for name, text := range map[string]string{"lines": b.String(), "one line": strings.Repeat("z", 3*window+7)} {
		seen := 0 // text[:seen] is covered
		for _, w := range windows([]Piece{{Text: text, To: len(text)}}) {
			if w.From != 0 || w.To != len(w.Text) || len(w.Text) > window {
				t.Fatalf("%s: window %d..%d of %d", name, w.From, w.To, len(w.Text))
			}
			// Windows come in order: each begins at or before what is covered.
			i := strings.Index(text[max(0, seen-overlap):], w.Text)
			if i < 0 {
				t.Fatalf("%s: a window is no part of the text, or begins behind %d", name, seen)
			}
			at := max(0, seen-overlap) + i
			if at > seen {
				t.Fatalf("%s: bytes %d to %d are in no window", name, seen, at)
			}
			seen = at + len(w.Text)
		}
		if seen != len(text) {
			t.Errorf("%s: %d of %d bytes covered", name, seen, len(text))
		}
	}
	// Only what is new counts in a window, too.
	old := windows([]Piece{{Text: strings.Repeat("z", 3*window), From: 2*window + 5, To: 2*window + 6}})
	n := 0
	for _, w := range old {
		n += w.To - w.From
	}
	if len(old) == 0 || len(old) > 2 || n != len(old) {
		t.Errorf("windows of one new byte: %d with %d bytes", len(old), n)
	}
}

// What counts as new is never more than the new text, stands in it, and is
// nothing when the file already says it.
func FuzzAdded(f *testing.F) {
	f.Add("a\nb\n", "b", "x", false)
	f.Add("a = 1\r\n", "1", "2\n3", false)
	f.Add("", "", "a\n\nb", true)
	f.Fuzz(func(t *testing.T, file, old, text string, whole bool) {
		c := host.Change{Old: old, New: text, Whole: whole}
		for _, p := range Added(c, func() (string, bool) { return file, true }) {
			if p.From < 0 || p.To > len(p.Text) || p.From >= p.To {
				t.Fatalf("piece %d..%d of %d", p.From, p.To, len(p.Text))
			}
			if s := p.Text[p.From:p.To]; !strings.Contains(strings.ReplaceAll(text, "\r", ""), strings.ReplaceAll(s, "\r", "")) {
				t.Errorf("%q is not in the new text %q", s, text)
			}
		}
		if same := Added(host.Change{New: file, Whole: true}, func() (string, bool) { return file, true }); len(same) != 0 {
			t.Errorf("a file as it stands adds %q", marked(same))
		}
	})
}

package cli

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff is the unified diff between two versions of a file, "" when equal. nil
// before or after reads as /dev/null.
func Diff(name string, before, after []byte) string {
	if bytes.Equal(before, after) && (before == nil) == (after == nil) {
		return ""
	}
	if !utf8.Valid(before) || !utf8.Valid(after) {
		return "binary file " + name + " differs\n"
	}
	from, to := name, name
	if before == nil {
		from = "/dev/null"
	}
	if after == nil {
		to = "/dev/null"
	}
	s, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(before), B: lines(after), FromFile: from, ToFile: to, Context: 3,
	})
	return s
}

func lines(b []byte) []string {
	if len(b) == 0 {
		return nil
	}
	out := strings.SplitAfter(string(b), "\n")
	if last := out[len(out)-1]; last == "" {
		out = out[:len(out)-1]
	} else {
		out[len(out)-1] = last + "\n\\ No newline at end of file\n"
	}
	return out
}

// PrintDiff prints a unified diff, coloured on a terminal.
func (o *Out) PrintDiff(diff string) {
	for l := range strings.Lines(diff) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case strings.HasPrefix(l, "+++"), strings.HasPrefix(l, "---"):
			l = o.Bold(Plain(l))
		case strings.HasPrefix(l, "@@"):
			l = o.Accent(Plain(l))
		case strings.HasPrefix(l, "+"):
			l = o.Good(Plain(l))
		case strings.HasPrefix(l, "-"):
			l = o.Bad(Plain(l))
		default:
			l = Plain(l)
		}
		o.Println(l)
	}
}

package linetree

import "strings"

// Whole reads a small file that is understood whole or not at all: a line that
// says what it is, lines of tab-separated fields, which each hands over as they
// stand, and "end" as the last. It answers false for anything else, also when line
// does.
func Whole(s, magic string, line func(fields []string) bool) bool {
	ended, first := false, true
	for l := range strings.Lines(s) {
		l, whole := strings.CutSuffix(l, "\n")
		switch {
		case ended || !whole:
			return false
		case first:
			if first = false; l != magic {
				return false
			}
		case l == "end":
			ended = true
		case !line(strings.Split(l, "\t")):
			return false
		}
	}
	return ended
}

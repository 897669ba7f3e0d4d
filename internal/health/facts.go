package health

import (
	"strings"

	"pathrule/internal/cores"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// factsVersion changes whenever the same file may give another entry or other
// facts; what an older program kept is then made anew.
const factsVersion = 1

// Facts are what the looks need of an entry's text. They are a function of the
// file alone, so that they can be kept by its version.
type Facts struct {
	print
	// mentions are the words that look like paths.
	mentions []string
	// size is the text's length in bytes without blanks around it, Bytes with them.
	size, Bytes int
	// Hidden are the characters of title and text that show nothing or turn the
	// direction, Fences the lines that look like the fences of a delivery.
	Hidden, Fences int
}

func factsOf(e *knowledge.Entry) *Facts {
	f := &Facts{print: printOf(e), size: len(strings.TrimSpace(e.Body)), Bytes: len(e.Body)}
	for _, m := range mentioned(e.Body) {
		f.mentions = append(f.mentions, strings.Clone(m)) // not the whole text with it
	}
	for _, text := range [...]string{e.Body, e.Title} {
		for _, r := range text {
			switch {
			case r >= ' ' && r < 0x7F, r == '\n', r == '\r', r == '\t':
			case r == 0x200C, r == 0x200D, r == 0xFE0E, r == 0xFE0F: // scripts and emoji need them
			case plaintext.Clean(string(r)) == "":
				f.Hidden++
			}
		}
	}
	for line := range strings.Lines(e.Body) {
		if t := strings.Trim(line, "> \t\r\n"); strings.HasPrefix(t, "---") && hexDigits(strings.TrimLeft(t, "- \t")) >= 16 {
			f.Fences++
		}
	}
	return f
}

// allFacts reads the texts of entries on every core.
func allFacts(entries []knowledge.Entry) []*Facts {
	out := make([]*Facts, len(entries))
	cores.Each(len(entries), func(i int) { out[i] = factsOf(&entries[i]) })
	return out
}

// hexDigits is how many of them s begins with.
func hexDigits(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'f') {
		n++
	}
	return n
}

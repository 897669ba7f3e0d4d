package importer

import (
	"fmt"
	"strings"
)

// Lost holds the entries of a report against the texts that they were made
// from: each line that is not blank must stand in an entry. It returns one line
// for each that does not. Files that were skipped are named by the report with
// their reason; their text is not looked for.
func Lost(r *Report) []string {
	have := map[*source]map[string]int{}
	for i := range r.Units {
		u := &r.Units[i]
		m := have[u.src]
		if m == nil {
			m = map[string]int{}
			have[u.src] = m
		}
		// The written file is what counts, not what was meant to be written.
		for line := range strings.Lines(unix(string(u.raw))) {
			m[trimmed(line)]++
		}
	}
	var out []string
	for _, s := range r.sources {
		if s.skip != "" {
			continue
		}
		of := s
		if s.merged != nil {
			of = s.merged
		}
		if of.skip != "" {
			continue
		}
		left := map[string]int{}
		for k, v := range have[of] {
			left[k] = v
		}
		n := 0
		for line := range strings.Lines(unix(s.body)) {
			n++
			t := trimmed(line)
			if t == "" {
				continue
			}
			if left[t] == 0 {
				out = append(out, fmt.Sprintf("%s: line %d of the text: %s", s.rel, n, short(t, 80)))
				continue
			}
			left[t]--
		}
	}
	return out
}

func trimmed(line string) string { return strings.TrimRight(line, " \t\r\n") }

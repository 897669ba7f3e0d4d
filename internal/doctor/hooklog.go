package doctor

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// hookLog shows what went wrong in hooks lately: they never fail in front of
// the person, so this is where it can be seen.
func (c *check) hookLog(context.Context) {
	file := filepath.Join(c.dirs.Logs(), "hook.log")
	lines := tail(file, 64<<10)
	if len(lines) == 0 {
		c.add(OK, "empty", "")
		return
	}
	shown := lines[max(0, len(lines)-5):]
	c.at(Note, file, 0, count(len(lines), "line", "lines")+", the last:", "")
	for _, l := range shown {
		c.add(Note, "  "+l, "")
	}
}

// tail reads the last lines of a file, at most n bytes.
func tail(file string, n int64) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil
	}
	from := max(0, st.Size()-n)
	b, err := io.ReadAll(io.NewSectionReader(f, from, n))
	if err != nil {
		return nil
	}
	if from > 0 {
		_, b, _ = bytes.Cut(b, []byte("\n"))
	}
	var out []string
	for l := range strings.Lines(string(b)) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

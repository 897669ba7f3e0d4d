package host

import "strings"

// patchChanges are the lines that an apply_patch text adds, one Change per run
// of lines that stand together in the patched file. Removed lines are no part
// of it, and an added line that the same hunk also removes or shows as context
// is old: it was only written again. The path is that of the header above, or
// where "*** Move to:" puts the file. Bounds are those of patchTouches.
func patchChanges(text, dir string) []Change {
	inside := !strings.Contains(text, patchBegin)
	var (
		list []Change
		h    hunk
		path string
	)
	end := func() {
		list = h.flush(list, path)
		h = hunk{}
	}
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, " \t\r\n")
		switch {
		case !inside:
			inside = strings.HasSuffix(bare, patchBegin)
			continue
		case bare == patchEnd:
			end()
			inside, path = false, ""
			continue
		case strings.HasPrefix(line, "*** "):
			if name, ok := strings.CutPrefix(bare, "*** Move to: "); ok {
				path = joinDir(dir, strings.TrimSpace(name))
				continue
			}
			end()
			for _, head := range [...]string{"*** Add File: ", "*** Update File: ", "*** Delete File: "} {
				if name, ok := strings.CutPrefix(bare, head); ok {
					path = joinDir(dir, strings.TrimSpace(name))
				}
			}
			continue
		}
		body := strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(body, "@@"):
			end()
		case strings.HasPrefix(body, "+"):
			h.lines = append(h.lines, hunkLine{body[1:], true})
		case strings.HasPrefix(body, "-"):
			h.old = append(h.old, body[1:])
		default:
			// Context; some models leave the blank off an empty line.
			body = strings.TrimPrefix(body, " ")
			h.old = append(h.old, body)
			h.lines = append(h.lines, hunkLine{body, false})
		}
	}
	end()
	return list
}

// hunk is what one place of a patch shows: the lines as they will stand, and
// those that stood there.
type hunk struct {
	lines []hunkLine
	old   []string
}

type hunkLine struct {
	text  string
	added bool
}

func (h *hunk) flush(list []Change, path string) []Change {
	if path == "" || len(h.lines) == 0 {
		return list
	}
	had := make(map[string]int, len(h.old))
	for _, l := range h.old {
		had[l]++
	}
	for _, l := range h.lines {
		if !l.added {
			had[l.text]--
		}
	}
	var run []string
	flush := func() {
		if len(run) > 0 && len(list) < maxChanges {
			list = append(list, Change{Path: path, New: strings.Join(run, "\n"), Added: true})
		}
		run = nil
	}
	for _, l := range h.lines {
		if !l.added {
			flush()
			continue
		}
		if had[l.text] > 0 {
			had[l.text]--
			flush()
			continue
		}
		run = append(run, l.text)
	}
	flush()
	return list
}

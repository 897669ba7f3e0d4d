package host

import "strings"

const patchBegin, patchEnd = "*** Begin Patch", "*** End Patch"

// patchTouches are the files that an apply_patch text names, in its order.
// Relative names are joined to dir. Header lines count only between
// "*** Begin Patch" and "*** End Patch" where those stand at all; a line of the
// patched file that looks like a header carries a "+", "-" or " " before it.
func patchTouches(text, dir string) []Touch {
	inside := !strings.Contains(text, patchBegin)
	var list []Touch
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		// A heredoc or a quoted argument may put the first line behind a command.
		if !inside && strings.HasSuffix(line, patchBegin) {
			inside = true
			continue
		}
		if line == patchEnd {
			inside = false
			continue
		}
		if !inside || !strings.HasPrefix(line, "*** ") {
			continue
		}
		for _, h := range [...]struct {
			head string
			op   Op
		}{
			{"*** Add File: ", Create},
			{"*** Update File: ", Edit},
			{"*** Delete File: ", Delete},
			{"*** Move to: ", Create},
		} {
			if name, ok := strings.CutPrefix(line, h.head); ok {
				list = addTouch(list, joinDir(dir, strings.TrimSpace(name)), h.op)
				break
			}
		}
	}
	return list
}

// joinDir puts a relative path below dir, both as the payload spells them.
func joinDir(dir, path string) string {
	if dir == "" || path == "" || isAbs(path) {
		return path
	}
	return strings.TrimRight(dir, `/\`) + "/" + path
}

// isAbs knows both systems' absolute paths, since a payload's system is not
// always ours.
func isAbs(path string) bool {
	return path[0] == '/' || path[0] == '\\' ||
		len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

//go:build !windows

package workspace

import (
	"os"
	"strings"
)

// maxLinks is how many symlinks one path may go through; the kernel's own limit.
const maxLinks = 40

// resolve walks the path the way the kernel does: ".." after a link leaves the
// link's target, which a lexical clean would get wrong.
func resolve(known, p string) (string, bool) {
	cur, rest := "", p
	if known != "" && (p == known || strings.HasPrefix(p, known+"/")) {
		cur, rest = known, p[len(known):]
	}
	// Few segments are looked up faster one by one.
	if strings.Count(rest, "/") > 3 {
		if real, ok := fastReal(p); ok {
			return trueCase(real), true
		}
	}
	links, missing := 0, false
	for rest != "" {
		var seg string
		rest = strings.TrimLeft(rest, "/")
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			seg, rest = rest[:i], rest[i:]
		} else {
			seg, rest = rest, ""
		}
		switch seg {
		case "", ".":
			continue
		case "..":
			if i := strings.LastIndexByte(cur, '/'); i >= 0 {
				cur = cur[:i]
			}
			// Out of the missing part the walk may be back on real ground.
			missing = false
			continue
		}
		next := cur + "/" + seg
		if missing {
			cur = next
			continue
		}
		st, err := os.Lstat(next)
		if err != nil {
			missing, cur = true, next
			continue
		}
		if st.Mode()&os.ModeSymlink == 0 {
			cur = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", false
		}
		rest = target + "/" + strings.TrimLeft(rest, "/")
		if strings.HasPrefix(target, "/") {
			cur = ""
		}
	}
	if cur == "" {
		cur = "/"
	}
	return trueCase(cur), true
}

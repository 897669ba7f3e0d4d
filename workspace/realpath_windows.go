package workspace

import (
	"os"
	"path/filepath"
	"strings"
)

// resolve leans on EvalSymlinks, which also gives the spelling on disk; the
// longest parent that exists is resolved, the rest stays as spelled.
func resolve(_, p string) (string, bool) {
	p = filepath.Clean(p)
	tail := ""
	for dir := p; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Clean(real + tail), true
		}
		// A link that cannot be followed must not pass as a plain name.
		if st, err := os.Lstat(dir); err == nil && st.Mode()&os.ModeSymlink != 0 {
			target, err := os.Readlink(dir)
			if err != nil || !filepath.IsAbs(target) || target == dir {
				return "", false
			}
			return filepath.Clean(target + tail), true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return p, true
		}
		tail = `\` + filepath.Base(dir) + tail
		dir = up
	}
}

// withinFolded accepts another spelling of the base when it is the same folder.
func withinFolded(base, p string) (string, bool) {
	if len(p) < len(base) || !strings.EqualFold(p[:len(base)], base) {
		return "", false
	}
	st, err := os.Stat(base)
	if err != nil || !sameFile(st, p[:len(base)]) {
		return "", false
	}
	return strings.TrimSuffix(filepath.ToSlash(p[len(base):]), "/"), true
}

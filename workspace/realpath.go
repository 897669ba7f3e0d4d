package workspace

import (
	"os"
	"path/filepath"
	"strings"
)

// realPath resolves the symlinks of an absolute path. What does not exist (yet)
// stays as spelled below the longest parent that does. It calls lstat at most
// once a segment and once a link's segment, and gives up (ok false) on a loop.
func realPath(p string) (real string, ok bool) {
	if !filepath.IsAbs(p) {
		return "", false
	}
	return realBelow("", p)
}

// realBelow is realPath for a path whose leading folder known (absolute, real,
// "" for none) needs no second look.
func realBelow(known, p string) (string, bool) { return resolve(known, p) }

// within returns the slash path of p below base; both real and absolute. "" is
// base itself.
func within(base, p string) (string, bool) {
	if p == base {
		return "", true
	}
	const sep = string(filepath.Separator)
	if !strings.HasSuffix(base, sep) {
		base += sep
	}
	if strings.HasPrefix(p, base) {
		return filepath.ToSlash(p[len(base):]), true
	}
	return withinFolded(base, p+sep)
}

// sameFile compares device and inode, so that neither spelling nor links
// matter. False when either does not exist.
func sameFile(a os.FileInfo, path string) bool {
	if a == nil || path == "" {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

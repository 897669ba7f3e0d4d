package workspace

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

func relPath(base, cwd, path string) (string, bool) {
	if path == "" || strings.IndexByte(path, 0) >= 0 {
		return "", false
	}
	abs, ok := touched(cwd, path)
	if !ok {
		return "", false
	}
	real, ok := realBelow(base, abs)
	if !ok {
		return "", false
	}
	if rel, ok := within(base, real); ok {
		return rel, true
	}
	// The base is real when it comes from Find; another caller's may not be.
	if b, ok := realPath(base); ok && b != base {
		return within(b, real)
	}
	return "", false
}

// touched makes the spelling of a touched path absolute. The literal spelling
// wins when such a file exists; only then may backslashes be separators and a
// trailing ":line[:col]" be a position.
func touched(cwd, path string) (string, bool) {
	if runtime.GOOS == "windows" {
		path = windowsPath(path)
	}
	abs, ok := absBelow(cwd, path)
	if !ok {
		return "", false
	}
	slashed := path
	if runtime.GOOS != "windows" {
		slashed = slashes(path)
	}
	short, cut := cutPosition(slashed)
	if slashed == path && !cut {
		return abs, true
	}
	if exists(abs) {
		return abs, true
	}
	alt, ok := absBelow(cwd, slashed)
	if !ok {
		return "", false
	}
	if !cut || (slashed != path && exists(alt)) {
		return alt, true
	}
	return absBelow(cwd, short)
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

// absBelow does not clean: ".." after a link is the resolver's business.
func absBelow(cwd, path string) (string, bool) {
	if filepath.IsAbs(path) {
		return path, true
	}
	// "C:x", "\x" on Windows and a drive path anywhere else belong to no folder
	// that we know.
	if filepath.VolumeName(path) != "" || isDrive(path) || strings.HasPrefix(path, `\`) || !filepath.IsAbs(cwd) {
		return "", false
	}
	return cwd + string(filepath.Separator) + path, true
}

// slashes turns the backslashes of a Windows spelling into slashes.
func slashes(p string) string {
	if strings.IndexByte(p, '\\') < 0 || strings.HasPrefix(p, `\\`) {
		return p
	}
	return strings.ReplaceAll(p, `\`, "/")
}

// windowsPath brings the spellings that clients use on Windows to one:
// \\?\C:\x, \\?\UNC\server\share, //?/C:/x, /c/x (Git Bash) and /mnt or drive
// paths with slashes all become C:\x or \\server\share\x.
func windowsPath(p string) string {
	p = strings.ReplaceAll(p, "/", `\`)
	switch {
	case len(p) >= 8 && strings.EqualFold(p[:8], `\\?\UNC\`):
		p = `\\` + p[8:]
	case strings.HasPrefix(p, `\\?\`) || strings.HasPrefix(p, `\\.\`):
		p = p[4:]
	case len(p) >= 2 && p[0] == '\\' && isLetter(p[1]) && (len(p) == 2 || p[2] == '\\'):
		p = p[1:2] + `:\` + strings.TrimPrefix(p[2:], `\`)
	}
	if isDrive(p) && p[0] >= 'a' {
		p = strings.ToUpper(p[:1]) + p[1:]
	}
	return p
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// isDrive reports a leading "C:" that stands before a separator or ends the path.
func isDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && isLetter(p[0]) && (len(p) == 2 || p[2] == '\\' || p[2] == '/')
}

// cutPosition takes ":12" or ":12:3" off the end.
func cutPosition(p string) (string, bool) {
	out := p
	for range 2 {
		i := strings.LastIndexByte(out, ':')
		if i <= 0 || i == len(out)-1 || len(out)-i > 10 || (i == 1 && isLetter(out[0])) || out[i-1] == '/' || out[i-1] == '\\' {
			break
		}
		digits := out[i+1:]
		if strings.Trim(digits, "0123456789") != "" {
			break
		}
		out = out[:i]
	}
	return out, out != p
}

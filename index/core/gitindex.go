package core

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"pathrule/internal/regular"
)

// The list of tracked files is read from git's own index file, because a hook
// starts no process. Only the names are wanted. Format: git's
// Documentation/gitformat-index, versions 2 to 4.

// errOddIndex: the index file is of a form this reader leaves alone (split,
// another version, damaged); the caller walks the folder instead.
var errOddIndex = errors.New("git index of an unknown form")

const (
	maxGitIndex   = 256 << 20
	modeMask      = 0o170000
	modeRegular   = 0o100000
	modeLink      = 0o120000
	flagExtended  = 0x4000
	flagSkipTree  = 0x4000 // in the second flag word
	gitStatBytes  = 40     // times, device, inode, mode, owner, size
	gitModeOffset = 24
)

// parseGitIndex calls yield for the path of every tracked file, in git's
// order, until it returns false. hashLen is 20, or 32 in a SHA-256 repository.
func parseGitIndex(data []byte, hashLen int, yield func(path string) bool) error {
	if len(data) < 12+hashLen || string(data[:4]) != "DIRC" {
		return errOddIndex
	}
	version := binary.BigEndian.Uint32(data[4:])
	count := binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return errOddIndex
	}
	end := len(data) - hashLen
	at := 12
	var name []byte // version 4 builds each name on the one before
	last := ""
	for range count {
		start := at
		if at+gitStatBytes+hashLen+2 > end {
			return errOddIndex
		}
		mode := binary.BigEndian.Uint32(data[at+gitModeOffset:])
		at += gitStatBytes + hashLen
		flags := binary.BigEndian.Uint16(data[at:])
		at += 2
		absent := false
		if flags&flagExtended != 0 {
			if version < 3 || at+2 > end {
				return errOddIndex
			}
			absent = binary.BigEndian.Uint16(data[at:])&flagSkipTree != 0
			at += 2
		}
		if version == 4 {
			strip, n := offsetVarint(data[at:end])
			if n == 0 || strip > len(name) {
				return errOddIndex
			}
			at += n
			z := bytes.IndexByte(data[at:end], 0)
			if z < 0 {
				return errOddIndex
			}
			name = append(name[:len(name)-strip], data[at:at+z]...)
			at += z + 1
		} else {
			z := bytes.IndexByte(data[at:end], 0)
			if z < 0 {
				return errOddIndex
			}
			name = data[at : at+z]
			at += z
			// One to eight NULs bring the entry to a multiple of eight bytes.
			at += 8 - (at-start)%8
			if at > end {
				return errOddIndex
			}
		}
		if len(name) == 0 {
			return errOddIndex
		}
		t := mode & modeMask
		// An unmerged file stands here once for each side of the conflict.
		if absent || (t != modeRegular && t != modeLink) || string(name) == last {
			continue
		}
		last = string(name)
		if !yield(last) {
			return nil
		}
	}
	// "link" says that this file only amends a shared one.
	for at+8 <= end {
		if string(data[at:at+4]) == "link" {
			return errOddIndex
		}
		n := int(binary.BigEndian.Uint32(data[at+4:]))
		if n < 0 || n > end-at-8 {
			return errOddIndex
		}
		at += 8 + n
	}
	return nil
}

// offsetVarint is git's own variable-width number; n is 0 when it is cut off.
func offsetVarint(b []byte) (v, n int) {
	for n < len(b) && n < 5 {
		c := b[n]
		n++
		v = v<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			return v, n
		}
		v++
	}
	return 0, 0
}

// gitRepo is the repository a folder lies in.
type gitRepo struct {
	top    string // folder that holds .git
	gitDir string // its git folder; a worktree's own
	common string // the folder that all worktrees share
}

// findRepo looks upward for .git, a folder or (worktree, submodule) a file.
func findRepo(dir string) (gitRepo, bool) {
	for {
		dot := filepath.Join(dir, ".git")
		if st, err := os.Stat(dot); err == nil {
			if st.IsDir() {
				return gitRepo{dir, dot, dot}, true
			}
			if r, ok := linkedRepo(dir, dot); ok {
				return r, true
			}
			return gitRepo{}, false
		}
		up := filepath.Dir(dir)
		if up == dir {
			return gitRepo{}, false
		}
		dir = up
	}
}

func linkedRepo(dir, dot string) (gitRepo, bool) {
	read := func(name string) (string, bool) {
		b, err := regular.Read(name)
		if err != nil || len(b) > 4096 {
			return "", false
		}
		return strings.TrimSpace(string(b)), true
	}
	s, ok := read(dot)
	target, ok2 := strings.CutPrefix(s, "gitdir:")
	if !ok || !ok2 {
		return gitRepo{}, false
	}
	gitDir := absolute(dir, strings.TrimSpace(target))
	r := gitRepo{dir, gitDir, gitDir}
	if c, ok := read(filepath.Join(gitDir, "commondir")); ok {
		r.common = absolute(gitDir, c)
	}
	return r, true
}

func absolute(base, p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(base, p)
}

// hashLen is the size of an object name, from the repository's config.
func (r gitRepo) hashLen() int {
	b, err := regular.Read(filepath.Join(r.common, "config"))
	if err != nil {
		return 20
	}
	for line := range strings.Lines(strings.ToLower(string(b))) {
		k, v, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(k) == "objectformat" && strings.TrimSpace(v) == "sha256" {
			return 32
		}
	}
	return 20
}

func (r gitRepo) indexFile() string { return filepath.Join(r.gitDir, "index") }

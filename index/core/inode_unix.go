//go:build unix

package core

import (
	"os"
	"syscall"
)

func inode(st os.FileInfo) uint64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		// int64 in the manifest: the upper bit carries nothing for a comparison.
		return uint64(s.Ino) & (1<<63 - 1)
	}
	return 0
}

//go:build !unix

package core

import "os"

// inode is 0 where a stat does not carry one: size, time and content decide.
func inode(os.FileInfo) uint64 { return 0 }

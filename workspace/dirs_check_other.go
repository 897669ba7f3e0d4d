//go:build !unix

package workspace

import "os"

// On Windows the profile folder's own access list keeps others out.
func rights(os.FileInfo) (msg, remedy string) { return "", "" }

func letsIn(os.FileInfo) bool { return false }

func writable(string) bool { return true }

//go:build !unix

package workspace

import "os"

// On Windows the profile folder's own access list keeps others out.
func rights(string, os.FileInfo) (msg, remedy string) { return "", "" }

func tighten(string, os.FileInfo) error { return nil }

func writable(string) bool { return true }

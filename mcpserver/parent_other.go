//go:build !unix

package mcpserver

// parentID: only Unix gives an orphan another parent. Elsewhere the pipe's end
// tells.
func parentID() int { return 0 }

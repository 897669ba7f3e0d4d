//go:build unix

package mcpserver

import "os"

func parentID() int { return os.Getppid() }

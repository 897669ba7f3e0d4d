//go:build unix

package observe

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// E45, T15: a pipe would wait for whoever writes into it; it is not opened.
func TestAPipeIsNoConversation(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := readTranscript(pipe); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("%v", err)
	}
}

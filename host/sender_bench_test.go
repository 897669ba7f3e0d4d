package host

import (
	"os"
	"strings"
	"testing"
)

// Who sent it is asked at every event of a hook that is registered for Claude
// Code.
func BenchmarkSender(b *testing.B) {
	raw, err := os.ReadFile("testdata/captured/claude-code/PreToolUse.json")
	if err != nil {
		b.Fatal(err)
	}
	large := strings.TrimSpace(string(raw))
	large = large[:len(large)-1] + `,"tool_response":"` + strings.Repeat(`line\n`, 20_000) + `"}`
	registered, _ := ByName("claude-code")
	for name, payload := range map[string][]byte{"usual": raw, "120 KB": []byte(large)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Sender(registered, payload, env(nil)).ID() != "claude-code" {
					b.Fatal("another")
				}
			}
		})
	}
}

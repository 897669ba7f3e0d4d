package host

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// Whatever a client sends, decoding ends without a panic and within its bounds,
// and the answer to what came out of it is what the client can read.
func FuzzDecode(f *testing.F) {
	for _, h := range All() {
		files, _ := filepath.Glob("testdata/payloads/" + h.ID() + "/*.json")
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add([]byte(`{"hook":"chat.message","input":{"sessionID":7,"rootID":[]},"output":{"parts":{"type":"text"}},"slot":{}}`))
	f.Add([]byte(`{"hookName":"tool_call","tool_call":{"name":"read_files","input":{"files":"[[[{\"path\":1}]"}}}`))
	f.Add([]byte(`{"hook_event_name":"preToolUse","tool_name":"fs_read","tool_input":{"operations":{"path":"x"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, h := range All() {
			ev, err := h.Decode(b, env(nil))
			if err != nil {
				continue
			}
			if ev.Host != h.ID() || ev.RawName == "" {
				t.Errorf("%s: host %q, name %q", h.ID(), ev.Host, ev.RawName)
			}
			if len(ev.Touches) > maxTouches {
				t.Errorf("%s: %d paths", h.ID(), len(ev.Touches))
			}
			for _, touch := range ev.Touches {
				if touch.Path == "" {
					t.Errorf("%s: an empty path", h.ID())
				}
			}
			out := h.Encode(ev, Reply{Context: "x \"<&>\n"})
			if len(out) > 0 && out[0] == '{' && !json.Valid(out) || !utf8.Valid(out) {
				t.Errorf("%s: answer %q", h.ID(), out)
			}
		}
	})
}

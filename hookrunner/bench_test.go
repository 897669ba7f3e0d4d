package hookrunner_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"pathrule/hookrunner"
)

// BenchmarkToolEvent is what a tool event costs beside the start of its
// process: a hundred entries, one of them attached to the file.
func BenchmarkToolEvent(b *testing.B) {
	files := map[string]string{}
	for i := range 100 {
		dir := fmt.Sprintf("pkg%02d", i)
		files[dir+"/x.go"] = "package x\n"
		files[".pathrule/memories/"+dir+".md"] = "---\ntitle: Fact of " + dir + "\npaths: [" + dir + "]\n---\nThe fact of " + dir + ".\n"
	}
	w := newWorld(b, files)
	w.start("startup")
	env := w.env()
	for name, session := range map[string]string{"nothing new": "s1", "speaks": ""} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				id := session
				if id == "" {
					id = fmt.Sprintf("%s-%d-%d", name[:1], b.N, i)
				}
				payload := w.event("PreToolUse", "session_id", id, "tool_name", "Read", "tool_input", map[string]any{"file_path": w.path("pkg42/x.go")})
				env.Stdin, env.Stdout = strings.NewReader(payload), io.Discard
				hookrunner.Main(hookrunner.Options{}, env)
			}
		})
	}
}

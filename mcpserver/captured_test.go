package mcpserver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What real clients send, in their order; every request is answered with its own
// id, the handshake agrees on the client's protocol, and the tool list is ours.
// The recordings called another server's tool, so that its name is replaced.
func TestRealClientsAreServed(t *testing.T) {
	files, err := filepath.Glob("testdata/captured/*.json")
	if err != nil || len(files) < 7 {
		t.Fatalf("recordings are missing: %v", files)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var log []struct {
				Dir string
				Msg json.RawMessage
			}
			if err := json.Unmarshal(data, &log); err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, map[string]string{
				".pathrule/memories/a.md":          "---\ntitle: A fact\n---\nText.\n",
				".pathrule/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: How to deploy\n---\nPush.\n",
			})
			var c *client
			answered := 0
			for _, e := range log {
				switch e.Dir {
				case "start":
					if c != nil {
						c.end()
					}
					c = w.start(Options{})
					c.roots = []string{w.root}
				case "eof":
					if err := c.end(); err != nil {
						t.Error(err)
					}
				case "in":
					answered += replay(t, c, string(e.Msg))
				}
			}
			if answered < 3 {
				t.Errorf("only %d requests in the recording", answered)
			}
		})
	}
}

func replay(t *testing.T, c *client, msg string) int {
	t.Helper()
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ ProtocolVersion string }
		Result json.RawMessage
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil {
		t.Fatal(err)
	}
	if m.Result != nil {
		return 0 // the answer to roots/list; our client gives its own
	}
	msg = strings.ReplaceAll(strings.ReplaceAll(msg, "rig_probe", "ping"), "\n", "")
	c.send(msg)
	if m.ID == nil || m.Method == "subscriptions/listen" { // a stream ends with the connection
		return 0
	}
	got := c.want(string(m.ID))
	if got["error"] != nil {
		t.Errorf("%s: %s", m.Method, got["error"])
		return 1
	}
	var r struct {
		ProtocolVersion   string
		SupportedVersions []string
		Tools             []any
		Resources         []struct{ URI string }
		Prompts           []struct{ Name string }
		StructuredContent map[string]any
	}
	if err := json.Unmarshal(got["result"], &r); err != nil {
		t.Fatal(err)
	}
	ok := true
	switch m.Method {
	case "initialize":
		ok = r.ProtocolVersion == m.Params.ProtocolVersion
	case "server/discover":
		ok = len(r.SupportedVersions) > 1
	case "tools/list":
		ok = len(r.Tools) == 15
	case "tools/call":
		ok = r.StructuredContent["workspace"] == "shop"
	case "resources/list":
		ok = len(r.Resources) == 2 && r.Resources[0].URI == "pathrule://memory/a"
	case "prompts/list":
		ok = len(r.Prompts) == 1 && r.Prompts[0].Name == "deploy"
	default:
		t.Errorf("nobody looked at the answer to %s", m.Method)
	}
	if !ok {
		t.Errorf("%s: %s", m.Method, got["result"])
	}
	return 1
}

package mcpserver

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func listTools(t *testing.T, o Options) (raw json.RawMessage, tools []map[string]json.RawMessage) {
	t.Helper()
	w := newWorld(t, nil)
	c := w.open(o, "test")
	raw = c.request("tools/list", "")["result"]
	var list struct {
		Tools []map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return raw, list.Tools
}

func TestSchemasStayWithinTheirTokens(t *testing.T) {
	for name, test := range map[string]struct {
		o             Options
		tools, tokens int
	}{
		"all tools":       {Options{}, 15, 3000},
		"read-only tools": {Options{ReadOnly: true}, 7, 1200},
	} {
		t.Run(name, func(t *testing.T) {
			raw, tools := listTools(t, test.o)
			if len(tools) != test.tools {
				t.Errorf("%d tools, want %d", len(tools), test.tools)
			}
			tokens := (len(raw) + 3) / 4
			t.Logf("%d tokens", tokens)
			if tokens > test.tokens {
				t.Errorf("tools/list costs %d tokens, at most %d are allowed", tokens, test.tokens)
			}
		})
	}
}

func TestEachToolHasItsGoldenSchema(t *testing.T) {
	_, tools := listTools(t, Options{})
	for _, tool := range tools {
		var name string
		if err := json.Unmarshal(tool["name"], &name); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
		golden(t, filepath.Join("testdata", "schema", name+".json"), b.Bytes())
	}
}

// A client rounds large numbers in results, so that a later call by id misses.
func TestEveryIDIsAString(t *testing.T) {
	_, tools := listTools(t, Options{})
	var walk func(path string, v any)
	walk = func(path string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if props, ok := m["properties"].(map[string]any); ok {
			for name, p := range props {
				pm := p.(map[string]any)
				if name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "version") {
					if pm["type"] != "string" {
						t.Errorf("%s.%s is %v", path, name, pm["type"])
					}
				}
				walk(path+"."+name, p)
			}
		}
		walk(path+"[]", m["items"])
	}
	for _, tool := range tools {
		for _, key := range []string{"inputSchema", "outputSchema"} {
			var v any
			if err := json.Unmarshal(tool[key], &v); err != nil {
				t.Fatalf("%s has no %s", tool["name"], key)
			}
			walk(string(tool["name"])+" "+key, v)
		}
	}
}

func TestEveryToolIsAnnotated(t *testing.T) {
	_, tools := listTools(t, Options{})
	for _, tool := range tools {
		var a map[string]any
		if err := json.Unmarshal(tool["annotations"], &a); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, ok := a[key]; !ok {
				t.Errorf("%s has no %s", tool["name"], key)
			}
		}
		if a["openWorldHint"] != false {
			t.Errorf("%s claims to reach the open world", tool["name"])
		}
		var name string
		json.Unmarshal(tool["name"], &name)
		writes := strings.HasPrefix(name, "write_") || strings.HasPrefix(name, "update_") || strings.HasSuffix(name, "_entry")
		if a["readOnlyHint"] == writes {
			t.Errorf("%s: readOnlyHint is %v", name, a["readOnlyHint"])
		}
	}
}

func TestInstructionsAreShort(t *testing.T) {
	for _, s := range []string{instructRead, instructRead + instructWrite} {
		if n := len([]rune(s)); n > 500 {
			t.Errorf("%d characters, at most 500 are allowed", n)
		}
	}
}

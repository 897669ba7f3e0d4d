package hookrunner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"pathrule/index"
	"pathrule/workspace"
)

// F99: a client that works in several folders is answered from the one that
// holds the file, when that is a folder which the client named; any other stays
// out of reach.
func TestAFileOfAnotherFolderOfTheClient(t *testing.T) {
	w := newWorld(t)
	other := filepath.Join(w.home, "kitchen")
	for name, text := range map[string]string{
		"src/oven.go":              "package kitchen\n",
		".pathrule/rules/ovens.md": "---\ntitle: Ovens are preheated\npaths: [src]\n---\nNever start cold.\n",
	} {
		p := filepath.Join(other, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Find(other, w.env())
	if err != nil {
		t.Fatal(err)
	}
	if err := workspace.Own(ws, w.dirs(), false, w.env()); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Refresh(context.Background(), ws, w.env(), index.Limits{}); err != nil {
		t.Fatal(err)
	}
	hook := hookOf{"cursor", map[string]string{"CURSOR_VERSION": "3.18.25"}}
	oven, server := filepath.Join(other, "src", "oven.go"), w.path("src/api/server.go")
	for name, c := range map[string]struct {
		roots []string
		file  string
		want  string
	}{
		"the first folder":               {[]string{w.root, other}, server, "Handlers return problem documents"},
		"the second folder":              {[]string{w.root, other}, oven, "Ovens are preheated"},
		"the second, named first":        {[]string{other, w.root}, server, "Handlers return problem documents"},
		"a folder that nobody named":     {[]string{w.root}, oven, ""},
		"a folder inside the first":      {[]string{w.root, w.path("src")}, server, "Handlers return problem documents"},
		"a folder without a workspace":   {[]string{w.root, w.home}, filepath.Join(w.home, "x.go"), ""},
		"a second folder that is no use": {[]string{w.root, filepath.Join(w.home, "gone")}, server, "Handlers return problem documents"},
	} {
		t.Run(name, func(t *testing.T) {
			w.t = t
			got := w.fire(hook, "hook_event_name", "postToolUse", "session_id", name, "cursor_version", "3.18.25", "workspace_roots", c.roots,
				"tool_name", "Read", "tool_use_id", name, "tool_input", map[string]any{"file_path": c.file})
			if c.want == "" && got != "" {
				t.Errorf("says %q", got)
			}
			has(t, got, c.want)
		})
	}
}

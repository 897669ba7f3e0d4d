package mcpserver

import (
	"fmt"
	"strings"
	"testing"
)

var longFiles = func() map[string]string {
	dull := strings.Repeat("About installers there is a lot to be said and all of it is dull. ", 200)
	m := map[string]string{"tools/pack/main.go": "package main\n"}
	m[".pathrule/memories/packaging.md"] = "---\ntitle: Packaging manual\npaths: [tools/pack]\n---\n# Packaging manual\n\nHow we build.\n\n" +
		"## Notarisation\n\nApple's notary rejects bundles with unsigned helpers; staple the ticket afterwards.\n\n### Stapling\n\nRun it on the image.\n\n" +
		"## Windows\n\n" + dull + "\n\n## Checksums\n\nPublish the sha512 checksums beside each artifact.\n"
	for i := range 20 {
		m[fmt.Sprintf(".pathrule/memories/other-%02d.md", i)] = fmt.Sprintf("---\ntitle: Other topic %d\n---\nButtons are shown in colour %d.\n", i, i)
	}
	return m
}()

// P90: what is too long for the budget comes by its sections, the budget holds,
// and the rest is read by its heading.
func TestContextTellsSectionsOfALongEntry(t *testing.T) {
	w := newWorld(t, longFiles)
	c := w.open(Options{}, "other")
	const ask = `{"prompt":"the notary rejects our bundle because of unsigned helpers, what about the ticket?","paths":["tools/pack/main.go"]}`
	a := c.call("get_context", ask)
	if !strings.Contains(a.Text, "of 5 sections: Packaging manual [memory:packaging] (the rest: read_memory)") ||
		!strings.Contains(a.Text, "staple the ticket afterwards") || strings.Contains(a.Text, "dull") {
		t.Fatalf("got %s", a.Text)
	}
	if n := (len(a.Text) + 3) / 4; n > 1200 {
		t.Errorf("%d tokens", n)
	}
	item := a.Data["items"].([]any)[0].(map[string]any)
	if item["form"] != "card" || fmt.Sprint(item["sections"]) == "" || !strings.Contains(fmt.Sprint(item["sections"]), "Notarisation") {
		t.Errorf("item %v", item)
	}
	if a := c.call("get_context", ask); strings.Contains(a.Text, "staple the ticket") {
		t.Errorf("told twice: %s", a.Text)
	}
	// A section that was read counts as given, the entry does not.
	if a := c.call("read_memory", `{"id":"packaging","section":"Checksums"}`); a.IsError {
		t.Fatal(a.Text)
	}
	if a := c.call("get_context", `{"prompt":"where do the sha512 checksums of an artifact go?"}`); strings.Contains(a.Text, "beside each artifact") {
		t.Errorf("a section that was read is told again: %s", a.Text)
	}
}

func TestReadingOneSection(t *testing.T) {
	w := newWorld(t, longFiles)
	c := w.open(Options{}, "other")
	for name, s := range map[string]struct{ args, want, not string }{
		"with the sections inside it":     {`{"id":"packaging","section":"Notarisation"}`, "Run it on the image.", "sha512"},
		"by the heading as it is written": {`{"id":"packaging","section":"### stapling"}`, "Run it on the image.", "unsigned helpers"},
		"the whole":                       {`{"id":"packaging"}`, "sha512", "no such text"},
	} {
		a := c.call("read_memory", s.args)
		if a.IsError || !strings.Contains(a.str("body"), s.want) || strings.Contains(a.Text, s.not) || !strings.Contains(a.Text, s.want) {
			t.Errorf("%s: %s", name, a.Text)
		}
		if a.str("version") == "" {
			t.Errorf("%s: no version", name)
		}
	}
	for name, s := range map[string]struct{ args, want string }{
		"a heading that is not there":  {`{"id":"packaging","section":"Linux"}`, "## Notarisation; ### Stapling; ## Windows; ## Checksums"},
		"the heading of another level": {`{"id":"packaging","section":"# Checksums"}`, "matches 0 headings"},
		"an entry without headings":    {`{"id":"other-01","section":"x"}`, "no sections"},
	} {
		if a := c.call("read_memory", s.args); !a.IsError || !strings.Contains(a.Text, s.want) {
			t.Errorf("%s: %s", name, a.Text)
		}
	}
}

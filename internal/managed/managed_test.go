package managed

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesAreReadAsTheyAreWritten(t *testing.T) {
	files := []File{
		{Path: "CLAUDE.md", Target: "claude", SHA256: "aa", Region: true, Holds: []string{Hold("rule", "a", "01"), Hold("memory", "日本", "02")}},
		{Path: ".claude/rules/pathrule/<a>&.md", Target: "claude-rules", SHA256: "bb", For: []string{"src/[a]", "!x"}, Holds: []string{Hold("rule", "a", "01")}, Note: true},
	}
	var b strings.Builder
	b.WriteString("{\"version\": 1, \"files\": [\n")
	for _, f := range files {
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	b.WriteString("]}\n")
	manifest := []byte(strings.Replace(b.String(), "}\n{", "},\n{", 1))
	var got []File
	Holding(manifest, Hold("rule", "a", "01"), func(f File) bool { got = append(got, f); return true })
	if diff := cmp.Diff(files, got); diff != "" {
		t.Error(diff)
	}
	for i := range files {
		if f, ok := At(manifest, files[i].Path); !ok || !cmp.Equal(f, files[i]) {
			t.Errorf("%+v", f)
		}
	}
	for _, none := range []string{"", "rule:a", "01", "claude"} {
		Holding(manifest, none, func(f File) bool { t.Errorf("%q: %+v", none, f); return true })
		if f, ok := At(manifest, none); ok {
			t.Errorf("%q: %+v", none, f)
		}
	}
	if entry, version := CutHold(Hold("memory", "a/b", "03")); entry != "memory:a/b" || version != "03" {
		t.Errorf("%q %q", entry, version)
	}
}

func TestAnEditIsSeenAndALineEndIsNone(t *testing.T) {
	const text = "before\n" + BeginLine + "\nours\n" + EndLine + "\nafter\n"
	r, err := FindRegion([]byte(text))
	if err != nil || !r.Found {
		t.Fatal(err)
	}
	whole := File{SHA256: Hash([]byte(text))}
	part := File{SHA256: Hash([]byte(text)[r.From:r.To]), Region: true}
	crlf := strings.ReplaceAll(text, "\n", "\r\n")
	for name, c := range map[string]struct {
		text        string
		whole, part bool
	}{
		"as it was":           {text, true, true},
		"line ends turned":    {crlf, true, true},
		"an edit around it":   {"more " + text, false, true},
		"an edit inside":      {strings.Replace(text, "ours", "mine", 1), false, false},
		"a marker twice":      {text + BeginLine + "\n", false, false},
		"no marker":           {"before\n", false, false},
		"nothing":             {"", false, false},
		"an end without more": {EndLine + "\n", false, false},
	} {
		if got := whole.Unmodified([]byte(c.text)); got != c.whole {
			t.Errorf("%s: whole %v", name, got)
		}
		if got := part.Unmodified([]byte(c.text)); got != c.part {
			t.Errorf("%s: region %v", name, got)
		}
	}
}

func TestATextHasOneHashOnEveryCheckout(t *testing.T) {
	if TextHash("T", "a\r\nb\r\n") != TextHash(" T", "a\nb") || TextHash("T", "a") == TextHash("T", "b") || TextHash("T", "a") == TextHash("U", "a") {
		t.Error("hash")
	}
}

// Whatever stands in a manifest, which comes with a repository: no panic, and
// only lines that hold the entry.
func FuzzHolding(f *testing.F) {
	f.Add(`{"path":"a","target":"t","sha256":"s","holds":["rule:a@1"]}`, "rule:a@1")
	f.Add("\"rule:a@1\"\n{\"holds\":[\"rule:a@1\"", "rule:a@1")
	f.Add(`{"path":["rule:a@1"],"sha256":{}},`, "rule:a@1")
	f.Fuzz(func(t *testing.T, manifest, hold string) {
		Holding([]byte(manifest), hold, func(got File) bool {
			found := false
			for _, h := range got.Holds {
				found = found || h == hold
			}
			if !found || got.Path == "" || got.SHA256 == "" {
				t.Errorf("%+v", got)
			}
			return true
		})
		_, _ = At([]byte(manifest), hold)
	})
}

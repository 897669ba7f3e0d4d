package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// A conversation is a txtar archive: the project's files, files below home/ for
// the pathrule home, and "conversation", where a line that begins with ">" is
// sent, the lines that begin with "<" are what comes back for it, one value of
// the frame a line, and "$x" stands for the version of the last answer that had
// one. Lines that begin with "#" say what happens.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, nil)
			// Only what the store writes into files is to stand still.
			started := time.Now()
			w.env.Now = func() time.Time {
				return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Since(started) / 1000)
			}
			talk := -1
			for i, f := range ar.Files {
				switch rest, home := strings.CutPrefix(f.Name, "home/"); {
				case f.Name == "conversation":
					talk = i
				case home:
					w.user(rest, string(f.Data))
				default:
					w.write(f.Name, string(f.Data))
				}
			}
			got := converse(t, w, string(ar.Files[talk].Data))
			if *update {
				ar.Files[talk].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := diffText(string(ar.Files[talk].Data), got); diff != "" {
				t.Errorf("%s differs (-want +got); if that is meant, run \"go test ./mcpserver -update\"\n%s", file, diff)
			}
		})
	}
}

func converse(t *testing.T, w *world, script string) string {
	c := w.start(Options{ReadOnly: strings.Contains(script, "# read-only\n")})
	var out strings.Builder
	version := ""
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "<") {
			continue
		}
		out.WriteString(line)
		msg, sent := strings.CutPrefix(strings.TrimSpace(line), "> ")
		if !sent {
			continue
		}
		msg = strings.ReplaceAll(msg, "$x", version)
		c.send(msg)
		var m struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(msg), &m) == nil && m.ID == nil {
			continue // a notification
		}
		frame, _ := c.next()
		out.WriteString(show(t, w, frame))
		if v := regexp.MustCompile(`"version":"([0-9a-f]{16})"`).FindStringSubmatch(frame); v != nil {
			version = v[1]
		}
	}
	return out.String()
}

// show spells a frame so that a person can read the difference: one value a
// line, texts line by line.
func show(t *testing.T, w *world, frame string) string {
	dec := json.NewDecoder(strings.NewReader(frame))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, frame)
	}
	var b bytes.Buffer
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case map[string]any:
			if len(x) == 0 {
				fmt.Fprintf(&b, "< %s: {}\n", path)
			}
			for _, k := range sortedKeys(x) {
				walk(strings.TrimPrefix(path+"."+k, "."), x[k])
			}
		case []any:
			if len(x) == 0 {
				fmt.Fprintf(&b, "< %s: []\n", path)
			}
			for i, e := range x {
				walk(fmt.Sprintf("%s[%d]", path, i), e)
			}
		case string:
			lines := strings.Split(strings.ReplaceAll(x, w.root, "ROOT"), "\n")
			fmt.Fprintf(&b, "< %s: %s\n", path, lines[0])
			for _, l := range lines[1:] {
				fmt.Fprintf(&b, "<   %s\n", l)
			}
		default:
			fmt.Fprintf(&b, "< %s: %v\n", path, x)
		}
	}
	walk("", v)
	// A line of only blanks would not survive an editor.
	return regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(b.String(), "")
}

package frontmatter

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

var heads = []string{
	"",
	"---\n---\n",
	"---\ntitle: Stripe retries\npaths:\n  - services/billing/**\n  - \"!**/*.test.ts\"\ntags: [billing, 'money']\n---\n\nBody\n",
	"---\r\ntitle: x # why\r\npriority: high\r\n---\r\nBody\r\n",
	"\uFEFF---\ntitle: \"a \\\"b\\\" \\\\ c\"\n---\n# H\n",
	"---\npaths: **/*.ts, **/*.tsx,src/{a,b}/**\n---\nx",
	"---\nglobs: *.md\ndescription: Use when: you must\n---\n",
	"---\npaths:\n- a\n- !vendor/**\n- *.go\n---\n",
	"---\npaths: [\n  \"a\",\n  \"b\"\n]\n---\n",
	"---\ntitle: |\n  two\n  lines\ntags: x, y\n---\n",
	"---\ntitle: &a foo\nsource: *a\n---\n",
	"---\nblock:\n  - {pattern: \"foo(\", message: no}\ncheck: {command: go test}\n---\n",
	"---\ntitle: ~\ntags: []\nrelated: [a,]\npriority: HIGH\n---\n",
	"---\ntitle: a\ntitle: b\n---\n",
	"---\nThis is prose.\n---\n",
	"---\n# only a comment\n---\nbody",
	"--- \ntitle: x\n---\t\nbody",
	"---\ntitle: x\n---# heading\nbody\n---\n",
	"---\n title: x\n tags: y\n---\n",
	"---\n{title: x, tags: [a]}\n---\n",
	"---\ntitle: it's\npaths: src/[id]/page.tsx\n---\n",
	"---\ntitle:\n  folded\n  text\n---\n",
	"---\ntags:\n  # why\n  - a # this\n# col 0\n  - b\n\n# tail\nsource: s\n---\n",
	"---\nmetadata:\n  version: 1\n---\n",
	"---\ncreated: 2024-03-01\nupdated: 2024-03-01T10:00:00Z\ntitle: 12\n---\n",
	"---\ntitle: '項目：規則'\npaths: 'docs/日本語/**'\n---\n本文。\n",
	"---\ntitle: a\tb\n---\n",
	"---\ntitle: -foo\ntags: [a b, c-d, \"e, f\"]\n---\n",
	"---\ntitle: [a]\npaths: {a: b}\n---\n",
	"---\npaths: @scope/pkg/**\ntitle: `code` first\n---\n",
}

// The hook's reader may give up, but it may never say something else than the
// full one.
func FuzzLineReaderAgreesWithYAML(f *testing.F) {
	for _, h := range heads {
		for _, k := range knowledge.Kinds {
			f.Add([]byte(h), string(k))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, k string) {
		kind := knowledge.Kind(k)
		if kind.Dir() == "" {
			return
		}
		fast, quiet, err := knowledge.ParseLinesQuiet(data, kind, "a/b", "f.md")
		if errors.Is(err, knowledge.ErrBeyond) {
			return
		}
		full, problems, err2 := parseBy(data, kind, "a/b", "f.md", true)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("line reader: %v, YAML: %v\n%q", err, err2, data)
		}
		if err != nil {
			return
		}
		if d := cmp.Diff(full, fast); d != "" {
			t.Fatalf("readers differ (-yaml +lines)\n%s\n%q", d, data)
		}
		// Parse takes the scanner's word too, and must report the same.
		short, problems2, err := Parse(data, kind, "a/b", "f.md")
		if d := cmp.Diff(full, short); d != "" || err != nil {
			t.Fatalf("the short way differs (-yaml +lines)\n%s\n%v\n%q", d, err, data)
		}
		if d := cmp.Diff(problems, problems2); d != "" {
			t.Fatalf("the short way reports something else (-yaml +lines)\n%s\n%q", d, data)
		}
		// What a listing leaves unread has nothing to say.
		if quiet && (len(problems) > 0 || full.Block != nil || full.Check != nil) {
			t.Fatalf("quiet, and yet: %v\n%q", problems, data)
		}
	})
}

// What is read and written again is read the same.
func FuzzRenderIsStable(f *testing.F) {
	for _, h := range heads {
		f.Add([]byte(h), "rule")
	}
	f.Fuzz(func(t *testing.T, data []byte, k string) {
		kind := knowledge.Kind(k)
		if kind.Dir() == "" {
			return
		}
		e, _, err := Parse(data, kind, "a/b", "f.md")
		if err != nil {
			return
		}
		out := Render(e)
		if len(out) > knowledge.MaxHead/2 {
			return
		}
		again, problems, err := Parse(out, kind, "a/b", "f.md")
		if err != nil {
			t.Fatalf("rendered file does not parse: %v\n%s", err, out)
		}
		for _, p := range problems {
			if !p.Warning {
				t.Fatalf("rendered file has a fault: %+v\n%s", p, out)
			}
		}
		norm := func(e knowledge.Entry) knowledge.Entry {
			e.BodyOffset, e.Version, e.Updated = 0, "", ""
			e.Title, e.Description, e.Source, e.Created = oneLine(e.Title), oneLine(e.Description), oneLine(e.Source), oneLine(e.Created)
			e.Paths, e.Tags, e.Related, e.Workspaces = lines(e.Paths), lines(e.Tags), lines(e.Related), lines(e.Workspaces)
			for i := range e.Block {
				e.Block[i].Paths = lines(e.Block[i].Paths)
			}
			if e.Check != nil {
				e.Check.Paths = lines(e.Check.Paths)
			}
			return e
		}
		if d := cmp.Diff(norm(e), norm(again)); d != "" {
			t.Fatalf("render changed the entry (-before +after)\n%s\n%q\n%s", d, data, out)
		}
		if string(Render(again)) != string(out) {
			t.Fatalf("second render differs\n%s\n%s", out, Render(again))
		}
	})
}

// An edit sets its key, keeps the body and every other line.
func FuzzEditKeepsTheRest(f *testing.F) {
	for _, h := range heads {
		f.Add([]byte(h), "title", "New: *title*", false)
		f.Add([]byte(h), "paths", "src/**", true)
		f.Add([]byte(h), "tags", "", true)
	}
	f.Fuzz(func(t *testing.T, data []byte, key, value string, list bool) {
		ok := false
		for _, k := range knowledge.Keys(knowledge.Rule) {
			ok = ok || k == key
		}
		if !ok || key == "block" || key == "check" || len(data)+len(value) > knowledge.MaxHead/2 {
			return
		}
		if knowledge.Text(data, "f") != nil || knowledge.Text([]byte(value), "f") != nil {
			return
		}
		var v any = value
		if list {
			v = strings.Split(value, ",")
		}
		before := read(data)
		out, err := Apply(data, Edit{key, v})
		if err != nil {
			return
		}
		after := read(out)
		if after.body() != before.body() {
			t.Fatalf("edit changed the body\n%q\n%q", data, out)
		}
		if !before.sp.Found {
			return
		}
		// Every line outside the key's own stands there still, in order.
		own := map[int]bool{}
		for _, f := range before.fields {
			if f.Key == key {
				for i := f.Start; i < f.End; i++ {
					own[i] = true
				}
			}
		}
		pos := 0
		rest := string(out)
		for pos < len(data) {
			end := strings.IndexByte(string(data[pos:]), '\n')
			if end < 0 {
				end = len(data)
			} else {
				end += pos + 1
			}
			if !own[pos] {
				i := strings.Index(rest, string(data[pos:end]))
				if i < 0 {
					t.Fatalf("edit lost the line %q\n%q\n%q", data[pos:end], data, out)
				}
				rest = rest[i+end-pos:]
			}
			pos = end
		}
	})
}

// Heads thrown together from the pieces that matter to YAML reach corners that
// changed bytes rarely do.
func TestReadersAgreeOnHeadsOfPieces(t *testing.T) {
	pieces := []string{"a", "b c", "title", "paths", "tags", ": ", ":", "\n", "\n", "\n- ", "\n  - ", "- ", "'", "\"", "[", "]", ", ", ",", "#", " #", " ", "  ",
		"*", "**/*.ts", "!", "!x", "&", "|", ">", "{", "}", "\\", "\\\"", "~", "null", "%", "@", "`", "?", "? ", "é", "日本", "\r\n", "\t", "1", "true", "=", "<<", "''", "...", "---"}
	rounds := 20000
	if n, err := strconv.Atoi(os.Getenv("PATHRULE_ROUNDS")); err == nil {
		rounds = n
	}
	answered := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var b strings.Builder
		b.WriteString("---\n")
		for range r.IntN(4) + 1 {
			b.WriteString([]string{"title: ", "paths: ", "tags:", "x: "}[r.IntN(4)])
			for range r.IntN(7) {
				b.WriteString(pieces[r.IntN(len(pieces))])
			}
			b.WriteString("\n")
		}
		b.WriteString("---\nbody\n")
		data := []byte(b.String())
		fast, err := knowledge.ParseLines(data, knowledge.Memory, "a", "f.md")
		if errors.Is(err, knowledge.ErrBeyond) {
			continue
		}
		answered++
		full, _, err2 := parseBy(data, knowledge.Memory, "a", "f.md", true)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("seed %d: line reader %v, YAML %v\n%s", seed, err, err2, data)
		}
		if d := cmp.Diff(full, fast); d != "" && err == nil {
			t.Fatalf("seed %d: (-yaml +lines)\n%s\n%s", seed, d, data)
		}
	}
	if answered < rounds/20 {
		t.Errorf("the line reader answered only %d of %d, so this proves little", answered, rounds)
	}
}

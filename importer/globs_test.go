package importer

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"pathrule/workspace"
)

type vector struct {
	id, form, pattern, path string
	columns                 map[string]string
	topic                   string
}

func vectors(t *testing.T) []vector {
	t.Helper()
	b, err := os.ReadFile("../workspace/testdata/globs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	var names []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if names == nil {
			names = f
			continue
		}
		v := vector{id: f[0], form: f[1], pattern: f[2], path: f[3], columns: map[string]string{}, topic: f[13]}
		for i := 4; i < 11; i++ {
			v.columns[names[i]] = f[i]
		}
		out = append(out, v)
	}
	return out
}

// Rows in which what the client does is no use to anybody (the pattern covers
// nothing, or not what it says): we read what is meant, cover at least what the
// client does, and say so.
var meant = map[string]string{
	"cline g18": "a bare folder", "cline g19": "a bare folder", "continue g18": "a bare folder", "continue g19": "a bare folder",
	"copilot_vscode g18": "a bare folder", "copilot_vscode g19": "a bare folder",
	"copilot_vscode g43": "an exclusion alone", "copilot_vscode g46": "a leading /", "cline g46": "a leading /", "continue g46": "a leading /",
	"copilot_vscode g48": "a leading ./", "claude g48": "a leading ./", "continue g48": "a leading ./",
	"copilot_vscode g49": "backslashes", "cline g49": "backslashes", "continue g49": "backslashes",
	"copilot_vscode g62": "brackets of a route", "claude g62": "brackets of a route", "continue g62": "brackets of a route",
	"copilot_vscode g63": "an escape", "copilot_vscode g64": "a bracket that is never closed", "claude g64": "a bracket that is never closed",
	"continue g53": "dotfiles", "continue g55": "dotfiles", "continue g57": "dotfiles",
}

func TestGlobsOfEveryClientKeepWhatTheyMatch(t *testing.T) {
	dialects := map[string]*dialect{"cursor": &cursorGlobs, "copilot_vscode": &copilotGlobs, "windsurf": &windsurfGlobs,
		"claude": &claudeGlobs, "cline": &clineGlobs, "continue": &continueGlobs}
	checked, used := 0, map[string]bool{}
	for _, v := range vectors(t) {
		if v.path == v.pattern[:max(0, len(v.pattern)-3)] && strings.HasSuffix(v.pattern, "/**") {
			continue // the folder itself: no file
		}
		for name, d := range dialects {
			want := v.columns[name]
			if want == "?" || v.form == "dir" {
				continue
			}
			if v.form == "list" && name == "copilot_vscode" {
				continue // VS Code drops a list; we take it, see TestApplyToAsAList
			}
			if v.topic == "empty" {
				continue // no pattern at all: see TestScopeOfAHead
			}
			var items []string
			switch {
			case v.form == "list":
				if err := json.Unmarshal([]byte(v.pattern), &items); err != nil {
					t.Fatal(err)
				}
			case d.split:
				items = workspace.SplitPatterns(v.pattern)
			default:
				items = []string{v.pattern}
			}
			paths, notes := d.translate(items, "", &project{files: []string{v.path}})
			s, err := workspace.ParseScope(paths)
			if err != nil {
				t.Errorf("%s %s %q: %q does not parse: %v", name, v.id, v.pattern, paths, err)
				continue
			}
			got := "0"
			if s.Covers(v.path) {
				got = "1"
			}
			checked++
			key := name + " " + v.id
			if got == want {
				continue
			}
			if meant[key] != "" && got == "1" && len(notes) > 0 {
				used[key] = true
				continue
			}
			t.Errorf("%s: %s %q -> %q covers %q: %s, want %s (notes %q)", key, v.form, v.pattern, paths, v.path, got, want, notes)
		}
	}
	for key := range meant {
		if !used[key] {
			t.Errorf("%s is listed as read otherwise, but is not", key)
		}
	}
	if checked < 250 {
		t.Errorf("only %d cells were compared", checked)
	}
}

func TestPatternsOfANestedFolderStayBelowIt(t *testing.T) {
	p := &project{files: []string{"web/src/a.tsx", "web/app/[id]/p.tsx", "api/a.tsx"}}
	for name, c := range map[string]struct {
		d    *dialect
		in   []string
		dir  string
		want []string
	}{
		"a relative pattern":               {&cursorGlobs, []string{"src/**"}, "web", []string{"web/src/**"}},
		"written from the root":            {&cursorGlobs, []string{"web/src/**"}, "web", []string{"web/src/**"}},
		"everything is the folder":         {&claudeGlobs, []string{"**/*"}, "web", []string{"web"}},
		"a floating name floats inside":    {&claudeGlobs, []string{"*.tsx"}, "web", []string{"web/**/*.tsx"}},
		"an exclusion alone":               {&cursorGlobs, []string{"!src/gen/**"}, "web", []string{"web", "!web/src/gen/**"}},
		"a folder with brackets":           {&cursorGlobs, []string{"*.md"}, "a [b]", []string{`a \[b\]/*.md`}},
		"copilot counts at any depth":      {&copilotGlobs, []string{"src/*.tsx"}, "", []string{"**/src/*.tsx"}},
		"copilot's paths stay where equal": {&copilotGlobs, []string{"web/src/*.tsx", "lib/**"}, "", []string{"web/src/*.tsx", "lib/**"}},
		"copilot's own depth stays":        {&copilotGlobs, []string{"**/src/**"}, "", []string{"**/src/**"}},
		"copilot, written from the root":   {&copilotGlobs, []string{"web/**"}, "web", []string{"web/**"}},
		"brackets of a route are rescued":  {&claudeGlobs, []string{"web/app/[id]/**"}, "", []string{"web/app/[id]/**", `web/app/\[id\]/**`}},
		"what cannot be read is widened":   {&cursorGlobs, []string{"src/../../x/*.ts"}, "", []string{"src"}},
		"everything with an exclusion":     {&cursorGlobs, []string{"**", "!api/**"}, "", []string{"!api/**"}},
		"an exclusion that excludes all":   {&cursorGlobs, []string{"src/**", "!**"}, "", []string{"src/**"}},
		"cline's inversion beside another": {&clineGlobs, []string{"src/**", "!api/**"}, "", nil},
	} {
		got, _ := c.d.translate(c.in, c.dir, p)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzTranslatedPatternsAlwaysParse(f *testing.F) {
	for _, v := range []string{"**/*.ts", "!x", "a/[b", "{a..z}/@(x|y)", `a\b`, "./x", "/", "a,b", "..", "~/x", `c:\x`, "!(a)", "+(x)/*"} {
		f.Add(v, "web", "web/a.ts")
	}
	f.Fuzz(func(t *testing.T, pattern, dir, file string) {
		if strings.Contains(dir, "..") || dir != cleanDir(dir) || strings.ContainsAny(dir, "\x00\n") || strings.HasPrefix(dir, "/") || len(pattern) > 300 {
			return
		}
		for _, d := range []*dialect{&cursorGlobs, &copilotGlobs, &windsurfGlobs, &claudeGlobs, &clineGlobs, &continueGlobs, &kiroGlobs} {
			items := []string{pattern}
			if d.split {
				items = workspace.SplitPatterns(pattern)
			}
			paths, _ := d.translate(items, "", &project{files: []string{file}})
			if _, err := workspace.ParseScope(paths); err != nil {
				t.Fatalf("%s %q -> %q: %v", d.client, pattern, paths, err)
			}
		}
	})
}

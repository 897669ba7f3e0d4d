package slice

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/index/catalog"
	"pathrule/workspace"
)

// P38, P79, P92, E32: files and folders that a prompt names.
func TestNamedPaths(t *testing.T) {
	files := map[string]bool{}
	for _, f := range []string{
		"lib/reply.js", "lib/route.js", "src/api/main.go", "src/api/util.py", "Dockerfile", "Makefile", "docs/a b.md", "web/ünï.ts", "資料/設計.md",
		"pkg/x.rs", "pkg/Main.java", "pkg/m.kt", "pkg/l.rb", "pkg/c.c", ".env", ".github/workflows/ci.yml", "src/api", "src", "lib", "pkg", "test/reply.js", "a-b_c/d.e.ts", "go.mod", "[id]/page.tsx",
	} {
		files[f] = true
	}
	for name, tc := range map[string]struct {
		prompt, cwd string
		want        []string
	}{
		"a plain path":              {"look at lib/reply.js please", "", []string{"lib/reply.js"}},
		"line and column":           {"lib/reply.js:42:7 throws", "", []string{"lib/reply.js"}},
		"GitHub line":               {"see lib/reply.js#L42", "", []string{"lib/reply.js"}},
		"MSBuild position":          {"pkg/Main.java(12,5): error", "", []string{"pkg/Main.java"}},
		"dot slash":                 {"./lib/route.js", "", []string{"lib/route.js"}},
		"backslashes":               {`src\api\main.go and .\lib\reply.js`, "", []string{"src/api/main.go", "lib/reply.js"}},
		"backticks and quotes":      {"`lib/reply.js`, \"lib/route.js\" and 'pkg/x.rs'", "", []string{"lib/reply.js", "lib/route.js", "pkg/x.rs"}},
		"a sentence's end":          {"Fix lib/reply.js. Then (lib/route.js)!", "", []string{"lib/reply.js", "lib/route.js"}},
		"Markdown link":             {"[the reply](lib/reply.js)", "", []string{"lib/reply.js"}},
		"no extension":              {"change the Dockerfile and Makefile", "", []string{"Dockerfile", "Makefile"}},
		"other extensions":          {"util.py main.go", "src/api", []string{"src/api/util.py", "src/api/main.go"}},
		"many languages":            {"pkg/x.rs pkg/m.kt pkg/l.rb pkg/c.c", "", []string{"pkg/x.rs", "pkg/m.kt", "pkg/l.rb", "pkg/c.c"}},
		"relative to the folder":    {"reply.js", "lib", []string{"lib/reply.js"}},
		"the folder wins":           {"reply.js", "test", []string{"test/reply.js"}},
		"longest suffix first":      {"/home/other/project/src/api/main.go:3", "", []string{"src/api/main.go"}},
		"our own absolute path":     {"/home/dev/harbor/lib/reply.js", "", []string{"lib/reply.js"}},
		"a drive letter":            {`C:\Users\x\harbor\lib\reply.js:10`, "", []string{"lib/reply.js"}},
		"file URL":                  {"file:///home/dev/harbor/lib/reply.js", "", []string{"lib/reply.js"}},
		"a URL is none":             {"https://example.com/lib/reply.js", "", nil},
		"a JavaScript stack":        {"Error: x\n    at handle (/app/lib/reply.js:12:3)\n    at next (/app/lib/route.js:4:1)", "", []string{"lib/reply.js", "lib/route.js"}},
		"a Python stack":            {"  File \"/srv/src/api/util.py\", line 3, in f", "", []string{"src/api/util.py"}},
		"a Go stack":                {"main.main()\n\t/build/src/api/main.go:12 +0x1d", "", []string{"src/api/main.go"}},
		"written up to Japanese":    {"lib/reply.jsを直して、src/api/main.goも", "", []string{"lib/reply.js", "src/api/main.go"}},
		"another script":            {"資料/設計.md を更新", "", []string{"資料/設計.md"}},
		"letters beyond ASCII":      {"open web/ünï.ts now", "", []string{"web/ünï.ts"}},
		"dotfiles":                  {"edit .env and .github/workflows/ci.yml", "", []string{".github/workflows/ci.yml", ".env"}},
		"a folder":                  {"everything in src/api is slow", "", []string{"src/api"}},
		"an at sign":                {"@lib/reply.js what is this", "", []string{"lib/reply.js"}},
		"flags":                     {"--file=lib/reply.js", "", []string{"lib/reply.js"}},
		"and/or is no path":         {"do this and/or that, either/or, 1.2.3, e.g. node.js", "", nil},
		"outside":                   {"../../etc/passwd and ../lib/reply.js", "", []string{"lib/reply.js"}},
		"brackets of a router":      {"[id]/page.tsx", "", []string{"[id]/page.tsx"}},
		"the same path twice":       {"lib/reply.js lib/reply.js ./lib/reply.js", "", []string{"lib/reply.js"}},
		"names with several points": {"a-b_c/d.e.ts", "", []string{"a-b_c/d.e.ts"}},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			n := resolve(mentions(tc.prompt), harborWS, tc.cwd, func(rel string) bool {
				asked++
				if strings.HasPrefix(rel, "/") || strings.Contains(rel, "..") || strings.Contains(rel, `\`) {
					t.Errorf("asked for %q", rel)
				}
				return files[rel]
			})
			if d := cmp.Diff(tc.want, n.paths); d != "" {
				t.Errorf("%q (-want +got)\n%s", tc.prompt, d)
			}
			if asked > maxExists {
				t.Errorf("%d questions", asked)
			}
		})
	}
}

func TestExistsIsAskedAtMostTwentyTimes(t *testing.T) {
	var b strings.Builder
	for range 500 {
		b.WriteString("deep/er/path/to/some/file.go:12 other/x.ts ")
		b.WriteString("f")
		b.WriteString(strings.Repeat("x", b.Len()%50) + ".py ")
	}
	asked := 0
	f := readEntries(t, "harbor")
	mustMake(t, In{Channel: Prompt, Source: f, Prompt: b.String(), Exists: func(string) bool { asked++; return false }})
	if asked == 0 || asked > 20 {
		t.Errorf("asked %d times", asked)
	}
	mustMake(t, In{Channel: Prompt, Source: f, Prompt: "lib/reply.js", Exists: func(string) bool { return true }, Workspace: &workspace.Workspace{Root: `C:\x`}})
}

func TestBareNamesResolveThroughTheProjectMap(t *testing.T) {
	for name, tc := range map[string]struct {
		files        []string
		cwd          string
		added, hints []string
	}{
		"one home":               {[]string{"a/client.go", "b/other.go"}, "", []string{"a/client.go"}, nil},
		"two homes":              {[]string{"b/client.go", "a/client.go"}, "", nil, []string{"a/client.go", "b/client.go"}},
		"two homes, one at hand": {[]string{"b/client.go", "a/client.go"}, "b", []string{"b/client.go"}, nil},
		"another case":           {[]string{"a/Client.go"}, "", []string{"a/Client.go"}, nil},
		"only a like name":       {[]string{"a/myclient.go"}, "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			n := resolve(mentions("fix client.go:8"), harborWS, tc.cwd, func(string) bool { return false })
			var hits []catalog.PathHit
			for _, f := range tc.files {
				hits = append(hits, catalog.PathHit{Path: f, Score: 1})
			}
			added, hints := n.settle(hits, tc.cwd)
			if d := cmp.Diff(tc.added, added); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.hints, hints); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzMentions(f *testing.F) {
	for _, s := range []string{"lib/x.ts:4", `a\b\c.go`, "file:///a.b", "((a/b.c))", "::a/b", "@@", "a/../../b.go", "...", "C:\\", "x.ts(1,2)", "資料/a.mdを", "=a/b.c=", "]"} {
		f.Add(s, "src")
	}
	f.Fuzz(func(t *testing.T, s, cwd string) {
		asked := 0
		n := resolve(mentions(clip(s)), harborWS, "src", func(rel string) bool {
			asked++
			if rel == "" || strings.HasPrefix(rel, "/") || rel == ".." || strings.HasPrefix(rel, "../") || strings.Contains(rel, "/../") || strings.Contains(rel, `\`) {
				t.Fatalf("%q asks for %q", s, rel)
			}
			return asked%3 == 0
		})
		if asked > maxExists || len(n.paths) > maxNamedPaths {
			t.Fatalf("%d questions, %d paths", asked, len(n.paths))
		}
	})
}

package workspace

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustScope(t testing.TB, patterns ...string) Scope {
	t.Helper()
	s, err := ParseScope(patterns)
	if err != nil {
		t.Fatalf("ParseScope(%q): %v", patterns, err)
	}
	return s
}

// The rows on which every AI client agrees are our golden tests.
func TestGlobVectorsOnWhichAllClientsAgree(t *testing.T) {
	data, err := os.ReadFile("testdata/globs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(data)) {
		col := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if strings.HasPrefix(line, "#") || len(col) < 12 || (col[11] != "0" && col[11] != "1") {
			continue
		}
		rows++
		id, form, pattern, path, want := col[0], col[1], col[2], col[3], col[11] == "1"
		var patterns []string
		switch form {
		case "str":
			patterns = SplitPatterns(pattern)
		case "dir":
			patterns = []string{pattern}
		case "list":
			if err := json.Unmarshal([]byte(pattern), &patterns); err != nil {
				t.Fatalf("%s: %v", id, err)
			}
		default:
			t.Fatalf("%s: unknown form %q", id, form)
		}
		s, err := ParseScope(patterns)
		if err != nil {
			t.Errorf("%s: ParseScope(%q): %v", id, patterns, err)
			continue
		}
		if got := s.Covers(path); got != want {
			t.Errorf("%s: %q covers %q = %v, want %v", id, pattern, path, got, want)
		}
	}
	if rows < 40 {
		t.Fatalf("only %d rows found", rows)
	}
}

func TestMatch(t *testing.T) {
	type ask struct {
		path  string
		fit   Fit
		depth int
	}
	for name, c := range map[string]struct {
		patterns []string
		prefix   string
		asks     []ask
	}{
		"no pattern is the whole workspace": {nil, "", []ask{{"a/b.go", Project, 0}, {"", Project, 0}}},
		"a slash is the whole workspace":    {[]string{"/"}, "", []ask{{"a/b.go", Project, 0}}},
		"a dot is the whole workspace":      {[]string{"./"}, "", []ask{{"a", Project, 0}}},
		"blank patterns count as none":      {[]string{"", "  "}, "", []ask{{"a", Project, 0}}},
		"a bare folder covers itself and everything below, not its sibling": {[]string{"src/api"}, "", []ask{
			{"src/api", File, 2}, {"src/api/a.ts", Folder, 2}, {"src/api/x/y/z.ts", Folder, 2},
			{"src/api-old", Outside, 0}, {"src/api-old/a.ts", Outside, 0}, {"src/ap", Outside, 0}, {"src", Outside, 0}, {"lib/src/api/a.ts", Outside, 0}}},
		"a trailing slash changes nothing for a folder": {[]string{"src/api/"}, "", []ask{
			{"src/api/a.ts", Folder, 2}, {"src/api-old/a.ts", Outside, 0}}},
		"a bare file names itself":                {[]string{"src/a.ts"}, "", []ask{{"src/a.ts", File, 2}, {"src/a.tsx", Outside, 0}, {"a.ts", Outside, 0}}},
		"a position after a file is no name":      {[]string{"src/a.ts:12:3"}, "", []ask{{"src/a.ts", File, 2}}},
		"a leading slash is the root":             {[]string{"/src"}, "", []ask{{"src/a", Folder, 1}, {"x/src/a", Outside, 0}}},
		"a leading dot slash is tolerated":        {[]string{"./src/./x//y"}, "", []ask{{"src/x/y/z", Folder, 3}}},
		"a Windows spelling is tolerated":         {[]string{`src\api`}, "", []ask{{"src/api/a", Folder, 2}}},
		"a Windows spelling may hold a glob":      {[]string{`src\api\*.ts`}, "", []ask{{"src/api/a.ts", Folder, 2}}},
		"an escape is no separator":               {[]string{`app/\[slug\]/page.tsx`}, "", []ask{{"app/[slug]/page.tsx", File, 3}, {"app/s/page.tsx", Outside, 0}}},
		"an escape in a name without slash":       {[]string{`\[slug\]`, `a\*b`}, "", []ask{{"[slug]/x", Folder, 1}, {"a*b", File, 1}, {"axb", Outside, 0}}},
		"a star covers the root only":             {[]string{"*.ts"}, "", []ask{{"a.ts", Glob, 0}, {"src/a.ts", Outside, 0}}},
		"two stars cover any depth":               {[]string{"**/*.ts"}, "", []ask{{"a.ts", Glob, 0}, {"src/x/a.ts", Glob, 0}, {"a.tsx", Outside, 0}}},
		"two stars below a folder":                {[]string{"src/**"}, "", []ask{{"src/a", Folder, 1}, {"src", Folder, 1}, {"srcx/a", Outside, 0}}},
		"a star below a folder is not the folder": {[]string{"src/*"}, "", []ask{{"src/a", Folder, 1}, {"src/a/b", Outside, 0}, {"src", Outside, 0}}},
		"a name at the end of a glob may be a folder": {[]string{"**/migrations"}, "", []ask{
			{"migrations", Glob, 0}, {"a/migrations/1.sql", Glob, 0}, {"a/b/migrations/x/1.sql", Glob, 0}, {"a/migrations-old/1.sql", Outside, 0}}},
		"a glob with a trailing slash covers what lies in the folders": {[]string{"packages/*/"}, "", []ask{
			{"packages/a/x.ts", Folder, 1}, {"packages/a/b/x.ts", Folder, 1}, {"packages/README.md", Outside, 0}}},
		"braces name several paths":    {[]string{"{apps,packages}/web"}, "", []ask{{"apps/web/x", Folder, 2}, {"packages/web", File, 2}, {"libs/web/x", Outside, 0}}},
		"braces nest and may be empty": {[]string{"src{,-{a,b}}/x.ts"}, "", []ask{{"src/x.ts", File, 2}, {"src-b/x.ts", File, 2}, {"src-c/x.ts", Outside, 0}}},
		"a class never covers a slash": {[]string{"src[!a]b"}, "", []ask{{"src/b", Outside, 0}, {"src-b", Glob, 0}}},
		"an exclusion wins whatever its order": {[]string{"!src/gen", "src", "!**/*.test.ts"}, "", []ask{
			{"src/a.ts", Folder, 1}, {"src/gen/a.ts", Outside, 0}, {"src/a.test.ts", Outside, 0}}},
		"only exclusions are the whole workspace minus them": {[]string{"!dist"}, "", []ask{
			{"a.ts", Project, 0}, {"dist/a.js", Outside, 0}, {"dist", Outside, 0}, {"dist2/a.js", Project, 0}}},
		"the closest pattern counts":              {[]string{"**/*.ts", "src", "src/api/a.ts"}, "", []ask{{"src/api/a.ts", File, 3}, {"src/api/b.ts", Folder, 1}, {"b.ts", Glob, 0}}},
		"the deeper folder counts":                {[]string{"src", "src/api"}, "", []ask{{"src/api/a", Folder, 2}}},
		"case matters":                            {[]string{"SRC/**", "**/*.TS"}, "", []ask{{"src/a.ts", Outside, 0}, {"SRC/a", Folder, 1}}},
		"dotfiles are included":                   {[]string{"**/*"}, "", []ask{{".env", Glob, 0}, {"a/.b/c", Glob, 0}}},
		"composed and decomposed letters are one": {[]string{"caf\u00e9", "**/*\u0301.md"}, "", []ask{{"cafe\u0301/x", Folder, 1}}},
		"an unknown letter stays":                 {[]string{"文档/**/*.md"}, "", []ask{{"文档/说明/a.md", Folder, 1}}},
		"a nested workspace's whole scope ends at its root": {nil, "packages/a", []ask{
			{"packages/a/x", Project, 2}, {"packages/a", Project, 2}, {"packages/ab/x", Outside, 0}, {"x", Outside, 0}}},
		"a nested workspace's patterns start at its root": {[]string{"src", "*.md", "!src/gen"}, "packages/a", []ask{
			{"packages/a/src/x", Folder, 3}, {"src/x", Outside, 0}, {"packages/a/R.md", Folder, 2}, {"packages/a/src/gen/x", Outside, 0}}},
		"a nested root with brackets is no class": {[]string{"*.md"}, "app/[id]", []ask{{"app/[id]/a.md", Folder, 2}, {"app/i/a.md", Outside, 0}}},
		"the asked path may be untidy":            {[]string{"src"}, "", []ask{{"./src/a/", Folder, 1}, {"/src/a", Folder, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseScopeAt(c.patterns, c.prefix)
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range c.asks {
				fit, depth := s.Match(a.path)
				if fit != a.fit || depth != a.depth {
					t.Errorf("Match(%q) = %v, %d, want %v, %d", a.path, fit, depth, a.fit, a.depth)
				}
			}
		})
	}
}

func TestZeroScopeCoversEverything(t *testing.T) {
	var s Scope
	if fit, depth := s.Match("a/b"); fit != Project || depth != 0 || !s.Whole() {
		t.Errorf("got %v, %d, whole %v", fit, depth, s.Whole())
	}
	if diff := cmp.Diff([]string{"p:"}, s.Keys()); diff != "" {
		t.Error(diff)
	}
}

func TestParseScopeNamesPatternAndRemedy(t *testing.T) {
	for name, c := range map[string]struct{ pattern, want string }{
		"leaves the workspace":           {"../other", `path pattern "../other" leaves the folder by ".."; patterns start at the project root and stay below it`},
		"leaves it in the middle":        {"src/../../x", `leaves the folder by ".."`},
		"leaves it out of braces":        {"src/{a,../../x}", `leaves the folder by ".."`},
		"leaves it by an escape":         {`src/\.\./x`, `leaves the folder by ".."`},
		"a Windows drive":                {`C:\proj\src`, "is an absolute Windows path; write it relative to the project root"},
		"a Windows drive with slashes":   {"c:/proj/src", "is an absolute Windows path"},
		"a Windows share":                {`\\server\share\src`, "is an absolute Windows path"},
		"the home folder":                {"~/proj/src", "lies in the home folder"},
		"an unclosed bracket":            {"photos [2024/**", `has a "[" that is never closed; close it in the same segment, or write "\[" for the character itself`},
		"an unclosed bracket at the end": {"src/[ab", `has a "[" that is never closed`},
		"an empty bracket":               {"src/[]x", `has an empty "[]"`},
		"a slash in a bracket":           {"src/[a/b]x", `has a "/" inside`},
		"an unclosed brace":              {"src/{a,b", `has a "{" that is never closed`},
		"a closing brace alone":          {"src/a}", `has a "}" without its "{"`},
		"a backslash at the end":         {`src/a\`, "has a backslash that escapes nothing"},
		"an exclusion of nothing":        {"!", "excludes nothing"},
		"an exclusion of everything":     {"!/", "excludes the whole workspace"},
		"an empty alternative":           {"{src,}", "has an alternative that names nothing"},
		"too many alternatives":          {strings.Repeat("{a,b,c,d,e,f,g,h}", 4), "spreads into more than 1,000 alternatives"},
		"braces without end":             {strings.Repeat("{a,", 900), "never closed"},
		"far too long":                   {strings.Repeat("x", 5000), "is longer than 4,096 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseScope([]string{"src", c.pattern})
			if err == nil {
				t.Fatalf("%q is accepted", c.pattern)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q\nlacks %q", err, c.want)
			}
			if !strings.HasPrefix(err.Error(), "path pattern ") || !strings.Contains(err.Error(), "; ") {
				t.Errorf("error %q names no pattern or no remedy", err)
			}
		})
	}
}

func TestSplitPatterns(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"commas with and without spaces":      {"a, b,c ,  d", []string{"a", "b", "c", "d"}},
		"empty items are skipped":             {",a,, b,,", []string{"a", "b"}},
		"nothing":                             {"  ", nil},
		"a comma in braces stays":             {"**/*.{ts,tsx},docs/**/*.md", []string{"**/*.{ts,tsx}", "docs/**/*.md"}},
		"a comma in nested braces stays":      {"{a,{b,c}},d", []string{"{a,{b,c}}", "d"}},
		"a comma in brackets stays":           {"src/[a,b].ts,x", []string{"src/[a,b].ts", "x"}},
		"an escaped comma stays":              {`a\,b,c`, []string{`a\,b`, "c"}},
		"an unclosed brace hides nothing":     {"src/{a,b", []string{"src/{a", "b"}},
		"a JSON list":                         {`["src/**", "lib/**"]`, []string{"src/**", "lib/**"}},
		"a YAML flow list":                    {"[src/**, 'lib, x/**']", []string{"src/**", "lib, x/**"}},
		"a flow list of one path":             {"[src/api]", []string{"src/api"}},
		"a YAML block list":                   {"- src\n- \"lib/**\"\n", []string{"src", "lib/**"}},
		"an empty list":                       {"[]", nil},
		"a bracket expression is no list":     {"[ab]", []string{"[ab]"}},
		"two bracket expressions are no list": {"[ab]x[cd]", []string{"[ab]x[cd]"}},
		"quotes around items":                 {`"src/**", '!src/gen'`, []string{"src/**", "!src/gen"}},
		"exclusions":                          {"src/**,!src/gen", []string{"src/**", "!src/gen"}},
		"spaces in a name stay":               {"docs/my notes/*.md", []string{"docs/my notes/*.md"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, SplitPatterns(c.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKeys(t *testing.T) {
	for name, c := range map[string]struct {
		patterns []string
		prefix   string
		want     []string
	}{
		"a bare path":               {[]string{"src/api"}, "", []string{"f:src/api"}},
		"a folder glob":             {[]string{"src/**/*.ts"}, "", []string{"d:src"}},
		"braces over folders":       {[]string{"{apps,packages}/**/*.ts"}, "", []string{"d:apps", "d:packages"}},
		"an extension":              {[]string{"**/*.test.ts", "*.{js,jsx}"}, "", []string{"e:ts", "e:js", "e:jsx"}},
		"a base name":               {[]string{"**/Makefile"}, "", []string{"b:Makefile"}},
		"a class before the ending": {[]string{"**/[ab]?.go"}, "", []string{"e:go"}},
		"a class in the ending":     {[]string{"**/*.[ch]"}, "", []string{"d:"}},
		"everything":                {[]string{"**"}, "", []string{"d:"}},
		"whole workspace":           {[]string{"!dist"}, "", []string{"p:"}},
		"whole nested workspace":    {nil, "packages/a", []string{"d:packages/a"}},
		"nested":                    {[]string{"src", "*.md"}, "packages/a", []string{"f:packages/a/src", "d:packages/a"}},
		"repeats are dropped":       {[]string{"src/*.ts", "src/*.js"}, "", []string{"d:src"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := ParseScopeAt(c.patterns, c.prefix)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, s.Keys()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPathKeys(t *testing.T) {
	want := []string{"p:", "d:", "d:src", "f:src", "b:src", "d:src/a.test.ts", "f:src/a.test.ts", "b:a.test.ts", "e:ts"}
	if diff := cmp.Diff(want, PathKeys("src/a.test.ts")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"p:", "d:"}, PathKeys("")); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsOfferThePatternThatWasMeant(t *testing.T) {
	got := map[string]string{}
	in := []string{"*.ts", "!*.md", "*", "src/**.ts", "app/[slug]/page.tsx", "src/[ab].ts", "**/*.ts", "src/*.ts", "package.json", "tailwind.config.*"}
	for _, w := range Warnings(in) {
		got[w.Pattern] = w.Suggest
		if w.Msg == "" {
			t.Errorf("%s: no text", w.Pattern)
		}
		if _, err := ParseScope([]string{w.Suggest}); err != nil {
			t.Errorf("suggestion: %v", err)
		}
	}
	want := map[string]string{"*.ts": "**/*.ts", "!*.md": "!**/*.md", "*": "/", "src/**.ts": "src/**/*.ts", "app/[slug]/page.tsx": `app/\[slug\]/page.tsx`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A hook tests some hundred scopes for every path.
func TestMatchDoesNotAllocate(t *testing.T) {
	s := mustScope(t, "src/api", "**/*.{ts,tsx}", "lib/**/x[ab]/*.go", "!**/*.test.ts", "文档/**")
	if n := testing.AllocsPerRun(100, func() {
		s.Match("src/api/deep/down/below/file.ts")
		s.Match("lib/a/b/c/xa/file.go")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	s := mustScope(b, "src/api/**/*.ts", "**/*.{ts,tsx}", "!**/*.test.ts")
	for b.Loop() {
		s.Match("src/api/deep/down/file.ts")
	}
}

func BenchmarkParseScope(b *testing.B) {
	p := []string{"src/api/**/*.ts", "lib", "!**/*.test.ts"}
	for b.Loop() {
		if _, err := ParseScope(p); err != nil {
			b.Fatal(err)
		}
	}
}

func sharesKey(s Scope, rel string) bool {
	keys := PathKeys(rel)
	return slices.ContainsFunc(s.Keys(), func(k string) bool { return slices.Contains(keys, k) })
}

func TestGlobsSpellTheScopeForAnotherMatcher(t *testing.T) {
	for name, c := range map[string]struct {
		patterns         []string
		include, exclude []string
	}{
		"the whole workspace":    {[]string{"/", "src"}, nil, nil},
		"a bare path":            {[]string{"src/api"}, []string{"src/api", "src/api/**"}, nil},
		"a glob":                 {[]string{"/src/**/*.ts", "*.md"}, []string{"src/**/*.ts", "*.md"}, nil},
		"braces":                 {[]string{"{apps,libs}/**/*.{ts,tsx}"}, []string{"apps/**/*.ts", "apps/**/*.tsx", "libs/**/*.ts", "libs/**/*.tsx"}, nil},
		"a name at the end":      {[]string{"**/migrations"}, []string{"**/migrations", "**/migrations/**"}, nil},
		"a trailing slash":       {[]string{"packages/*/"}, []string{"packages/*/**/*"}, nil},
		"escapes and commas":     {[]string{`app/\[slug\]/*`, `a\,b/**`, `**/x\[[ab]`}, []string{"app/?slug?/*", "a?b/**", "**/x?[ab]"}, nil},
		"a class with an escape": {[]string{`src/x[\]é]*\é`}, []string{"src/x?*?"}, nil},
		"a negated class":        {[]string{"src/[^a].ts"}, []string{"src/[!a].ts"}, nil},
		"exclusions come apart":  {[]string{"src", "!src/gen", "!**/*.test.ts"}, []string{"src", "src/**"}, []string{"src/gen", "src/gen/**", "**/*.test.ts"}},
		"repeats are said once":  {[]string{"src", "src/"}, []string{"src", "src/**"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			include, exclude := mustScope(t, c.patterns...).Globs()
			if diff := cmp.Diff(c.include, include); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.exclude, exclude); diff != "" {
				t.Error(diff)
			}
		})
	}
}

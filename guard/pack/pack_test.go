package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/workspace"
)

// A38: for manifests and lock files and for nothing else.
func TestWhatIsADependencyFile(t *testing.T) {
	for path, want := range map[string]string{
		"package.json": manifestFile, "web/package.json": manifestFile, `web\package.json`: manifestFile, "Package-Lock.json": lockFile,
		"go.mod": manifestFile, "go.sum": lockFile, "Cargo.lock": lockFile, "requirements-dev.txt": manifestFile, "src/App.csproj": manifestFile,
		"pyproject.toml": manifestFile, "uv.lock": lockFile, "pnpm-lock.yaml": lockFile, "build.gradle.kts": manifestFile,
		"pylock.toml": lockFile, "gems.locked": lockFile, "Manifest.toml": lockFile, "Project.toml": manifestFile, "renv.lock": lockFile, "MODULE.bazel.lock": lockFile, "infra/.terraform.lock.hcl": lockFile,
		"x.opam.locked": lockFile, "x.opam": manifestFile, "requirements/dev.txt": manifestFile, `api\requirements\base.txt`: manifestFile, "requirements.in": manifestFile, "shard.yml": manifestFile,
		"docs/requirements.txt.md": "", "notes/dev.txt": "", "src/requirements/list.go": "",
		"src/package.json.ts": "", "package.go": "", "mypackage.json": "", "tsconfig.json": "", "requirements.md": "", "file.lock": "", "lock": "", "": "",
	} {
		if got := manifest(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

func TestPrimitives(t *testing.T) {
	for name, c := range map[string]struct{ path, text, want string }{
		"eval in JavaScript":         {"a.js", "x = eval(input)", "eval"},
		"eval of the window":         {"a.js", "window.eval(x)", "window.eval"},
		"a function from text":       {"a.ts", "return new Function('a', body)", "new Function"},
		"a timer with text":          {"a.js", `setTimeout("go()", 1)`, "setTimeout"},
		"a timer with a function":    {"a.js", `setTimeout(() => go(), 1)`, ""},
		"exec in Python":             {"a.py", "exec(code)", "exec"},
		"exec of a regexp":           {"a.js", "re.exec(s); exec(s)", ""},
		"pickle":                     {"a.py", "obj = pickle.loads(data)", "pickle.load"},
		"yaml without a safe loader": {"a.py", "yaml.load(f)", "yaml.load"},
		"yaml with a safe loader":    {"a.py", "yaml.load(f, Loader=yaml.SafeLoader)", ""},
		"yaml's safe function":       {"a.py", "yaml.safe_load(f)", ""},
		"torch":                      {"a.py", "torch.load(p)", "torch.load"},
		"torch with weights only":    {"a.py", "torch.load(p, weights_only=True)", ""},
		"a model's eval":             {"a.py", "model.eval()", ""},
		"literal_eval":               {"a.py", "ast.literal_eval(s)", ""},
		"a word that ends so":        {"a.js", "retrieval(x); medieval(y)", ""},
		"a function of that name":    {"a.go", "func eval(x int) int {", ""},
		"a comment":                  {"a.js", "// never call eval(x)", ""},
		"PHP":                        {"a.php", "$x = unserialize($y);", "unserialize"},
		"PHP without classes":        {"a.php", "unserialize($y, ['allowed_classes' => false]);", ""},
		"Java":                       {"A.java", "new ObjectInputStream(in)", "ObjectInputStream"},
		"C#":                         {"A.cs", "var f = new BinaryFormatter();", "BinaryFormatter"},
		"Ruby":                       {"a.rb", "obj.instance_eval(code)", "instance_eval"},
		"a shell's eval":             {"", `set -e; eval "$CMD"`, "eval"},
		"a shell's eval in a script": {"a.sh", "if x; then eval $y; fi", "eval"},
		"a shell in a shell":         {"", `bash -c "eval $x"`, "eval"},
		"an argument":                {"", `grep -r "eval (x)" src; echo medieval eval x`, ""},
		"python in a command":        {"", `python -c "import pickle; pickle.load(open('x','rb'))"`, "pickle.load"},
		"the first of two":           {"a.py", "a = yaml.load(x)\nb = eval(y)", "yaml.load"},
		"eval in Go is a function":   {"a.go", "return eval(e.X) && eval(e.Y)", ""},
		"eval in Rust is a function": {"a.rs", "let x = eval(y);", ""},
		"a method called eval":       {"a.ts", "  async eval(ctx: Context): Promise<void> {", ""},
		"a signature called eval":    {"a.ts", "  eval(source: string): unknown;", ""},
		"eval behind a condition":    {"a.js", "if (x) { eval(y) }", "eval"},
		"eval at a line's beginning": {"a.js", "  eval(y);", "eval"},
		"prose in a string":          {"a.py", `raise ValueError("pickle.load(data) is assumed")`, ""},
		"prose with no argument":     {"a.py", "    Runs eval() on it.", ""},
		"a comment behind code":      {"a.js", "run(x) // not eval(x)", ""},
		"a comment behind Python":    {"a.py", "run(x)  # not eval(x)", ""},
		"an address is no comment":   {"a.js", "fetch(`http://a/b`); eval(x)", "eval"},
		"an import by a fixed name":  {"a.py", "__import__('json')", ""},
		"an import by any name":      {"a.py", "m = __import__(name)", "__import__"},
		"pandas":                     {"a.py", "df = pd.read_pickle(p)", "read_pickle"},
		"numpy":                      {"a.py", "np.load(p, allow_pickle=True)", "allow_pickle=True"},
		"Ruby's statement":           {"a.rb", `  eval "#{code}"`, "eval"},
		"Perl's statement":           {"a.pl", "my $r = eval $code;", "eval"},
		"Perl catches errors":        {"a.pl", "eval { run(); 1 } or die;", ""},
		"Perl asks for a module":     {"a.pm", `eval "require $mod" or next;`, ""},
		"a method of PHP's":          {"a.php", "$s->unserialize($y);", ""},
		"SnakeYAML":                  {"A.java", "new Yaml().load(in)", "new Yaml"},
		"SnakeYAML, safe":            {"A.java", "new Yaml(new SafeConstructor(o))", ""},
		"C#'s type names":            {"A.cs", "s.TypeNameHandling = TypeNameHandling.All;", "TypeNameHandling.All"},
		"Elixir":                     {"a.ex", "Code.eval_string(s)", "Code.eval_string"},
		"Erlang, safe":               {"a.erl", "binary_to_term(B, [safe])", ""},
		"Clojure":                    {"a.clj", "(eval (read-string s))", "eval"},
		"R":                          {"a.R", "eval(parse(text = s))", "eval"},
		"Lua":                        {"a.lua", "loadstring(s)()", "loadstring"},
		"Swift":                      {"a.swift", "NSKeyedUnarchiver.unarchiveObject(with: d)", "NSKeyedUnarchiver.unarchiveObject"},
		"PowerShell":                 {"a.ps1", "Invoke-Expression $cmd", "Invoke-Expression"},
		"Go's own words":             {"a.go", `s := "pickle.load(x)"; exec("x")`, ""},
		"another language's form":    {"a.py", "new Function(x)", ""},
		"a page about it":            {"a.html", "<li><code>eval(x)</code></li>", ""},
		"a script without an ending": {"bin/run", "eval $x", "eval"},
		"an unknown ending":          {"a.vim", "call eval(x)", ""},
		"nothing":                    {"a.py", "print('hello')", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, line := primitive(c.text, 0, len(c.text), c.path)
			if got != c.want || (got != "") != (line != "") {
				t.Errorf("%q (%q), want %q", got, line, c.want)
			}
		})
	}
	// Old text of the same line does not count.
	if got, _ := primitive("eval(x); y", 8, 10, "a.js"); got != "" {
		t.Errorf("old text: %q", got)
	}
}

type project struct {
	t    *testing.T
	dir  string // the git root
	call Call
}

func newProject(t *testing.T) *project {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, dir: filepath.Join(top, "work", "shop")}
	for _, d := range []string{".git", "src", "../../elsewhere"} {
		if err := os.MkdirAll(filepath.Join(p.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.call = Call{Dir: p.dir, Base: p.dir}
	return p
}

func (p *project) writes(path, text string) Call {
	c := p.call
	c.Touches = []host.Touch{{Path: path, Op: host.Edit}}
	c.Changes = []host.Change{{Path: path, New: text, Whole: true}}
	return c
}

func names(found []Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Guard+" "+f.Path+" "+f.What)
	}
	return out
}

var all = workspace.Settings{GuardDependencies: true, GuardEval: true, GuardOutside: true, GuardPlan: []string{"docs/plans"}, GuardHeader: []string{"SPDX-License-Identifier"}}

// A32: no finding, no word; off, no word.
func TestGuardsThatFindNothingOrAreOffSayNothing(t *testing.T) {
	p := newProject(t)
	if found := Look(&all, p.writes("src/a.go", "// SPDX-License-Identifier: MIT\npackage a\n")); found != nil {
		t.Errorf("found %v", names(found))
	}
	var off workspace.Settings
	if found := Look(&off, p.writes("package.json", "eval(x)")); found != nil || On(&off) || !On(&all) {
		t.Errorf("found %v", names(found))
	}
	c := p.call
	c.Touches = []host.Touch{{Path: "package.json", Op: host.Read}, {Path: "/etc/passwd", Op: host.Read}}
	if found := Look(&all, c); found != nil {
		t.Errorf("a read: %v", names(found))
	}
}

// A33: path, identifier and primitive are filled in, and the procedure named.
func TestFindingsAreFilledIn(t *testing.T) {
	p := newProject(t)
	for name, c := range map[string]struct {
		call Call
		want []string
		says []string
	}{
		"a manifest":     {p.writes(filepath.Join(p.dir, "web", "package.json"), "{}"), []string{"dependencies web/package.json manifest"}, []string{"web/package.json is a dependency manifest", "guard:dependencies"}},
		"a lock file":    {p.writes("go.sum", ""), []string{"dependencies go.sum lock file"}, []string{"never by hand"}},
		"a primitive":    {p.writes("src/a.py", "# SPDX-License-Identifier: MIT\nx = eval(s)\n"), []string{"eval src/a.py eval"}, []string{"In src/a.py this would be new: x = eval(s)", "guard:eval"}},
		"prose":          {p.writes("docs/a.md", "never use eval(x)"), nil, nil},
		"a plan":         {p.writes("PLAN.md", "1."), []string{"plan PLAN.md plan"}, []string{"docs/plans", "guard:plan"}},
		"a plan's place": {p.writes("docs/plans/release-plan.md", "1."), nil, nil},
		"no plan":        {p.writes("src/planet.md", "x"), nil, nil},
		"a header":       {p.writes("src/new.go", "package a\n"), []string{"header src/new.go SPDX-License-Identifier"}, []string{"the new file src/new.go lacks"}},
		"two":            {p.writes("setup.py", "# SPDX-License-Identifier: MIT\nexec(open('v').read())"), []string{"dependencies setup.py manifest", "eval setup.py exec"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			found := Look(&all, c.call)
			if d := cmp.Diff(c.want, names(found)); d != "" {
				t.Fatalf("-want +got\n%s", d)
			}
			for _, s := range c.says {
				if !strings.Contains(found[0].Text(), s) {
					t.Errorf("%q is missing in %q", s, found[0].Text())
				}
			}
		})
	}
}

func TestOldTextIsNoFinding(t *testing.T) {
	p := newProject(t)
	os.WriteFile(filepath.Join(p.dir, "src", "a.py"), []byte("x = eval(s)\ny = 1\n"), 0o644)
	c := p.call
	for name, tc := range map[string]struct {
		ch   host.Change
		want int
	}{
		"rewritten as it was": {host.Change{Path: "src/a.py", New: "x = eval(s)\ny = 2\n", Whole: true}, 0},
		"kept in an edit":     {host.Change{Path: "src/a.py", Old: "x = eval(s)\ny = 1", New: "x = eval(s)\ny = 2"}, 0},
		"removed":             {host.Change{Path: "src/a.py", Old: "x = eval(s)", New: "x = int(s)"}, 0},
		"added":               {host.Change{Path: "src/a.py", Old: "y = 1", New: "y = eval(t)"}, 1},
	} {
		c.Changes = []host.Change{tc.ch}
		if found := Look(&workspace.Settings{GuardEval: true, GuardHeader: []string{"x"}}, c); len(found) != tc.want {
			t.Errorf("%s: %v", name, names(found))
		}
	}
}

// A34: inside is below the git root above the call's folder.
func TestInsideIsBelowTheGitRootOfTheCallsFolder(t *testing.T) {
	p := newProject(t)
	s := workspace.Settings{GuardOutside: true}
	inner := filepath.Join(p.dir, "vendor", "lib")
	os.MkdirAll(filepath.Join(inner, "src"), 0o755)
	os.WriteFile(filepath.Join(inner, ".git"), []byte("gitdir: x\n"), 0o644) // a submodule or worktree
	other := filepath.Join(filepath.Dir(filepath.Dir(p.dir)), "elsewhere", "x.go")
	link := filepath.Join(p.dir, "out")
	linked := os.Symlink(filepath.Dir(other), link) == nil
	for name, c := range map[string]struct {
		dir, path string
		outside   bool
	}{
		"a file of the project":                 {p.dir, "src/a.go", false},
		"from a subfolder":                      {filepath.Join(p.dir, "src"), "../go.mod", false},
		"a sibling of the project":              {p.dir, "../shop-old/a.go", true},
		"another place":                         {p.dir, other, true},
		"below a root inside, a file beside it": {filepath.Join(inner, "src"), filepath.Join(p.dir, "go.mod"), true},
		"below a root inside, a file in it":     {filepath.Join(inner, "src"), "../a.go", false},
		"through a link":                        {p.dir, filepath.Join("out", "x.go"), linked},
	} {
		if name == "through a link" && !linked {
			continue
		}
		call := Call{Dir: c.dir, Base: p.dir, Touches: []host.Touch{{Path: c.path, Op: host.Create}}}
		found := Look(&s, call)
		if (len(found) == 1) != c.outside {
			t.Errorf("%s: %v", name, names(found))
		}
		if c.outside && len(found) == 1 && !strings.Contains(found[0].Text(), "guard:outside") {
			t.Error(found[0].Text())
		}
	}
}

func TestQuestions(t *testing.T) {
	ask := func(questions string) []byte {
		return []byte(`{"tool_name":"AskUserQuestion","tool_input":{"questions":[` + questions + `]}}`)
	}
	for name, c := range map[string]struct {
		payload []byte
		want    string
	}{
		"none recommended":    {ask(`{"question":"Which one?","header":"Store","options":[{"label":"SQLite"},{"label":"Postgres"}]}`), "names no option"},
		"the first":           {ask(`{"header":"Store","options":[{"label":"SQLite (Recommended)"},{"label":"Postgres"}]}`), ""},
		"in another language": {ask(`{"header":"DB","options":[{"label":"SQLite（推奨）"},{"label":"Postgres"}]}`), ""},
		"not the first":       {ask(`{"header":"Store","options":[{"label":"SQLite"},{"label":"Postgres (Recommended)"}]}`), "does not begin"},
		"one option":          {ask(`{"header":"Go on","options":[{"label":"Yes"}]}`), ""},
		"several may be true": {ask(`{"header":"Which","multiSelect":true,"options":[{"label":"a"},{"label":"b"}]}`), ""},
		"the second question": {ask(`{"header":"A","options":[{"label":"x (recommended)"},{"label":"y"}]},{"header":"B","options":[{"label":"x"},{"label":"y"}]}`), `"B" names no option`},
		"another tool":        {[]byte(`{"tool_name":"Bash","tool_input":{"questions":[{"options":[{"label":"a"},{"label":"b"}]}]}}`), ""},
		"no JSON":             {[]byte(`{`), ""},
	} {
		f, ok := Questions(c.payload)
		if ok != (c.want != "") || ok && !strings.Contains(f.Text(), c.want) {
			t.Errorf("%s: %t %q", name, ok, f.Text())
		}
	}
}

func FuzzPrimitive(f *testing.F) {
	f.Add("x = eval(y)", 0, "a.py")
	f.Add("\xff eval 'x", 3, "")
	f.Add("then eval (", 1, "a.sh")
	f.Fuzz(func(t *testing.T, text string, from int, path string) {
		if from < 0 || from > len(text) {
			return
		}
		prim, line := primitive(text, from, len(text), path)
		if prim != "" && !strings.Contains(text, prim) || prim == "" && line != "" || len([]rune(line)) > 161 {
			t.Fatalf("%q, %q", prim, line)
		}
	})
}

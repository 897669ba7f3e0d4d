package compile

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"pathrule/index/catalog"
	"pathrule/internal/managed"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// project is a temporary workspace with entries in it.
type project struct {
	t   *testing.T
	env sysenv.Env
	ws  *workspace.Workspace
	src *source
}

// source reads entries from the store the way the index does.
type source struct {
	catalog.Source // what compile must not call stays nil
	ws             *workspace.Workspace
	t              *testing.T
	extra          []catalog.Record
}

func (s *source) All(yield func(catalog.Record) bool) error {
	files, _, problems := knowledge.Walk(s.ws.Store)
	if len(problems) > 0 {
		s.t.Fatalf("walk: %+v", problems)
	}
	var recs []catalog.Record
	for _, f := range files {
		path := filepath.Join(s.ws.Store, filepath.FromSlash(f.File))
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		e, err := knowledge.ParseLines(data, f.Kind, f.ID, f.File)
		if err != nil {
			s.t.Fatalf("%s: %v", f.File, err)
		}
		recs = append(recs, catalog.Record{Kind: e.Kind, ID: e.ID, Key: s.ws.ID + "/" + e.Key(), Owner: s.ws.ID, Title: e.Title, Line: e.Line(),
			Description: e.Description, Paths: e.Paths, Priority: e.Priority, Enforcement: e.Enforcement, Hash: e.Version, File: path, BodyOffset: e.BodyOffset})
	}
	for _, r := range append(recs, s.extra...) {
		if !yield(r) {
			break
		}
	}
	return nil
}

func (s *source) Load(r catalog.Record) (catalog.Doc, error) { return catalog.LoadRecord(r) }

func newProject(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "proj")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	env := sysenv.Env{Cwd: root, UserHome: filepath.Join(dir, "home"), Vars: func(string) string { return "" }}
	ws, err := workspace.MakeStore(root, false, workspace.DirsOf(env), env)
	if err != nil {
		t.Fatal(err)
	}
	return &project{t: t, env: env, ws: ws, src: &source{ws: ws, t: t}}
}

func (p *project) write(rel, text string) {
	p.t.Helper()
	path := filepath.Join(p.ws.Root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(rel string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.ws.Root, filepath.FromSlash(rel)))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p *project) plan(o Options) []Change {
	p.t.Helper()
	changes, err := Plan(p.ws, p.src, o, p.env)
	if err != nil {
		p.t.Fatal(err)
	}
	return changes
}

func (p *project) compile(o Options) []string {
	p.t.Helper()
	changes := p.plan(o)
	if err := Apply(p.ws, changes, o, p.env); err != nil {
		p.t.Fatal(err)
	}
	return actions(changes)
}

func actions(changes []Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Action+" "+c.Path)
	}
	return out
}

// tree is every file of the project outside .pathrule, with its text.
func (p *project) tree() map[string]string {
	p.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(p.ws.Root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(p.ws.Root, path)
		if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".pathrule/") {
			out[rel] = p.read(rel)
		}
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// shop fills the project with knowledge of every kind.
func (p *project) shop() {
	p.write(".pathrule/rules/no-any.md", "---\ntitle: No any in new code\npriority: high\n---\nWrite a real type, or `unknown` and narrow it.\n")
	p.write(".pathrule/rules/changelog.md", "---\ntitle: Every change has a changelog line\n---\nOne line below \"Unreleased\".\n")
	p.write(".pathrule/rules/money.md", "---\ntitle: Money is integer cents\npaths: [src/billing, \"src/cart/**/*.ts\"]\npriority: high\nenforcement: strict\n---\n# Money is integer cents\n\nNever a float.\n\n## Why\n\n```ts\n# not a heading\nconst cents = 199\n```\n")
	p.write(".pathrule/memories/stripe-retries.md", "---\ntitle: Stripe retries need an idempotency key\npaths: src/billing, src/cart/**/*.ts\ntags: [stripe]\n---\nWe charged twice in March. <!-- ask Ann -->\nReuse the key of the first try.\n\n## Bindings\n- x\n")
	p.write(".pathrule/memories/generated.md", "---\ntitle: Generated clients are not edited\npaths: [src/api, \"!src/api/hand\"]\n---\nRun `make api`.\n")
	p.write(".pathrule/memories/release.md", "---\ntitle: Releases leave on Tuesdays\n---\nSupport is full then.\n")
	p.write(".pathrule/memories/route.md", "---\ntitle: Slug pages read the cache\npaths: ['app/\\[slug\\]/page.tsx']\n---\nNever the database.\n")
	p.write(".pathrule/memories/日本.md", "---\ntitle: 税込価格を表示する\npaths: \"文档/**/*.md\"\n---\n表示は税込。\n")
	p.write(".pathrule/skills/deploy/SKILL.md", "---\nname: Deploy\ndescription: \"Ship a version: tag, build, watch\"\n---\n# Deploy\n\n1. Tag it.\n2. `make ship`\n")
	p.write(".pathrule/skills/db/SKILL.md", "---\nname: Migrate the database\ndescription: Write and try a migration\npaths: [db]\n---\nStart with a copy.\n")
}

// Rows: P114, P115, P116, P117, P118, P143.
func TestCompiledFilesLookLikeThis(t *testing.T) {
	for _, target := range append(ruleTargets(), "skills") {
		t.Run(target, func(t *testing.T) {
			p := newProject(t)
			p.shop()
			p.compile(Options{Target: target})
			got := p.tree()
			got[".pathrule/managed.json"] = p.read(".pathrule/managed.json")
			dir := filepath.Join("testdata", "golden", target)
			if *update {
				os.RemoveAll(dir)
				for name, text := range got {
					file := filepath.Join(dir, golden(name))
					if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			want := map[string]string{}
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatalf("%v; make it with: go test ./compile -update", err)
			}
			for _, f := range files {
				b, err := os.ReadFile(filepath.Join(dir, f.Name()))
				if err != nil {
					t.Fatal(err)
				}
				want[f.Name()] = strings.ReplaceAll(string(b), "\r\n", "\n")
			}
			have := map[string]string{}
			for name, text := range got {
				have[golden(name)] = text
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s\nif this is meant: go test ./compile -update", diff)
			}
		})
	}
}

// golden flattens a path, so that no tool takes the golden files for its own.
func golden(path string) string {
	if !strings.ContainsAny(path, "/") {
		path = "root/" + path
	}
	return strings.ReplaceAll(strings.TrimPrefix(path, "."), "/", "__")
}

// ruleTargets are those that hold rules.
func ruleTargets() []string {
	return slices.DeleteFunc(Targets(), func(n string) bool { t, _ := targetOf(n); return t.skills })
}

func TestCompilingTwiceChangesNothing(t *testing.T) {
	for _, target := range Targets() {
		p := newProject(t)
		p.shop()
		o := Options{Target: target}
		for _, a := range p.compile(o) {
			if !strings.HasPrefix(a, "add ") {
				t.Errorf("first: %s", a)
			}
		}
		before, manifest := p.tree(), p.read(".pathrule/managed.json")
		for _, a := range p.compile(o) {
			if !strings.HasPrefix(a, "keep ") {
				t.Errorf("second: %s", a)
			}
		}
		if diff := cmp.Diff(before, p.tree()); diff != "" || manifest != p.read(".pathrule/managed.json") {
			t.Errorf("bytes differ: %s", diff)
		}
	}
}

func TestCheckSeesAdditionsEditsAndDeletions(t *testing.T) {
	p := newProject(t)
	p.shop()
	o := Options{Target: "windsurf"}
	p.compile(o)
	changed := func(what string, want ...string) {
		t.Helper()
		var got []string
		for _, a := range actions(p.plan(o)) {
			if !strings.HasPrefix(a, "keep ") {
				got = append(got, a)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	p.write(".pathrule/memories/new.md", "---\ntitle: New\npaths: lib\n---\nx\n")
	changed("an added entry", "add .windsurf/rules/pathrule-lib.md")
	p.compile(o)
	p.write(".pathrule/memories/new.md", "---\ntitle: New\npaths: lib\n---\ny\n")
	changed("an edited entry", "update .windsurf/rules/pathrule-lib.md")
	p.compile(o)
	if err := os.Remove(filepath.Join(p.ws.Root, ".windsurf/rules/pathrule-lib.md")); err != nil {
		t.Fatal(err)
	}
	changed("a deleted file", "add .windsurf/rules/pathrule-lib.md")
	p.compile(o)
	if err := os.Remove(filepath.Join(p.ws.Store, "memories/new.md")); err != nil {
		t.Fatal(err)
	}
	changed("a deleted entry", "remove .windsurf/rules/pathrule-lib.md")
	p.compile(o)
	if _, err := os.Stat(filepath.Join(p.ws.Root, ".windsurf/rules/pathrule-lib.md")); err == nil {
		t.Error("stale output stays")
	}
	changed("nothing")
}

// Rows: P121.
func TestHandEditedOutputIsNeverOverwrittenSilently(t *testing.T) {
	p := newProject(t)
	p.shop()
	o := Options{Target: "windsurf"}
	p.compile(o)
	const file = ".windsurf/rules/pathrule-protocol.md"
	p.write(file, p.read(file)+"my own line\n")
	edited := p.read(file)
	refused := func(want string) {
		t.Helper()
		for _, c := range p.plan(o) {
			if c.Action == Refuse {
				if c.Path != file || !strings.Contains(c.Why, want) {
					t.Errorf("refused %s: %s", c.Path, c.Why)
				}
				return
			}
		}
		t.Error("nothing is refused")
	}
	refused("was edited by hand since it was compiled")
	p.compile(o)
	p.compile(o)
	if p.read(file) != edited {
		t.Fatal("the edit is lost")
	}
	refused("--force")
	if got := p.compile(Options{Target: "windsurf", Force: true}); !slices.Contains(got, "update "+file) {
		t.Errorf("forced: %q", got)
	}
	if strings.Contains(p.read(file), "my own line") {
		t.Error("forced, but the edit stays")
	}

	// Stale output that was edited is kept as well.
	p.write(".pathrule/memories/new.md", "---\ntitle: New\npaths: lib\n---\nx\n")
	p.compile(o)
	p.write(".windsurf/rules/pathrule-lib.md", "mine now\n")
	os.Remove(filepath.Join(p.ws.Store, "memories/new.md"))
	p.compile(o)
	if p.read(".windsurf/rules/pathrule-lib.md") != "mine now\n" {
		t.Error("the edited stale file is lost")
	}
}

// Rows: F68.
func TestFilesOfOthersAreNeverTouched(t *testing.T) {
	p := newProject(t)
	p.shop()
	// A hand-written rule of the user's beside ours, and one that has our name.
	p.write(".windsurf/rules/team.md", "theirs\n")
	p.write(".windsurf/rules/pathrule-protocol.md", "theirs too\n")
	for _, force := range []bool{false, true} {
		p.compile(Options{Target: "windsurf", Force: force})
		if p.read(".windsurf/rules/team.md") != "theirs\n" || p.read(".windsurf/rules/pathrule-protocol.md") != "theirs too\n" {
			t.Fatalf("force %v: overwritten", force)
		}
	}
	p.compile(Options{Target: "windsurf", Remove: true})
	if diff := cmp.Diff(map[string]string{".windsurf/rules/team.md": "theirs\n", ".windsurf/rules/pathrule-protocol.md": "theirs too\n"}, p.tree()); diff != "" {
		t.Error(diff)
	}
}

func TestALostManifestIsFoundAgainByProvenance(t *testing.T) {
	p := newProject(t)
	p.shop()
	o := Options{Target: "windsurf"}
	p.compile(o)
	os.Remove(filepath.Join(p.ws.Store, manifestName))
	// What is current is simply ours again.
	for _, a := range p.compile(o) {
		if !strings.HasPrefix(a, "keep ") {
			t.Error(a)
		}
	}
	if _, err := os.Stat(filepath.Join(p.ws.Store, manifestName)); err != nil {
		t.Error(err)
	}
	// What is not needs --force, because it may hold an edit.
	os.Remove(filepath.Join(p.ws.Store, manifestName))
	p.write(".pathrule/rules/no-any.md", "---\ntitle: Changed\npriority: high\n---\nx\n")
	const file = ".windsurf/rules/pathrule-protocol.md"
	if got := p.compile(o); !slices.Contains(got, "refuse "+file) {
		t.Errorf("got %q", got)
	}
	if got := p.compile(Options{Target: "windsurf", Force: true}); !slices.Contains(got, "update "+file) {
		t.Errorf("got %q", got)
	}
}

// Rows: P121.
func TestAManifestThatLiesIsNotBelieved(t *testing.T) {
	p := newProject(t)
	p.write("src/main.go", "package main\n")
	p.write(".windsurf/rules/team.md", "theirs\n")
	hash := hashOf([]byte("package main\n"))
	for _, path := range []string{"src/main.go", ".windsurf/rules/../../src/main.go", ".windsurf/rules/pathrule-../../../src/main.go", ".windsurf/rules/team.md", "/etc/hosts", `.windsurf/rules/pathrule-\x.md`} {
		p.write(".pathrule/managed.json", fmt.Sprintf(`{"version":1,"files":[{"path":%q,"target":"windsurf","sha256":%q},{"path":%q,"target":"agents","sha256":%q}]}`, path, hash, path, hash))
		for _, o := range []Options{{Target: "windsurf", Remove: true, Force: true}, {Target: "agents", Remove: true, Force: true}} {
			if got := p.compile(o); len(got) != 0 {
				t.Errorf("%s: %q", path, got)
			}
		}
	}
	if p.read("src/main.go") != "package main\n" || p.read(".windsurf/rules/team.md") != "theirs\n" {
		t.Error("a file is gone")
	}
	for name, text := range map[string]string{"broken": "{", "a merge conflict": "<<<<<<< HEAD\n", "newer": `{"version":99}`} {
		p.write(".pathrule/managed.json", text)
		if _, err := Plan(p.ws, p.src, Options{Target: "windsurf"}, p.env); err == nil || !strings.Contains(err.Error(), "managed.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckoutsWithWindowsLinesAreCurrent(t *testing.T) {
	for _, target := range []string{"windsurf", "agents"} {
		p := newProject(t)
		p.shop()
		o := Options{Target: target}
		p.compile(o)
		for name, text := range p.tree() {
			p.write(name, strings.ReplaceAll(text, "\n", "\r\n"))
		}
		for _, a := range actions(p.plan(o)) {
			if !strings.HasPrefix(a, "keep ") {
				t.Errorf("%s: %s", target, a)
			}
		}
		// And they are updated, not taken for edited.
		p.write(".pathrule/rules/no-any.md", "---\ntitle: Changed\npriority: high\n---\nx\n")
		for _, c := range p.plan(o) {
			if c.Action == Refuse {
				t.Errorf("%s: %s: %s", target, c.Path, c.Why)
			}
		}
	}
}

func TestPersonalAndInheritedEntriesNeverEnterAFile(t *testing.T) {
	p := newProject(t)
	p.shop()
	secret := filepath.Join(p.ws.Root, "secret.md")
	p.write("secret.md", "---\ntitle: SECRET\n---\nSECRET\n")
	for _, owner := range []string{catalog.Personal, "0123456789abcdef"} {
		p.src.extra = append(p.src.extra, catalog.Record{Kind: knowledge.Rule, ID: "personal/x", Owner: owner, Title: "SECRET", Line: "SECRET", Priority: knowledge.High, File: secret})
	}
	for _, target := range Targets() {
		for _, c := range p.plan(Options{Target: target}) {
			if bytes.Contains(c.After, []byte("SECRET")) {
				t.Errorf("%s: %s", target, c.Path)
			}
		}
	}
}

// Rows: P113.
func TestEveryFileKeepsTheClientsLimit(t *testing.T) {
	p := newProject(t)
	long := strings.Repeat("𝄞 long text in a body that fills the room quickly. ", 60) // two UTF-16 units a sign
	for i := range 20 {
		p.write(fmt.Sprintf(".pathrule/rules/big-%02d.md", i), "---\ntitle: Big "+strings.Repeat("t", i)+"\npriority: high\n---\n"+long+"\n")
		p.write(fmt.Sprintf(".pathrule/memories/m-%02d.md", i), "---\ntitle: M\npaths: src\n---\n"+long+"\n")
		p.write(fmt.Sprintf(".pathrule/skills/s-%02d/SKILL.md", i), "---\nname: S\ndescription: "+strings.Repeat("d", 280)+"\n---\n"+strings.Repeat(long, i)+"\n")
	}
	for i := range 150 {
		p.write(fmt.Sprintf(".pathrule/memories/c-%03d.md", i), "---\ntitle: "+strings.Repeat("card ", 20)+"\n---\n"+strings.Repeat("line ", 30)+"\n")
	}
	for _, target := range ruleTargets() {
		cards, whole := 0, 0
		for _, c := range p.plan(Options{Target: target}) {
			if n := size(string(c.After)); n >= 12000 {
				t.Errorf("%s: %s has %d characters", target, c.Path, n)
			}
			for line := range bytes.Lines(c.After) {
				if bytes.HasPrefix(line, []byte("- ")) {
					cards++
				}
				if bytes.HasPrefix(line, []byte("## Rule (high)")) {
					whole++
				}
			}
			// Bodies are whole or not there.
			if n := strings.Count(string(c.After), "fills the room quickly."); n%60 != 0 && !strings.Contains(string(c.After), "- memory") && !strings.Contains(string(c.After), "- rule") {
				t.Errorf("%s: %s cuts a body", target, c.Path)
			}
		}
		if whole == 0 || cards < 60 {
			t.Errorf("%s: %d whole rules, %d lines", target, whole, cards)
		}
	}
	protocol := ""
	for _, c := range p.plan(Options{Target: "windsurf"}) {
		if strings.HasSuffix(c.Path, "pathrule-protocol.md") {
			protocol = string(c.After)
		}
	}
	if !strings.Contains(protocol, " more do not fit here; `search_knowledge` finds them.") {
		t.Error("what is left out is not said")
	}
}

func TestTheProtocolIsShort(t *testing.T) {
	text := protocolText(func(s string) string { return s })
	if n := (len(text) + 3) / 4; n > 120 {
		t.Errorf("%d tokens", n)
	}
}

// A strict YAML parser reads every head, and finds the globs that were meant.
func TestHeadsAreYAMLThatAStrictParserReads(t *testing.T) {
	p := newProject(t)
	p.shop()
	p.write(".pathrule/skills/odd/SKILL.md", "---\nname: Odd\ndescription: 'quotes \" and \\ and: colons # and 日本'\n---\nx\n")
	p.write(".pathrule/memories/star.md", "---\ntitle: Star\npaths: ['**/*.ts', '*.{js,jsx}', 'a\\,b/**', '[ab]/x']\n---\nx\n")
	p.write(".pathrule/memories/quote.md", "---\ntitle: Quote\npaths: ['say \"hi\"/x']\n---\nx\n")
	globs := map[string]bool{}
	for _, target := range []string{"windsurf", "devin-local"} {
		for _, c := range p.plan(Options{Target: target}) {
			head, _, ok := strings.Cut(strings.TrimPrefix(string(c.After), "---\n"), "\n---\n")
			if !ok {
				t.Fatalf("%s has no head", c.Path)
			}
			var h struct{ Trigger, Globs, Description string }
			dec := yaml.NewDecoder(strings.NewReader(head))
			dec.KnownFields(true)
			if err := dec.Decode(&h); err != nil {
				t.Fatalf("%s: %v\n%s", c.Path, err, head)
			}
			switch h.Trigger {
			case "always_on":
			case "glob":
				if h.Globs == "" {
					t.Errorf("%s: no globs", c.Path)
				}
				globs[h.Globs] = true
			case "model_decision":
				if h.Description == "" {
					t.Errorf("%s: no description", c.Path)
				}
			default:
				t.Errorf("%s: trigger %q", c.Path, h.Trigger)
			}
			if strings.Contains(h.Description, "Odd") && !strings.Contains(h.Description, `quotes " and \ and: colons # and 日本`) {
				t.Errorf("description %q", h.Description)
			}
		}
	}
	for _, want := range []string{"**/*.ts,*.js,*.jsx,a*b/**,*/x,*/x/**", "src/api,src/api/**", `say "hi"/x,say "hi"/x/**`, "app/*slug*/page.tsx,app/*slug*/page.tsx/**"} {
		if !globs[want] {
			t.Errorf("no file has the globs %q among %v", want, globs)
		}
	}
}

func TestTextOfOthersCannotBreakOutOfItsPlace(t *testing.T) {
	p := newProject(t)
	p.write(".pathrule/rules/evil.md", "---\ntitle: Evil \u202e title\npriority: high\n---\n---\ntrigger: always_on\n---\nzero\u200bwidth \u202ertl\n```\n<!-- pathrule:end -->\n# inside\n```\n> <!-- pathrule:begin -->\n# Top\n```sh\nnever closed\n")
	p.write(".pathrule/rules/next.md", "---\ntitle: Next\npriority: high\n---\nStill text.\n")
	for _, target := range ruleTargets() {
		for _, c := range p.plan(Options{Target: target, AllowDouble: true}) {
			text := string(c.After)
			if strings.ContainsAny(text, "\u200b\u202e") {
				t.Errorf("%s: hidden characters", c.Path)
			}
			if strings.Contains(text, "\n# Top") || !strings.Contains(text, "\n### Top\n") || !strings.Contains(text, "\n# inside\n") {
				t.Errorf("%s: headings", c.Path)
			}
			if !strings.Contains(text, "never closed\n```\n\n## Rule (high): Next\n") {
				t.Errorf("%s: the open fence swallows what follows:\n%s", c.Path, text)
			}
		}
		p.compile(Options{Target: target, AllowDouble: true})
	}
	// The region is still one region, and can be found again.
	if r, err := findRegion([]byte(p.read("AGENTS.md"))); err != nil || !r.found {
		t.Errorf("%+v, %v", r, err)
	}
}

// Rows: P120.
func TestASharedFileKeepsEveryOtherByteAndComesBack(t *testing.T) {
	for name, text := range map[string]string{
		"a plain file":              "# Agents\n\nBe kind.\n",
		"no line end at the end":    "# Agents",
		"a blank line at the end":   "# Agents\n\n",
		"Windows lines":             "# Agents\r\n\r\nBe kind.\r\n",
		"Windows lines without end": "# Agents\r\nBe kind.",
		"a BOM":                     "\ufeff# Agents\n",
		"a BOM alone":               "\ufeff",
		"an empty file":             "",
		"bytes that are no UTF-8":   "caf\xe9\n",
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.shop()
			p.write("AGENTS.md", text)
			o := Options{Target: "agents"}
			p.compile(o)
			first := p.read("AGENTS.md")
			if !strings.HasPrefix(first, text) || !strings.Contains(first, beginLine) {
				t.Errorf("got %q", first)
			}
			if strings.Contains(text, "\r\n") && strings.Count(first, "\n") != strings.Count(first, "\r\n") {
				t.Error("line ends are mixed")
			}
			p.write(".pathrule/rules/no-any.md", "---\ntitle: Changed\npriority: high\n---\nx\n")
			p.compile(o)
			p.compile(o)
			p.compile(Options{Target: "agents", Remove: true})
			if got := p.read("AGENTS.md"); got != text {
				t.Errorf("after removal %q, want %q", got, text)
			}
			if _, err := os.Stat(filepath.Join(p.ws.Store, manifestName)); err == nil {
				t.Error("the manifest stays")
			}
		})
	}
	p := newProject(t)
	p.shop()
	p.compile(Options{Target: "agents"})
	p.compile(Options{Target: "agents", Remove: true})
	if diff := cmp.Diff(map[string]string{}, p.tree()); diff != "" {
		t.Errorf("a file of ours alone stays: %s", diff)
	}
}

func TestTextAroundTheRegionMayBeEdited(t *testing.T) {
	p := newProject(t)
	p.shop()
	p.write("AGENTS.md", "# Agents\n")
	o := Options{Target: "agents"}
	p.compile(o)
	p.write("AGENTS.md", "top\n"+p.read("AGENTS.md")+"bottom\n")
	for _, a := range actions(p.plan(o)) {
		if a != "keep AGENTS.md" {
			t.Error(a)
		}
	}
	p.write(".pathrule/rules/no-any.md", "---\ntitle: Changed\npriority: high\n---\nx\n")
	p.compile(o)
	got := p.read("AGENTS.md")
	if !strings.HasPrefix(got, "top\n# Agents\n\n"+beginLine) || !strings.HasSuffix(got, endLine+"\nbottom\n") || !strings.Contains(got, "Changed") {
		t.Errorf("got %q", got)
	}
	p.compile(Options{Target: "agents", Remove: true})
	if got := p.read("AGENTS.md"); got != "top\n# Agents\nbottom\n" {
		t.Errorf("after removal %q", got)
	}
}

func TestABrokenOrEditedRegionIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ text, why string }{
		"two regions":         {beginLine + "\n" + endLine + "\n" + beginLine + "\n" + endLine + "\n", "line 3 begins a second region"},
		"a begin in a region": {beginLine + "\n" + beginLine + "\n" + endLine + "\n", "line 2 begins a second region"},
		"no end":              {"x\n" + beginLine + "\n", "never closed"},
		"no begin":            {"x\n" + endLine + "\n", "line 2 ends a region that never began"},
		"an edited region":    {beginLine + "\nmine\n" + endLine + "\n", "was edited by hand"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.shop()
			p.write("AGENTS.md", c.text)
			o := Options{Target: "agents"}
			changes := p.plan(o)
			if len(changes) != 1 || changes[0].Action != Refuse || !strings.Contains(changes[0].Why, c.why) {
				t.Errorf("got %+v", changes)
			}
			p.compile(o)
			if p.read("AGENTS.md") != c.text {
				t.Error("the file changed")
			}
		})
	}
}

func TestAFolderThatLeavesTheProjectIsRefused(t *testing.T) {
	p := newProject(t)
	p.shop()
	outside := t.TempDir()
	link := func(target, rel string) {
		t.Helper()
		path := filepath.Join(p.ws.Root, filepath.FromSlash(rel))
		os.RemoveAll(path)
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.Symlink(target, path); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
	}
	for name, c := range map[string]struct{ target, rel, why string }{
		"the rules folder": {outside, ".windsurf/rules", "leaves the project"},
		"the dot-folder":   {outside, ".windsurf", "leaves the project"},
		"a link into git":  {filepath.Join(p.ws.Root, ".git"), ".windsurf/rules", ".git"},
		"one file":         {filepath.Join(outside, "x"), ".windsurf/rules/pathrule-protocol.md", "leaves the project"},
	} {
		t.Run(name, func(t *testing.T) {
			os.RemoveAll(filepath.Join(p.ws.Root, ".windsurf"))
			os.MkdirAll(filepath.Join(p.ws.Root, ".git"), 0o755)
			link(c.target, c.rel)
			refused := false
			changes := p.plan(Options{Target: "windsurf", Force: true})
			for _, ch := range changes {
				refused = refused || ch.Action == Refuse && strings.Contains(ch.Why, c.why)
			}
			if !refused {
				t.Errorf("got %q", actions(changes))
			}
			if err := Apply(p.ws, changes, Options{Target: "windsurf", Force: true}, p.env); err != nil {
				t.Error(err)
			}
			for _, dir := range []string{outside, filepath.Join(p.ws.Root, ".git")} {
				if files, _ := os.ReadDir(dir); len(files) != 0 {
					t.Errorf("written to %s: %v", dir, files)
				}
			}
		})
	}
	// A link that stays inside is followed.
	os.RemoveAll(filepath.Join(p.ws.Root, ".windsurf"))
	os.RemoveAll(filepath.Join(p.ws.Store, manifestName))
	os.MkdirAll(filepath.Join(p.ws.Root, "config/ws"), 0o755)
	link("config/ws", ".windsurf")
	p.compile(Options{Target: "windsurf"})
	if _, err := os.Stat(filepath.Join(p.ws.Root, "config/ws/rules/pathrule-protocol.md")); err != nil {
		t.Error(err)
	}
}

func TestNothingIsWrittenOutsideTheDotFolder(t *testing.T) {
	for target, dir := range map[string]string{"windsurf": ".windsurf/rules/", "devin-local": ".devin/rules/"} {
		p := newProject(t)
		p.shop()
		p.compile(Options{Target: target})
		for name := range p.tree() {
			if !strings.HasPrefix(name, dir+"pathrule-") || strings.Contains(name[len(dir):], "/") {
				t.Errorf("%s wrote %s", target, name)
			}
		}
		p.compile(Options{Target: target, Remove: true})
		if files, _ := os.ReadDir(p.ws.Root); len(files) != 1 {
			t.Errorf("%s: left behind %v", target, files)
		}
	}
}

func TestAPrivateStoreIsNotNamedInTheProject(t *testing.T) {
	p := newProject(t)
	root := filepath.Join(filepath.Dir(p.ws.Root), "hidden")
	os.MkdirAll(root, 0o755)
	ws, err := workspace.MakeStore(root, true, workspace.DirsOf(p.env), p.env)
	if err != nil {
		t.Fatal(err)
	}
	p.ws, p.src.ws = ws, ws
	for file, text := range map[string]string{"rules/a.md": "---\ntitle: A\n---\nx\n", "skills/s/SKILL.md": "---\nname: S\ndescription: d\n---\nx\n"} {
		path := filepath.Join(ws.Store, file)
		os.MkdirAll(filepath.Dir(path), 0o700)
		os.WriteFile(path, []byte(text), 0o600)
	}
	p.compile(Options{Target: "windsurf"})
	for name, text := range p.tree() {
		if strings.Contains(text, ws.Store) || strings.Contains(text, workspace.Marker+"/") || strings.Contains(text, p.env.UserHome) {
			t.Errorf("%s names the store", name)
		}
	}
	st, err := os.Stat(filepath.Join(ws.Store, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("manifest %v", st.Mode())
	}
	if _, err := os.Stat(filepath.Join(root, workspace.Marker)); err == nil {
		t.Error("a .pathrule was made in the project")
	}
}

func TestTwoTargetsOfOneClientNeedConsent(t *testing.T) {
	p := newProject(t)
	p.shop()
	p.compile(Options{Target: "windsurf"})
	for _, target := range []string{"devin-local", "agents"} {
		_, err := Plan(p.ws, p.src, Options{Target: target}, p.env)
		if err == nil || !strings.Contains(err.Error(), "--allow-double") {
			t.Errorf("%s: %v", target, err)
		}
	}
	p.compile(Options{Target: "agents", AllowDouble: true})
	// Once allowed it stays allowed.
	p.compile(Options{Target: "agents"})
	p.compile(Options{Target: "windsurf"})
	managed, err := ManagedFiles(p.ws)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range managed {
		seen[f.Target] = true
	}
	if !seen["agents"] || !seen["windsurf"] || seen["devin-local"] {
		t.Errorf("managed %+v", managed)
	}
	// Removing one leaves the other.
	p.compile(Options{Target: "windsurf", Remove: true})
	if diff := cmp.Diff([]string{"AGENTS.md"}, slices.Collect(func(yield func(string) bool) {
		for name := range p.tree() {
			yield(name)
		}
	})); diff != "" {
		t.Error(diff)
	}
}

func TestAFileThatChangedSinceThePlanIsNotOverwritten(t *testing.T) {
	p := newProject(t)
	p.shop()
	o := Options{Target: "windsurf"}
	p.compile(o)
	p.write(".pathrule/rules/no-any.md", "---\ntitle: Changed\npriority: high\n---\nx\n")
	changes := p.plan(o)
	p.write(".windsurf/rules/pathrule-protocol.md", "edited meanwhile\n")
	err := Apply(p.ws, changes, o, p.env)
	if err == nil || !strings.Contains(err.Error(), "changed while compiling") {
		t.Errorf("got %v", err)
	}
	if p.read(".windsurf/rules/pathrule-protocol.md") != "edited meanwhile\n" {
		t.Error("overwritten")
	}
}

func TestAnOutdatedIndexIsAnError(t *testing.T) {
	p := newProject(t)
	p.shop()
	withheld := errSource{p.src, catalog.ErrWithheld}
	if _, err := Plan(p.ws, withheld, Options{Target: "windsurf"}, p.env); !errors.Is(err, catalog.ErrWithheld) || !strings.Contains(err.Error(), "pathrule index") {
		t.Errorf("got %v", err)
	}
	gone := errSource{p.src, catalog.ErrGone}
	changes, err := Plan(p.ws, gone, Options{Target: "windsurf"}, p.env)
	if err != nil || len(changes) != 1 {
		t.Errorf("entries that are gone: %q, %v", actions(changes), err)
	}
	if _, err := Plan(p.ws, p.src, Options{Target: "vim"}, p.env); err == nil || !strings.Contains(err.Error(), "windsurf, devin-local, agents") {
		t.Errorf("unknown target: %v", err)
	}
}

type errSource struct {
	*source
	err error
}

func (s errSource) Load(catalog.Record) (catalog.Doc, error) { return catalog.Doc{}, s.err }

func TestNamesAreStableAndApart(t *testing.T) {
	names := map[string]bool{}
	for _, c := range []struct {
		patterns []string
		want     string
	}{
		{[]string{"src/api"}, "pathrule-src-api"},
		{[]string{"src-api"}, "pathrule-src-api-8ce0b1"},
		{[]string{"src/api/**"}, ""},
		{[]string{"Src/Api"}, ""},
		{[]string{"protocol"}, ""},
		{[]string{"skill/x"}, ""},
		{[]string{"**/*.ts"}, ""},
		{[]string{"文档/**"}, ""},
		{[]string{".github"}, ""},
		{[]string{strings.Repeat("deep/", 50)}, ""},
		{[]string{"!dist"}, ""},
		{[]string{"src/api", "!src/api/x"}, ""},
	} {
		s, err := workspace.ParseScope(c.patterns)
		if err != nil {
			t.Fatal(err)
		}
		include, exclude := s.Globs()
		before := len(names)
		got := slug(filePrefix, include, exclude, names)
		if len(names) != before+1 {
			t.Errorf("%q: %s is taken", c.patterns, got)
		}
		if got != strings.ToLower(got) || len(got) > 90 || strings.Trim(got, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" || got == "pathrule-protocol" {
			t.Errorf("%q: %s", c.patterns, got)
		}
		if again := slug(filePrefix, include, exclude, map[string]bool{}); again != got {
			t.Errorf("%q: %s alone, %s among others", c.patterns, again, got)
		}
		if c.want != "" && got != c.want && !strings.HasPrefix(c.want, "pathrule-src-api-") {
			t.Errorf("%q: %s, want %s", c.patterns, got, c.want)
		}
	}
}

// Whatever a shared file holds: setting keeps every byte around the region,
// setting again changes nothing, and cutting gives the file back.
func FuzzRegionKeepsEveryOtherByte(f *testing.F) {
	for _, s := range []string{"", "a", "a\n", "a\r\n\r\n", "\ufeffa\r\n", beginLine + "\n" + endLine, "x\n" + beginLine + "\nold\n" + endLine + "\ny", beginLine, endLine + "\n" + beginLine, "\n\n", "\r", "a\n\r\n"} {
		f.Add([]byte(s), "new\ntext\n")
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		text = cleanBody(text, "") + "\n"
		before, err := findRegion(data)
		out, lead, err2 := setRegion(data, text)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, %v", data, err, err2)
		}
		if err != nil {
			if !errors.Is(err, managed.ErrMarkers) {
				t.Fatal(err)
			}
			return
		}
		r, err := findRegion(out)
		if err != nil || !r.found {
			t.Fatalf("%q -> %q: %+v, %v", data, out, r, err)
		}
		again, _, err := setRegion(out, text)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q: set again %q, %v", out, again, err)
		}
		if before.found {
			if !bytes.Equal(out[:r.from], data[:before.from]) || !bytes.Equal(out[r.to:], data[before.to:]) {
				t.Fatalf("%q -> %q: bytes around the region changed", data, out)
			}
			return
		}
		if !bytes.HasPrefix(out, data) {
			t.Fatalf("%q -> %q: bytes before the region changed", data, out)
		}
		back, err := cutRegion(out, lead)
		if err != nil || !bytes.Equal(back, data) {
			t.Fatalf("%q -> %q -> %q, %v", data, out, back, err)
		}
	})
}

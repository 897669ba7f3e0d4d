package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/internal/health"
	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// Every event that setup registers gets a sample that its client's own reader
// takes, so that a trial says something about the command.
func TestSamplesAreEventsOfTheirClients(t *testing.T) {
	for _, h := range host.All() {
		for _, reg := range h.Registrations() {
			sample := h.Sample(reg, "s", "/proj", "/proj/a.txt")
			ev, err := h.Decode(sample, sysenv.Env{GOOS: "linux"})
			if err != nil {
				t.Errorf("%s %s: %v", h.ID(), reg.Event, err)
				continue
			}
			if ev.RawName != reg.Event || ev.Name != reg.Canonical() || ev.Session != "s" {
				t.Errorf("%s %s: decoded %+v", h.ID(), reg.Event, ev)
			}
			// A client that names no folder leaves it to the command's own.
			if named := strings.Contains(string(sample), `"/proj"`); named != (ev.Cwd == "/proj" || slices.Contains(ev.Roots, "/proj")) {
				t.Errorf("%s %s: folder %q, %q", h.ID(), reg.Event, ev.Cwd, ev.Roots)
			}
			if ev.Name == host.PreToolUse || ev.Name == host.PostToolUse || ev.Name == host.PostToolUseFailure {
				if len(ev.Touches) != 1 || ev.Touches[0].Path != "/proj/a.txt" {
					t.Errorf("%s %s: touches %v", h.ID(), reg.Event, ev.Touches)
				}
			}
		}
	}
}

func TestUnmatchedNamesPatternsThatCoverNothing(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"src/billing/a.ts", "src/web/b.go"} {
		p := filepath.Join(root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := health.ProjectFiles(t.Context(), root)
	tests := map[string]struct {
		patterns, want []string
	}{
		"a folder that is there":                  {[]string{"src/billing"}, nil},
		"a file that is there":                    {[]string{"/src/web/b.go"}, nil},
		"a glob that covers a file":               {[]string{"**/*.ts"}, nil},
		"a glob that covers none":                 {[]string{"**/*.rb"}, []string{"**/*.rb"}},
		"a folder that is not there":              {[]string{"src/bill"}, []string{"src/bill"}},
		"the whole workspace":                     {[]string{"/"}, nil},
		"an exclusion covers nothing on purpose":  {[]string{"src", "!lib"}, nil},
		"only what is missing is named, in order": {[]string{"x", "src", "y/**"}, []string{"x", "y/**"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, files.Unmatched(tt.patterns)); diff != "" {
				t.Error(diff)
			}
		})
	}
	files = health.ProjectFiles(t.Context(), root)
	files.Partial = true
	if got := files.Unmatched([]string{"**/*.rb"}); got != nil {
		t.Errorf("a project that was not listed whole proves nothing, got %v", got)
	}
}

func TestScopeWarningsOfferWhatWasMeant(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "a.ts"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	ws := &workspace.Workspace{Root: root}
	got := ScopeWarnings(t.Context(), ws, knowledge.Entry{Paths: []string{"*.ts", "lib"}})
	if len(got) != 2 || !strings.Contains(got[0].Remedy, "**/*.ts") || !strings.Contains(got[1].Msg, `"lib" covers no file`) {
		t.Errorf("warnings %+v", got)
	}
	if got := ScopeWarnings(t.Context(), nil, knowledge.Entry{Paths: []string{"lib"}}); len(got) != 0 {
		t.Errorf("an entry of no one project cannot miss a file: %+v", got)
	}
}

func TestHelloIsFoundAmongOtherLines(t *testing.T) {
	good := `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"pathrule"}}}`
	for out, want := range map[string]bool{
		good:                 true,
		"noise\n" + good:     true,
		good + "\r\n":        true,
		"":                   false,
		"{}":                 false,
		`{"id":1,"error":1}`: false,
	} {
		if got := answersHello([]byte(out)); got != want {
			t.Errorf("answersHello(%q) = %v", out, got)
		}
	}
}

func TestTailStartsAtAWholeLine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(file, []byte("first line\nsecond\nthird\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"second", "third"}, tail(file, 16)); diff != "" {
		t.Error(diff)
	}
	if got := tail(file, 1000); len(got) != 3 {
		t.Errorf("whole file: %v", got)
	}
	if got := tail(filepath.Join(t.TempDir(), "none"), 16); got != nil {
		t.Errorf("no file: %v", got)
	}
}

func TestTheFirstFindingDecidesWhatIsNext(t *testing.T) {
	var r Report
	r.section = "x"
	r.add(OK, "fine", "")
	r.add(Note, "worth knowing", "")
	if r.Findings() != 0 {
		t.Errorf("%d findings", r.Findings())
	}
	r.add(Warn, "odd", "do this")
	r.next("pathrule init")
	r.add(Bad, "broken", "")
	r.next("pathrule sync")
	if r.Findings() != 2 || r.fix != "pathrule init" {
		t.Errorf("%d findings, next %q", r.Findings(), r.fix)
	}
}

// Outside a workspace, with a home that is not there, nothing is made.
func TestRunMakesNothing(t *testing.T) {
	home, cwd := t.TempDir(), t.TempDir()
	env := sysenv.Env{Cwd: cwd, UserHome: home, GOOS: "linux", Now: time.Now, Vars: func(n string) string {
		if n == "PATHRULE_HOME" {
			return filepath.Join(home, "pr")
		}
		return ""
	}}
	rep := Run(t.Context(), Options{Version: "test", Quick: true}, env)
	if rep.Findings() == 0 || rep.Next != "pathrule init" {
		t.Errorf("next %q, lines %+v", rep.Next, rep.Lines)
	}
	for _, l := range rep.Lines {
		if l.Text == "" || l.Section == "" {
			t.Errorf("line without words: %+v", l)
		}
		if (l.Level == Warn || l.Level == Bad) && l.Remedy == "" {
			t.Errorf("finding without a remedy: %+v", l)
		}
	}
	for _, dir := range []string{home, cwd} {
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			t.Errorf("%s holds %v", dir, entries)
		}
	}
}

// A home that cannot be made is said, for then no hook ever has an index.
func TestAHomeThatCannotBeMadeIsAFinding(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	home := t.TempDir()
	if err := os.Chmod(home, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(home, 0o700) })
	env := sysenv.Env{Cwd: t.TempDir(), UserHome: home, GOOS: "linux", Now: time.Now, Vars: func(string) string { return "" }}
	rep := Run(t.Context(), Options{Version: "test", Quick: true}, env)
	if !slices.ContainsFunc(rep.Lines, func(l Line) bool {
		return l.Level == Warn && strings.Contains(l.Text, "cannot be made: "+home+" cannot be written") && l.Remedy != ""
	}) {
		t.Errorf("%+v", rep.Lines)
	}
}

// The folder above a missing one may be missing too.
func TestTheNearestFolderAboveIsFound(t *testing.T) {
	dir := t.TempDir()
	if got := nearest(filepath.Join(dir, "a", "b", "c")); got != dir {
		t.Errorf("%s, want %s", got, dir)
	}
}

func TestWhatNoEditorOpensIsNotSentToOne(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	link := filepath.Join(dir, "link.md")
	if err := os.Symlink(write("other", "x"), link); err != nil {
		link = ""
	}
	for why, c := range map[string]struct{ file, msg, want string }{
		"UTF-16":               {write("wide.md", "\xff\xfea\x00"), "is not UTF-8", "as UTF-8 text"},
		"a link that leaves":   {link, "refused: the link leaves the workspace", "remove the link"},
		"a pattern, unmatched": {write("bad.md", "---\npaths: 'x/[y'\n---\n"), "bracket", "pathrule memory edit x"},
		"a file that is gone":  {filepath.Join(dir, "none.md"), "cannot be read", "mend "},
	} {
		if c.file == "" {
			continue // no links here
		}
		if got := mend(workspace.Problem{File: c.file, Msg: c.msg}, knowledge.Memory, "x"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", why, got)
		}
	}
}

// F17, F20, F27, F94: a client whose older releases drop a text without a word is
// named with the first release of each event that shows it; the others are not.
func TestReleasesThatHooksNeedAreTold(t *testing.T) {
	var told []string
	for _, h := range host.All() {
		c := &check{}
		c.releases(h)
		since := h.Facts().Since
		if len(since) == 0 {
			if len(c.Lines) != 0 {
				t.Errorf("%s: %+v", h.ID(), c.Lines)
			}
			continue
		}
		told = append(told, h.ID())
		if len(c.Lines) != 1 || c.Findings() != 0 || c.Lines[0].Remedy == "" {
			t.Fatalf("%s: %+v", h.ID(), c.Lines)
		}
		for _, s := range since {
			if !strings.Contains(c.Lines[0].Text, s.Event+" ("+s.Version+")") {
				t.Errorf("%s: %q lacks %s %s", h.ID(), c.Lines[0].Text, s.Event, s.Version)
			}
		}
	}
	if diff := cmp.Diff([]string{"codex", "cursor", "copilot"}, told); diff != "" {
		t.Error(diff)
	}
}

// F98: a client that reads a project's hooks only from the folder it starts in
// is named when we stand below it, unless the user's own hooks are there.
func TestAStartInASubfolderIsWarnedOf(t *testing.T) {
	root := t.TempDir()
	sub := filepath.Join(root, "src")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	hook := func(id string, scope host.Scope) inst {
		return inst{Host: id, Surface: "hooks", Scope: scope, Command: "pathrule-hook --host " + id}
	}
	for name, tc := range map[string]struct {
		cwd   string
		found []inst
		warns bool
	}{
		"below the root":               {sub, []inst{hook("gemini-cli", host.Project)}, true},
		"in the root":                  {root, []inst{hook("gemini-cli", host.Project)}, false},
		"with the user's hooks":        {sub, []inst{hook("gemini-cli", host.Project), hook("gemini-cli", host.User)}, false},
		"a client that looks upward":   {sub, []inst{hook("codex", host.Project)}, false},
		"a server is no hook":          {sub, []inst{{Host: "gemini-cli", Surface: "mcp", Scope: host.Project, Command: "pathrule mcp"}}, false},
		"nothing of the project's own": {sub, []inst{hook("gemini-cli", host.User)}, false},
	} {
		c := &check{env: sysenv.Env{Cwd: tc.cwd}, root: root}
		c.startedElsewhere(tc.found)
		if (c.Findings() == 1) != tc.warns || len(c.Lines) > 1 {
			t.Errorf("%s: %+v", name, c.Lines)
		}
		if tc.warns && !strings.Contains(c.Lines[0].Remedy, "pathrule setup gemini-cli --scope user") {
			t.Errorf("%s: %q", name, c.Lines[0].Remedy)
		}
	}
}

// T11: a text that no client takes whole is named, for it only ever comes as a
// line; a skill is offered by its name anyway.
func TestATextThatNoClientTakesIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		kind  knowledge.Kind
		body  string
		warns bool
	}{
		"a page":         {knowledge.Rule, strings.Repeat("word ", 400), false},
		"a book":         {knowledge.Rule, strings.Repeat("word ", 100_000), true},
		"a long memory":  {knowledge.Memory, strings.Repeat("word ", 100_000), true},
		"a skill's book": {knowledge.Skill, strings.Repeat("word ", 100_000), false},
	} {
		c := &check{}
		l := &health.Listing{Entries: []knowledge.Entry{{Kind: tc.kind, Body: tc.body}}, Facts: []*health.Facts{{Bytes: len(tc.body)}}}
		c.tooLong(l, 0, "/x.md", roomsOf())
		if (c.Findings() == 1) != tc.warns {
			t.Errorf("%s: %+v", name, c.Lines)
		}
	}
}

package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/setup/jsonedit"
)

// foreignHandler is another product's hook in a client's own shape.
func foreignHandler(h host.Host, line string) jsonedit.Object {
	sh := h.Shape()
	o := jsonedit.Object{}
	if sh.Type != "" {
		o = append(o, jsonedit.Member{Key: "type", Val: sh.Type})
	}
	return append(o, jsonedit.Member{Key: commandKey(sh), Val: line})
}

// foreignFile is a file of a client with hooks and servers of others, and with
// what more stands in such files.
func foreignFile(h host.Host, tg target, lines ...string) jsonedit.Object {
	h = tg.in(h)
	sh, o := h.Shape(), jsonedit.Object{}
	if !tg.hooks || sh.Key != "" {
		o = append(o, jsonedit.Member{Key: "model", Val: "x"}, jsonedit.Member{Key: "list", Val: []string{"Bash(ls)", "ü 雪"}})
	}
	if tg.hooks && sh.Version > 0 {
		o = append(o, jsonedit.Member{Key: "version", Val: sh.Version})
	}
	if tg.hooks {
		events := jsonedit.Object{}
		for i, line := range lines {
			list := []any{wanted{body: foreignHandler(h, line)}.element(sh)}
			regs := host.Standing(h.Registrations())
			event := regs[i%len(regs)].Event
			if at := slices.IndexFunc(events, func(m jsonedit.Member) bool { return m.Key == event }); at >= 0 {
				events[at].Val = append(events[at].Val.([]any), list...)
				continue
			}
			events = append(events, jsonedit.Member{Key: event, Val: list})
		}
		if sh.Key == "" {
			o = append(o, events...)
		} else {
			o = append(o, jsonedit.Member{Key: sh.Key, Val: events})
		}
	}
	if tg.mcp {
		o = append(o, jsonedit.Member{Key: h.Wiring().MCPTable, Val: jsonedit.Object{{Key: "other", Val: jsonedit.Object{{Key: "command", Val: "pathrule-mcp"}, {Key: "args", Val: []string{"mcp"}}}}}})
	}
	return o
}

// indented is a new file of the members.
func indented(o jsonedit.Object) string {
	d, err := jsonedit.Parse(nil)
	for _, m := range o {
		err = errors.Join(err, d.AddMember(m.Key, m.Val))
	}
	if err != nil {
		panic(err)
	}
	return strings.TrimSuffix(string(d.Bytes()), "\n")
}

// jsonTexts are the ways in which a client's file may be written.
func jsonTexts(h host.Host, tg target) map[string]string {
	text := indented(foreignFile(h, tg, "say done")) + "\n"
	var small bytes.Buffer
	_ = json.Compact(&small, []byte(text))
	tabs := text
	for strings.Contains(tabs, "  ") {
		tabs = strings.ReplaceAll(tabs, "  ", "\t")
	}
	return map[string]string{
		"absent":                   "(none)",
		"empty":                    "",
		"blank":                    "\n\n",
		"an empty object":          "{}",
		"an empty object, CRLF":    "{\r\n}\r\n",
		"foreign entries":          text,
		"comments":                 "// top\n" + strings.Replace(strings.TrimSuffix(text, "\n"), "{\n", "{\n  // in\n", 1) + "\n// end",
		"a trailing comma":         strings.TrimSuffix(text, "\n}\n") + ",\n}\n",
		"a byte order mark":        "\ufeff" + text,
		"CRLF":                     strings.ReplaceAll(text, "\n", "\r\n"),
		"byte order mark and CRLF": "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"),
		"no final newline":         strings.TrimSuffix(text, "\n"),
		"tabs":                     tabs,
		"minified":                 small.String(),
		"look-alikes":              indented(foreignFile(h, tg, "/opt/my-pathrule-hook.sh --host x", "/opt/pathrule/bin/other hook --host x")) + "\n",
	}
}

var tomlTexts = map[string]string{
	"absent":            "(none)",
	"empty":             "",
	"blank":             "\n\n",
	"foreign entries":   "model = \"x\" # mine\n\n[mcp_servers.other]\ncommand = \"x\"\n",
	"comments":          "# top\n\n[features]\nhooks = true # yes\n# end",
	"a byte order mark": "\ufeffa = 1\n",
	"CRLF":              "a = 1\r\n\r\n[b]\r\nc = 2\r\n",
	"no final newline":  "a = 1\n[b]\nc = 2",
	"look-alikes":       "[mcp_servers.pathrule-old]\ncommand = \"pathrule\"\nargs = [\"mcp\"]\n",
}

// texts are the ways in which one of a client's shared files may be written.
func texts(h host.Host, tg target) map[string]string {
	if tg.cfg.Format == "toml" {
		return tomlTexts
	}
	return jsonTexts(h, tg)
}

// state is every file below the home but our own folder, with its bytes.
func (w *world) state() map[string]string {
	out := map[string]string{}
	_ = filepath.Walk(w.home, func(p string, st os.FileInfo, err error) error {
		rel, _ := filepath.Rel(w.home, p)
		switch {
		case rel == ".pathrule":
			return filepath.SkipDir
		case err != nil || st.IsDir():
			out[rel+"/"] = ""
		case st.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			out[rel] = "-> " + to
		default:
			b, _ := os.ReadFile(p)
			out[rel] = st.Mode().Perm().String() + " " + string(b)
		}
		return nil
	})
	return out
}

// everywhere runs a test for every client and scope that has files of its own.
func everywhere(t *testing.T, run func(t *testing.T, h host.Host, scope host.Scope)) {
	t.Helper()
	for _, h := range host.All() {
		for _, scope := range []host.Scope{host.User, host.Project} {
			t.Run(h.ID()+"/"+string(scope), func(t *testing.T) {
				t.Parallel() // they wait for the disk
				run(t, h, scope)
			})
		}
	}
}

// A setup followed by an unsetup gives the bytes back, for every client, scope
// and way of writing (T9, E3, A19, F64, F69, P142): whatever foreign file, hook
// or look-alike stands there, it stays.
func TestLinkThenUnlinkIsTheIdentityForEveryClient(t *testing.T) {
	everywhere(t, func(t *testing.T, h host.Host, scope host.Scope) {
		w := newWorld(t)
		cases := map[string]map[string]string{}
		for _, tg := range targets(h, scope, w.root, w.env) {
			for name, text := range texts(h, tg) {
				if cases[name] == nil {
					cases[name] = map[string]string{}
				}
				cases[name][tg.cfg.Path] = text
			}
		}
		if len(cases) == 0 {
			cases["absent"] = nil
		}
		for name, files := range cases {
			for path, text := range files {
				if text != "(none)" {
					w.write(path, text)
				}
			}
			before := w.state()
			p := w.plan(Options{Scope: scope}, h.ID())
			for _, e := range p.Refused() {
				t.Fatalf("%s: refused: %s", name, e.Why)
			}
			if err := Apply(p, w.env); err != nil {
				t.Fatal(err)
			}
			for _, e := range p.Edits {
				if !strings.Contains(w.read(e.Path), "pathrule") {
					t.Errorf("%s: nothing of ours stands in %s", name, e.Path)
				}
			}
			if again := w.plan(Options{Scope: scope}, h.ID()); again.Changes() {
				t.Errorf("%s: a second setup changes:\n%s", name, differences(again, w.env))
			}
			w.unsetup(Options{Scope: scope}, h.ID())
			if diff := cmp.Diff(before, w.state()); diff != "" {
				t.Errorf("%s: came back otherwise (-before +after):\n%s", name, diff)
			}
			if p := w.unsetup(Options{Scope: scope}, h.ID()); p.Changes() {
				t.Errorf("%s: a second unsetup still finds something", name)
			}
			for path := range files {
				_ = os.Remove(path)
			}
		}
	})
}

// Our entries of an older release become one set, and then go; what others have
// in the file stays as it is (A21, A22, F49).
// Rows: E33.
func TestEntriesOfAnOlderReleaseAreTakenOverByEveryClient(t *testing.T) {
	everywhere(t, func(t *testing.T, h host.Host, scope host.Scope) {
		w := newWorld(t)
		for _, tg := range targets(h, scope, w.root, w.env) {
			if tg.cfg.Format != "json" {
				continue
			}
			foreign := foreignFile(h, tg, "say done")
			old := foreignFile(h, tg, "say done", "/old/pathrule-hook --host "+h.ID(), "/older/bin/pathrule hook --host "+h.ID())
			if tg.mcp {
				table := h.Wiring().MCPTable
				for i := range old {
					if old[i].Key == table {
						old[i].Val = append(old[i].Val.(jsonedit.Object), jsonedit.Member{Key: server, Val: jsonedit.Object{{Key: "command", Val: "/old/pathrule"}, {Key: "args", Val: []string{"mcp"}}}})
					}
				}
			}
			w.write(tg.cfg.Path, indented(old)+"\n")
			w.setup(Options{Scope: scope}, h.ID())
			got := w.read(tg.cfg.Path)
			if strings.Contains(got, "/old") {
				t.Errorf("stale entries stay:\n%s", got)
			}
			w.unsetup(Options{Scope: scope}, h.ID())
			a, b := map[string]any{}, map[string]any{}
			_ = json.Unmarshal([]byte(indented(foreign)), &a)
			if err := json.Unmarshal([]byte(w.read(tg.cfg.Path)), &b); err != nil {
				t.Fatalf("%v:\n%s", err, w.read(tg.cfg.Path))
			}
			if diff := cmp.Diff(a, b); diff != "" {
				t.Errorf("left over (-foreign +after):\n%s", diff)
			}
			_ = os.Remove(tg.cfg.Path)
		}
	})
}

// What cannot be rewritten without loss is refused with its place, for setup
// and unsetup, and not touched (F64, A22).
func TestWhatEveryClientsSetupLeavesAlone(t *testing.T) {
	everywhere(t, func(t *testing.T, h host.Host, scope host.Scope) {
		for name, damage := range map[string]func(w *world, tg target){
			"malformed":         func(w *world, tg target) { w.write(tg.cfg.Path, "{\n  \"pathrule\": [\n") },
			"a list on top":     func(w *world, tg target) { w.write(tg.cfg.Path, `["pathrule",]`) },
			"UTF-16":            func(w *world, tg target) { w.write(tg.cfg.Path, "\xff\xfe{\x00}\x00") },
			"read-only":         func(w *world, tg target) { w.write(tg.cfg.Path, ""); _ = os.Chmod(tg.cfg.Path, 0o444) },
			"a folder":          func(w *world, tg target) { w.write(filepath.Join(tg.cfg.Path, "x"), "") },
			"a link to nowhere": func(w *world, tg target) { w.link("/nowhere/pathrule", tg.cfg.Path) },
		} {
			w := newWorld(t)
			ts := targets(h, scope, w.root, w.env)
			for _, tg := range ts {
				damage(w, tg)
			}
			before := w.state()
			refused := w.plan(Options{Scope: scope}, h.ID()).Refused()
			if len(refused) != len(ts) {
				t.Errorf("%s: %d files refused, want %d", name, len(refused), len(ts))
			}
			for _, e := range refused {
				if !strings.HasPrefix(e.Why, shown(e.Path, w.env)) || !strings.Contains(e.Why, "left as it was") {
					t.Errorf("%s: the refusal is %q", name, e.Why)
				}
			}
			for _, tg := range ts {
				if got := shownText(before, w, tg.cfg.Path); got != shownText(w.state(), w, tg.cfg.Path) {
					t.Errorf("%s: %s was touched", name, tg.cfg.Path)
				}
			}
		}
	})
}

func shownText(state map[string]string, w *world, path string) string {
	rel, _ := filepath.Rel(w.home, path)
	return state[rel]
}

// A linked file stays a link, and its target gets the bytes back.
func TestEveryClientsLinkedFilesStayLinks(t *testing.T) {
	everywhere(t, func(t *testing.T, h host.Host, scope host.Scope) {
		w := newWorld(t)
		for i, tg := range targets(h, scope, w.root, w.env) {
			to := filepath.Join(w.home, "dotfiles", string(rune('a'+i)), filepath.Base(tg.cfg.Path))
			text := texts(h, tg)["foreign entries"]
			w.write(to, text)
			w.link(to, tg.cfg.Path)
		}
		before := w.state()
		w.setup(Options{Scope: scope}, h.ID())
		w.unsetup(Options{Scope: scope}, h.ID())
		if diff := cmp.Diff(before, w.state()); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

func (w *world) link(to, path string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		w.t.Skip("no symlinks here: ", err)
	}
}

// Every handler carries a time-out in its client's unit (F10, F11, E34, T10),
// and a committed file no folder of this machine.
func TestWhatEveryClientsSetupWritesIsComplete(t *testing.T) {
	everywhere(t, func(t *testing.T, h host.Host, scope host.Scope) {
		w := newWorld(t)
		w.env = w.env.With("PATH", w.bin)
		p := w.setup(Options{Scope: scope, SessionEnd: true}, h.ID())
		for _, e := range p.Edits {
			if text := w.read(e.Path); scope == host.Project && (strings.Contains(text, w.home) || strings.Contains(text, w.bin)) {
				t.Errorf("%s names a folder of this machine:\n%s", e.Path, text)
			}
		}
		list, err := Inspect(w.root, w.env)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, in := range list {
			if in.Host != h.ID() {
				t.Errorf("%s appears although only %s was set up: %+v", in.Host, h.ID(), in)
				continue
			}
			if in.Problem != "" {
				t.Errorf("%s: %s", in.Path, in.Problem)
			}
			if in.Surface != Hooks || in.Own {
				continue
			}
			n++
			if sh := h.Shape(); sh.Timeout != "" {
				low, high := 1, 10
				if sh.Millis {
					low, high = 1000, 10000
				}
				if in.Timeout < low || in.Timeout > high {
					t.Errorf("%s: the time-out is %d", in.Event, in.Timeout)
				}
			}
		}
		regs := host.Standing(h.Registrations())
		if _, ok := h.HookFile(scope, w.root, w.env); ok && n != len(regs) {
			t.Errorf("%d hooks stand there, want %d", n, len(regs))
		}
	})
}

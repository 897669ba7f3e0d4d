// Command docgen writes the tables in docs/ that exist in code, between
// markers, so that they cannot drift. It prints no dates and no paths of the
// machine it runs on.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pathrule/compile"
	"pathrule/guard/hookfile"
	"pathrule/guard/userhooks"
	"pathrule/host"
	"pathrule/internal/sysenv"
)

func main() {
	if err := run("."); err != nil {
		fmt.Fprintln(os.Stderr, "docgen: error:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	if err := Fill(filepath.Join(root, "docs", "compile.md"), map[string]string{"targets": targets()}); err != nil {
		return err
	}
	if err := Fill(filepath.Join(root, "docs", "hooks.md"), map[string]string{"wired": wired(), "left": left()}); err != nil {
		return err
	}
	return Fill(filepath.Join(root, "docs", "hosts.md"), map[string]string{
		"clients": clients(), "events": events(), "files": files(), "moments": moments(), "evidence": evidence(), "notes": notes(),
		"switches": switches(),
	})
}

// Fill replaces what stands between "<!-- NAME: generated -->" and
// "<!-- /NAME -->" in file.
func Fill(file string, parts map[string]string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for name, text := range parts {
		begin, end := []byte("<!-- "+name+": generated -->\n"), []byte("<!-- /"+name+" -->")
		i := bytes.Index(b, begin)
		j := bytes.Index(b, end)
		if i < 0 || j < i {
			return fmt.Errorf("%s: no markers for %q", file, name)
		}
		b = append(append(append([]byte{}, b[:i+len(begin)]...), text...), b[j:]...)
	}
	return os.WriteFile(file, b, 0o644)
}

// wired is what each client does of each event that a hook can be for.
func wired() string {
	var sb strings.Builder
	sb.WriteString("| event |")
	for _, h := range host.All() {
		sb.WriteString(" " + h.ID() + " |")
	}
	sb.WriteString("\n| --- |" + strings.Repeat(" --- |", len(host.All())) + "\n")
	for _, e := range hookfile.Catalogue {
		if e.Of != "" || e.From == "" {
			continue
		}
		sb.WriteString("| `" + e.Name + "` |")
		for _, h := range host.All() {
			w := userhooks.WiringOf(e, h)
			var can []string
			for _, c := range []struct {
				is   bool
				word string
			}{{w.Context, "tell"}, {w.Deny, "deny"}, {w.Ask, "ask"}, {w.Wired && !w.Context && !w.Deny && !w.Ask, "yes"}, {!w.Wired, "-"}} {
				if c.is {
					can = append(can, c.word)
				}
			}
			cell := strings.Join(can, ", ")
			if w.AtEnd {
				cell += " †"
			} else if w.OnDemand {
				cell += " *"
			}
			sb.WriteString(" " + cell + " |")
		}
		sb.WriteString("\n")
	}
	return sb.String()
}

// left are the events that clients have and setup leaves alone.
func left() string {
	var sb strings.Builder
	sb.WriteString("| client | event | why not |\n| --- | --- | --- |\n")
	for _, h := range host.All() {
		var names []string
		list := h.Facts().Left
		for i, l := range list {
			names = append(names, "`"+string(l.Event)+"`")
			if i+1 == len(list) || list[i+1].Why != l.Why {
				fmt.Fprintf(&sb, "| %s | %s | %s |\n", h.Title(), strings.Join(names, ", "), l.Why)
				names = nil
			}
		}
	}
	return sb.String()
}

func targets() string {
	var sb strings.Builder
	sb.WriteString("| target | writes | loaded by | room in a file |\n| --- | --- | --- | --- |\n")
	for _, t := range compile.Describe() {
		var readers []string
		for _, r := range t.Readers {
			if r.Else {
				r.Title += " (without a file of its own)"
			}
			readers = append(readers, r.Title)
		}
		fmt.Fprintf(&sb, "| `%s` | %s: %s | %s | %s |\n", t.Name, t.About, code(t.Files), strings.Join(readers, ", "), t.Limit)
	}
	return sb.String()
}

func clients() string {
	var sb strings.Builder
	sb.WriteString("| client | `--host` | also | cap of one context | tools are called | trust |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, h := range host.All() {
		room := rooms(h)
		trust := "-"
		if h.Wiring().Trust {
			trust = "each hook once, in the client"
		}
		if n := h.Wiring().TrustNote; n != "" {
			trust = cell(n)
		}
		fmt.Fprintf(&sb, "| %s | `%s` | %s | %s | `%s` | %s |\n", h.Title(), h.ID(), code(h.Aliases()), room, h.Tool("get_context"), trust)
	}
	return sb.String()
}

// rooms are a client's caps: the one of most events, then those that differ.
func rooms(h host.Host) string {
	if !hears(h) {
		return "-"
	}
	one := func(c host.Cap) string {
		if c.Max == 0 {
			return "none known: `load.max_tokens`"
		}
		return fmt.Sprintf("%d %s", c.Max, map[host.Unit]string{host.UTF16: "UTF-16 units", host.Token4: "tokens (bytes/4)", host.Bytes: "bytes"}[c.Unit])
	}
	out := []string{one(h.Cap(host.UserPromptSubmit))}
	for _, r := range h.Registrations() {
		if c := one(h.Cap(r.Canonical())); r.Speaks && c != out[0] {
			out = append(out, "`"+r.Event+"` "+c)
		}
	}
	return strings.Join(out, "; ")
}

// hears reports whether any text of a hook reaches the client's model.
func hears(h host.Host) bool {
	for _, r := range host.Standing(h.Registrations()) {
		if r.Speaks {
			return true
		}
	}
	return false
}

// switches are the settings that silence our hooks; doctor looks for them.
func switches() string {
	var sb strings.Builder
	sb.WriteString("| client | setting | where |\n| --- | --- | --- |\n")
	for _, h := range host.All() {
		w := h.Wiring()
		for _, s := range w.Off {
			where := "its hook file"
			switch s.File {
			case "hooks":
			case "mcp":
				where = "its MCP file"
			default:
				where = "`" + s.File + "` beside its hook file"
			}
			fmt.Fprintf(&sb, "| %s | `%s: %t` | %s |\n", h.Title(), strings.Join(s.Path, "."), s.Off, where)
		}
		for _, l := range w.OffNames {
			fmt.Fprintf(&sb, "| %s | `%s` holds `%s` | its hook file |\n", h.Title(), strings.Join(l.Path, "."), l.Name)
		}
	}
	return sb.String()
}

func events() string {
	var sb strings.Builder
	sb.WriteString("| client | event | matcher | program | time-out | reaches the model |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, h := range host.All() {
		if len(host.Standing(h.Registrations())) == 0 {
			fmt.Fprintf(&sb, "| %s | none: no hook of this client reaches the model | | | | `pathrule compile %s` |\n", h.Title(), h.Wiring().Compile)
		}
		for _, r := range h.Registrations() {
			matcher := ""
			if r.Matcher != "" {
				matcher = "`" + strings.ReplaceAll(r.Matcher, "|", "\\|") + "`"
			}
			speaks := "book-keeping, always empty"
			switch {
			case r.Check && r.Event == string(host.Stop):
				speaks = "only that a required check has not passed"
			case r.Speaks:
				speaks = "yes"
			case r.Guard:
				speaks = "only a refusal"
			case r.Hook:
				speaks = "what your hooks decide, where it can"
			}
			event := r.Event
			if r.Canonical() == host.SessionEnd && !r.Hook {
				event += " (only with `setup --session-end`)"
			}
			if r.Guard {
				event += " (only while a block is approved)"
			}
			if r.Check {
				event += " (only while a check is approved)"
			}
			if r.Hook {
				event += " (only while a hook of yours is for it)"
			}
			if r.Native {
				event += " (only while `hooks.path_rules` is native or both)"
			}
			timeout := "-"
			if r.Timeout > 0 {
				timeout = fmt.Sprintf("%d s", r.Timeout)
			}
			if h.Shape().Millis {
				timeout = fmt.Sprintf("%d ms", r.Timeout)
			}
			fmt.Fprintf(&sb, "| %s | %s | %s | `%s` | %s | %s |\n", h.Title(), event, matcher, r.Program, timeout, speaks)
		}
	}
	return sb.String()
}

// files shows each client's files for a user whose home is ~ and a project in
// the current folder.
func files() string {
	const home, root = "/HOME", "/PROJECT"
	env := sysenv.Env{UserHome: home, GOOS: "linux"}
	show := func(f host.ConfigFile, ok bool) string {
		if !ok {
			return "-"
		}
		p := filepath.ToSlash(f.Path)
		return "`" + strings.Replace(strings.Replace(p, home, "~", 1), root+"/", "", 1) + "`"
	}
	var sb strings.Builder
	sb.WriteString("| client | hooks, user | hooks, project | MCP, user | MCP, project |\n| --- | --- | --- | --- | --- |\n")
	for _, h := range host.All() {
		hu, hp := "-", "-"
		if len(host.Standing(h.Registrations())) > 0 {
			hu, hp = show(h.HookFile(host.User, root, env)), show(h.HookFile(host.Project, root, env))
		}
		argv := []string{"pathrule-hook"}
		for _, o := range h.OwnFiles(host.User, root, argv, env) {
			hu = show(host.ConfigFile{Path: o.Path}, true)
		}
		for _, o := range h.OwnFiles(host.Project, root, argv, env) {
			hp = show(host.ConfigFile{Path: o.Path}, true)
		}
		fmt.Fprintf(&sb, "| %s | %s | %s | %s | %s |\n", h.Title(), hu, hp,
			show(h.MCPFile(host.User, root, env)), show(h.MCPFile(host.Project, root, env)))
	}
	return sb.String()
}

// moments say where each text stands in what the model gets.
func moments() string {
	var sb strings.Builder
	sb.WriteString("| client | text | event | where it stands |\n| --- | --- | --- | --- |\n")
	for _, h := range host.All() {
		for _, m := range h.Facts().Moments {
			event := "-"
			if m.Event != "" {
				event = "`" + m.Event + "`"
			}
			fmt.Fprintf(&sb, "| %s | %s | %s | %s |\n", h.Title(), m.Channel, event, cell(m.Place))
		}
	}
	return sb.String()
}

// evidence says which release a contract was taken from and how a refusal is
// told.
func evidence() string {
	var sb strings.Builder
	sb.WriteString("| client | release | evidence | a refusal | also runs the hooks of | rule files |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, h := range host.All() {
		f := h.Facts()
		seen := "documentation, source, recorded payloads"
		if f.Seen {
			seen = "seen on the real client"
		}
		deny, runs := "none", "-"
		if f.Deny != "" {
			deny = cell(f.Deny)
		}
		if len(f.Runs) > 0 {
			runs = code(f.Runs)
			if f.Off != "" {
				runs += ": " + cell(f.Off)
			}
		}
		rules := code(h.Wiring().Loads)
		if rules == "" {
			rules = "-"
		}
		fmt.Fprintf(&sb, "| %s | %s | %s | %s | %s | %s |\n", h.Title(), cell(f.Version), seen, deny, runs, rules)
	}
	return sb.String()
}

// notes are what a person has to know or to do by hand.
func notes() string {
	var sb strings.Builder
	for _, h := range host.All() {
		if n := h.Facts().Note; n != "" {
			fmt.Fprintf(&sb, "- **%s.** %s\n", h.Title(), n)
		}
	}
	return sb.String()
}

// cell keeps a text inside one cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func code(all []string) string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = "`" + a + "`"
	}
	return strings.Join(out, ", ")
}

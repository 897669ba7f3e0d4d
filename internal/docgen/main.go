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
	return Fill(filepath.Join(root, "docs", "hosts.md"), map[string]string{"clients": clients(), "events": events(), "files": files()})
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

func clients() string {
	var sb strings.Builder
	sb.WriteString("| client | `--host` | also | cap of one context | tools are called | trust |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, h := range host.All() {
		c := h.Cap(host.UserPromptSubmit)
		room := "-"
		if c.Max > 0 {
			room = fmt.Sprintf("%d %s", c.Max, map[host.Unit]string{host.UTF16: "UTF-16 units", host.Token4: "tokens (bytes/4)"}[c.Unit])
		}
		trust := "-"
		if h.Wiring().Trust {
			trust = "each hook once, in the client"
		}
		fmt.Fprintf(&sb, "| %s | `%s` | %s | %s | `%s` | %s |\n", h.Title(), h.ID(), code(h.Aliases()), room, h.Tool("get_context"), trust)
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
			case r.Speaks:
				speaks = "yes"
			case r.Guard:
				speaks = "only a refusal; registered while an approved block or check needs it"
			}
			event := r.Event
			if event == string(host.SessionEnd) {
				event += " (only with `setup --session-end`)"
			}
			if r.Native {
				event += " (only while `hooks.path_rules` is native or both)"
			}
			fmt.Fprintf(&sb, "| %s | %s | %s | `%s` | %d | %s |\n", h.Title(), event, matcher, r.Program, r.Timeout, speaks)
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
		fmt.Fprintf(&sb, "| %s | %s | %s | %s | %s |\n", h.Title(), hu, hp,
			show(h.MCPFile(host.User, root, env)), show(h.MCPFile(host.Project, root, env)))
	}
	return sb.String()
}

func code(all []string) string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = "`" + a + "`"
	}
	return strings.Join(out, ", ")
}

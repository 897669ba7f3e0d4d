package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/host"
	"pathrule/setup"
)

// tryCommands runs each registered command as its client would, with a sample
// event from an empty folder: it must start, say nothing and exit 0. Nothing of
// the person's own state is touched, since no workspace governs that folder.
func (c *check) tryCommands(ctx context.Context, found []setup.Installed) {
	dir, err := os.MkdirTemp("", "pathrule-doctor-")
	if err != nil {
		c.add(Note, "the registered commands were not tried: "+err.Error(), "")
		return
	}
	defer os.RemoveAll(dir)
	type tried struct {
		n       int
		slowest time.Duration
		failed  bool
	}
	byHost, order := map[string]*tried{}, []string{}
	done := map[string]bool{}
	for _, in := range found {
		for _, in := range trials(in) {
			if c.ofProject(in) {
				own, ok := c.asOurs(in)
				if !ok {
					c.at(Note, in.Path, in.Line, titleOf(in.Host)+": this command was not tried, because the file belongs to the project and says more than pathrule's own words", "look at it yourself")
					continue
				}
				in = own
			}
			key := in.Host + "\x00" + in.Event + "\x00" + in.Command + "\x00" + strings.Join(in.Argv, "\x00")
			if len(in.Argv) == 0 || done[key] {
				continue
			}
			done[key] = true
			t := byHost[in.Host]
			if t == nil {
				t = &tried{}
				byHost[in.Host], order = t, append(order, in.Host)
			}
			t.n++
			what, out, bad := c.try(ctx, in, dir)
			t.slowest = max(t.slowest, out.Took)
			if bad != "" {
				t.failed = true
				c.at(Bad, in.Path, in.Line, fmt.Sprintf("%s: the command for %s does not work: %s", titleOf(in.Host), what, bad), "pathrule repair")
				c.next("pathrule repair")
			}
		}
	}
	for _, h := range order {
		if t := byHost[h]; !t.failed {
			c.add(OK, fmt.Sprintf("%s: %s, the slowest in %s", titleOf(h), count(t.n, "registered command starts and exits 0", "registered commands start and exit 0"), ms(t.slowest)), "")
		}
	}
}

// ofProject reports an entry of a file that came with the project: whoever wrote
// it must not get a program started because a person asked how things stand.
func (c *check) ofProject(in setup.Installed) bool {
	return in.Scope == host.Project || c.root != "" && within(c.root, in.Path)
}

func within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

// asOurs is a project's entry with this installation's own program in the place
// of the one that it names, without a shell and without its variables. ok is
// false when its arguments are not those that setup writes.
func (c *check) asOurs(in setup.Installed) (out setup.Installed, ok bool) {
	if len(in.Argv) == 0 || c.env.Executable == "" {
		return in, false
	}
	args := in.Argv[1:]
	program := c.env.Executable
	if in.Surface == setup.MCP {
		if len(args) != 1 || args[0] != "mcp" {
			return in, false
		}
	} else {
		if len(args) > 0 && args[0] == "hook" {
			args = args[1:]
		}
		for i := 0; i < len(args); i++ {
			name, value, joined := strings.Cut(args[i], "=")
			if !joined {
				if i++; i == len(args) {
					return in, false
				}
				value = args[i]
			}
			if name != "--host" && name != "--event" || strings.HasPrefix(value, "-") {
				return in, false
			}
		}
		args = append([]string{"hook"}, args...)
		if hook := HookProgram(c.env); hook != "" {
			program, args = hook, args[1:]
		}
	}
	out = in
	out.Argv, out.Shell, out.Env = append([]string{program}, args...), false, nil
	return out, true
}

// trials are the commands behind one registration: a file of our own serves
// every event of its client.
func trials(in setup.Installed) []setup.Installed {
	h, ok := host.ByName(in.Host)
	if !in.Own || !ok || len(in.Argv) == 0 {
		return []setup.Installed{in}
	}
	var out []setup.Installed
	for _, r := range host.Standing(h.Registrations()) {
		one := in
		one.Event = r.Event
		if r.NameEvent && !slices.Contains(in.Argv, "--event") {
			one.Argv = append(slices.Clip(in.Argv), "--event", r.Event)
		}
		out = append(out, one)
	}
	return out
}

func titleOf(id string) string {
	if h, ok := host.ByName(id); ok {
		return h.Title()
	}
	return id
}

// try runs one command from an empty folder; bad says what it does wrong.
func (c *check) try(ctx context.Context, in setup.Installed, dir string) (what string, out setup.Outcome, bad string) {
	var err error
	what = in.Event
	if in.Surface == setup.MCP {
		what = "MCP server"
		out, err = setup.RunRegistered(ctx, in, []byte(mcpHello), dir, 10*time.Second, c.env)
		if err == nil && !answersHello(out.Stdout) {
			bad = "it does not answer initialize"
		}
	} else {
		out, err = setup.RunRegistered(ctx, in, sampleOf(in, dir), dir, 10*time.Second, c.env)
		if err == nil && len(strings.TrimSpace(string(out.Stdout))) > 0 {
			bad = "it printed " + short(out.Stdout) + " where it must be silent"
		}
	}
	switch {
	case err != nil:
		bad = err.Error()
	case out.TimedOut:
		bad = "it did not end within 10 s"
	case out.Exit != 0:
		bad = fmt.Sprintf("it exits %d", out.Exit)
		if e := short(out.Stderr); e != "" {
			bad += ": " + e
		}
	}
	return what, out, bad
}

const mcpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pathrule-doctor","version":"1"}}}` + "\n"

// answersHello reports that some line is the answer to initialize.
func answersHello(out []byte) bool {
	for l := range strings.Lines(string(out)) {
		var m struct {
			ID     int
			Result struct {
				ServerInfo struct{ Name string } `json:"serverInfo"`
			}
		}
		if json.Unmarshal([]byte(l), &m) == nil && m.ID == 1 && m.Result.ServerInfo.Name != "" {
			return true
		}
	}
	return false
}

// short is the first line of some output, for a message.
func short(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if r := []rune(line); len(r) > 120 {
		line = string(r[:120]) + "…"
	}
	return line
}

// sampleOf is an event as the entry's client sends it, for the folder dir.
func sampleOf(in setup.Installed, dir string) []byte {
	h, ok := host.ByName(in.Host)
	if !ok {
		return nil
	}
	for _, r := range h.Registrations() {
		if r.Event == in.Event {
			return h.Sample(r, "pathrule-doctor", dir, filepath.Join(dir, "app.txt"))
		}
	}
	// An event that we no longer register is answered all the same.
	return h.Sample(host.Registration{Event: in.Event}, "pathrule-doctor", dir, filepath.Join(dir, "app.txt"))
}

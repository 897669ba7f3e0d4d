package compile

import (
	"fmt"
	"slices"

	"pathrule/host"
)

// Reader is one client that loads a target's files by itself.
type Reader struct {
	Title string
	// Else: only while another file of its own is absent.
	Else bool
}

// others are clients that have rule files and no file in package host. Zed
// takes the first of several names, of which .rules comes first.
var others = []struct {
	title string
	loads []string
	maybe []string
}{
	{"Zed", []string{"zed"}, []string{"agents", "claude", "gemini", "copilot"}},
}

// client is one client with what it loads.
type client struct {
	id, title    string
	loads, maybe []string
}

// clients are all that load files of ours, in the order of the table of clients.
func clients() []client {
	var out []client
	for _, h := range host.All() {
		w := h.Wiring()
		out = append(out, client{h.ID(), h.Title(), w.Loads, w.LoadsElse})
	}
	for _, c := range others {
		out = append(out, client{"", c.title, c.loads, c.maybe})
	}
	return out
}

// readersOf are the clients that load a target.
func readersOf(name string) []Reader {
	var out []Reader
	for _, c := range clients() {
		if slices.Contains(c.loads, name) {
			out = append(out, Reader{Title: c.title})
		} else if slices.Contains(c.maybe, name) {
			out = append(out, Reader{Title: c.title, Else: true})
		}
	}
	return out
}

// loadsOf is what a client loads, by its id.
func loadsOf(id string) []string {
	for _, c := range clients() {
		if c.id == id && id != "" {
			return c.loads
		}
	}
	return nil
}

func describe() []Target {
	var out []Target
	for i := range targetTable {
		t := &targetTable[i]
		d := Target{Name: t.name, About: t.about, Host: t.host, Readers: readersOf(t.name), Skills: t.skills}
		if t.file != "" {
			d.Files = append(d.Files, t.file)
		}
		if t.nested {
			d.Files = append(d.Files, "<folder>/"+t.file)
		}
		switch {
		case t.skills:
			d.Files = append(d.Files, t.dir+"/<skill>/")
			d.Limit = fmt.Sprintf("%d files, 1 MiB together, 256 KiB each", maxSkillFiles)
		case t.single:
			d.Files = append(d.Files, t.dir+"/<id>.md")
		case t.dir != "":
			for _, h := range t.heads {
				d.Files = append(d.Files, t.dir+"/"+t.prefix+"*"+h.ext)
			}
		}
		if t.limit.Max > 0 {
			d.Limit = fmt.Sprintf("%d %s", t.limit.Max, map[host.Unit]string{host.UTF16: "characters", host.Bytes: "bytes"}[t.limit.Unit])
		}
		out = append(out, d)
	}
	return out
}

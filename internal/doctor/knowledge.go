package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"pathrule/guard/approval"
	"pathrule/host"
	"pathrule/internal/health"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/workspace"
)

// maxLines is how many findings of one kind are told one by one.
const maxLines = 20

func (c *check) knowledge(ctx context.Context) {
	if c.ws == nil {
		return
	}
	var err error
	if c.read, err = health.Read(c.ws, c.env); err != nil {
		c.add(Bad, err.Error(), "")
		return
	}
	c.entries(&c.read.Own, c.ws.Root)
	if c.read.Personal.Store != nil {
		c.entries(&c.read.Personal, "")
	}
	c.health(ctx)
	c.proposals()
}

// proposals are writes of assistants that wait for a person.
func (c *check) proposals() {
	n := 0
	for ws := c.ws; ws != nil; ws = ws.Outer {
		all, problems := inbox.List(c.dirs, ws.ID)
		n += len(all)
		for _, p := range problems {
			c.problem(p)
		}
	}
	if n > 0 {
		c.add(Note, count(n, "proposal waits", "proposals wait")+" for a person", "pathrule review")
	}
}

// entries looks at every entry of a store; root "" is the personal store, whose
// paths belong to no one project.
func (c *check) entries(l *health.Listing, root string) {
	s, entries, problems := l.Store, l.Entries, l.Problems
	if root == "" && len(entries)+len(problems) == 0 {
		return
	}
	n := map[knowledge.Kind]int{}
	for _, e := range entries {
		n[e.Kind]++
	}
	where := ""
	if root == "" {
		where = " (personal)"
	}
	c.add(OK, count(n[knowledge.Memory], "memory", "memories")+", "+count(n[knowledge.Rule], "rule", "rules")+", "+count(n[knowledge.Skill], "skill", "skills")+where, "")
	for i, p := range problems {
		if i == maxLines {
			c.add(Warn, fmt.Sprintf("… and %d more like these", len(problems)-i), "pathrule index names them all")
			break
		}
		if p.File != "" && !filepath.IsAbs(p.File) {
			p.File = filepath.Join(root, filepath.FromSlash(p.File))
		}
		c.problem(p)
		if rel, err := filepath.Rel(s.Dir(), p.File); err == nil {
			if kind, id, ok := knowledge.Ident(filepath.ToSlash(rel)); ok && !p.Warning {
				c.next(mend(p, kind, id))
			} else if ok && c.later == "" {
				c.later = mend(p, kind, id)
			}
		}
	}
	at := approval.PersonalPlace(c.dirs)
	if root != "" {
		at = approval.PlaceOf(c.ws)
	}
	c.approvals(s, at, entries)
	rooms := roomsOf()
	for i := range entries {
		e := &entries[i]
		file := s.Path(*e)
		if e.Waits() {
			c.at(Note, file, 0, "strict, waiting for a person; it counts as advisory until then", e.MakeStrict())
		}
		c.tooLong(l, i, file, rooms)
		c.disguised(l.Facts[i], file)
	}
}

// mend is what to do about a file that holds no usable entry: what no editor
// of ours can open is not sent there.
func mend(p workspace.Problem, kind knowledge.Kind, id string) string {
	if st, err := os.Lstat(p.File); err == nil && st.Mode()&os.ModeSymlink != 0 && strings.Contains(p.Msg, "link") {
		return "remove the link " + p.File + " or copy the file in its place, then: pathrule doctor"
	}
	raw, err := regular.Read(p.File)
	switch {
	case err != nil:
		return "mend " + p.File + " (" + p.Msg + "), then: pathrule doctor"
	case !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0:
		return "save " + p.File + " as UTF-8 text, then: pathrule doctor"
	case len(raw) > knowledge.MaxFile:
		return "split " + p.File + ", then: pathrule doctor"
	}
	return "pathrule " + string(kind) + " edit " + id
}

// roomsOf is what each client takes with one prompt.
func roomsOf() []host.Cap {
	var rooms []host.Cap
	for _, h := range host.All() {
		room := h.Cap(host.UserPromptSubmit)
		if len(host.Standing(h.Registrations())) > 0 && room.Max > 0 {
			rooms = append(rooms, room)
		}
	}
	return rooms
}

// tooLong finds bodies that no client takes whole; they always come as a card.
func (c *check) tooLong(l *health.Listing, i int, file string, rooms []host.Cap) {
	e := &l.Entries[i]
	if e.Kind == knowledge.Skill || len(rooms) == 0 {
		return // skills are offered by name
	}
	fits := func(measure func(host.Cap) int) bool {
		return slices.ContainsFunc(rooms, func(r host.Cap) bool { return measure(r) <= r.Max })
	}
	// No unit counts more than the bytes of the unstripped text.
	if fits(func(host.Cap) int { return l.Facts[i].Bytes }) {
		return
	}
	body := knowledge.Strip(l.Text(e))
	if fits(func(r host.Cap) int { return r.Unit.Measure(body) }) {
		return
	}
	how := "it comes as one line with the hint to read it"
	if len(knowledge.Headings(body)) > 1 {
		how = "it comes by those of its sections that bear on the task"
	}
	c.at(Warn, file, 0, fmt.Sprintf("text is longer than any client takes at once (%d tokens), so %s", (len(body)+3)/4, how),
		"split it into entries of one thought each")
}

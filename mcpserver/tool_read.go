package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/hookrunner/ledger"
	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/knowledge/store"
	"pathrule/slice"
	"pathrule/workspace"
)

// readTokens is the most that one answer holds of a body. Clients cut longer
// answers, or drop them.
const readTokens = 20_000

type readData struct {
	Status   string   `json:"status"`
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Version  string   `json:"version"`
	Paths    []string `json:"paths,omitempty"`
	Priority string   `json:"priority,omitempty"`
	Files    []string `json:"files,omitempty"`
	Body     string   `json:"body"`
	Next     string   `json:"next,omitempty"`
}

// located is one entry and the store that holds it.
type located struct {
	st    *store.Store
	entry knowledge.Entry
}

// key names the entry as the catalogue and the ledger do.
func (l located) key() string { return l.st.Owner() + "/" + l.entry.Key() }

// readEntry answers with one entry as it stands on disk now; it needs no index.
func (c *core) readEntry(ctx context.Context, kind knowledge.Kind, a call) (*result, error) {
	p, f := c.place(ctx, a.str("cwd"), nil)
	if f == nil {
		f = p.needReads(c)
	}
	if f != nil {
		return nil, f
	}
	l, f := c.locate(p, a.str("id"), kind)
	if f != nil {
		return nil, f
	}
	if p.withheld(l.st.Owner()) {
		return nil, needTrust()
	}
	e := l.entry
	body := strings.TrimSpace(plaintext.Clean(knowledge.Strip(e.Body)))
	section := strings.TrimSpace(a.str("section"))
	if section != "" {
		if body, f = sectionOf(body, section); f != nil {
			return nil, f
		}
	}
	if n := slice.Tokens(body); n > readTokens {
		if section == "" && len(knowledge.Headings(body)) > 1 {
			return nil, newFault(codeRefused, "%s has %d tokens, more than one answer holds (%d)", e.Key(), n, readTokens).
				then("Read one section of it: section is one of %s.", headingsOf(body))
		}
		f := newFault(codeRefused, "%s has %d tokens, more than one answer holds (%d)", e.Key(), n, readTokens)
		if file, ok := c.fileOf(p, l); ok {
			return nil, f.then("Read the file %s in parts.", file)
		}
		return nil, f.then("Ask the user to split it.")
	}
	data := readData{
		Status: statusOK, ID: e.ID, Title: plaintext.Line(e.Title, 200), Version: e.Version,
		Paths: e.Paths, Body: body,
	}
	var head strings.Builder
	if !p.seen(l.st.Owner()) {
		head.WriteString(p.heading())
	}
	fmt.Fprintf(&head, "%s:%s — %s\nversion %s", e.Kind, e.ID, data.Title, e.Version)
	if len(e.Paths) > 0 {
		head.WriteString(" · paths " + strings.Join(e.Paths, ", "))
	}
	if e.Kind == knowledge.Rule {
		data.Priority = string(e.Priority)
		if data.Priority == "" {
			data.Priority = string(knowledge.Medium)
		}
		head.WriteString(" · priority " + data.Priority)
	}
	if e.Kind == knowledge.Skill {
		data.Files = c.skillFiles(p, l)
		if len(data.Files) > 0 {
			head.WriteString(" · files " + strings.Join(data.Files, ", "))
		}
	}
	if section == "" && strings.TrimSpace(plaintext.Clean(e.Body)) != body {
		data.Next = "Parts that are never shown (comments, bindings) stand in the file too; change it with content_edit, not as a whole."
	}
	unseen := 0
	if !p.seen(l.st.Owner()) {
		unseen = slice.Tokens(body)
	}
	told := []ledger.Sent{{Key: l.key(), Hash: e.Version, Form: slice.Body}}
	if section != "" {
		// A section is not the body: what else the entry says may still be told.
		told[0].Form = slice.Card
		for _, x := range slice.Sections(l.key(), body) {
			told = append(told, ledger.Sent{Key: x.Key, Hash: x.Hash, Form: slice.Body})
		}
	}
	rec := c.delivered(p, a.meta)
	if f := rec.told(told, unseen, slice.Tokens(body)); f != nil {
		return nil, f
	}
	rec.note(told, nil)
	return &result{joinNext(plaintext.Clean(head.String())+"\n"+fenced(body), data.Next), data}, nil
}

// sectionOf is what stands under one heading of a body, the heading and the
// sections inside it included.
func sectionOf(body, name string) (string, *fault) {
	level := len(name) - len(strings.TrimLeft(name, "#"))
	want := strings.TrimSpace(name[level:])
	all := knowledge.Headings(body)
	hit, hits := -1, 0
	for i, h := range all {
		if strings.EqualFold(h.Text, want) && (level == 0 || level == h.Level) {
			if hits++; hit < 0 {
				hit = i
			}
		}
	}
	switch {
	case len(all) == 0:
		return "", invalid("the entry has no sections").then("Read it without section.")
	case hits != 1:
		return "", invalid("section %q matches %d headings", name, hits).then("Give one of %s.", headingsOf(body))
	}
	end := len(body)
	for _, h := range all[hit+1:] {
		if h.Level <= all[hit].Level {
			end = h.Start
			break
		}
	}
	return strings.TrimSpace(body[all[hit].Start:end]), nil
}

// headingsOf lists a body's headings, the first of them.
func headingsOf(body string) string {
	const most = 30
	var out []string
	all := knowledge.Headings(body)
	for _, h := range all[:min(len(all), most)] {
		out = append(out, strings.Repeat("#", h.Level)+" "+plaintext.Line(h.Text, 80))
	}
	s := strings.Join(out, "; ")
	if len(all) > most {
		s += fmt.Sprintf(" and %d more", len(all)-most)
	}
	return s
}

// fenced marks where a body begins and ends with lines that it cannot hold
// itself, as the slices of hooks do.
func fenced(body string) string {
	sum := sha256.Sum256([]byte(body))
	fence := "--- " + hex.EncodeToString(sum[:8])
	return fence + "\n" + plaintext.Fenced(body, fence) + "\n" + fence
}

// fileOf is an entry's file from the project's root, where it lies in the
// project.
func (c *core) fileOf(p *place, l located) (string, bool) {
	if l.st.Owner() == catalog.Personal || p.ws.Private {
		return "", false
	}
	return workspace.Rel(p.ws.Root, p.ws.Root, l.st.Path(l.entry))
}

// skillFiles are a skill's further files, as the assistant can open them from
// the project's root where they lie in the project.
func (c *core) skillFiles(p *place, l located) []string {
	files, _, err := l.st.SkillFiles(l.entry.ID)
	if err != nil {
		return nil
	}
	dir := ""
	if file, ok := c.fileOf(p, l); ok {
		dir = path.Dir(file) + "/"
	}
	var out []string
	for _, f := range files {
		if len(out) == 40 {
			break
		}
		out = append(out, dir+f.Path)
	}
	return out
}

// stores are the stores that p sees: the nearest workspace's, the outer ones',
// the user's own.
func (c *core) stores(p *place) ([]*store.Store, error) {
	var all []*store.Store
	for w := p.ws; w != nil; w = w.Outer {
		st, err := store.Open(w, c.dirs, c.env)
		if err != nil {
			return nil, err
		}
		all = append(all, st)
	}
	st, err := store.OpenPersonal(c.dirs, c.env)
	if err != nil {
		return nil, err
	}
	return append(all, st), nil
}

// locate finds the entry that ref means, in the nearest store that has it. kind
// "" means any.
func (c *core) locate(p *place, ref string, kind knowledge.Kind) (located, *fault) {
	ref = strings.TrimSpace(ref)
	if named, _, ok := strings.Cut(ref, ":"); ok && kind != "" && slices.Contains(kindNames, named) && named != string(kind) {
		return located{}, invalid("%q is a %s, not a %s", ref, named, kind).then("A %s has tools of its own: read_%s, update_%s.", named, named, named)
	}
	all, err := c.stores(p)
	if err != nil {
		return located{}, c.faultIn(p, err, kind)
	}
	if strings.HasPrefix(strings.TrimPrefix(ref, string(kind)+":"), knowledge.PersonalPrefix) {
		all = all[len(all)-1:]
	}
	// A plain id, the usual case, costs one file and no walk through the stores.
	plain := strings.TrimPrefix(strings.TrimPrefix(ref, string(kind)+":"), knowledge.PersonalPrefix)
	if kind != "" && knowledge.CheckID(plain) == nil {
		for _, st := range all {
			if _, err := os.Lstat(filepath.Join(st.Dir(), filepath.FromSlash(knowledge.FileOf(kind, plain)))); err != nil {
				continue
			}
			if e, _, err := st.Read(kind, plain); err == nil {
				return located{st, e}, nil
			}
		}
	}
	var nearest []string
	for _, st := range all {
		k, id, err := st.Resolve(ref, kind)
		var missing *knowledge.NotFoundError
		if errors.As(err, &missing) {
			for _, n := range missing.Nearest {
				if !slices.Contains(nearest, n) {
					nearest = append(nearest, n)
				}
			}
			continue
		}
		if err != nil {
			return located{}, c.faultIn(p, err, kind)
		}
		e, _, err := st.Read(k, id)
		if err != nil {
			return located{}, c.faultIn(p, err, kind)
		}
		return located{st, e}, nil
	}
	return located{}, c.faultIn(p, &knowledge.NotFoundError{Ref: ref, Nearest: nearest[:min(len(nearest), 3)]}, kind)
}

// faultIn is faultOf without this machine's folders.
func (c *core) faultIn(p *place, err error, kind knowledge.Kind) *fault {
	f := faultOf(err, kind)
	if f.code == codeInternal {
		c.log.Printf("%v", err)
	}
	f.msg = c.relative(p, f.msg)
	f.next = c.relative(p, f.next)
	return f
}

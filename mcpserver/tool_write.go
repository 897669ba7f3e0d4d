package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
)

type writeData struct {
	Status     string   `json:"status"`
	ID         string   `json:"id"`
	Version    string   `json:"version,omitempty"`
	ProposalID string   `json:"proposal_id,omitempty"`
	Similar    []string `json:"similar,omitempty"`
	Next       string   `json:"next,omitempty"`
}

// writeEntry makes a new entry.
func (c *core) writeEntry(ctx context.Context, kind knowledge.Kind, a call) (*result, error) {
	p, f := c.writable(ctx, a)
	if f != nil {
		return nil, f
	}
	personal := a.str("scope") == "personal"
	d := store.Draft{
		Kind: kind, ID: strings.TrimSpace(a.str("id")),
		Title: strings.TrimSpace(a.str("title")), Description: strings.TrimSpace(a.str("description")), Body: a.str("content"),
		Paths: a.strs("paths"), Tags: a.strs("tags"), Related: a.strs("related"),
		Priority: knowledge.Priority(a.str("priority")), Enforcement: a.str("enforcement"),
		Block: blocksOf(a.objs("block")), Check: checkOf(a.obj("check")),
	}
	if kind != knowledge.Skill {
		d.Source = c.by()
	}
	if id, ok := strings.CutPrefix(d.ID, knowledge.PersonalPrefix); ok {
		d.ID, personal = id, true
	}
	d.ID = strings.TrimPrefix(d.ID, string(kind)+":")
	st, err := c.storeFor(p, personal)
	if err != nil {
		return nil, c.faultIn(p, err, kind)
	}
	o := store.CreateOptions{AllowDuplicate: a.flag("allow_duplicate"), By: c.by()}
	if p.settings.Writes == "review" {
		// What could never be accepted is refused now, while the model can mend it.
		near, err := st.CheckDraft(d, o)
		if err != nil {
			return nil, c.faultIn(p, err, kind)
		}
		return c.propose(p, inbox.Proposal{
			Personal: personal, Action: inbox.Create, Kind: kind, Entry: d.ID, Draft: &d, AllowDuplicate: o.AllowDuplicate,
		}, near...)
	}
	e, near, err := st.Create(d, o)
	if err != nil {
		return nil, c.faultIn(p, err, kind)
	}
	return c.written(ctx, p, a, st, e, "Saved", near)
}

// updateEntry changes what is given and leaves the rest of the file alone.
func (c *core) updateEntry(ctx context.Context, kind knowledge.Kind, a call) (*result, error) {
	p, f := c.writable(ctx, a)
	if f != nil {
		return nil, f
	}
	patch, f := patchOf(a)
	if f != nil {
		return nil, f
	}
	l, f := c.locate(p, a.str("id"), kind)
	if f != nil {
		return nil, f
	}
	expected := strings.TrimSpace(a.str("expected_version"))
	if kind == knowledge.Rule && staysStrict(l.entry, patch) {
		// What a person made strict was another text.
		by := c.by()
		patch.Source = &by
	}
	if p.settings.Writes == "review" {
		if expected != l.entry.Version {
			return nil, c.faultIn(p, &knowledge.ConflictError{ID: l.entry.ID, Current: l.entry.Version}, kind)
		}
		if _, _, err := l.st.Preview(kind, l.entry.ID, patch, expected); err != nil {
			return nil, c.faultIn(p, err, kind)
		}
		return c.propose(p, inbox.Proposal{
			Personal: l.st.Owner() == catalog.Personal, Action: inbox.Update, Kind: kind, Entry: l.entry.ID, Expected: expected, Patch: &patch,
		})
	}
	e, err := l.st.Update(kind, l.entry.ID, patch, expected, c.by())
	if err != nil {
		return nil, c.faultIn(p, err, kind)
	}
	return c.written(ctx, p, a, l.st, e, "Updated", nil)
}

// deleteEntry moves an entry to the trash.
func (c *core) deleteEntry(ctx context.Context, a call) (*result, error) {
	p, f := c.writable(ctx, a)
	if f != nil {
		return nil, f
	}
	l, f := c.locate(p, a.str("id"), knowledge.Kind(a.str("kind")))
	if f != nil {
		return nil, f
	}
	e, expected := l.entry, strings.TrimSpace(a.str("expected_version"))
	if p.settings.Writes == "review" {
		if expected != e.Version {
			return nil, c.faultIn(p, &knowledge.ConflictError{ID: e.ID, Current: e.Version}, e.Kind)
		}
		return c.propose(p, inbox.Proposal{
			Personal: l.st.Owner() == catalog.Personal, Action: inbox.Delete, Kind: e.Kind, Entry: e.ID, Expected: expected,
		})
	}
	if _, err := l.st.Delete(e.Kind, e.ID, expected, c.by()); err != nil {
		return nil, c.faultIn(p, err, e.Kind)
	}
	data := writeData{Status: statusOK, ID: e.ID, Next: fmt.Sprintf("It can come back for 30 days: restore_entry(kind=%q, id=%q).", e.Kind, e.ID)}
	c.publish(ctx, p, l.st.Path(e), &data)
	return &result{joinNext("Deleted "+e.Key()+".", data.Next), data}, nil
}

// restoreEntry brings a deleted entry back.
func (c *core) restoreEntry(ctx context.Context, a call) (*result, error) {
	p, f := c.writable(ctx, a)
	if f != nil {
		return nil, f
	}
	all, err := c.stores(p)
	if err != nil {
		return nil, c.faultIn(p, err, "")
	}
	kind, id := knowledge.Kind(a.str("kind")), strings.TrimSpace(a.str("id"))
	if named, rest, ok := strings.Cut(id, ":"); ok && knowledge.Kind(named).Dir() != "" {
		if kind != "" && kind != knowledge.Kind(named) {
			return nil, invalid("%q is not a %s", id, kind)
		}
		kind, id = knowledge.Kind(named), rest
	}
	var found *store.Trashed
	var in *store.Store
	var known []string
	for _, st := range all {
		trash, err := st.Trash()
		if err != nil {
			return nil, c.faultIn(p, err, kind)
		}
		for _, t := range trash {
			if kind != "" && t.Kind != kind {
				continue
			}
			if t.ID != id {
				known = append(known, t.ID)
				continue
			}
			if found != nil && found.Kind != t.Kind {
				return nil, invalid("%q may mean %s:%s or %s:%s", id, found.Kind, id, t.Kind, id).then("Name the kind.")
			}
			if found == nil {
				found, in = &t, st
			}
		}
	}
	if found == nil {
		f := newFault(codeNotFound, "no deleted entry %q", id)
		if best := nearestWord(id, known); best != "" {
			f.msg += "; nearest: " + best
			f.nearest = []string{best}
		}
		return nil, f.then("Only what was deleted in the last 30 days can be restored.")
	}
	if p.settings.Writes == "review" {
		return c.propose(p, inbox.Proposal{Personal: in.Owner() == catalog.Personal, Action: inbox.Restore, Kind: found.Kind, Entry: id})
	}
	e, err := in.Restore(found.Kind, id, c.by())
	if err != nil {
		return nil, c.faultIn(p, err, found.Kind)
	}
	return c.written(ctx, p, a, in, e, "Restored", nil)
}

// writable finds the workspace for a write and refuses where the user wants
// none.
func (c *core) writable(ctx context.Context, a call) (*place, *fault) {
	p, f := c.place(ctx, a.str("cwd"), nil)
	if f != nil {
		return nil, f
	}
	if p.settings.Writes == "off" {
		return nil, newFault(codeRefused, "writing is turned off here (writes off)").
			then("Tell the user what you would have saved; \"pathrule config set writes direct\" turns it on.")
	}
	return p, nil
}

func (c *core) storeFor(p *place, personal bool) (*store.Store, error) {
	st, err := store.Open(p.ws, c.dirs, c.env)
	if personal {
		st, err = store.OpenPersonal(c.dirs, c.env)
	}
	if err != nil {
		return nil, err
	}
	return st.Knowing(index.Asker(p.ws, c.env)), nil
}

// written publishes a write and says what came of it.
func (c *core) written(ctx context.Context, p *place, a call, st *store.Store, e knowledge.Entry, verb string, near []store.Near) (*result, error) {
	data := writeData{Status: statusOK, ID: e.ID, Version: e.Version}
	var next []string
	if e.Waits() || len(e.Block) > 0 || e.Check != nil {
		data.Status = statusApproval
	}
	if e.Waits() {
		next = append(next, fmt.Sprintf("It counts as advisory until a person runs \"%s\" in a terminal; tell the user.", e.MakeStrict()))
	}
	if len(e.Block) > 0 || e.Check != nil {
		next = append(next, fmt.Sprintf("Its block or check is stored and decides nothing until a person runs \"pathrule approve %s\" in a terminal; tell the user.", e.ID))
	}
	for _, n := range near {
		data.Similar = append(data.Similar, string(n.Kind)+":"+n.ID)
	}
	if len(near) > 0 {
		next = append(next, "It says nearly the same as "+strings.Join(data.Similar, ", ")+": merge them if one is enough.")
	}
	if gone := nowhere(p, st, e.Paths); len(gone) > 0 {
		next = append(next, fmt.Sprintf("Nothing lies at %s: mend the paths with update_%s, unless it is still to be made.", strings.Join(gone, ", "), e.Kind))
	}
	next = append(next, c.warnings(p, st, e)...)
	data.Next = plaintext.Clean(strings.Join(next, " "))
	c.noteWritten(p, a, st.Owner()+"/"+e.Key(), verb)
	c.publish(ctx, p, st.Path(e), &data)
	return &result{joinNext(fmt.Sprintf("%s %s (version %s).", verb, e.Key(), e.Version), data.Next), data}, nil
}

// nowhere are at most three of the paths that name nothing of the project: an
// entry for them reaches nobody. Patterns are for "review" to look at.
func nowhere(p *place, st *store.Store, paths []string) []string {
	ws := p.ws
	for ws != nil && ws.ID != st.Owner() {
		ws = ws.Outer
	}
	if ws == nil { // a personal entry may be about another project
		return nil
	}
	var out []string
	for _, path := range paths {
		clean := strings.Trim(path, "/")
		if clean == "" || strings.ContainsAny(clean, `*?[{\!`) || exists(ws.Root, clean) {
			continue
		}
		if out = append(out, plaintext.Line(path, 200)); len(out) == 3 {
			break
		}
	}
	return out
}

// warnings are what a person would be told about the file: a glob that misses
// its aim, words that look like a secret.
func (c *core) warnings(p *place, st *store.Store, e knowledge.Entry) []string {
	_, raw, err := st.Read(e.Kind, e.ID)
	if err != nil {
		return nil
	}
	var out []string
	for _, w := range st.Check(raw, e.Kind, e.File) {
		if len(out) == 3 {
			break
		}
		text := sentence(w.Msg)
		if w.Remedy != "" {
			text += " " + sentence(w.Remedy)
		}
		out = append(out, c.relative(p, text))
	}
	return out
}

// publish makes the write of a file visible to the next hook process before we
// answer. A write stands even when that fails; the next event makes up for it.
func (c *core) publish(ctx context.Context, p *place, file string, data *writeData) {
	if err := c.view(p.ws).publish(ctx, file); err != nil {
		c.log.Printf("publish a write: %v", err)
		data.Next = strings.TrimSpace(data.Next + " It is saved, but the index could not be brought up to date; \"pathrule doctor\" tells why.")
	}
}

// propose puts a write into the inbox instead of the store.
func (c *core) propose(p *place, pr inbox.Proposal, near ...store.Near) (*result, error) {
	pr.By, pr.At = c.by(), c.env.Now().UTC()
	pr, err := inbox.Put(c.dirs, p.ws.ID, pr)
	if errors.Is(err, inbox.ErrFull) {
		return nil, newFault(codeRefused, "%v", err).then("Nothing was proposed. Tell the user what you would have saved, and that \"pathrule review\" decides on what waits.")
	}
	if err != nil {
		return nil, c.faultIn(p, fmt.Errorf("%w: %v", knowledge.ErrReadOnly, err), pr.Kind)
	}
	data := writeData{
		Status: statusProposed, ID: pr.Entry, ProposalID: pr.ID,
		Next: fmt.Sprintf("Nothing is stored yet: it waits in the pathrule home as %s, and a person decides with \"pathrule review\". Do not repeat the call.",
			inbox.Rel(p.ws.ID, pr.ID)),
	}
	for _, n := range near {
		data.Similar = append(data.Similar, string(n.Kind)+":"+n.ID)
	}
	if len(near) > 0 {
		data.Next += " It says nearly the same as " + strings.Join(data.Similar, ", ") + ": propose a change of that instead if one is enough."
	}
	return &result{joinNext("Proposed as "+pr.ID+".", data.Next), data}, nil
}

// staysStrict reports a change to what a strict rule says or where it counts,
// or one that makes a rule strict.
func staysStrict(e knowledge.Entry, p store.Patch) bool {
	strict := e.Enforcement == knowledge.Strict
	if p.Enforcement != nil {
		strict = strings.EqualFold(strings.TrimSpace(*p.Enforcement), knowledge.Strict)
	}
	return strict && (p.Enforcement != nil || p.Title != nil || p.Description != nil || p.Body != nil || p.Content != nil ||
		p.Paths != nil || p.Priority != nil)
}

func blocksOf(list []args) []knowledge.Block {
	var out []knowledge.Block
	for _, b := range list {
		out = append(out, knowledge.Block{Pattern: b.str("pattern"), Paths: b.strs("paths"), On: b.str("on"), Message: b.str("message")})
	}
	return out
}

func checkOf(a args) *knowledge.Check {
	if a == nil {
		return nil
	}
	return &knowledge.Check{Command: a.str("command"), Paths: a.strs("paths"), Message: a.str("message")}
}

// patchOf is what an update changes.
func patchOf(a call) (store.Patch, *fault) {
	var p store.Patch
	text := func(name string) *string {
		if !a.has(name) {
			return nil
		}
		s := a.str(name)
		return &s
	}
	list := func(name string) *[]string {
		if !a.has(name) {
			return nil
		}
		s := a.strs(name)
		return &s
	}
	p.Title, p.Description, p.Body = text("title"), text("description"), text("content")
	p.Paths, p.Tags, p.Related = list("paths"), list("tags"), list("related")
	p.Enforcement = text("enforcement")
	if s := text("priority"); s != nil {
		pr := knowledge.Priority(*s)
		p.Priority = &pr
	}
	if a.has("block") {
		b := blocksOf(a.objs("block"))
		p.Block = &b
	}
	if a.has("check") {
		p.Check = checkOf(a.obj("check"))
	}
	if a.has("content_edit") {
		if p.Body != nil {
			return p, invalid("content and content_edit exclude each other").then("Give content for the whole text, or content_edit for a part.")
		}
		e := a.obj("content_edit")
		p.Content = &store.ContentEdit{Op: e.str("op"), Text: e.str("text"), Old: e.str("old"), Section: e.str("section")}
		switch {
		case p.Content.Op == "str_replace" && p.Content.Old == "":
			return p, invalid("content_edit.old is missing").then("str_replace needs the exact text that is to be replaced.")
		case p.Content.Op == "replace_section" && p.Content.Section == "":
			return p, invalid("content_edit.section is missing").then("replace_section needs the heading of the section.")
		}
	}
	if !changes(p) {
		return p, invalid("nothing to change").then("Give at least one field besides id and expected_version.")
	}
	return p, nil
}

func changes(p store.Patch) bool {
	return p.Title != nil || p.Description != nil || p.Body != nil || p.Content != nil || p.Paths != nil || p.Tags != nil ||
		p.Related != nil || p.Priority != nil || p.Enforcement != nil || p.Block != nil || p.Check != nil
}

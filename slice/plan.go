package slice

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// planner carries one question through the steps.
type planner struct {
	in   In
	set  workspace.Settings
	plan Plan
	page page
	errs []error
	// loaded keeps what was read, by key: an entry is read once per question.
	loaded map[string]loaded
	// left are the keys already in plan.LeftOut.
	left map[string]bool
	// asks is what sections of a long entry are chosen by; nil: nothing.
	asks *question
	// task is what the last prompt touched on (tool channel); onTask: the answer
	// holds some of it, and may be as long as a prompt's.
	task   task
	onTask bool
	// subject: the paths in hand are only what the prompt's first word names.
	subject bool
	// workDone is earlier work, once asked for.
	workDone []Work
	worked   bool
}

// loaded is an entry as it stands on disk now.
type loaded struct {
	ok    bool
	title string
	line  string
	raw   string
	hash  string
}

func makePlan(in In) (Plan, error) {
	p := &planner{in: in, set: withDefaults(in.Settings), loaded: map[string]loaded{}, left: map[string]bool{}}
	p.plan.Channel = in.Channel
	p.plan.Intent, p.plan.Depth = Unknown, Focused
	if in.Source == nil {
		return p.plan, errors.New("no source of knowledge")
	}
	switch in.Channel {
	case Session, Compact, Subagent:
		p.session()
	case Tool:
		p.tool()
	default:
		p.prompt()
	}
	p.finish()
	return p.plan, errors.Join(p.errs...)
}

// withDefaults fills settings that nobody loaded.
func withDefaults(s workspace.Settings) workspace.Settings {
	if s.BudgetFocused == 0 && s.BudgetDeep == 0 && s.BudgetMinimal == 0 && s.BudgetTool == 0 {
		s.PathBodies = defaultPathBodies
	}
	fill := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	fill(&s.BudgetMinimal, defaultMinimal)
	fill(&s.BudgetFocused, defaultFocused)
	fill(&s.BudgetDeep, defaultDeep)
	fill(&s.BudgetTool, defaultTool)
	fill(&s.LoadMaxTokens, defaultLoadMax)
	return s
}

// budget is the aim in tokens for a depth.
func (p *planner) budget(d Depth) int {
	if p.in.Budget.Tokens > 0 {
		return p.in.Budget.Tokens
	}
	switch d {
	case Minimal, DepthNone:
		return p.set.BudgetMinimal
	case Deep:
		return p.set.BudgetDeep
	}
	return p.set.BudgetFocused
}

// search asks the source and remembers an error; an empty answer goes on.
func (p *planner) search(q catalog.Query) catalog.Result {
	res, err := p.in.Source.Search(q)
	if err != nil {
		p.errs = append(p.errs, err)
	}
	return res
}

// load reads an entry now. ok is false for one that is gone or withheld; what
// is not read is not told.
func (p *planner) load(rec *catalog.Record) loaded {
	if l, done := p.loaded[rec.Key]; done {
		return l
	}
	doc, err := p.in.Source.Load(*rec)
	l := loaded{ok: err == nil}
	switch {
	case err == nil:
		l.title, l.raw, l.hash, l.line = doc.Title, doc.Body, doc.Hash, rec.Line
		if l.title == "" {
			l.title = rec.Title
		}
		if l.hash == "" {
			l.hash = rec.Hash
		}
		if l.hash != rec.Hash {
			e := knowledge.Entry{Kind: rec.Kind, ID: rec.ID, Title: l.title, Description: rec.Description, Body: l.raw}
			l.line = e.Line()
		}
	case errors.Is(err, catalog.ErrGone):
	case errors.Is(err, catalog.ErrWithheld):
		p.leave(rec, LeftScope)
	default:
		p.errs = append(p.errs, err)
	}
	p.loaded[rec.Key] = l
	return l
}

func (p *planner) leave(rec *catalog.Record, why string) {
	if p.left[rec.Key] {
		return
	}
	p.left[rec.Key] = true
	p.plan.LeftOut = append(p.plan.LeftOut, Left{Kind: rec.Kind, ID: rec.ID, Key: rec.Key, Why: why})
}

// item makes an item from a record, in the form wanted; it answers false for
// an entry that cannot be told (gone), need not (delivered), or must not
// (native, trust).
func (p *planner) item(rec *catalog.Record, form Form, score float64, why []Why) (Item, bool) {
	if p.in.Unseen && rec.Owner != personal && p.in.UnseenTokens <= 0 {
		p.leave(rec, LeftTrust)
		return Item{}, false
	}
	l := p.load(rec)
	if !l.ok {
		return Item{}, false
	}
	if form = min(form, p.native(rec, l)); form == None {
		p.leave(rec, LeftNative)
		return Item{}, false
	}
	it := Item{Kind: rec.Kind, ID: rec.ID, Key: rec.Key, Hash: l.hash, Form: form, Score: score, Why: why, Record: *rec}
	it.Record.Title, it.Record.Line = l.title, l.line
	if p.has(rec.Key, l.hash) >= form {
		p.leave(rec, LeftDelivered)
		return Item{}, false
	}
	return it, true
}

// native is how much may be told of what the host loads by itself. Skills are
// opened by name, so a loaded one is still worth naming.
func (p *planner) native(rec *catalog.Record, l loaded) Form {
	if p.in.Native == nil || rec.Kind == knowledge.Skill {
		return Body
	}
	now := *rec
	now.Hash = l.hash
	return p.in.Native(now, l.title, l.raw)
}

const personal = "personal"

func (p *planner) has(key, hash string) Form {
	if p.in.Delivered == nil {
		return None
	}
	return p.in.Delivered.Has(key, hash)
}

// extra reports whether a text that is no entry is worth saying, and if so
// records that it is said.
func (p *planner) extra(key, text string) (Extra, bool) {
	x := Extra{Key: key, Hash: shortHash(text)}
	return x, p.has(x.Key, x.Hash) == None
}

func shortHash(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:8])
}

// tool is the name of one of our MCP tools as the host registers it, "" when
// it is not registered.
func (p *planner) toolName(tool string) string {
	if p.in.ToolName == nil {
		return ""
	}
	return plaintext.Line(p.in.ToolName(tool), 120)
}

// finish fits the page into the budget and fills in the plan.
func (p *planner) finish() {
	p.page.prepare(p)
	p.page.unseen = p.in.Unseen && p.foreign()
	p.tail()
	p.fit()
	p.dropTold()
	p.plan.Items = p.plan.Items[:0]
	for i := range p.page.items {
		u := &p.page.items[i]
		if u.item.Form == None {
			p.leave(&u.item.Record, u.left)
			continue
		}
		u.item.Again = p.has(u.item.Key, u.item.Hash) >= u.item.Form
		p.plan.Items = append(p.plan.Items, u.item)
	}
	p.plan.Text = p.page.text()
	if p.plan.Text != "" {
		p.plan.Extras = p.page.extras()
	}
	p.plan.Tokens = Tokens(p.plan.Text)
}

// dropTold leaves out what ended in a form that the session has: a body for
// which there was no room again, and no section that is new.
func (p *planner) dropTold() {
	for i := range p.page.items {
		u := &p.page.items[i]
		if u.item.Form > None && u.quote == "" && p.has(u.item.Key, u.item.Hash) >= u.item.Form {
			u.item.Form, u.left = None, LeftDelivered
		}
	}
}

// foreign reports that the page tells anything that is not the user's own.
func (p *planner) foreign() bool {
	for i := range p.page.items {
		if p.page.items[i].item.Record.Owner != personal {
			return true
		}
	}
	for _, n := range p.page.notes {
		if n.x != nil && (n.x.Key == "x:overview" || n.x.Key == "x:skills" || n.x.Key == "x:team") {
			return true
		}
	}
	return false
}

// tail prepares the lines that the settings ask for at the end of every turn.
func (p *planner) tail() {
	if p.in.Channel == MCP {
		return
	}
	if p.set.Acknowledge == "line" && (p.in.Channel == Prompt || p.in.Channel == Session) {
		p.page.ack = Acknowledge(p.in.Told)
	}
	if p.set.Proof == "compact" && p.in.Channel != Tool {
		// Made anew for every rendering: fitting changes what is loaded.
		p.page.proof = func() string {
			now := p.plan
			now.Items = nil
			for i := range p.page.items {
				if p.page.items[i].item.Form > None {
					now.Items = append(now.Items, p.page.items[i].item)
				}
			}
			return Proof(now)
		}
	}
}

// workspaceName is the name of the project's folder; no absolute path ever
// reaches a text.
func (p *planner) workspaceName() string {
	if p.in.Workspace == nil {
		return ""
	}
	root := strings.ReplaceAll(strings.TrimRight(p.in.Workspace.Root, `/\`), `\`, "/")
	return plaintext.Line(root[strings.LastIndexByte(root, '/')+1:], 40)
}

package main

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/guard/approval"
	"pathrule/index"
	"pathrule/internal/cli"
	"pathrule/internal/safegit"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
)

// stateWaiting: the rule has a block or a check that nobody approved here.
const stateWaiting approval.State = "waiting"

// guarded is one rule with a block or a check, as it stands and as it was
// approved.
type guarded struct {
	entry knowledge.Entry // of a rule that is gone: only what its last pin says
	raw   []byte
	file  string // absolute
	owner string
	at    approval.Place
	pins  []approval.Pin // of this rule
	state approval.State
	// broken says which part of its blocks or check cannot be read.
	broken string
}

// guarded lists the rules with a block or a check that count here: the
// workspace's, those around it, the user's own.
func (a *app) guarded() ([]*guarded, error) {
	ws, err := a.maybeWorkspace()
	if err != nil || ws == nil {
		return a.guardedBy(nil)
	}
	survey, err := index.Look(ws, a.env)
	if err != nil {
		return a.guardedBy(nil)
	}
	return a.guardedBy(survey.Store)
}

// guardedBy is guarded with one look at the files; nil: none.
func (a *app) guardedBy(look store.Asker) ([]*guarded, error) {
	ws, err := a.maybeWorkspace()
	if err != nil {
		return nil, err
	}
	var out []*guarded
	for w := ws; w != nil; w = w.Outer {
		s, err := store.Open(w, a.dirs(), a.env)
		if err != nil {
			return nil, err
		}
		out = append(out, a.guardedIn(s.Knowing(look), approval.PlaceOf(w))...)
	}
	s, err := store.OpenPersonal(a.dirs(), a.env)
	if err != nil {
		return out, nil
	}
	return append(out, a.guardedIn(s.Knowing(look), approval.PersonalPlace(a.dirs()))...), nil
}

func (a *app) guardedIn(s *store.Store, at approval.Place) []*guarded {
	pins, err := approval.Read(a.dirs(), at)
	if err != nil {
		a.out.Warn("approvals of %s: %v; approve again", a.shown(at.Root), err)
	}
	var out []*guarded
	seen := map[string]bool{}
	_, entries, _ := s.Tally(knowledge.Rule)
	var ids []string
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	for _, p := range pins {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		// Read again: what is shown and what is hashed must be the same bytes.
		now, raw, err := s.Read(knowledge.Rule, id)
		if err != nil {
			continue
		}
		g := &guarded{entry: now, raw: raw, file: s.Path(now), owner: s.Owner(), at: at, state: stateWaiting, broken: brokenGuard(raw, now)}
		sum := approval.Sum(raw)
		for _, p := range pins {
			if p.ID != now.ID {
				continue
			}
			g.pins = append(g.pins, p)
			switch {
			case p.Sum == sum:
				g.state = approval.Approved
			case g.state == stateWaiting:
				g.state = approval.Changed
			}
		}
		if len(now.Block) == 0 && now.Check == nil && g.broken == "" && len(g.pins) == 0 {
			continue
		}
		seen[now.ID] = true
		out = append(out, g)
	}
	for _, p := range pins {
		if !seen[p.ID] {
			seen[p.ID] = true
			out = append(out, &guarded{owner: s.Owner(), at: at, pins: []approval.Pin{p}, state: approval.Gone,
				entry: knowledge.Entry{Kind: knowledge.Rule, ID: p.ID, Title: p.Title, Paths: p.Paths, Block: p.Blocks, Check: p.Check, File: p.File},
				file:  filepath.Join(s.Dir(), filepath.FromSlash(p.File))})
		}
	}
	return out
}

// brokenGuard says what keeps a part of a rule's blocks or check from being
// read: approving the rest would approve less than the file seems to say.
func brokenGuard(raw []byte, e knowledge.Entry) string {
	_, problems, _ := frontmatter.Parse(raw, e.Kind, e.ID, e.File)
	for _, p := range problems {
		if !p.Warning && (strings.Contains(p.Msg, "block") || strings.Contains(p.Msg, "check") || strings.Contains(p.Msg, "pattern")) {
			return fmt.Sprintf("line %d: %s", p.Line, p.Msg)
		}
	}
	return ""
}

// printGuarded shows exactly what would take effect.
func (a *app) printGuarded(ctx context.Context, g *guarded) {
	o := a.out
	line := func(name, value string) { o.Println(o.Dim(cli.Pad(name, 10)), value) }
	o.Println(o.Bold(g.entry.Key()), exact(g.entry.Title))
	line("file", exact(a.shown(g.file)))
	line("sha-256", approval.Sum(g.raw))
	line("changed", lastChange(ctx, a, g))
	if g.entry.Source != "" {
		src := exact(g.entry.Source)
		if strings.HasPrefix(g.entry.Source, knowledge.ByAssistant) {
			src = o.Mild(src + " (an assistant wrote it)")
		}
		line("source", src)
	}
	if g.state == approval.Changed {
		line("before", o.Mild(g.before()))
	}
	scope := func(own []string) string {
		if len(own) == 0 {
			own = g.entry.Paths
		}
		return exact(pathsShown(own))
	}
	for _, b := range g.entry.Block {
		on := "text that an edit adds"
		switch b.On {
		case "shell":
			on = "shell commands"
		case "both":
			on = "text that an edit adds, and shell commands"
		}
		line("block", on+", in "+scope(b.Paths))
		line("  pattern", o.Bold(exact(b.Pattern)))
		line("  says", exact(b.Message))
	}
	if c := g.entry.Check; c != nil {
		line("check", "after edits in "+scope(c.Paths))
		line("  runs", o.Bold(exact(c.Command)))
		line("  in", exact(a.shown(g.at.Root)))
		line("  says", exact(c.Message))
	}
}

// before says what a rule that was edited since decided in the version that was
// approved last.
func (g *guarded) before() string {
	last := g.pins[len(g.pins)-1]
	const said = "another version of it is approved; this one "
	if slices.EqualFunc(last.Blocks, g.entry.Block, sameBlock) && sameCheck(last.Check, g.entry.Check) && slices.Equal(last.Paths, g.entry.Paths) {
		return said + "decides the same, other text of the file is new"
	}
	var old []string
	for _, b := range last.Blocks {
		if !slices.ContainsFunc(g.entry.Block, func(n knowledge.Block) bool { return sameBlock(b, n) }) {
			old = append(old, "blocked "+exact(b.Pattern))
		}
	}
	if last.Check != nil && !sameCheck(last.Check, g.entry.Check) {
		old = append(old, "wanted "+exact(last.Check.Command))
	}
	if !slices.Equal(last.Paths, g.entry.Paths) {
		old = append(old, "was about "+exact(pathsShown(last.Paths)))
	}
	if old == nil {
		return said + "decides more"
	}
	return said + "is not: that one " + strings.Join(old, ", ")
}

func sameBlock(a, b knowledge.Block) bool {
	return a.Pattern == b.Pattern && a.On == b.On && a.Message == b.Message && slices.Equal(a.Paths, b.Paths)
}

func sameCheck(a, b *knowledge.Check) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Command == b.Command && a.Message == b.Message && slices.Equal(a.Paths, b.Paths)
}

// exact is text as it is, or quoted when it holds what a terminal does not
// show: what a person reads must be what takes effect.
func exact(s string) string {
	if s == cli.Plain(s) && !strings.ContainsAny(s, "\n\t") && s == strings.TrimSpace(s) {
		return s
	}
	return strconv.QuoteToASCII(s)
}

const gitTime = 2 * time.Second

// lastChange says who changed the rule's file last, from the repository's log.
// Nothing that a repository may configure is run: no pager, no signature check,
// no text conversion, no file-system monitor.
func lastChange(ctx context.Context, a *app, g *guarded) string {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	dir, name := filepath.Split(g.file)
	git := func(args ...string) (string, error) {
		cmd := safegit.Command(ctx, dir, args...)
		cmd.Env = safegit.Env(a.env.Environ)
		out, err := cmd.Output()
		return string(out), err
	}
	out, err := git("log", "-1", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--format=%an%x00%ae%x00%as%x00%h%x00%s", "--", name)
	if errors.Is(err, exec.ErrNotFound) {
		return "unknown: git is not here"
	}
	f := strings.Split(strings.TrimRight(out, "\n"), "\x00")
	if err != nil || len(f) != 5 {
		return a.out.Mild("unknown: the file is in no commit")
	}
	said := fmt.Sprintf("%s by %s <%s> in %s %q", exact(f[2]), cli.Cut(exact(f[0]), 60), cli.Cut(exact(f[1]), 60), exact(f[3]), cli.Cut(exact(f[4]), 72))
	blob, err := git("rev-parse", "HEAD:./"+name)
	if err != nil || strings.TrimSpace(blob) != blobID(g.raw) {
		said += a.out.Mild(", and edited since")
	}
	return said
}

// blobID is the name that git gives these bytes.
func blobID(raw []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(raw))
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil))
}

// guardedItem is one of them in JSON.
type guardedItem struct {
	Kind     knowledge.Kind    `json:"kind"`
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Paths    []string          `json:"paths"`
	State    approval.State    `json:"state"`
	File     string            `json:"file"`
	SHA256   string            `json:"sha256,omitempty"` // of the file now
	Block    []knowledge.Block `json:"block"`
	Check    *knowledge.Check  `json:"check,omitempty"`
	Approved []approvedVersion `json:"approved"`
	Root     string            `json:"root"` // of the workspace or the personal store
}

type approvedVersion struct {
	SHA256 string `json:"sha256"`
	At     string `json:"at"`
}

func itemOfGuarded(g *guarded) guardedItem {
	it := guardedItem{Kind: knowledge.Rule, ID: g.entry.ID, Title: g.entry.Title, Paths: some(g.entry.Paths), State: g.state, File: g.file,
		Block: some(g.entry.Block), Check: g.entry.Check, Approved: []approvedVersion{}, Root: g.at.Root}
	if g.raw != nil {
		it.SHA256 = approval.Sum(g.raw)
	}
	for _, p := range g.pins {
		it.Approved = append(it.Approved, approvedVersion{p.Sum, p.At.UTC().Format(time.RFC3339)})
	}
	return it
}

func runApproveList(a *app) error {
	all, err := a.guarded()
	if err != nil {
		return err
	}
	items := []guardedItem{}
	for _, g := range all {
		items = append(items, itemOfGuarded(g))
	}
	return a.answer(map[string]any{"items": items, "warnings": a.out.Warnings()}, func() {
		if len(items) == 0 {
			a.out.Println("No rule here has a block or a check.")
			return
		}
		t := &cli.Table{Head: []string{"STATE", "RULE", "DECIDES"}, Flex: 2}
		for _, g := range all {
			t.Row(string(g.state), g.entry.ID, decides(g.entry))
		}
		a.out.Print(t)
		for _, g := range all {
			switch g.state {
			case approval.Changed:
				a.out.Hint("%s was edited since it was approved, so nothing of it counts: pathrule approve %s", g.entry.ID, g.entry.ID)
			case approval.Gone:
				a.out.Hint("%s was approved and is not there now: pathrule approve revoke %s", g.entry.ID, g.entry.ID)
			}
		}
	})
}

// decides is what a rule would block or run, in one line.
func decides(e knowledge.Entry) string {
	var parts []string
	for _, b := range e.Block {
		parts = append(parts, "blocks "+exact(b.Pattern))
	}
	if e.Check != nil {
		parts = append(parts, "wants "+exact(e.Check.Command))
	}
	return cli.OneLine(strings.Join(parts, ", "))
}

// refreshGuards says what is still to do so that the clients ask: some events
// are registered only while something approved needs them.
func (a *app) refreshGuards() {
	ws, err := a.maybeWorkspace()
	if err != nil || ws == nil {
		return
	}
	plans, err := a.refreshPlans(ws.Root)
	if err != nil {
		return
	}
	for _, p := range plans {
		if p.Changes() {
			a.out.Hint("run \"pathrule sync\": clients have to be told to ask about this, or that they need not any more")
			return
		}
	}
}

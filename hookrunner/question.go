package hookrunner

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/index/catalog"
	"pathrule/internal/head"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/slice"
	"pathrule/workspace"
)

const (
	// unseenTokens is how much of a repository's knowledge that nobody reviewed
	// on this machine one session is told.
	unseenTokens = 600

	promptRefresh  = 80 * time.Millisecond
	sessionRefresh = 400 * time.Millisecond
	// Without any generation a build is worth more of the event's time.
	promptBuild  = 250 * time.Millisecond
	sessionBuild = 900 * time.Millisecond

	// reserve is what planning and telling need of an event's time. A refresh
	// bounds itself; one that is still not back by then (a stuck disk) is left
	// alone, and the catalogue answers.
	reserve = 70 * time.Millisecond

	maxTeam = 4 << 10
	maxConf = 4 << 20
)

// asker asks slice about one workspace for one event.
type asker struct {
	r        *runner
	p        place
	ws       *workspace.Workspace
	settings workspace.Settings
	unseen   bool
	src      catalog.Source
	close    func() error
}

// settle says how a workspace wants hooks to behave; ask is false when this
// event is to stay silent whatever the knowledge.
func (r *runner) settle(p place, ws *workspace.Workspace) (a *asker, ask bool) {
	a = &asker{r: r, p: p, ws: ws, close: func() error { return nil }}
	a.settings, _, _ = workspace.LoadSettings(ws, r.dirs, r.env)
	for w := ws; w != nil; w = w.Outer {
		if !workspace.Owned(w, r.dirs) {
			a.unseen = true
		}
	}
	switch a.settings.Mode {
	case "manual", "off":
		return a, false
	case "startup":
		return a, r.ev.Name == host.SessionStart || r.ev.Name == host.UserPromptSubmit
	}
	return a, true
}

// open finds the source of knowledge: an up-to-date index where the program
// has one and the event is worth it, else the catalogue as it was published.
func (a *asker) open() error {
	r := a.r
	session, prompt := r.ev.Name == host.SessionStart, r.ev.Name == host.UserPromptSubmit
	if r.opts.Refresh != nil && (session || prompt) {
		d := promptRefresh
		missing := false
		if cat, err := catalog.Open(a.ws, r.dirs); err == nil {
			cat.Close()
		} else {
			missing = true
		}
		switch {
		case session && missing:
			r.allow(firstBuildTime)
			d = sessionBuild
		case session:
			d = sessionRefresh
		case missing:
			d = promptBuild
		}
		late := promptTime - reserve
		if session {
			late = sessionTime - reserve
		}
		if session && missing {
			late = firstBuildTime - reserve
		}
		if src, end, err := a.refresh(d, late); err == nil {
			a.src, a.close = src, end
			return nil
		} else if !missing {
			r.log(err.Error())
		}
	}
	cat, err := catalog.Open(a.ws, r.dirs)
	if err != nil {
		return err
	}
	a.src, a.close = cat, cat.Close
	return nil
}

// refresh runs Options.Refresh for d and gives up on it after late, leaving it
// to end with the process: a half-made generation is never published. The two
// lie far apart, since on a busy machine the same question must not be answered
// now by the index and now by the catalogue.
func (a *asker) refresh(d, late time.Duration) (catalog.Source, func() error, error) {
	d, late = a.r.time(d), a.r.time(late)
	type opened struct {
		src catalog.Source
		end func() error
		err error
	}
	ch := make(chan opened, 1)
	ctx, cancel := context.WithTimeout(context.Background(), d)
	go func() {
		defer cancel()
		defer func() {
			if p := recover(); p != nil {
				ch <- opened{err: errors.New(panicText(p))}
			}
		}()
		src, end, err := a.r.opts.Refresh(ctx, a.ws, a.r.env, d)
		ch <- opened{src, end, err}
	}()
	giveUp := time.NewTimer(late)
	defer giveUp.Stop()
	patient := patience{most: late}
	for {
		select {
		case o := <-ch:
			return o.src, o.end, o.err
		case <-giveUp.C:
			more := patient.more()
			if more == 0 {
				return nil, nil, errors.New("index refresh did not end in time")
			}
			giveUp.Reset(more)
		}
	}
}

// in is a question of this workspace, without what the channel adds.
func (a *asker) in(ch slice.Channel, d slice.Delivered, left int) slice.In {
	r := a.r
	hostCap := r.host.Cap(r.ev.Name)
	in := slice.In{
		Channel:   ch,
		Workspace: a.ws,
		Settings:  a.settings,
		Source:    a.src,
		Budget:    slice.Budget{Max: hostCap.Max, Measure: hostCap.Unit.Measure},
		Delivered: d,
		Unseen:    a.unseen,
		Native:    a.native(ch),
		ToolName:  r.toolName(a.p.ws.Root),
		Unheard:   !r.heardBeforeTools(),
		Exists: func(rel string) bool {
			_, err := os.Lstat(filepath.Join(a.p.base, filepath.FromSlash(rel)))
			return err == nil
		},
	}
	if hostCap.Max == 0 {
		in.Budget.Max, in.Budget.Measure = a.settings.LoadMaxTokens, slice.Tokens
	}
	if a.unseen && a.settings.TrustKnowledge != "ask" {
		in.UnseenTokens = left
	}
	in.Cwd, _ = workspace.Rel(a.p.base, a.p.dir, a.p.dir)
	if ch == slice.Prompt && a.settings.Activity != "off" {
		in.Work = a.work
	}
	return in
}

// left is what the session may still be told of unreviewed knowledge.
func (a *asker) left(l *ledger.Ledger) int { return max(0, unseenTokens-l.Spent()) }

// team is the nearest team.md, its beginning.
func (a *asker) team() string {
	for w := a.ws; w != nil; w = w.Outer {
		name := filepath.Join(w.Store, "team.md")
		// A link out of the workspace would tell what lies elsewhere.
		if real, err := filepath.EvalSymlinks(name); err != nil || !knowledge.Inside(real, w.Root, w.Store) {
			continue
		}
		f, err := regular.Open(name)
		if err != nil {
			continue
		}
		b := make([]byte, maxTeam)
		n, _ := f.Read(b)
		f.Close()
		if bytes.Contains(b[:n], []byte("<<<<<<<")) && head.Conflict(readBounded(name, maxNative)).Msg != "" {
			continue
		}
		return strings.ToValidUTF8(string(bytes.TrimPrefix(b[:n], []byte("\xEF\xBB\xBF"))), "")
	}
	return ""
}

// toolName names a tool of our MCP server for hints, "" where the host has no
// entry for the server. It looks into the host's files at the first hint only.
func (r *runner) toolName(root string) func(string) string {
	known, registered := false, false
	return func(tool string) string {
		if !known {
			known, registered = true, r.mcpRegistered(root)
		}
		if !registered {
			return ""
		}
		return r.host.Tool(tool)
	}
}

func (r *runner) mcpRegistered(root string) bool {
	for _, scope := range [...]host.Scope{host.Project, host.User} {
		cf, ok := r.host.MCPFile(scope, root, r.env)
		if !ok {
			continue
		}
		st, err := os.Stat(cf.Path)
		if err != nil || st.Size() > maxConf {
			continue
		}
		b, err := regular.Read(cf.Path)
		if err != nil {
			continue
		}
		if cf.Format == "json" && hasMember(b, `"pathrule"`) {
			return true
		}
		var names []string
		if cf.Format == "toml" {
			table := r.host.Wiring().MCPTable
			names = []string{table + ".pathrule]", table + `."pathrule"]`, table + ".'pathrule']"}
		}
		for _, n := range names {
			if bytes.Contains(b, []byte(n)) {
				return true
			}
		}
	}
	return false
}

// hasMember reports whether JSON text holds the quoted word as a member's name,
// not as a value (a hook may be called so).
func hasMember(b []byte, quoted string) bool {
	for {
		i := bytes.Index(b, []byte(quoted))
		if i < 0 {
			return false
		}
		b = b[i+len(quoted):]
		if rest := bytes.TrimLeft(b, " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			return true
		}
	}
}

package mcpserver

import (
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/hookrunner/activity"
	"pathrule/hookrunner/ledger"
	"pathrule/slice"
)

// given remembers what this connection was given. It stands in where the
// session is not known: an item comes again only in a higher form or changed.
type given struct {
	mu    sync.Mutex
	m     map[string]ledger.Sent
	spent map[string]int // tokens of unreviewed knowledge, by outermost workspace
}

func newGiven() *given { return &given{m: map[string]ledger.Sent{}, spent: map[string]int{}} }

// Has implements slice.Delivered.
func (g *given) Has(key, hash string) slice.Form {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s, ok := g.m[key]; ok && s.Hash == hash {
		return s.Form
	}
	return slice.None
}

func (g *given) tell(root string, t ledger.Telling) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.Limit > 0 && g.spent[root]+t.Tokens > t.Limit {
		return ledger.ErrSpent
	}
	g.spent[root] += t.Tokens
	for _, i := range t.Items {
		if old, ok := g.m[i.Key]; !ok || old.Hash != i.Hash || old.Form < i.Form {
			g.m[i.Key] = i
		}
	}
	return nil
}

func (g *given) spentIn(root string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.spent[root]
}

// unseenTokens is what one session may be given of knowledge that the user has
// not looked at, hooks and tools together.
const unseenTokens = 600

// record is where a session's deliveries are remembered.
type record struct {
	slice.Delivered
	spent func() int
	tell  func(ledger.Telling) error
	note  func(items []ledger.Sent, paths []string) // in the activity log
}

// delivered finds the session's record: the hooks' ledger where we know that it
// is this very session's, else this connection's own. Never both: the ledger
// forgets at compaction, and so must we.
func (c *core) delivered(p *place, meta *mcp.Meta) record {
	if l, key := c.sharedLedger(p, meta); l != nil {
		note := func(items []ledger.Sent, paths []string) {
			c.note(p, key.Host, ledger.SessionName(key.Session), items, paths)
		}
		return record{l, l.Spent, func(t ledger.Telling) error {
			_, err := l.Tell(t)
			if err != nil && err != ledger.ErrSpent {
				// What cannot be recorded is told all the same; it may come twice.
				c.log.Printf("remember what was told: %v", err)
				err = nil
			}
			return err
		}, note}
	}
	root := ledger.Root(p.ws)
	// Whose session it is nobody knows, so that no path belongs to it; what was
	// told was told all the same.
	note := func(items []ledger.Sent, _ []string) { c.note(p, "mcp", "", items, nil) }
	return record{c.given, func() int { return c.given.spentIn(root) }, func(t ledger.Telling) error { return c.given.tell(root, t) }, note}
}

// note adds what was told, and the paths that were asked about, to the log that
// the hooks write.
func (c *core) note(p *place, host, session string, items []ledger.Sent, paths []string) {
	if p.settings.Activity == "off" {
		return
	}
	at := c.env.Now().Unix()
	var recs []activity.Record
	for _, path := range paths {
		if path != "" && exists(p.ws.Base(), path) {
			recs = append(recs, activity.Record{Kind: activity.Touched, At: at, Host: host, Session: session, Op: "arg", What: path})
		}
	}
	for _, it := range items {
		if !strings.HasPrefix(it.Key, "x:") && it.Form > slice.None {
			recs = append(recs, activity.Record{Kind: activity.Told, At: at, Host: host, Session: session, Op: it.Form.String(), What: it.Key})
		}
	}
	c.keep(p, recs)
}

// noteWritten adds that the session wrote an entry.
func (c *core) noteWritten(p *place, a call, key, verb string) {
	if p.settings.Activity == "off" {
		return
	}
	r := activity.Record{Kind: activity.Wrote, At: c.env.Now().Unix(), Host: "mcp", Op: "update", What: key}
	if verb == "Saved" {
		r.Op = "create"
	}
	if l, k := c.sharedLedger(p, a.meta); l != nil {
		r.Host, r.Session = k.Host, ledger.SessionName(k.Session)
	}
	c.keep(p, []activity.Record{r})
}

func (c *core) keep(p *place, recs []activity.Record) {
	if len(recs) == 0 {
		return
	}
	if err := activity.Of(c.dirs.State, ledger.Root(p.ws)).Append(recs); err != nil {
		c.log.Printf("write activity log: %v", err)
	}
}

// left is how much unreviewed knowledge may still be told.
func (r record) left(p *place) int {
	if p.own || p.settings.TrustKnowledge == "ask" {
		return 0
	}
	return max(0, unseenTokens-r.spent())
}

// told records an answer. With tokens of unreviewed knowledge beyond what the
// session may have it refuses, and the answer must not go out.
func (r record) told(items []ledger.Sent, unseen, cost int) *fault {
	t := ledger.Telling{Items: items, Cost: cost}
	if unseen > 0 {
		t.Tokens, t.Limit = unseen, unseenTokens
	}
	if len(items) == 0 && unseen == 0 && cost == 0 {
		return nil
	}
	if err := r.tell(t); err != nil {
		return newFault(codeDenied, "this is knowledge that was not reviewed on this machine; a session may have %d tokens of it, and %d are left", unseenTokens, max(0, unseenTokens-r.spent())).
			then("Go on without it; the user can run \"pathrule trust\".")
	}
	return nil
}

// sharedLedger is the ledger that the session's hooks write. Codex names the
// session with every call. Claude Code names one when it starts the server, and
// the server outlives it (/clear, resume), so it counts only while no other
// session has written since.
func (c *core) sharedLedger(p *place, meta *mcp.Meta) (*ledger.Ledger, ledger.Key) {
	store := ledger.Store{Dir: c.dirs.State, Now: c.env.Now}
	key := ledger.Key{Workspace: ledger.Root(p.ws)}
	if id := codexSession(meta); id != "" {
		key.Host, key.Session = "codex", id
		if l, _, err := store.Open(key); err == nil {
			return l, key
		}
		return nil, key
	}
	// The variable is inherited by other clients that are started from a shell of
	// Claude Code's.
	if id := c.env.Get("CLAUDE_CODE_SESSION_ID"); id != "" && strings.HasPrefix(c.sess.GetClientInfo().Name, "claude") {
		key.Host, key.Session = "claude-code", id
		if l, fresh, err := store.Open(key); err == nil && !fresh && store.IsNewest(key) {
			return l, key
		}
	}
	return nil, key
}

// codexSession is the session id in a Codex call's metadata.
func codexSession(meta *mcp.Meta) string {
	if meta == nil {
		return ""
	}
	m, _ := meta.AdditionalFields["x-codex-turn-metadata"].(map[string]any)
	id, _ := m["session_id"].(string)
	return id
}

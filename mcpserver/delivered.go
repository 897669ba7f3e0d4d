package mcpserver

import (
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/hookrunner/ledger"
	"pathrule/slice"
)

// given remembers what this connection was given. It stands in where the
// session is not known: an item comes again only in a higher form or changed.
type given struct {
	mu sync.Mutex
	m  map[string]ledger.Sent
}

func newGiven() *given { return &given{m: map[string]ledger.Sent{}} }

// Has implements slice.Delivered.
func (g *given) Has(key, hash string) slice.Form {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s, ok := g.m[key]; ok && s.Hash == hash {
		return s.Form
	}
	return slice.None
}

func (g *given) record(items []ledger.Sent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, i := range items {
		if old, ok := g.m[i.Key]; !ok || old.Hash != i.Hash || old.Form < i.Form {
			g.m[i.Key] = i
		}
	}
}

// record is where a call's deliveries are remembered.
type record struct {
	slice.Delivered
	add func([]ledger.Sent)
}

// delivered finds the session's record: the hooks' ledger where we know that it
// is this very session's, else this connection's own. Never both: the ledger
// forgets at compaction, and so must we.
func (c *core) delivered(p *place, meta *mcp.Meta) record {
	if l := c.sharedLedger(p, meta); l != nil {
		return record{l, func(items []ledger.Sent) {
			if len(items) > 0 {
				if _, err := l.Record(items); err != nil {
					c.log.Printf("remember what was delivered: %v", err)
				}
			}
		}}
	}
	return record{c.given, c.given.record}
}

// sharedLedger is the ledger that the session's hooks write. Codex names the
// session with every call. Claude Code names one when it starts the server, and
// the server outlives it (/clear, resume), so it counts only while no other
// session has written since.
func (c *core) sharedLedger(p *place, meta *mcp.Meta) *ledger.Ledger {
	store := ledger.Store{Dir: c.dirs.State, Now: c.env.Now}
	key := ledger.Key{Workspace: p.ws.ID}
	if id := codexSession(meta); id != "" {
		key.Host, key.Session = "codex", id
		if l, _, err := store.Open(key); err == nil {
			return l
		}
		return nil
	}
	// The variable is inherited by other clients that are started from a shell of
	// Claude Code's.
	if id := c.env.Get("CLAUDE_CODE_SESSION_ID"); id != "" && strings.HasPrefix(c.sess.GetClientInfo().Name, "claude") {
		key.Host, key.Session = "claude-code", id
		if l, fresh, err := store.Open(key); err == nil && !fresh && store.IsNewest(key) {
			return l
		}
	}
	return nil
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

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is what we know of the client, and the way to speak to it unasked. It
// is the SDK's ClientSession; unlike the SDK's own for stdio it belongs to one
// connection, not to the process.
type session struct {
	send func([]byte) // one frame, newline included

	mu       sync.Mutex
	ready    bool // initialize was answered, or a request of the stateless protocol came
	legacy   bool // the client finished the initialize handshake
	info     mcp.Implementation
	caps     mcp.ClientCapabilities
	version  string
	filter   mcp.SubscriptionFilter
	listens  bool
	stream   json.RawMessage // the id that tags everything on the subscription stream
	pending  map[string]chan frame
	requests int
	outbox   chan mcp.JSONRPCNotification
}

var (
	_ server.ClientSession                 = (*session)(nil)
	_ server.SessionWithClientInfo         = (*session)(nil)
	_ server.SessionWithProtocolVersion    = (*session)(nil)
	_ server.SessionWithSubscriptionFilter = (*session)(nil)
)

func newSession() *session {
	return &session{pending: map[string]chan frame{}, outbox: make(chan mcp.JSONRPCNotification, 8)}
}

func (s *session) SessionID() string { return "stdio" }

func (s *session) Initialize() { s.mu.Lock(); s.ready = true; s.mu.Unlock() }

func (s *session) Initialized() bool { s.mu.Lock(); defer s.mu.Unlock(); return s.ready }

func (s *session) GetClientInfo() mcp.Implementation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.info
}

func (s *session) SetClientInfo(i mcp.Implementation) { s.mu.Lock(); s.info = i; s.mu.Unlock() }

func (s *session) GetClientCapabilities() mcp.ClientCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.caps
}

func (s *session) SetClientCapabilities(c mcp.ClientCapabilities) {
	s.mu.Lock()
	s.caps = c
	s.mu.Unlock()
}

func (s *session) ProtocolVersion() string { s.mu.Lock(); defer s.mu.Unlock(); return s.version }

// SetProtocolVersion records what initialize agreed on.
func (s *session) SetProtocolVersion(v string) { s.mu.Lock(); s.version = v; s.mu.Unlock() }

func (s *session) SetSubscriptionFilter(f mcp.SubscriptionFilter) {
	s.mu.Lock()
	s.filter, s.listens = f, !f.IsEmpty()
	s.mu.Unlock()
}

func (s *session) SubscriptionFilter() (mcp.SubscriptionFilter, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filter, s.listens
}

// handshaken marks the end of the initialize handshake: from here on the client
// takes notifications and requests.
func (s *session) handshaken() { s.mu.Lock(); s.legacy = true; s.mu.Unlock() }

// NotificationChannel is the SDK's way to send; it uses it for the
// acknowledgement of a subscription alone.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.outbox }

// pump writes what the SDK puts into the channel until ctx ends.
func (s *session) pump(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case n := <-s.outbox:
			s.mu.Lock()
			if n.Params.Meta[mcp.MetaKeySubscriptionID] != nil {
				n.Params.Meta[mcp.MetaKeySubscriptionID] = s.stream
			}
			s.mu.Unlock()
			if raw, err := marshal(n); err == nil {
				s.send(append(raw, '\n'))
			}
		}
	}
}

// streaming records the id of the subscription that is about to start.
func (s *session) streaming(id json.RawMessage) { s.mu.Lock(); s.stream = id; s.mu.Unlock() }

// notify sends a list-changed notification if the client wants it: always after
// the initialize handshake, only when subscribed to in the stateless protocol.
func (s *session) notify(method string) {
	s.mu.Lock()
	wanted, stream := s.legacy, json.RawMessage(nil)
	if s.listens {
		stream = s.stream
		switch method {
		case mcp.MethodNotificationResourcesListChanged:
			wanted = s.filter.ResourcesListChanged
		case mcp.MethodNotificationPromptsListChanged:
			wanted = s.filter.PromptsListChanged
		}
	}
	s.mu.Unlock()
	if !wanted {
		return
	}
	params := ""
	if stream != nil {
		params = fmt.Sprintf(`,"params":{"_meta":{%q:%s}}`, mcp.MetaKeySubscriptionID, stream)
	}
	s.send([]byte(`{"jsonrpc":"2.0","method":` + strconv.Quote(method) + params + "}\n"))
}

// request asks the client something and waits for its answer.
func (s *session) request(ctx context.Context, method string) (json.RawMessage, error) {
	ch := make(chan frame, 1)
	s.mu.Lock()
	s.requests++
	id := fmt.Sprintf(`"pathrule-%d"`, s.requests)
	s.pending[id] = ch
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.pending, id)
		s.mu.Unlock()
	}()
	s.send([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":` + strconv.Quote(method) + "}\n"))
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case f := <-ch:
		if f.failed != nil {
			return nil, errors.New("the client refused " + method)
		}
		return f.result, nil
	}
}

// answered takes the client's answer to one of our requests; an answer to
// nothing is dropped.
func (s *session) answered(f frame) {
	s.mu.Lock()
	ch := s.pending[string(f.id)]
	s.mu.Unlock()
	if ch != nil {
		select {
		case ch <- f:
		default:
		}
	}
}

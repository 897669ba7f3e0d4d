package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// step is one thing that the scripted model does: a tool call, or, when Tool
// is empty, its last word.
type step struct {
	Tool string
	// Group is the server's name where the wire has the name in two parts.
	Group string
	// Args are a function's arguments; Text is the input of a free-form tool.
	Args map[string]any
	Text string
}

// maxTurn is more requests than any script has steps. A client that goes on
// asking is told that it is done, and then refused.
const maxTurn = 30

// request is one request of a turn as the model received it.
type request struct{ body any }

// model plays a script over the wires in wires_test.go. Requests that offer
// tools belong to the turn and take the next step each; all others (titles,
// checks, summaries) get a short text.
type model struct {
	srv *httptest.Server

	mu     sync.Mutex
	script []step
	turn   []request
	n      int
	// lost are requests that no wire takes, for the failure's text.
	lost []string
}

func newModel(t *testing.T) *model {
	m := &model{}
	m.srv = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.srv.Close)
	return m
}

// play sets the script of the next turn and forgets the requests of the last.
func (m *model) play(steps ...step) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.turn, m.lost = steps, nil, nil
}

// requests are those of the current turn, in order.
func (m *model) requests() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]request(nil), m.turn...)
}

// unanswered are the requests of this turn that were for something else.
func (m *model) unanswered() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.lost...)
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	path := r.URL.Path
	switch {
	case r.Method == http.MethodHead:
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		answer(w, map[string]any{"object": "list", "data": []any{}})
	case r.Method != http.MethodPost:
		m.lose(w, r)
	case strings.HasSuffix(path, "/messages/count_tokens"):
		answer(w, map[string]any{"input_tokens": len(raw) / 4})
	case strings.HasSuffix(path, ":countTokens"):
		answer(w, map[string]any{"totalTokens": len(raw) / 4})
	case strings.HasSuffix(path, "/messages"):
		m.reply(w, body, anthropic{}, body["stream"] == true)
	case strings.HasSuffix(path, "/responses"):
		m.reply(w, body, responses{}, body["stream"] == true)
	case strings.HasSuffix(path, "/chat/completions"):
		m.reply(w, body, chat{}, body["stream"] == true)
	case strings.HasSuffix(path, ":generateContent"):
		m.reply(w, body, gemini{}, false)
	case strings.HasSuffix(path, ":streamGenerateContent"):
		m.reply(w, body, gemini{}, true)
	default:
		m.lose(w, r)
	}
}

func (m *model) lose(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.lost = append(m.lost, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	http.NotFound(w, r)
}

func (m *model) reply(w http.ResponseWriter, body map[string]any, wire wire, streamed bool) {
	s, id, ok := m.next(body, wire)
	switch {
	case !ok:
		http.Error(w, `{"error":{"message":"the script ended long ago","type":"invalid_request_error"}}`, http.StatusBadRequest)
	case streamed:
		w.Header().Set("content-type", "text/event-stream")
		wire.stream(stream{w}, body, s, id)
	default:
		answer(w, wire.whole(body, s, id))
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("content-type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// next takes the step for a request and an id for what it makes.
func (m *model) next(body map[string]any, wire wire) (s step, id string, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	id = fmt.Sprintf("e2e%06d", m.n)
	if len(wire.tools(body)) == 0 {
		return step{Text: wire.aside(body)}, id, true
	}
	m.turn = append(m.turn, request{body})
	if len(m.turn) > maxTurn {
		return step{}, id, false
	}
	if len(m.script) == 0 {
		return step{Text: "done"}, id, true
	}
	s = m.script[0]
	m.script = m.script[1:]
	return s, id, true
}

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func (s stream) send(event string, data map[string]any) {
	b, err := json.Marshal(data)
	if err != nil {
		return
	}
	if event != "" {
		fmt.Fprintf(s.w, "event: %s\n", event)
	}
	fmt.Fprintf(s.w, "data: %s\n\n", b)
}

// typed sends an event that carries its own name.
func (s stream) typed(event string, data map[string]any) {
	data["type"] = event
	s.send(event, data)
}

// texts are all strings of the request that hold part, each with the way to
// it, so that a failure shows where something did or did not arrive.
func (r request) texts(part string) []string {
	var out []string
	walk(r.body, "", func(at, s string) {
		if strings.Contains(s, part) {
			out = append(out, at+": "+s)
		}
	})
	return out
}

// count is how often part stands in the request.
func (r request) count(part string) int {
	n := 0
	for _, s := range r.texts(part) {
		n += strings.Count(s, part)
	}
	return n
}

// lastResult is the newest tool result in the request as JSON, "" without one.
func (r request) lastResult() string {
	last := ""
	visit(r.body, func(o map[string]any) {
		kind, _ := o["type"].(string)
		_, answered := o["functionResponse"]
		if kind == "tool_result" || strings.HasSuffix(kind, "_call_output") || o["role"] == "tool" || answered {
			if b, err := json.Marshal(o); err == nil {
				last = string(b)
			}
		}
	})
	return last
}

// visit calls f for every object of a conversation, in its order.
func visit(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, list := range []string{"messages", "input", "contents", "content", "parts"} {
			visit(v[list], f)
		}
	case []any:
		for _, e := range v {
			visit(e, f)
		}
	}
}

// walk calls f for every string with the way to it.
func walk(v any, at string, f func(at, s string)) {
	switch v := v.(type) {
	case string:
		f(at, v)
	case map[string]any:
		for k, e := range v {
			walk(e, at+"."+k, f)
		}
	case []any:
		for i, e := range v {
			walk(e, fmt.Sprintf("%s[%d]", at, i), f)
		}
	}
}

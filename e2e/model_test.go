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
	// Args are a function's arguments; Text is the input of a free-form tool.
	Args map[string]any
	Text string
}

// request is one request of a turn as the model received it.
type request struct{ body any }

// model plays a script over the Anthropic Messages and OpenAI Responses wires.
// Requests that offer tools belong to the turn and take the next step each;
// all others (titles, checks) get a short text.
type model struct {
	srv *httptest.Server

	mu     sync.Mutex
	script []step
	turn   []request
	n      int
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
	m.script, m.turn = steps, nil
}

// requests are those of the current turn, in order.
func (m *model) requests() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]request(nil), m.turn...)
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var body map[string]any
	_ = json.Unmarshal(raw, &body)
	switch {
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages/count_tokens"):
		answer(w, map[string]any{"input_tokens": len(raw) / 4})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages"):
		m.messages(w, body)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/responses"):
		m.responses(w, body)
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		answer(w, map[string]any{"object": "list", "data": []any{}})
	case r.Method == http.MethodHead:
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("content-type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// next takes the step for a request and an id for what it makes.
func (m *model) next(body map[string]any) (step, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	id := fmt.Sprintf("e2e%06d", m.n)
	tools, _ := body["tools"].([]any)
	if len(tools) == 0 {
		return step{Text: "a title"}, id
	}
	m.turn = append(m.turn, request{body})
	if len(m.script) == 0 {
		return step{Text: "done"}, id
	}
	s := m.script[0]
	m.script = m.script[1:]
	return s, id
}

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func (s stream) send(event string, data map[string]any) {
	data["type"] = event
	b, err := json.Marshal(data)
	if err == nil {
		fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, b)
	}
}

func startStream(w http.ResponseWriter) stream {
	w.Header().Set("content-type", "text/event-stream")
	return stream{w}
}

// messages speaks the Anthropic Messages wire.
func (m *model) messages(w http.ResponseWriter, body map[string]any) {
	s, id := m.next(body)
	block := map[string]any{"type": "text", "text": s.Text}
	reason := "end_turn"
	if s.Tool != "" {
		block = map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": s.Tool, "input": s.Args}
		reason = "tool_use"
	}
	usage := map[string]any{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	msg := map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant", "model": body["model"], "content": []any{block}, "stop_reason": reason, "stop_sequence": nil, "usage": usage}
	if body["stream"] != true {
		answer(w, msg)
		return
	}
	out := startStream(w)
	msg["content"], msg["stop_reason"] = []any{}, nil
	out.send("message_start", map[string]any{"message": msg})
	delta := map[string]any{"type": "text_delta", "text": s.Text}
	if s.Tool != "" {
		in, _ := json.Marshal(s.Args)
		block["input"] = map[string]any{}
		delta = map[string]any{"type": "input_json_delta", "partial_json": string(in)}
	} else {
		block["text"] = ""
	}
	out.send("content_block_start", map[string]any{"index": 0, "content_block": block})
	out.send("content_block_delta", map[string]any{"index": 0, "delta": delta})
	out.send("content_block_stop", map[string]any{"index": 0})
	out.send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 5}})
	out.send("message_stop", map[string]any{})
}

// responses speaks the OpenAI Responses wire.
func (m *model) responses(w http.ResponseWriter, body map[string]any) {
	s, id := m.next(body)
	item := map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": s.Text, "annotations": []any{}}}}
	switch {
	case s.Tool != "" && s.Args != nil:
		in, _ := json.Marshal(s.Args)
		item = map[string]any{"type": "function_call", "id": "fc_" + id, "status": "completed", "call_id": "call_" + id, "name": s.Tool, "arguments": string(in)}
	case s.Tool != "":
		item = map[string]any{"type": "custom_tool_call", "id": "ctc_" + id, "status": "completed", "call_id": "call_" + id, "name": s.Tool, "input": s.Text}
	}
	resp := map[string]any{"id": "resp_" + id, "object": "response", "created_at": 1, "status": "completed", "model": body["model"], "output": []any{item},
		"usage": map[string]any{"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 15}}
	if body["stream"] != true {
		answer(w, resp)
		return
	}
	out := startStream(w)
	out.send("response.created", map[string]any{"sequence_number": 1, "response": map[string]any{"id": "resp_" + id, "object": "response", "status": "in_progress", "output": []any{}}})
	out.send("response.output_item.added", map[string]any{"sequence_number": 2, "output_index": 0, "item": item})
	out.send("response.output_item.done", map[string]any{"sequence_number": 3, "output_index": 0, "item": item})
	out.send("response.completed", map[string]any{"sequence_number": 4, "response": resp})
}

// texts are all strings of the request that hold part, each with the way to
// it, so that a failure shows where something did or did not arrive.
func (r request) texts(part string) []string {
	var out []string
	var walk func(v any, at string)
	walk = func(v any, at string) {
		switch v := v.(type) {
		case string:
			if strings.Contains(v, part) {
				out = append(out, at+": "+v)
			}
		case map[string]any:
			for k, e := range v {
				walk(e, at+"."+k)
			}
		case []any:
			for i, e := range v {
				walk(e, fmt.Sprintf("%s[%d]", at, i))
			}
		}
	}
	walk(r.body, "")
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

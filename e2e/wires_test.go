package e2e

import (
	"encoding/json"
)

// wire is one protocol between a client and its model.
type wire interface {
	// tools are the tools that a request offers, by name.
	tools(body map[string]any) []string
	// aside is the answer to a request that offers none.
	aside(body map[string]any) string
	// whole is a reply in one piece, stream the same as events.
	whole(body map[string]any, s step, id string) map[string]any
	stream(out stream, body map[string]any, s step, id string)
}

// jsonOf is a value as JSON text; those made here always have one.
func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func objects(v any) []map[string]any {
	list, _ := v.([]any)
	var out []map[string]any
	for _, e := range list {
		if o, ok := e.(map[string]any); ok {
			out = append(out, o)
		}
	}
	return out
}

func names(list []map[string]any) []string {
	var out []string
	for _, o := range list {
		if n, ok := o["name"].(string); ok {
			out = append(out, n)
		}
	}
	return out
}

// anthropic is the Messages API.
type anthropic struct{}

func (anthropic) tools(body map[string]any) []string { return names(objects(body["tools"])) }
func (anthropic) aside(body map[string]any) string   { return "a title" }
func (anthropic) usage() map[string]any {
	return map[string]any{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
}

func (anthropic) block(s step, id string) (block map[string]any, reason string) {
	if s.Tool == "" {
		return map[string]any{"type": "text", "text": s.Text}, "end_turn"
	}
	return map[string]any{"type": "tool_use", "id": "toolu_" + id, "name": s.Tool, "input": s.Args}, "tool_use"
}

func (a anthropic) whole(body map[string]any, s step, id string) map[string]any {
	block, reason := a.block(s, id)
	return map[string]any{"id": "msg_" + id, "type": "message", "role": "assistant", "model": body["model"], "content": []any{block}, "stop_reason": reason, "stop_sequence": nil, "usage": a.usage()}
}

func (a anthropic) stream(out stream, body map[string]any, s step, id string) {
	block, reason := a.block(s, id)
	msg := a.whole(body, s, id)
	msg["content"], msg["stop_reason"] = []any{}, nil
	out.typed("message_start", map[string]any{"message": msg})
	delta := map[string]any{"type": "text_delta", "text": s.Text}
	if s.Tool != "" {
		block["input"] = map[string]any{}
		delta = map[string]any{"type": "input_json_delta", "partial_json": jsonOf(s.Args)}
	} else {
		block["text"] = ""
	}
	out.typed("content_block_start", map[string]any{"index": 0, "content_block": block})
	out.typed("content_block_delta", map[string]any{"index": 0, "delta": delta})
	out.typed("content_block_stop", map[string]any{"index": 0})
	out.typed("message_delta", map[string]any{"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 5}})
	out.typed("message_stop", map[string]any{})
}

// responses is OpenAI's Responses API.
type responses struct{}

// tools: for newer models they stand in the input.
func (responses) tools(body map[string]any) []string {
	list := objects(body["tools"])
	for _, item := range objects(body["input"]) {
		if item["type"] == "additional_tools" {
			list = append(list, objects(item["tools"])...)
		}
	}
	var out []string
	for _, o := range list {
		name, ok := o["name"].(string)
		if !ok {
			name, ok = o["type"].(string)
		}
		if ok {
			out = append(out, name)
		}
	}
	return out
}

func (responses) aside(body map[string]any) string { return "a title" }

func (r responses) whole(body map[string]any, s step, id string) map[string]any {
	item := map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": s.Text, "annotations": []any{}}}}
	switch {
	case s.Tool != "" && s.Args != nil:
		item = map[string]any{"type": "function_call", "id": "fc_" + id, "status": "completed", "call_id": "call_" + id, "name": s.Tool, "arguments": jsonOf(s.Args)}
		if s.Group != "" {
			item["namespace"] = s.Group
		}
	case s.Tool != "":
		item = map[string]any{"type": "custom_tool_call", "id": "ctc_" + id, "status": "completed", "call_id": "call_" + id, "name": s.Tool, "input": s.Text}
	}
	return map[string]any{"id": "resp_" + id, "object": "response", "created_at": 1, "status": "completed", "model": body["model"], "output": []any{item},
		"usage": map[string]any{"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 15}}
}

func (r responses) stream(out stream, body map[string]any, s step, id string) {
	resp := r.whole(body, s, id)
	item := resp["output"].([]any)[0]
	out.typed("response.created", map[string]any{"sequence_number": 1, "response": map[string]any{"id": "resp_" + id, "object": "response", "status": "in_progress", "output": []any{}}})
	out.typed("response.output_item.added", map[string]any{"sequence_number": 2, "output_index": 0, "item": item})
	out.typed("response.output_item.done", map[string]any{"sequence_number": 3, "output_index": 0, "item": item})
	out.typed("response.completed", map[string]any{"sequence_number": 4, "response": resp})
}

// chat is OpenAI's Chat Completions API.
type chat struct{}

func (chat) tools(body map[string]any) []string {
	var out []map[string]any
	for _, o := range objects(body["tools"]) {
		if f, ok := o["function"].(map[string]any); ok {
			out = append(out, f)
		}
	}
	return names(out)
}

func (chat) aside(body map[string]any) string { return "a title" }

func (chat) message(s step, id string) (msg map[string]any, reason string) {
	if s.Tool == "" {
		return map[string]any{"role": "assistant", "content": s.Text}, "stop"
	}
	call := map[string]any{"index": 0, "id": "call_" + id, "type": "function", "function": map[string]any{"name": s.Tool, "arguments": jsonOf(s.Args)}}
	return map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
}

func (chat) shell(kind string, body map[string]any, id string, choices ...any) map[string]any {
	if choices == nil {
		choices = []any{}
	}
	return map[string]any{"id": "chatcmpl-" + id, "object": kind, "created": 1, "model": body["model"], "choices": choices}
}

func (chat) usage() map[string]any {
	return map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
}

func (c chat) whole(body map[string]any, s step, id string) map[string]any {
	msg, reason := c.message(s, id)
	out := c.shell("chat.completion", body, id, map[string]any{"index": 0, "message": msg, "finish_reason": reason})
	out["usage"] = c.usage()
	return out
}

func (c chat) stream(out stream, body map[string]any, s step, id string) {
	const kind = "chat.completion.chunk"
	msg, reason := c.message(s, id)
	out.send("", c.shell(kind, body, id, map[string]any{"index": 0, "delta": msg, "finish_reason": nil}))
	out.send("", c.shell(kind, body, id, map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}))
	last := c.shell(kind, body, id)
	last["usage"] = c.usage()
	out.send("", last)
	_, _ = out.w.Write([]byte("data: [DONE]\n\n"))
}

// gemini is the Gemini API.
type gemini struct{}

func (gemini) tools(body map[string]any) []string {
	var out []string
	for _, o := range objects(body["tools"]) {
		out = append(out, names(objects(o["functionDeclarations"]))...)
	}
	return out
}

// aside: requests without tools ask for JSON, mostly who speaks next.
func (gemini) aside(body map[string]any) string {
	config, _ := body["generationConfig"].(map[string]any)
	if config["responseMimeType"] == "application/json" {
		return jsonOf(map[string]any{"reasoning": "none", "next_speaker": "user", "model_choice": "pro", "complexity_reasoning": "none", "complexity_score": 60})
	}
	return "a title"
}

func (gemini) whole(body map[string]any, s step, id string) map[string]any {
	part := map[string]any{"text": s.Text}
	if s.Tool != "" {
		part = map[string]any{"functionCall": map[string]any{"name": s.Tool, "args": s.Args}}
	}
	return map[string]any{
		"candidates":    []any{map[string]any{"index": 0, "finishReason": "STOP", "content": map[string]any{"role": "model", "parts": []any{part}}}},
		"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15},
		"modelVersion":  "e2e", "responseId": id,
	}
}

func (g gemini) stream(out stream, body map[string]any, s step, id string) {
	out.send("", g.whole(body, s, id))
}

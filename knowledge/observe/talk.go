package observe

import (
	"bytes"
	"strings"

	"pathrule/internal/rawjson"
)

// turn is what a person or the assistant said.
type turn struct {
	person bool
	text   string
}

// conversation reads the lines of a client's file: of a person everything they
// said, of the assistant what it said last before the next person's turn. Tool
// calls, their output, reasoning, subagents, and what the client or a hook put in
// are not conversation. A torn or unknown line is skipped.
//
//	Claude Code  {"type":"user","message":{"role":"user","content":"…"|[{"type":"text","text":"…"}]}}
//	Qwen Code    {"type":"user","provenance":"real_user","message":{"role":"user","parts":[{"text":"…"}]}}
//	Codex        {"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"…"}]}}
//	Copilot      {"type":"user.message","data":{"content":"…"}}, of a subagent with "agentId"
//	Cursor       {"role":"user","message":{"content":[{"type":"text","text":"<user_query>…</user_query>"}]}}
//	others       {"role":"user","content":…}
func conversation(raw []byte) []turn {
	var out []turn
	for line := range bytes.Lines(raw) {
		v, err := rawjson.Parse(bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")))
		if err != nil || v.Kind() != '{' {
			continue
		}
		role, text := said(v)
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		switch role {
		case "user", "human":
			out = append(out, turn{true, text})
		case "assistant", "model":
			if n := len(out); n > 0 && !out[n-1].person {
				out[n-1].text = text
			} else {
				out = append(out, turn{false, text})
			}
		}
	}
	return out
}

func said(v rawjson.Value) (role, text string) {
	if v.Get("isMeta").True() || v.Get("isSidechain").True() || v.Get("isCompactSummary").True() || v.Get("agentId").Text() != "" {
		return "", ""
	}
	kind := v.Get("type").Text()
	switch kind {
	case "", "user", "human", "assistant", "model", "message", "response_item", "user.message", "assistant.message":
	default: // a log of requests repeats what was said
		return "", ""
	}
	if p := v.Get("provenance").Text(); kind == "user" && p != "" && p != "real_user" {
		return "", ""
	}
	m := v
	switch {
	case v.Get("message").Kind() == '{':
		m = v.Get("message")
	case v.Get("payload").Kind() == '{':
		if m = v.Get("payload"); m.Get("type").Text() != "message" {
			return "", ""
		}
	case v.Get("data").Kind() == '{':
		m = v.Get("data")
		role, _ = strings.CutSuffix(kind, ".message")
	}
	if role == "" || role == kind {
		role = m.Get("role").Text()
	}
	if role == "" {
		role = v.Get("role").Text()
	}
	mine := role == "user" || role == "human"
	if text = spoken(m.Get("content"), mine); text == "" {
		text = spoken(m.Get("parts"), mine)
	}
	return role, text
}

// spoken is the text of a message's content: a string, or its blocks of text;
// of a person without what a client wrote in their name.
func spoken(v rawjson.Value, person bool) string {
	own := func(s string) string {
		if person {
			return ownWords(s)
		}
		return s
	}
	switch v.Kind() {
	case '"':
		return own(v.Text())
	case '[':
		var parts []string
		for b := range v.Elements {
			switch b.Get("type").Text() {
			case "text", "input_text", "output_text", "":
				if t := own(b.Get("text").Text()); strings.TrimSpace(t) != "" && !b.Get("thought").True() {
					parts = append(parts, t)
				}
			}
		}
		return strings.Join(parts, "\n")
	}
	return ""
}

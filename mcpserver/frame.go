package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxFrame is the most bytes of one message. Nothing we take comes near it; it
// only keeps a runaway client from filling the memory.
const maxFrame = 16 << 20

// frame is one JSON-RPC message from the client. Keys are matched exactly and
// the raw bytes are kept: the SDK decodes ids into float64, which rounds
// integers above 2^53, and takes a null id for a notification.
type frame struct {
	id     json.RawMessage // as spelt, "null" included; nil when there is none
	method string
	params json.RawMessage
	// A message without a method is the client's answer to one of our requests.
	result json.RawMessage
	failed json.RawMessage
}

// frameError is a message that cannot be taken, as JSON-RPC answers it.
type frameError struct {
	id   json.RawMessage
	code int
	msg  string
}

// errTooLong: the line was skipped unread.
var errTooLong = errors.New("message is longer than 16 MiB")

// lineReader cuts the stream into lines: LF or CRLF, a byte order mark before
// the first, the last one with or without an end. A line over the limit is
// skipped to its end and reported as errTooLong; the stream goes on after it.
type lineReader struct {
	r   *bufio.Reader
	max int
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, 64<<10), max}
}

// next returns a line without its end, valid until the next call.
func (l *lineReader) next() ([]byte, error) {
	var long []byte
	over := false
	for {
		part, err := l.r.ReadSlice('\n')
		if !over {
			over = len(long)+len(part) > l.max+2
		}
		switch {
		case over:
			long = nil
		case err == bufio.ErrBufferFull || len(long) > 0:
			long = append(long, part...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if over {
			if err != nil {
				return nil, err
			}
			return nil, errTooLong
		}
		line := part
		if long != nil {
			line = long
		}
		if err != nil && len(line) == 0 {
			return nil, err
		}
		// A last line without its end counts; the error comes again next time.
		return trimLine(line), nil
	}
}

func trimLine(line []byte) []byte {
	line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	return bytes.Trim(line, " \t\r\n")
}

// parseFrame reads one line. A frameError without an id is answered with null,
// as JSON-RPC asks.
func parseFrame(line []byte) (frame, *frameError) {
	if len(line) > 0 && line[0] == '[' {
		return frame{}, &frameError{code: mcp.INVALID_REQUEST, msg: "batches are not supported: send one message per line"}
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(line, &m); err != nil || m == nil {
		return frame{}, &frameError{code: mcp.PARSE_ERROR, msg: "not a JSON-RPC message: one JSON object per line"}
	}
	var f frame
	if id, ok := m["id"]; ok {
		if !plainID(id) {
			return frame{}, &frameError{code: mcp.INVALID_REQUEST, msg: "id must be a string or a number"}
		}
		f.id = id
	}
	var version string
	if json.Unmarshal(m["jsonrpc"], &version) != nil || version != mcp.JSONRPC_VERSION {
		return frame{}, &frameError{id: f.id, code: mcp.INVALID_REQUEST, msg: `jsonrpc must be "2.0"`}
	}
	f.params, f.result, f.failed = m["params"], m["result"], m["error"]
	raw, has := m["method"]
	if !has {
		if f.id == nil || f.result == nil && f.failed == nil {
			return frame{}, &frameError{id: f.id, code: mcp.INVALID_REQUEST, msg: "neither a method nor a result"}
		}
		return f, nil
	}
	if json.Unmarshal(raw, &f.method) != nil || f.method == "" {
		return frame{}, &frameError{id: f.id, code: mcp.INVALID_REQUEST, msg: "method must be a string"}
	}
	return f, nil
}

// plainID reports a string, a number or null.
func plainID(raw json.RawMessage) bool {
	if len(raw) == 0 {
		return false
	}
	switch c := raw[0]; {
	case c == '"', c == '-', c >= '0' && c <= '9':
		return true
	}
	return string(raw) == "null"
}

// forSDK spells the message anew for the SDK: exact keys, each once, and an id
// that survives its decoding.
func (f frame) forSDK(id string) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0"`)
	if f.id != nil {
		b.WriteString(`,"id":`)
		b.WriteString(strconv.Quote(id))
	}
	b.WriteString(`,"method":`)
	m, _ := json.Marshal(f.method)
	b.Write(m)
	if f.params != nil && string(f.params) != "null" {
		b.WriteString(`,"params":`)
		b.Write(f.params)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// response spells an answer with the client's own id, byte for byte.
func response(id json.RawMessage, msg mcp.JSONRPCMessage) []byte {
	switch m := msg.(type) {
	case mcp.JSONRPCResponse:
		if raw, err := marshal(m.Result); err == nil {
			return envelope(id, "result", raw)
		}
	case mcp.JSONRPCError:
		if raw, err := marshal(m.Error); err == nil {
			return envelope(id, "error", raw)
		}
	}
	return failure(id, mcp.INTERNAL_ERROR, "the answer could not be encoded")
}

// failure spells a JSON-RPC error.
func failure(id json.RawMessage, code int, msg string) []byte {
	raw, _ := marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, msg})
	return envelope(id, "error", raw)
}

func envelope(id json.RawMessage, key string, raw []byte) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	out := make([]byte, 0, len(raw)+len(id)+40)
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, `,"`...)
	out = append(out, key...)
	out = append(out, `":`...)
	out = append(out, raw...)
	return append(out, "}\n"...)
}

// marshal is json.Marshal without escaping <, > and &, and without a newline.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

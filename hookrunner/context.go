package hookrunner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pathrule/guard/pack"
	"pathrule/hookrunner/ledger"
	"pathrule/host"
	"pathrule/internal/rawjson"
	"pathrule/slice"
)

// Advice on the size of a conversation: what the model holds is what the client
// last paid for, input and cached tokens, as its own record of the conversation
// says. Where that cannot be read, tool calls and the bytes of their output are
// counted instead.

const (
	contextKey = "x:guard:context"
	// maxAdvice is how often one stretch between two compactions is told.
	maxAdvice = 2
	// A size below this share of the last told one is a compaction.
	dropNum, dropDen = 6, 10
	// The second advice comes when the conversation grew by a quarter.
	growNum, growDen = 5, 4

	maxTail   = 256 << 10
	tailChunk = 32 << 10

	countCalls = 18
	countBytes = 20_000
)

// stretch is what the session's record says of the conversation since it was
// last compacted: how often it was told and at which size, or the counters. A
// reset of the record (compaction, clear) forgets it.
type stretch struct {
	told, size, calls, bytes int
}

func (s stretch) String() string {
	b := strconv.AppendInt(nil, int64(s.told), 10)
	for _, n := range []int{s.size, s.calls, s.bytes} {
		b = strconv.AppendInt(append(b, ':'), int64(n), 10)
	}
	return string(b)
}

func stretchOf(l *ledger.Ledger) (s stretch) {
	text, ok := l.Last(contextKey)
	if !ok {
		return s
	}
	parts := strings.Split(text, ":")
	if len(parts) != 4 {
		return s
	}
	for i, to := range []*int{&s.told, &s.size, &s.calls, &s.bytes} {
		*to, _ = strconv.Atoi(parts[i])
	}
	return s
}

// next is the stretch after an event in which the conversation measures size
// tokens, 0 for unknown; advise says whether the model is told now.
func (s stretch) next(size, limit, calls, output int) (n stretch, advise bool) {
	n = s
	if size > 0 {
		if n.size > 0 && size*dropDen < n.size*dropNum {
			n = stretch{} // compacted
		}
		n.calls, n.bytes = 0, 0
		switch {
		case n.told == 0 && size >= limit, n.told > 0 && n.told < maxAdvice && size*growDen >= n.size*growNum:
			n.told, n.size = n.told+1, size
			return n, true
		}
		return n, false
	}
	n.calls += calls
	n.bytes += output
	if k := n.told + 1; k <= maxAdvice && (n.calls >= k*countCalls || n.bytes >= k*countBytes) {
		n.told = k
		return n, true
	}
	return n, false
}

// contextAdvice is the advice for this tool call, if one is due, and what to
// remember of it in any case.
func (r *runner) contextAdvice(a *asker, l *ledger.Ledger) (text string, sent *ledger.Sent) {
	if !a.settings.GuardContext || r.ev.Agent != "" || r.ev.Name == host.PostToolUseFailure {
		return "", nil // a subagent's conversation is not the one that is compacted
	}
	before := stretchOf(l)
	size := contextSize(host.Transcript(r.payload))
	calls, output := 0, 0
	if size == 0 {
		if r.ev.Name == host.PreToolUse || !r.toldBeforeTools() {
			calls = 1
		}
		if r.ev.Name != host.PreToolUse {
			output = len(r.payload)
		}
	}
	now, advise := before.next(size, a.settings.ContextTokens, calls, output)
	if now == before {
		return "", nil
	}
	sent = &ledger.Sent{Key: contextKey, Hash: now.String(), Form: slice.Name}
	if !advise {
		return "", sent
	}
	what := "This conversation holds about " + strconv.Itoa((size+500)/1000) + "k tokens"
	if size == 0 {
		what = "This session has made " + strconv.Itoa(now.calls) + " tool calls since its beginning or its last compaction"
	}
	return "Guard: " + what + ". When the step in hand is done, write down what is decided, what is left and which files matter, and suggest to the user to compact or to begin a new session for the next task. Until then read parts of files instead of whole ones. " +
		pack.Procedure(pack.Context), sent
}

// contextSize is the newest size that the client noted in its record of the
// conversation, in tokens; 0 when there is none within the last 256 KiB.
func contextSize(path string) int {
	f, size := openRecord(path)
	if f == nil {
		return 0
	}
	defer f.Close()
	if strings.HasSuffix(path, ".json") {
		return tokensOf(tailOf(path, maxTail))
	}
	return newestUsage(f, size)
}

// tokensOf is the newest size in a record that is one document, written with or
// without blanks (releases of Gemini CLI):
//
//	{"messages":[{"type":"gemini","tokens":{"input":95000,"output":10,"cached":90000,"total":95010}}]}
func tokensOf(tail []byte) int {
	for {
		i := bytes.LastIndex(tail, []byte(`"tokens":`))
		if i < 0 {
			return 0
		}
		if open := bytes.TrimLeft(tail[i+9:], " "); i > 0 && tail[i-1] != '\\' && len(open) > 0 && open[0] == '{' {
			if end := bytes.IndexByte(open, '}'); end > 0 {
				if v, err := rawjson.Parse(open[:end+1]); err == nil {
					if n := count(v, "input"); n > 0 {
						return n
					}
				}
			}
		}
		tail = tail[:i]
	}
}

// tailOf is the end of a client's record of the conversation, at most size
// bytes; nil when there is none.
func tailOf(path string, size int64) []byte {
	f, n := openRecord(path)
	if f == nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, min(n, size))
	if _, err := f.ReadAt(b, n-int64(len(b))); err != nil && err != io.EOF {
		return nil
	}
	return b
}

// openRecord opens a client's record of the conversation and tells its size; nil
// for what is no file of its own.
func openRecord(path string) (*os.File, int64) {
	if !filepath.IsAbs(path) {
		return nil, 0
	}
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() {
		return nil, 0
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0
	}
	return f, st.Size()
}

// newestUsage reads backwards, a chunk at a time, and looks at whole lines only:
// the client may be writing the last one.
func newestUsage(f io.ReaderAt, size int64) int {
	var tail []byte // what was read and belongs to a line that begins before it
	stop := max(0, size-maxTail)
	for at := size; at > stop; {
		n := min(int64(tailChunk), at-stop)
		chunk := make([]byte, n, int(n)+len(tail))
		if got, err := f.ReadAt(chunk, at-n); err != nil && err != io.EOF || int64(got) < n {
			return 0
		}
		at -= n
		tail = append(chunk, tail...)
		// Lines that begin in this chunk; the first one may begin before it.
		from := 0
		if at > 0 {
			i := bytes.IndexByte(tail, '\n')
			if i < 0 {
				continue
			}
			from = i + 1
		}
		rest := tail[from:]
		for len(rest) > 0 {
			line := rest
			if i := bytes.LastIndexByte(rest[:len(rest)-1], '\n'); i >= 0 {
				line, rest = rest[i+1:], rest[:i+1]
			} else {
				rest = nil
			}
			if n, stop := usageOf(line); n > 0 || stop {
				return n
			}
		}
		tail = tail[:from]
	}
	return 0
}

// usageOf is the size that one line tells, 0 for none. stop: the conversation was
// compacted there, and nothing older says how large it is now.
//
//	Claude Code  {"type":"assistant","message":{"usage":{"input_tokens":4,"cache_creation_input_tokens":1000,"cache_read_input_tokens":90000}}}
//	             {"type":"system","subtype":"compact_boundary"}
//	Codex        {"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":95000,"cached_input_tokens":90000}}}}
//	             {"type":"compacted","payload":{}}
//	Gemini CLI   {"type":"gemini","tokens":{"input":95000,"cached":90000}}
//	Qwen Code    {"type":"assistant","usageMetadata":{"promptTokenCount":95000,"cachedContentTokenCount":90000}}
func usageOf(line []byte) (n int, stop bool) {
	if !bytes.Contains(line, []byte("_usage\"")) && !bytes.Contains(line, []byte(`"usage`)) && !bytes.Contains(line, []byte(`"tokens"`)) && !bytes.Contains(line, []byte(`"compact`)) {
		return 0, false
	}
	v, err := rawjson.Parse(line)
	if err != nil || v.Get("isSidechain").True() {
		return 0, false
	}
	if v.Get("subtype").Text() == "compact_boundary" || v.Get("type").Text() == "compacted" {
		return 0, true
	}
	// What is cached is a part of the first in all but Claude Code's.
	if u := v.Get("payload").Get("info").Get("last_token_usage"); u.Kind() == '{' {
		return count(u, "input_tokens"), false
	}
	if u := v.Get("usageMetadata"); u.Kind() == '{' {
		return count(u, "promptTokenCount"), false
	}
	if u := v.Get("tokens"); u.Kind() == '{' && v.Get("type").Text() == "gemini" {
		return count(u, "input"), false
	}
	u := v.Get("message").Get("usage")
	if u.Kind() != '{' {
		u = v.Get("usage")
	}
	return count(u, "input_tokens") + count(u, "cache_creation_input_tokens") + count(u, "cache_read_input_tokens"), false
}

func count(v rawjson.Value, name string) int {
	n, err := strconv.Atoi(string(v.Get(name)))
	if err != nil || n < 0 || n > 1<<40 {
		return 0
	}
	return n
}

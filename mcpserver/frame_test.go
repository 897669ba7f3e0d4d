package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

func TestLinesAreCutAsClientsWriteThem(t *testing.T) {
	long := strings.Repeat("x", 100)
	for name, test := range map[string]struct {
		in   string
		want []string // "!" is a line over the limit
	}{
		"LF":                                   {"a\nb\n", []string{"a", "b"}},
		"CRLF":                                 {"a\r\nb\r\n", []string{"a", "b"}},
		"two CR before the LF":                 {"a\r\r\nb\n", []string{"a", "b"}},
		"a byte order mark":                    {"\xef\xbb\xbfa\n", []string{"a"}},
		"the last line has no end":             {"a\nb", []string{"a", "b"}},
		"blank lines stay for the caller":      {"a\n\n \t\nb\n", []string{"a", "", "", "b"}},
		"a line at the limit":                  {long + "\nb\n", []string{long, "b"}},
		"a line over the limit is skipped":     {"a\n" + long + "xyz\nb\n", []string{"a", "!", "b"}},
		"a line far over the limit":            {strings.Repeat(long, 5000) + "\r\nb\n", []string{"!", "b"}},
		"the input ends inside a line over it": {"a\n" + strings.Repeat(long, 5000), []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			r := newLineReader(smallReads{strings.NewReader(test.in)}, 100)
			for {
				line, err := r.next()
				if err == io.EOF {
					break
				}
				if err == errTooLong {
					got = append(got, "!")
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(line))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestALineMayBeLongerThanTheBuffer(t *testing.T) {
	want := strings.Repeat("é", 100<<10)
	r := newLineReader(strings.NewReader("a\r\n"+want+"\r\nb\r\n"), maxFrame)
	for _, w := range []string{"a", want, "b"} {
		if got, err := r.next(); err != nil || string(got) != w {
			t.Fatalf("got %d bytes, %v; want %d", len(got), err, len(w))
		}
	}
}

// smallReads gives what it has in small pieces, as a pipe may.
type smallReads struct{ r io.Reader }

func (o smallReads) Read(p []byte) (int, error) { return o.r.Read(p[:min(len(p), 7)]) }

func TestFramesKeepTheirRawID(t *testing.T) {
	for name, test := range map[string]struct {
		line string
		id   string
		bad  int
	}{
		"a small number":            {`{"jsonrpc":"2.0","id":1,"method":"m"}`, `1`, 0},
		"an integer above 2^53":     {`{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}`, `9007199254740993`, 0},
		"a number of 40 digits":     {`{"jsonrpc":"2.0","id":1234567890123456789012345678901234567890,"method":"m"}`, `1234567890123456789012345678901234567890`, 0},
		"a fraction with zeros":     {`{"jsonrpc":"2.0","id":1.50,"method":"m"}`, `1.50`, 0},
		"an exponent":               {`{"jsonrpc":"2.0","id":1e3,"method":"m"}`, `1e3`, 0},
		"minus zero":                {`{"jsonrpc":"2.0","id":-0,"method":"m"}`, `-0`, 0},
		"a string with escapes":     {`{"jsonrpc":"2.0","id":"a\u0041\/<b>&","method":"m"}`, `"a\u0041\/<b>&"`, 0},
		"an empty string":           {`{"jsonrpc":"2.0","id":"","method":"m"}`, `""`, 0},
		"null is an id":             {`{"jsonrpc":"2.0","id":null,"method":"m"}`, `null`, 0},
		"none is a notification":    {`{"jsonrpc":"2.0","method":"m"}`, ``, 0},
		"spaces around it":          {`{"jsonrpc":"2.0" , "id" :  7  ,"method":"m"}`, `7`, 0},
		"another spelling is none":  {`{"jsonrpc":"2.0","ID":7,"method":"m"}`, ``, 0},
		"an object is refused":      {`{"jsonrpc":"2.0","id":{"a":1},"method":"m"}`, ``, mcp.INVALID_REQUEST},
		"a boolean is refused":      {`{"jsonrpc":"2.0","id":true,"method":"m"}`, ``, mcp.INVALID_REQUEST},
		"another version":           {`{"jsonrpc":"1.0","id":3,"method":"m"}`, `3`, mcp.INVALID_REQUEST},
		"no version":                {`{"id":3,"method":"m"}`, `3`, mcp.INVALID_REQUEST},
		"a method that is a number": {`{"jsonrpc":"2.0","id":3,"method":4}`, `3`, mcp.INVALID_REQUEST},
		"neither method nor result": {`{"jsonrpc":"2.0","id":3}`, `3`, mcp.INVALID_REQUEST},
		"a batch":                   {`[{"jsonrpc":"2.0","id":3,"method":"m"}]`, ``, mcp.INVALID_REQUEST},
		"garbage":                   {`hello`, ``, mcp.PARSE_ERROR},
		"half a message":            {`{"jsonrpc":"2.0","id":3,`, ``, mcp.PARSE_ERROR},
		"two messages on a line":    {`{"jsonrpc":"2.0","id":3,"method":"m"}{}`, ``, mcp.PARSE_ERROR},
		"the word null":             {`null`, ``, mcp.PARSE_ERROR},
		"a raw control character":   {"{\"jsonrpc\":\"2.0\",\"id\":\"a\x01\",\"method\":\"m\"}", ``, mcp.PARSE_ERROR},
		"nested beyond all measure": {strings.Repeat(`{"a":`, 20000), ``, mcp.PARSE_ERROR},
	} {
		t.Run(name, func(t *testing.T) {
			f, bad := parseFrame([]byte(test.line))
			id := f.id
			if bad != nil {
				id = bad.id
				if bad.code != test.bad {
					t.Errorf("code %d, want %d", bad.code, test.bad)
				}
			} else if test.bad != 0 {
				t.Errorf("taken, want code %d", test.bad)
			}
			if string(id) != test.id {
				t.Errorf("id %s, want %s", id, test.id)
			}
		})
	}
}

func TestAnswersGoOutAsOneLine(t *testing.T) {
	got := response(json.RawMessage(`9007199254740993`), mcp.NewJSONRPCResultResponse(mcp.NewRequestId("x"), map[string]string{"a": "1\n<2>"}))
	if want := `{"jsonrpc":"2.0","id":9007199254740993,"result":{"a":"1\n<2>"}}` + "\n"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got = failure(nil, mcp.PARSE_ERROR, "no")
	if want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}` + "\n"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Whatever the bytes, the reader ends, no line has an end in it, and a frame
// that is taken gives the SDK a message with one id and one method.
func FuzzFrames(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n",
		"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n\n",
		`{"jsonrpc":"2.0","id":"a","id":2,"method":"x","params":{"a":[1,2,{"b":null}]}}`,
		`{"jsonrpc":"2.0","id":null,"method":"é\u0000","params":null}`,
		"[]\nnull\n{}\n\"\"\n1e999\n",
		`{"jsonrpc":"2.0","id":"pathrule-1","result":{"roots":[{"uri":"file:///a%20b"}]}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newLineReader(bytes.NewReader(in), 1<<10)
		for range len(in) + 2 {
			line, err := r.next()
			if err == errTooLong {
				continue
			}
			if err != nil {
				return
			}
			if bytes.ContainsRune(line, '\n') {
				t.Fatalf("a line with an end in it: %q", line)
			}
			fr, bad := parseFrame(line)
			if bad != nil {
				out := failure(bad.id, bad.code, bad.msg)
				if !json.Valid(out) || bytes.Count(out, []byte("\n")) != 1 {
					t.Fatalf("a refusal that is no frame: %q", out)
				}
				continue
			}
			if fr.method == "" {
				parseRoots(fr.result)
				continue
			}
			var m map[string]any
			if err := json.Unmarshal(fr.forSDK("x/1"), &m); err != nil {
				t.Fatalf("%q became %q: %v", line, fr.forSDK("x/1"), err)
			}
			if m["method"] != fr.method || fr.id != nil && m["id"] != "x/1" {
				t.Fatalf("%q became %v", line, m)
			}
			out := response(fr.id, mcp.NewJSONRPCResultResponse(mcp.NewRequestId("x"), "y"))
			if !json.Valid(out) || bytes.Count(out, []byte("\n")) != 1 {
				t.Fatalf("an answer that is no frame: %q", out)
			}
		}
		t.Fatal("the reader does not end")
	})
}

package hookrunner

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf16"
)

const bom = "\xEF\xBB\xBF"

func wide(s string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// Rows: F96.
func TestThePayloadIsTheFirstObject(t *testing.T) {
	const object = `{"a":"é😀 }","b":[{}]}`
	for name, c := range map[string]struct {
		in   string
		want string
		err  error
	}{
		"plain":                                {object, object, nil},
		"with a newline after it":              {object + "\n", object, nil},
		"blanks and CRLF before it":            {" \r\n\t" + object, object, nil},
		"a second value after it":              {object + `{"c":1}`, object, nil},
		"rubbish after it":                     {object + "}}} trailing", object, nil},
		"one mark":                             {bom + object, object, nil},
		"three marks":                          {bom + bom + bom + object, object, nil},
		"marks and blanks":                     {bom + "\r\n" + object, object, nil},
		"UTF-16, little end first":             {"\xFF\xFE" + wide(object, false), object, nil},
		"UTF-16, big end first":                {"\xFE\xFF" + wide(object, true), object, nil},
		"UTF-16 without a mark":                {wide(object, false), object, nil},
		"UTF-16, big end, without a mark":      {wide(object, true), object, nil},
		"UTF-16 with two marks":                {"\xFF\xFE\xFF\xFE" + wide(object, false), object, nil},
		"raw control characters":               {"{\"p\":\"a\x01\nb\"}", "{\"p\":\"a\x01\nb\"}", nil},
		"CRLF between members":                 {"{\r\n\"a\":1,\r\n\"b\":2\r\n}\r\n", "{\r\n\"a\":1,\r\n\"b\":2\r\n}", nil},
		"nothing":                              {"", "", nil},
		"blanks":                               {" \r\n ", "", nil},
		"one newline":                          {"\n", "", nil},
		"a mark alone":                         {bom, "", nil},
		"two marks alone":                      {bom + bom, "", nil},
		"a UTF-16 mark alone":                  {"\xFF\xFE", "", nil},
		"a mark and a newline":                 {bom + "\r\n", "", nil},
		"an array":                             {`[` + object + `]`, "", errNoValue},
		"a string":                             {`"x"`, "", errNoValue},
		"rubbish":                              {"hello", "", errNoValue},
		"cut off":                              {object[:len(object)-1], "", errTorn},
		"cut off in a string":                  {`{"a":"b`, "", errTorn},
		"half a mark":                          {"\xEF\xBB", "", errTorn},
		"one character":                        {"{", "", errTorn},
		"too big":                              {`{"a":"` + strings.Repeat("x", maxPayload) + `"}`, "", errTooBig},
		"too big without an end":               {`{"a":"` + strings.Repeat("x", maxPayload+1), "", errTooBig},
		"many blanks before nothing":           {strings.Repeat(" ", maxPayload+1), "", errTooBig},
		"just not too big":                     {`{"a":"` + strings.Repeat("x", maxPayload-8) + `"}`, `{"a":"` + strings.Repeat("x", maxPayload-8) + `"}`, nil},
		"an error after the object is nothing": {object, object, nil},
	} {
		t.Run(name, func(t *testing.T) {
			readers := map[string]io.Reader{"whole": strings.NewReader(c.in)}
			if len(c.in) < 1000 {
				readers["byte by byte"] = iotest.OneByteReader(strings.NewReader(c.in))
				readers["in halves"] = iotest.HalfReader(strings.NewReader(c.in))
				readers["with the end beside the data"] = iotest.DataErrReader(strings.NewReader(c.in))
			}
			for how, in := range readers {
				synctest.Test(t, func(t *testing.T) { // no busy machine is a silent host
					got, err := readPayload(in)
					if string(got) != c.want || !errors.Is(err, c.err) {
						t.Errorf("%s: %.80q, %v; want %.80q, %v", how, got, err, c.want, c.err)
					}
				})
			}
		})
	}
}

// slow is a host that writes its parts one after another, each after a pause,
// and never closes the pipe.
type slow struct {
	pause time.Duration
	parts []string
}

func TestStdinThatIsNeverClosed(t *testing.T) {
	for name, c := range map[string]struct {
		in   slow
		want string
		err  error
		took time.Duration
	}{
		"answers at once when the object is complete":      {slow{0, []string{`{"a":1}`}}, `{"a":1}`, nil, 0},
		"waits for what comes within 300 ms, again and on": {slow{299 * time.Millisecond, []string{`{"a`, `":`, `1}`}}, `{"a":1}`, nil, 897 * time.Millisecond},
		"gives up on an object that does not end":          {slow{0, []string{`{"a":`}}, "", errIdle, idleTime},
		"gives up when nothing comes":                      {slow{0, nil}, "", errIdle, idleTime},
		"gives up when it comes too late":                  {slow{301 * time.Millisecond, []string{`{"a":1}`}}, "", errIdle, idleTime},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				pr, pw := io.Pipe()
				go func() {
					for _, part := range c.in.parts {
						time.Sleep(c.in.pause)
						if _, err := pw.Write([]byte(part)); err != nil {
							return
						}
					}
				}()
				got, err := readPayload(pr)
				if string(got) != c.want || !errors.Is(err, c.err) {
					t.Errorf("%q, %v; want %q, %v", got, err, c.want, c.err)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				pr.Close() // lets both goroutines end
				time.Sleep(time.Second)
			})
		})
	}
}

// late is in memory, and kept from being read by a busy machine.
type late struct{ *strings.Reader }

func (l late) Read(b []byte) (int, error) {
	time.Sleep(time.Hour)
	return l.Reader.Read(b)
}

func TestWhatIsInMemoryIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if got, err := readPayload(late{strings.NewReader(`{"a":1} `)}); string(got) != `{"a":1}` || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// However a text is cut into pieces, it is read as the same payload, and what
// is valid JSON is read whole.
func FuzzPayload(f *testing.F) {
	f.Add([]byte(bom+`{"a":"b"}`), 1)
	f.Add([]byte("\xFF\xFE{\x00}\x00"), 3)
	f.Add([]byte("{\"a\":\"\\\"\x00}\"}"), 2)
	f.Add([]byte("\xEF\xBB{"), 1)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		if size < 1 {
			size = 1
		}
		whole, err := readPayload(bytes.NewReader(in))
		cut, err2 := readPayload(&pieces{in, size})
		// A text that fails may be refused for what comes first.
		if string(whole) != string(cut) || (err == nil) != (err2 == nil) {
			t.Fatalf("whole %q, %v; in pieces of %d %q, %v", whole, err, size, cut, err2)
		}
		if trimmed := bytes.TrimSpace(in); json.Valid(in) && trimmed[0] == '{' && string(whole) != string(trimmed) {
			t.Fatalf("valid %q is read as %q, %v", in, whole, err)
		}
	})
}

type pieces struct {
	b    []byte
	size int
}

// Len says that nobody waits for it.
func (p *pieces) Len() int { return len(p.b) }

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.b[:min(p.size, len(p.b))])
	p.b = p.b[n:]
	return n, nil
}

package rawjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// decode turns a value into what encoding/json makes of it, numbers raw.
func decode(v Value) any {
	switch v.Kind() {
	case '{':
		m := map[string]any{}
		v.Members(func(n string, e Value) bool { m[n] = decode(e); return true })
		return m
	case '[':
		a := []any{}
		v.Elements(func(e Value) bool { a = append(a, decode(e)); return true })
		return a
	case '"':
		return v.Text()
	case 't', 'f':
		return v.True()
	case 'n':
		return nil
	}
	return json.Number(v)
}

func reference(t testing.TB, b []byte) any {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var want any
	if err := d.Decode(&want); err != nil {
		t.Fatalf("reference decoder: %v", err)
	}
	return want
}

func TestValuesAreWhatEncodingJSONReads(t *testing.T) {
	for name, in := range map[string]string{
		"a flat object":               `{"a":1,"b":"x","c":true,"d":null,"e":false}`,
		"blanks everywhere":           " {\r\n \"a\" :\t[ 1 , 2.5e-3 , { } , [ ] ] } \n",
		"a quote after backslashes":   `{"a":"\\","b":"\\\"","c":"\"}"}`,
		"brackets inside strings":     `{"a":"]}{[","b":{"c":"}"}}`,
		"escapes and surrogates":      `"\u0041\n\t\/\ud83d\ude00 \u00e9"`,
		"a lone surrogate":            `"\ud83d x \ude00"`,
		"the last of two names wins":  `{"a":1,"a":{"b":2}}`,
		"numbers stay exact":          `[9007199254740993,-0,1E+2]`,
		"an escaped name":             `{"\u0061b":1}`,
		"an empty object and array":   `[{},[],""]`,
		"text outside the basic page": `{"a":"日本語😀"}`,
	} {
		t.Run(name, func(t *testing.T) {
			v, err := Parse([]byte(in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(reference(t, []byte(in)), decode(v)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestBrokenTextIsRefused(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a":1}}`, `{"a":1} x`, `"abc`, `"abc\"`,
		`nul`, `truex`, `01`, `-`, `1.`, `1e`, `+1`, `.5`, `{a:1}`, `{'a':1}`, `{"a":1]`, `[}`, `{"a":tru}`, `NaN`,
		strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1),
	} {
		if v, err := Parse([]byte(in)); err == nil {
			t.Errorf("Parse(%.40q) = %q, want an error", in, v)
		}
	}
}

func TestRawControlCharactersPass(t *testing.T) {
	v, err := Parse([]byte("{\"prompt\":\"one\ntwo\x00\x1b[0m\t.\"}"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := v.Get("prompt").Text(), "one\ntwo\x00\x1b[0m\t."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGetOfAnotherKindIsAbsent(t *testing.T) {
	v, _ := Parse([]byte(`{"a":[1],"b":"x"}`))
	for _, w := range []Value{v.Get("c"), v.Get("a").Get("b"), v.Get("b").Get("c"), v.Get("c").Get("d")} {
		if w != nil || w.Kind() != 0 || w.Text() != "" || w.True() {
			t.Errorf("got %q, want an absent value", w)
		}
	}
}

func TestStreamEndsAtTheFirstObjectHoweverItArrives(t *testing.T) {
	const object = ` {"a":"x\\","b":"}\"","c":[{"d":[]}]}`
	text := []byte(object + "\n{\"second\":1}")
	for size := 1; size <= len(text); size++ {
		var s Stream
		got := 0
		for n := size; ; n += size {
			end, ok := s.Next(text[:min(n, len(text))])
			if !ok {
				t.Fatalf("chunks of %d: refused", size)
			}
			if end > 0 {
				got = end
				break
			}
			if n >= len(text) {
				break
			}
		}
		if got != len(object) {
			t.Errorf("chunks of %d: end %d, want %d", size, got, len(object))
		}
	}
}

func TestStreamRefusesWhatIsNoObject(t *testing.T) {
	for _, in := range []string{"[]", "x{", `"a"`, "}", "12", "null"} {
		if _, ok := new(Stream).Next([]byte(in)); ok {
			t.Errorf("Next(%q) went on", in)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\u00e9",{"b":null}]}`, `"\ud83d\ude00"`, "{\"a\":\"\x01\"}", `[-1.5e9,0]`, `{"a":{"a":{}}} `, `[[[]]]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Parse(b)
		if !json.Valid(b) {
			return // more is taken than the standard allows, on purpose
		}
		if err != nil {
			if bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > MaxDepth {
				return
			}
			t.Fatalf("refused valid JSON %q", b)
		}
		if want := reference(t, b); utf8.Valid(b) && !reflect.DeepEqual(want, decode(v)) {
			t.Fatalf("%q: got %v, want %v", b, decode(v), want)
		}
		if b = bytes.TrimLeft(b, " \t\r\n"); b[0] == '{' {
			if end, ok := new(Stream).Next(b); !ok || string(b[:end]) != string(v) {
				t.Fatalf("stream end %d of %q", end, b)
			}
		}
	})
}

func FuzzQuote(f *testing.F) {
	f.Add("a\"b\\c\n\x00é😀\xff<&>\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		q := AppendQuoted(nil, s)
		var std string
		if err := json.Unmarshal(q, &std); err != nil {
			t.Fatalf("%q: %v", q, err)
		}
		v, err := Parse(q)
		if err != nil || v.Text() != std {
			t.Fatalf("%q reads back as %q, %v", q, v.Text(), err)
		}
		if utf8.ValidString(s) && std != s {
			t.Fatalf("%q came back as %q", s, std)
		}
	})
}

package jsonedit

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func parse(t *testing.T, src string) *Doc {
	t.Helper()
	d, err := Parse([]byte(src))
	if err != nil {
		t.Fatalf("parse %q: %v", src, err)
	}
	return d
}

func TestAddFollowsTheFile(t *testing.T) {
	val := Object{{"k", []string{"a", "b"}}}
	for name, tc := range map[string]struct{ in, want string }{
		"blank text becomes an object":       {"", "{\n  \"x\": {\n    \"k\": [\"a\", \"b\"]\n  }\n}\n"},
		"an empty object opens":              {"{}", "{\n  \"x\": {\n    \"k\": [\"a\", \"b\"]\n  }\n}"},
		"four spaces stay four":              {"{\n    \"a\": 1\n}\n", "{\n    \"a\": 1,\n    \"x\": {\n        \"k\": [\"a\", \"b\"]\n    }\n}\n"},
		"tabs stay tabs":                     {"{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"x\": {\n\t\t\"k\": [\"a\", \"b\"]\n\t}\n}"},
		"CRLF stays CRLF":                    {"{\r\n  \"a\": 1\r\n}\r\n", "{\r\n  \"a\": 1,\r\n  \"x\": {\r\n    \"k\": [\"a\", \"b\"]\r\n  }\r\n}\r\n"},
		"a byte order mark stays":            {"\ufeff{\"a\":1}", "\ufeff{\"a\":1,\"x\":{\"k\":[\"a\",\"b\"]}}"},
		"one line stays one line":            {`{ "a": 1 }`, `{ "a": 1, "x": {"k": ["a", "b"]} }`},
		"minified stays minified":            {`{"a":1}`, `{"a":1,"x":{"k":["a","b"]}}`},
		"a trailing comma stays":             {"{\n  \"a\": 1,\n}", "{\n  \"a\": 1,\n  \"x\": {\n    \"k\": [\"a\", \"b\"]\n  },\n}"},
		"a comment on the last line stays":   {"{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"x\": {\n    \"k\": [\"a\", \"b\"]\n  }\n}"},
		"a comment below the last stays":     {"{\n  \"a\": 1\n  // end\n}", "{\n  \"a\": 1,\n  // end\n  \"x\": {\n    \"k\": [\"a\", \"b\"]\n  }\n}"},
		"a comment in an empty object stays": {"{\n  // none\n}", "{\n  // none\n  \"x\": {\n    \"k\": [\"a\", \"b\"]\n  }\n}"},
		"a comment without a line end":       {"{ \"a\": 1 } // end", "{ \"a\": 1, \"x\": {\"k\": [\"a\", \"b\"]} } // end"},
		"block comments stay":                {"{ /* l */ \"a\": 1 /* t */ }", "{ /* l */ \"a\": 1, /* t */ \"x\": {\"k\": [\"a\", \"b\"]} }"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tc.in)
			if err := d.AddMember("x", val); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(d.Bytes())); diff != "" {
				t.Errorf("add (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddInsideFollowsTheNeighbours(t *testing.T) {
	d := parse(t, "{\n   \"hooks\": {\n       \"Stop\": [\n           {\"a\": 1}\n       ]\n   }\n}\n")
	if err := d.AddElem(Object{{"b", 2}}, "hooks", "Stop"); err != nil {
		t.Fatal(err)
	}
	if err := d.AddMember("New", []any{Object{{"c", true}}}, "hooks"); err != nil {
		t.Fatal(err)
	}
	want := "{\n   \"hooks\": {\n       \"Stop\": [\n           {\"a\": 1},\n           {\n              \"b\": 2\n           }\n       ],\n       \"New\": [\n          {\n             \"c\": true\n          }\n       ]\n   }\n}\n"
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Errorf("add (-want +got):\n%s", diff)
	}
}

func TestRemoveTakesItsCommaAndLeavesComments(t *testing.T) {
	for name, tc := range map[string]struct{ in, want string }{
		"the only member":                          {"{\n  \"x\": 1\n}\n", "{}\n"},
		"the only member beside a comment":         {"{\n  // why\n  \"x\": 1\n}", "{\n  // why\n}"},
		"the only member with a trailing comma":    {"{\n  \"x\": 1,\n}", "{}"},
		"the last member":                          {"{\n  \"a\": 1,\n  \"x\": 1\n}", "{\n  \"a\": 1\n}"},
		"the last with trailing commas":            {"{\n  \"a\": 1,\n  \"x\": 1,\n}", "{\n  \"a\": 1,\n}"},
		"the first member":                         {"{\n  \"x\": 1,\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"},
		"the middle of one line":                   {`{"a":1,"x":2,"b":3}`, `{"a":1,"b":3}`},
		"comments before and behind stay":          {"{\n  \"a\": 1, // a\n  // x\n  \"x\": 2 // behind\n}", "{\n  \"a\": 1 // a\n  // x\n   // behind\n}"},
		"a line comment does not eat what follows": {"{ // c\n  \"x\": 2, \"b\": 3 }", "{ // c\n   \"b\": 3 }"},
	} {
		t.Run(name, func(t *testing.T) {
			d := parse(t, tc.in)
			if err := d.Remove("x"); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(d.Bytes())); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetKeepsEverythingAround(t *testing.T) {
	d := parse(t, "{\n\t\"a\": [1, /* two */ 2, 3], // list\n}\n")
	if err := d.Set(Object{{"n", Number("1e400")}}, "a", 1); err != nil {
		t.Fatal(err)
	}
	want := "{\n\t\"a\": [1, /* two */ {\"n\": 1e400}, 3], // list\n}\n"
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
	}
}

func TestUnreadableDocumentsNameTheLine(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		line int
		msg  string
	}{
		"cut short":       {"{\n \"a\": 1", 2, "not valid JSON"},
		"a stray word":    {"{\n\n x }", 3, "not valid JSON"},
		"a key twice":     {"{\"a\": {\n\"b\": 1,\n\"b\": 2}}", 3, `the key "b" twice`},
		"an escaped twin": {"{\"a\":1, \"\\u0061\":2}", 1, `the key "a" twice`},
		"Latin-1":         {"{\n\"a\": \"\xe9\"}", 2, "not valid UTF-8"},
		"UTF-16":          {"\xff\xfe{\x00}\x00", 1, "UTF-16"},
		"too deep":        {strings.Repeat("[", 100000), 1, "nested too deeply"},
		"two top values":  {"{}\n{}", 2, "not valid JSON"},
		"only a comment":  {"// c\n", 2, "not valid JSON"},
		"single quotes":   {"{'a': 1}", 1, "not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tc.in))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error is %v", err)
			}
			if e.Line != tc.line || !strings.Contains(e.Msg, tc.msg) {
				t.Errorf("got line %d %q, want line %d %q", e.Line, e.Msg, tc.line, tc.msg)
			}
		})
	}
}

func TestPlainTellsCommentsAndTrailingCommas(t *testing.T) {
	for in, want := range map[string]int{
		"{\"a\": \"// no, ]\"}": 0, "{\n\"a\": 1, /* c */\n\"b\": 2}": 2, "{\n\"a\": [1,\n]}": 2, "[1, 2]\n": 0,
	} {
		if got := parse(t, in).NotPlain(); got != want {
			t.Errorf("%q: line %d, want %d", in, got, want)
		}
	}
}

// An addition followed by the removal of the same member gives back the bytes,
// unless the container was empty with blanks inside. Foreign values and all
// comments survive every edit.
func FuzzEdits(f *testing.F) {
	for _, s := range []string{
		"", "{}", "{\n  \"a\": 1,\n}", "\ufeff{\r\n\t\"a\": [1, 2] // c\r\n}", "{\"a\":{\"b\":[{\"c\":null}]}}", "[1,/*x*/2]",
		"{ // c\n \"a\": 1, \"b\": 2 /* d */ , }", "{/**/}", "[]", "[ // a\n]", "{\"a\": [{}, {\"b\": \"\\\"//\"}]}",
	} {
		f.Add(s+"// end", uint8(0))
		f.Add(s, uint8(0))
		f.Add(s, uint8(3))
	}
	f.Fuzz(func(t *testing.T, src string, pick uint8) {
		d, err := Parse([]byte(src))
		if err != nil {
			return
		}
		var paths [][]any
		var walk func(n Node, p []any)
		walk = func(n Node, p []any) {
			if n.Kind() == '{' || n.Kind() == '[' {
				paths = append(paths, append([]any(nil), p...))
			}
			for _, k := range n.Keys() {
				m, _ := n.Get(k)
				walk(m, append(p, k))
			}
			for i, e := range n.Elems() {
				walk(e, append(p, i))
			}
		}
		walk(d.Root(), nil)
		if len(paths) == 0 {
			return
		}
		p := paths[int(pick)%len(paths)]
		n, _ := d.At(p...)
		key := any("pathrule-new")
		if _, taken := n.Get("pathrule-new"); taken {
			return
		}
		before, comments, bytesBefore := d.Root().Value(), d.Comments(), string(d.Bytes())
		empty := len(n.Keys())+len(n.Elems()) == 0
		if n.Kind() == '{' {
			err = d.AddMember(key.(string), Object{{"a", []any{1, Object{}}}}, p...)
		} else {
			key = len(n.Elems())
			err = d.AddElem(Object{{"a", []any{1, Object{}}}}, p...)
		}
		if err != nil {
			t.Fatalf("add to %q at %v: %v", src, p, err)
		}
		got, ok := d.At(append(p, key, "a", 0)...)
		if !ok || got.Value() != Number("1") {
			t.Fatalf("%q: the new value is not where it was put: %q", src, d.Bytes())
		}
		if !reflect.DeepEqual(comments, d.Comments()) {
			t.Fatalf("%q: comments changed: %q", src, d.Bytes())
		}
		if err := d.Remove(append(p, key)...); err != nil {
			t.Fatalf("remove from %q: %v", src, err)
		}
		if !reflect.DeepEqual(before, d.Root().Value()) || !reflect.DeepEqual(comments, d.Comments()) {
			t.Fatalf("%q became %q", src, d.Bytes())
		}
		if !empty && strings.TrimSpace(src) != "" && string(d.Bytes()) != bytesBefore {
			t.Fatalf("add and remove is not the identity:\n%q\n%q", bytesBefore, d.Bytes())
		}
		// Every existing child can be taken out without touching the others.
		if n, _ = d.At(p...); empty {
			return
		}
		last := any(len(n.Elems()) - 1)
		if k := n.Keys(); len(k) > 0 {
			last = k[0]
		}
		if err := d.Remove(append(p, last)...); err != nil {
			t.Fatalf("remove %v from %q: %v", last, src, err)
		}
		if !reflect.DeepEqual(kept(comments, d.Comments()), d.Comments()) {
			t.Fatalf("%q: a comment appeared: %q", src, d.Bytes())
		}
	})
}

// kept are the wants that also stand in have, in order.
func kept(wants, have []string) []string {
	var out []string
	for _, c := range have {
		for _, w := range wants {
			if w == c {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

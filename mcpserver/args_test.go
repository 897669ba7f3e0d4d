package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArguments(t *testing.T) {
	fields := []field{
		{name: "id", typ: "string", need: true},
		{name: "kind", typ: "string", enum: kindNames},
		{name: "paths", typ: "strings", also: []string{"path"}},
		{name: "limit", typ: "integer"},
		{name: "include_delivered", typ: "boolean"},
		{name: "expected_version", typ: "string"},
		editField,
		{name: "block", typ: "objects", of: []field{{name: "pattern", typ: "string", need: true}, {name: "paths", typ: "strings"}}},
	}
	for name, test := range map[string]struct {
		in   string
		want args
		bad  string
	}{
		"all types": {
			`{"id":"x","kind":"rule","paths":["a","b/**"],"limit":3,"include_delivered":true,"content_edit":{"op":"append","text":"y"},"block":[{"pattern":"p"}]}`,
			args{"id": "x", "kind": "rule", "paths": []string{"a", "b/**"}, "limit": 3, "include_delivered": true,
				"content_edit": args{"op": "append", "text": "y"}, "block": []args{{"pattern": "p"}}}, "",
		},
		"a lone string is a list":             {`{"id":"x","paths":"src/{a,b}.ts, docs"}`, args{"id": "x", "paths": []string{"src/{a,b}.ts", "docs"}}, ""},
		"a lone object is a list":             {`{"id":"x","block":{"pattern":"p"}}`, args{"id": "x", "block": []args{{"pattern": "p"}}}, ""},
		"numbers and booleans as text":        {`{"id":"x","limit":"5","include_delivered":"true"}`, args{"id": "x", "limit": 5, "include_delivered": true}, ""},
		"null is not given":                   {`{"id":"x","kind":null}`, args{"id": "x"}, ""},
		"another name for an argument":        {`{"id":"x","path":["a"]}`, args{"id": "x", "paths": []string{"a"}}, ""},
		"both names":                          {`{"id":"x","path":["a"],"paths":["b"]}`, nil, `"paths" was given twice`},
		"a missing one":                       {`{"kind":"rule"}`, nil, `"id" is missing`},
		"null for a needed one":               {`{"id":null}`, nil, `"id" is missing`},
		"an id that is a number":              {`{"id":9007199254740993}`, nil, `"id" must be a string`},
		"an unknown one and its neighbour":    {`{"id":"x","pathes":["a"]}`, nil, `unknown argument "pathes"; did you mean "paths"?`},
		"an unknown one by another word":      {`{"id":"x","expected_version_id":"a"}`, nil, `unknown argument "expected_version_id"; did you mean "expected_version"?`},
		"an unknown one by camel case":        {`{"id":"x","includeDelivered":true}`, nil, `did you mean "include_delivered"?`},
		"an unknown one like nothing":         {`{"id":"x","zebra":1}`, nil, `unknown argument "zebra"`},
		"unknown inside an object":            {`{"id":"x","content_edit":{"op":"append","text":"y","sectoin":"z"}}`, nil, `unknown argument "content_edit.sectoin"; did you mean "section"?`},
		"missing inside a list":               {`{"id":"x","block":[{"pattern":"p"},{}]}`, nil, `"block[1].pattern" is missing`},
		"a word that is none of the choices":  {`{"id":"x","kind":"rules"}`, nil, `"kind" must be one of memory, rule, skill; did you mean "rule"?`},
		"a list with a number in it":          {`{"id":"x","paths":["a",1]}`, nil, `"paths" must be a list of strings`},
		"a fraction":                          {`{"id":"x","limit":1.5}`, nil, `"limit" must be a whole number`},
		"a number beyond all":                 {`{"id":"x","limit":1e300}`, nil, `"limit" must be a whole number`},
		"a list where an object belongs":      {`{"id":"x","content_edit":["append"]}`, nil, `"content_edit" must be an object {op, `},
		"all faults are told at once":         {`{"kind":1,"limit":"x"}`, nil, `"kind" must be a string; "limit" must be a whole number; "id" is missing`},
		"arguments that are a list":           {`["x"]`, nil, `arguments must be a JSON object`},
		"arguments that are missing entirely": {`null`, nil, `"id" is missing`},
	} {
		t.Run(name, func(t *testing.T) {
			var in any
			if err := json.Unmarshal([]byte(test.in), &in); err != nil {
				t.Fatal(err)
			}
			got, bad := checkArgs("read_rule", fields, in)
			if test.bad == "" {
				if bad != nil {
					t.Fatal(bad)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
				return
			}
			if bad == nil {
				t.Fatalf("taken as %v", got)
			}
			if bad.code != codeInvalid || !strings.Contains(bad.msg, test.bad) {
				t.Errorf("got %v, want %q", bad, test.bad)
			}
			if !strings.Contains(bad.next, "id (needed)") {
				t.Errorf("the next step names no arguments: %q", bad.next)
			}
		})
	}
}

func TestNearestWord(t *testing.T) {
	known := []string{"query", "paths", "depth", "cwd", "limit"}
	for word, want := range map[string]string{
		"qeury": "query", "path": "paths", "dept": "depth", "q": "query", "dir": "cwd", "Limit": "limit", "nothing": "", "": "",
	} {
		if got := nearestWord(word, known); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

package head

import (
	"strings"
	"testing"
)

func TestFindTakesOnlyExactFences(t *testing.T) {
	const max = 200
	for name, c := range map[string]struct {
		file     string
		found    bool
		unclosed bool
		body     string
	}{
		"two fences":                          {"---\na: b\n---\nx", true, false, "x"},
		"nothing between them":                {"---\n---\nx", true, false, "x"},
		"blanks behind the dashes":            {"--- \na: b\n---\t\nx", true, false, "x"},
		"CRLF":                                {"---\r\na: b\r\n---\r\nx", true, false, "x"},
		"a BOM":                               {"\uFEFF---\na: b\n---\nx", true, false, "x"},
		"a BOM and no fence":                  {"\uFEFFx", false, false, "x"},
		"the closing fence ends the file":     {"---\na: b\n---", true, false, ""},
		"only the opening fence":              {"---\na: b\n", false, true, "---\na: b\n"},
		"the opening fence alone":             {"---", false, false, "---"},
		"four dashes":                         {"----\na: b\n----\n", false, false, "----\na: b\n----\n"},
		"a blank before the opening fence":    {" ---\na: b\n---\n", false, false, " ---\na: b\n---\n"},
		"a blank line before it":              {"\n---\na: b\n---\n", false, false, "\n---\na: b\n---\n"},
		"text glued to the closing fence":     {"---\na: b\n---# x\n", false, true, "---\na: b\n---# x\n"},
		"a closing fence that is indented":    {"---\na: b\n ---\n", false, true, "---\na: b\n ---\n"},
		"a closing fence that comes too late": {"---\n" + strings.Repeat("a: b\n", 50) + "---\nx", false, true, "---\n" + strings.Repeat("a: b\n", 50) + "---\nx"},
		"nothing at all":                      {"", false, false, ""},
	} {
		sp := Find([]byte(c.file), max)
		if sp.Found != c.found || sp.Unclosed != c.unclosed || c.file[sp.Body:] != c.body {
			t.Errorf("%s: %+v, body %q", name, sp, c.file[sp.Body:])
		}
	}
}

func TestScanSaysWhereItsKnowledgeEnds(t *testing.T) {
	for head, want := range map[string][3]int{ // beyond, refused, not a mapping
		"a: b\nc:\n  - d\n- e":  {5, 0, 0},
		"a: b\n\nc: 'd'  # e":   {0, 0, 0},
		"a: *.ts":               {0, 2, 0},
		"a: b: c":               {0, 2, 0},
		"a:\n- !b\n- c":         {0, 3, 0},
		"a:\n- b: c":            {3, 0, 0},
		"a: |\n  b":             {2, 0, 0},
		"a: &b c":               {2, 0, 0},
		"a: \"b\\n\"":           {2, 0, 0},
		"a: [b, 'c']":           {0, 0, 0},
		"a: [b, {c: d}]":        {2, 0, 0},
		"a: b\n# c\nprose here": {4, 0, 4},
		"a:\tb":                 {2, 0, 0},
		"a:b":                   {2, 0, 0},
		"- a":                   {2, 0, 2},
		"日本: a":                 {2, 0, 0},
	} {
		data := []byte("---\n" + head + "\n---\n")
		l := Scan(data, Find(data, len(data)))
		if got := [3]int{l.Beyond, l.Refused, l.NotMapping}; got != want {
			t.Errorf("%q: %v, want %v", head, got, want)
		}
	}
}

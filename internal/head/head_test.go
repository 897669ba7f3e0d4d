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

func TestAnUnresolvedConflictIsNoText(t *testing.T) {
	const both = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> 0abc\n"
	for name, c := range map[string]struct {
		file string
		line int
	}{
		"in the text":                      {"# T\n\n" + both, 3},
		"in the head":                      {"---\ntitle: t\n" + both + "---\nbody\n", 3},
		"with the common base between":     {"<<<<<<< HEAD\na\n||||||| base\no\n=======\nb\n>>>>>>> x\n", 1},
		"with CRLF":                        {"x\r\n<<<<<<< HEAD\r\na\r\n=======\r\nb\r\n>>>>>>> x\r\n", 2},
		"without labels":                   {"<<<<<<<\na\n=======\nb\n>>>>>>>", 1},
		"the second of two":                {"```\n" + both + "```\n" + both, 8},
		"an example in a fence":            {"How git shows it:\n\n```\n" + both + "```\n", 0},
		"an indented example":              {"How:\n\n    <<<<<<< HEAD\n    a\n    =======\n    b\n    >>>>>>> x\n", 0},
		"a heading that is underlined":     {"Title\n=======\n", 0},
		"signs in a sentence":              {"git writes <<<<<<< and ======= and >>>>>>> there\n", 0},
		"longer runs, as a table may have": {"<<<<<<<<<<\na\n=======\nb\n>>>>>>>>>>\n", 0},
		"no line between":                  {"<<<<<<< HEAD\na\n>>>>>>> x\n", 0},
		"the wrong way round":              {">>>>>>> x\n=======\n<<<<<<< HEAD\n", 0},
		"an edit block, whose signs go on": {"<<<<<<<SEARCH\na\n=======\nb\n>>>>>>>REPLACE\n", 0},
		"nothing of it":                    {"plain\n", 0},
	} {
		f := Text([]byte(c.file), 1<<20)
		if f.Line != c.line || (f.Msg != "") != (c.line > 0) {
			t.Errorf("%s: line %d (%s), want %d", name, f.Line, f.Msg, c.line)
		}
	}
}

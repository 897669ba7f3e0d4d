package mcpserver

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const docsFile = "../docs/mcp.md"

// TestTheDocumentationIsCurrent holds the table of tools in docs/mcp.md to the
// schemas; with -update it is the generator (go generate ./mcpserver).
func TestTheDocumentationIsCurrent(t *testing.T) {
	got, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n"))
	begin, end := []byte("<!-- tools: generated -->\n"), []byte("<!-- /tools -->")
	i, j := bytes.Index(got, begin)+len(begin), bytes.Index(got, end)
	if i < len(begin) || j < i {
		t.Fatalf("%s has no markers for the tools", docsFile)
	}
	want := append(append(append([]byte{}, got[:i]...), toolTable()...), got[j:]...)
	if *update {
		if err := os.WriteFile(docsFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the tools in %s are not what the schemas say; renew them with: go generate ./mcpserver", docsFile)
	}
}

// Every status and code that an answer can hold stands in its table, and no other.
func TestTheDocumentationNamesEveryStatusAndCode(t *testing.T) {
	b, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	for head, want := range map[string][]string{
		"| status | |\n": {statusOK, statusWarming, statusApproval, statusProposed, statusError},
		"| code | what happened | what to do |\n": {codeInvalid, codeNotFound, codeConflict, codeDuplicate, codeRefused, codeDenied, codeDisabled, codeNoSpace, codeInternal},
	} {
		_, table, ok := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), head)
		if !ok {
			t.Errorf("%s has no table %q", docsFile, head)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		var got []string
		for line := range strings.Lines(table) {
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "`"); ok && strings.HasPrefix(line, "| `") {
				got = append(got, name)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-program +page):\n%s", head, d)
		}
	}
}

func toolTable() string {
	var b strings.Builder
	b.WriteString("| tool | what it does | arguments | answers |\n| --- | --- | --- | --- |\n")
	for _, t := range allTools() {
		var in, out []string
		for _, f := range t.in {
			name := "`" + f.name + "`"
			if f.need {
				name = "**" + name + "**"
			}
			switch {
			case len(f.enum) > 0:
				name += " (" + strings.Join(f.enum, ", ") + ")"
			case len(f.choice) > 0:
				name += " (" + strings.Join(f.choice, ", ") + ")"
			case f.desc != "":
				name += " (" + f.desc + ")"
			}
			in = append(in, name)
		}
		for _, f := range t.out {
			out = append(out, "`"+f.name+"`")
		}
		if len(in) == 0 {
			in = []string{"-"}
		}
		desc := t.desc
		if !t.reads {
			desc += " *Writes.*"
		}
		row := fmt.Sprintf("`%s` | %s | %s | %s", t.name, desc, strings.Join(in, ", "), strings.Join(out, ", "))
		b.WriteString("| " + strings.ReplaceAll(strings.ReplaceAll(row, "|", "\\|"), " \\| ", " | ") + " |\n")
	}
	return b.String()
}

// The page explains every code and status that a result may carry.
func TestTheDocumentationNamesEveryCode(t *testing.T) {
	page, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{
		codeInvalid, codeNotFound, codeConflict, codeDuplicate, codeRefused, codeDenied, codeDisabled, codeNoSpace, codeInternal,
		statusOK, statusWarming, statusApproval, statusProposed, statusError,
	} {
		if !bytes.Contains(page, []byte("| `"+code+"` |")) {
			t.Errorf("%s does not explain %s", docsFile, code)
		}
	}
}

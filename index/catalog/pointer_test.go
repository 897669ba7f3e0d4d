package catalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPointerReadsBackAndRefusesWhatItIsNot(t *testing.T) {
	dir := t.TempDir()
	p := Pointer{Versions: Versions(), Gen: "gen-00000007-ab12", Docs: 13, Entries: 10, Files: 2, Partial: true, Lengths: map[string]int64{"all": 77, "title": 5}}
	if err := p.Write(dir, []string{"all", "title"}); err != nil {
		t.Fatal(err)
	}
	got, err := ReadPointer(dir, Versions())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if _, err := ReadPointer(dir, "0.0.0"); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	data, err := os.ReadFile(filepath.Join(dir, PointerName))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{
		"empty":                 "",
		"torn":                  string(data[:len(data)-3]),
		"a way out":             strings.Replace(string(data), "gen gen-00000007-ab12", "gen gen-/../../x", 1),
		"no generation":         strings.Replace(string(data), "gen gen-00000007-ab12\n", "", 1),
		"a number that is none": strings.Replace(string(data), "docs 13", "docs many", 1),
	} {
		if p, err := parsePointer(bad, Versions()); !errors.Is(err, ErrMissing) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if _, err := ReadPointer(t.TempDir(), Versions()); !errors.Is(err, ErrMissing) {
		t.Errorf("nothing there: %v", err)
	}
}

func FuzzPointer(f *testing.F) {
	f.Add("pathrule-index 1.1.1\ngen gen-1-a\ndocs 1\nend\n")
	f.Add("length all 9\nend\n")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := parsePointer(s, Versions())
		if err == nil && (p.Versions != Versions() || !strings.HasPrefix(p.Gen, GenPrefix) || strings.ContainsAny(p.Gen, `/\`)) {
			t.Fatalf("accepted %+v", p)
		}
	})
}

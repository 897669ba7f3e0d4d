package importer

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pathrule/knowledge"
	"pathrule/knowledge/store"
)

func TestAnExportComesBackByteForByte(t *testing.T) {
	root := t.TempDir()
	s, personal := stores(t, root)
	body := "\r\nCRLF\r\n\r\nand \u202e more  \n"
	list := []store.Whole{
		{Kind: knowledge.Memory, ID: "日本/メモ", Raw: []byte("---\r\ntitle: \"メモ\"\r\nodd: kept\r\n---\r\n" + body)},
		{Kind: knowledge.Rule, ID: "a/b", Raw: []byte("---\ntitle: B\npaths: ['src/**']\n---\nText")},
		{Kind: knowledge.Skill, ID: "deploy", Raw: []byte("---\nname: deploy\ndescription: d\n---\nRun.\n"), Files: map[string][]byte{"run.sh": []byte("echo\n"), "pic.bin": {0, 0xff, 1}}, Programs: map[string]bool{"run.sh": true}},
	}
	errs, err := s.Adopt(list, "test")
	if err != nil || errs[0] != nil || errs[1] != nil || errs[2] != nil {
		t.Fatal(errs, err)
	}
	// A file that no reader takes comes along all the same.
	if err := os.WriteFile(filepath.Join(s.Dir(), "memories", "broken.md"), []byte("---\npaths: 'x/[y'\n---\nT\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	d, notes, err := Export(s)
	if err != nil || len(notes) > 0 || len(d.Entries) != 4 {
		t.Fatal(len(d.Entries), notes, err)
	}
	doc, err := d.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if again, _, _ := Export(s); true {
		if b, _ := again.JSON(); !bytes.Equal(b, doc) {
			t.Error("two exports differ")
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := d.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "all.json")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{dir, file} {
		back, ok, err := ReadDump(at)
		if !ok || err != nil {
			t.Fatal(at, ok, err)
		}
		s2, _ := stores(t, t.TempDir())
		r := PlanDump(back, s2, Options{})
		if f := fileOf(t, r, "memories/broken.md"); f.Result != Skipped || f.Why == "" {
			t.Errorf("a broken entry: %+v", f)
		}
		if n, failed, err := Apply(r, s2, personal, "test"); n != 3 || len(failed) > 0 || err != nil {
			t.Fatal(n, failed, err)
		}
		for _, w := range list {
			_, raw, err := s2.Read(w.Kind, w.ID)
			if err != nil || !bytes.Equal(raw, w.Raw) {
				t.Errorf("%s: %q %v", w.ID, raw, err)
			}
		}
		if b, err := s2.ReadSkillFile("deploy", "pic.bin"); err != nil || !bytes.Equal(b, []byte{0, 0xff, 1}) {
			t.Errorf("%q %v", b, err)
		}
		if r := PlanDump(back, s2, Options{}); r.Changes() != 0 {
			t.Errorf("%s again changes %d", at, r.Changes())
		}
	}
}

func TestAnExportTakesNoFolderOfSomebodyElse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Dump{Version: 1}).WriteDir(dir); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	// A list that points outside, or to a link, brings nothing in.
	out := t.TempDir()
	b, _ := json.Marshal(manifest{Version: 1, Files: []manifestFile{{Path: "../mine.txt"}}})
	if err := os.WriteFile(filepath.Join(out, ManifestName), b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := ReadDump(out); !ok || err == nil {
		t.Error("a path outside was read", err)
	}
	newer, _ := json.Marshal(manifest{Version: 99})
	if err := os.WriteFile(filepath.Join(out, ManifestName), newer, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadDump(out); err == nil || !strings.Contains(err.Error(), "newer pathrule") {
		t.Error(err)
	}
}

func FuzzDumpsEndAndStayInside(f *testing.F) {
	f.Add([]byte(`{"pathrule_export":1,"entries":[{"kind":"memory","id":"a","text":"x"}]}`))
	f.Add([]byte(`{"pathrule_export":1,"entries":[{"kind":"skill","id":"../a","text":{"base64":"AA=="},"files":[{"path":"../../x","text":"y"}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x.json")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		d, ok, err := ReadDump(file)
		if !ok || err != nil {
			return
		}
		root := t.TempDir()
		s, _ := stores(t, root)
		_, _, _ = Apply(PlanDump(d, s, Options{}), s, nil, "test")
		list, err := os.ReadDir(root)
		if err != nil || len(list) > 1 || len(list) == 1 && list[0].Name() != ".pathrule" {
			t.Fatalf("files outside the store: %v", list)
		}
	})
}

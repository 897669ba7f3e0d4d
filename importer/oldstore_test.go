package importer

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/knowledge"
)

// oldStoreAt copies the example into <home>/w1/; change may edit its bytes.
func oldStoreAt(t *testing.T, home string, change func(db []byte)) string {
	t.Helper()
	dir := filepath.Join(home, "w1")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"oldstore.db", "oldstore.db-wal"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			if name != "oldstore.db" {
				continue
			}
			change(b)
		}
		if err := os.WriteFile(filepath.Join(dir, strings.Replace(name, "oldstore", "pathrule", 1)), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "pathrule.db")
}

// P31: the store of the older product, read-only.
func TestTheOlderStoreBecomesEntries(t *testing.T) {
	file := oldStoreAt(t, t.TempDir(), nil)
	before, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	r, err := PlanOldStore(file, "w1/pathrule.db", root, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range r.Units {
		u := &r.Units[i]
		got = append(got, fmt.Sprintf("%s %q %q", u.Key(), u.Title, u.Paths))
	}
	want := []string{
		`memory:retries-are-capped "Retries are capped" ["src/billing" "src/cart/pay.ts"]`,
		`memory:house-words "House words" []`,
		`memory:slugs "Slugs" ["app/\\[slug\\]/page.tsx"]`,
		`memory:only-in-the-log "Only in the log" []`,
		`rule:no-card-numbers "No card numbers" ["src/billing" "app/\\[slug\\]/page.tsx"]`,
		`rule:tabs "Tabs" []`,
		`rule:nowhere "Nowhere" []`,
		`skill:deploy "deploy" ["src/billing"]`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if lost := Lost(r); len(lost) > 0 {
		t.Error(lost)
	}
	if f := fileOf(t, r, "w1/pathrule.db"); !noted(f, "activity_logs (2)") {
		t.Errorf("what is not taken over: %q", f.Notes)
	}
	if f := fileOf(t, r, "w1/pathrule.db#memory/m3"); f.Result != Skipped || !strings.Contains(f.Why, "archived") {
		t.Errorf("an archived memory: %+v", f)
	}
	if f := fileOf(t, r, "w1/pathrule.db#rule/r3"); !noted(f, "no place") {
		t.Errorf("a rule on no place: %+v", f)
	}
	s, personal := stores(t, root)
	if n, failed, err := Apply(r, s, personal, "test"); n != 8 || len(failed) > 0 || err != nil {
		t.Fatal(n, failed, err)
	}
	e, _, err := s.Read(knowledge.Rule, "no-card-numbers")
	if err != nil || e.Priority != knowledge.High || e.Created != "2026-03-01" || e.Body != "Never log card numbers.\n" {
		t.Errorf("%+v %v", e, err)
	}
	if e, _, err := s.Read(knowledge.Skill, "deploy"); err != nil || e.Description != "Use when deploying" || strings.Join(e.Tags, ",") != "ops,release" {
		t.Errorf("%+v %v", e, err)
	}
	again, err := PlanOldStore(file, "w1/pathrule.db", root, Options{Existing: Known(s)})
	if err != nil || again.Changes() != 0 {
		t.Errorf("a second import changes %d entries (%v)", again.Changes(), err)
	}
	if after, _ := os.ReadDir(filepath.Dir(file)); len(after) != len(before) {
		t.Error("the import left files beside the store")
	}
}

// P30: a layout that is newer than what is known is refused in clear words;
// those up to it only ever added.
func TestANewerOlderStoreIsRefused(t *testing.T) {
	version := func(n uint32) string {
		return oldStoreAt(t, t.TempDir(), func(db []byte) { binary.BigEndian.PutUint32(db[60:], n) })
	}
	if _, err := PlanOldStore(version(12), "x", t.TempDir(), Options{}); err != nil {
		t.Errorf("layout 12: %v", err)
	}
	if _, err := PlanOldStore(version(13), "x", t.TempDir(), Options{}); err == nil || !strings.Contains(err.Error(), "newer Pathrule (layout 13") {
		t.Errorf("layout 13: %v", err)
	}
	text := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(text, []byte("SQLite format 3\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := PlanOldStore(text, "x", t.TempDir(), Options{}); err == nil {
		t.Error("a damaged file was read")
	}
}

func TestOldStoresAreFoundByTheirRoot(t *testing.T) {
	home := t.TempDir()
	oldStoreAt(t, home, nil)
	if got := OldStores(home, t.TempDir()); len(got) != 0 {
		t.Errorf("another project's store: %q", got)
	}
	if got := OldStores(home, "/nowhere/shop"); len(got) != 1 {
		t.Errorf("the project's own store: %q", got)
	}
}

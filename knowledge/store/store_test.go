package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// bench is a project with a store and a home of its own.
type bench struct {
	*Store
	t    *testing.T
	root string
	home string
	now  time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, now: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b.root, b.home = filepath.Join(dir, "project"), filepath.Join(dir, "home")
	if err := os.MkdirAll(b.root, 0o755); err != nil {
		t.Fatal(err)
	}
	b.Store = b.open()
	return b
}

func (b *bench) open() *Store {
	ws := &workspace.Workspace{Root: b.root, Store: filepath.Join(b.root, workspace.Marker), ID: "0123456789abcdef"}
	s, err := Open(ws, workspace.Dirs{Home: b.home, State: filepath.Join(b.home, "state")}, sysenv.Env{Now: func() time.Time { return b.now }})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

func (b *bench) write(rel, text string) {
	b.t.Helper()
	p := filepath.Join(b.Dir(), filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) text(rel string) string {
	b.t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Dir(), filepath.FromSlash(rel)))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(data)
}

func (b *bench) add(d Draft) knowledge.Entry {
	b.t.Helper()
	e, _, err := b.Create(d, CreateOptions{By: "cli"})
	if err != nil {
		b.t.Fatalf("create %q: %v", d.Title, err)
	}
	return e
}

func (b *bench) memory(title, body string, paths ...string) knowledge.Entry {
	b.t.Helper()
	return b.add(Draft{Kind: knowledge.Memory, Title: title, Body: body, Paths: paths})
}

func (b *bench) ids() string {
	b.t.Helper()
	list, problems := b.List()
	var out []string
	for _, e := range list {
		out = append(out, e.Key())
	}
	for _, p := range problems {
		if !p.Warning {
			b.t.Errorf("problem: %+v", p)
		}
	}
	return strings.Join(out, " ")
}

func ptr[T any](v T) *T { return &v }

func TestCreateWritesAFileThatReadsBack(t *testing.T) {
	b := newBench(t)
	e := b.add(Draft{
		Kind: knowledge.Rule, Title: "Money is integer cents", Body: "Never use floats for money.\r\nUse `Cents`.",
		Paths: []string{"services/billing/**", "!**/*.test.ts"}, Tags: []string{"billing"}, Priority: knowledge.High,
		Enforcement: knowledge.Strict, Block: []knowledge.Block{{Pattern: `parseFloat\(`, Message: "use toCents() instead"}},
		Check: &knowledge.Check{Command: "npm test -w billing", Message: "run the billing tests"}, Source: "ADR-7",
	})
	want := `---
title: Money is integer cents
paths:
  - "services/billing/**"
  - "!**/*.test.ts"
tags:
  - billing
priority: high
enforcement: strict
block:
  - pattern: "parseFloat\\("
    message: "use toCents() instead"
check:
  command: "npm test -w billing"
  message: "run the billing tests"
source: ADR-7
created: 2026-03-01
---

Never use floats for money.
Use ` + "`Cents`" + `.
`
	if d := cmp.Diff(want, b.text("rules/money-is-integer-cents.md")); d != "" {
		t.Errorf("file (-want +got)\n%s", d)
	}
	got, raw, err := b.Read(knowledge.Rule, "money-is-integer-cents")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(e, got); d != "" {
		t.Errorf("read back (-created +read)\n%s", d)
	}
	if got.Version != knowledge.Version(raw) || len(got.Version) != 16 {
		t.Errorf("version %q does not fit the bytes", got.Version)
	}
}

func TestIDsComeFromTitlesInAnyScript(t *testing.T) {
	b := newBench(t)
	for title, id := range map[string]string{
		"Stripe: retries & back-off": "stripe-retries-back-off",
		"請求書の締め日":                    "請求書の締め日",
		"Größe der Straße":           "größe-der-straße",
		"AUX":                        "aux-entry",
		"!!!":                        "memory",
	} {
		if e := b.memory(title, "text of "+title); e.ID != id {
			t.Errorf("title %q got the id %q, want %q", title, e.ID, id)
		}
	}
	if e := b.memory("Stripe retries back off", "another one", "x"); e.ID != "stripe-retries-back-off-2" {
		t.Errorf("second id is %q", e.ID)
	}
}

func TestCreateRefusesWhatNobodyCouldUse(t *testing.T) {
	long := strings.Repeat("x", 201)
	for name, c := range map[string]struct {
		d     Draft
		field string
	}{
		"no title and no heading":         {Draft{Kind: knowledge.Memory, Body: "text"}, "title"},
		"a title that is too long":        {Draft{Kind: knowledge.Memory, Title: long, Body: "text"}, "title"},
		"no body":                         {Draft{Kind: knowledge.Memory, Title: "t", Body: " \n"}, "body"},
		"an unknown kind":                 {Draft{Kind: "note", Title: "t", Body: "b"}, "kind"},
		"a priority that does not exist":  {Draft{Kind: knowledge.Rule, Title: "t", Body: "b", Priority: "urgent"}, "priority"},
		"a priority on a memory":          {Draft{Kind: knowledge.Memory, Title: "t", Body: "b", Priority: "high"}, "priority"},
		"an enforcement that is none":     {Draft{Kind: knowledge.Rule, Title: "t", Body: "b", Enforcement: "hard"}, "enforcement"},
		"a glob that does not close":      {Draft{Kind: knowledge.Rule, Title: "t", Body: "b", Paths: []string{"src/[a"}}, "paths"},
		"a pattern RE2 does not know":     {Draft{Kind: knowledge.Rule, Title: "t", Body: "b", Block: []knowledge.Block{{Pattern: "(?!x)foo", Message: "long enough it is"}}}, "block"},
		"a pattern that matches nothing":  {Draft{Kind: knowledge.Rule, Title: "t", Body: "b", Block: []knowledge.Block{{Pattern: "a*b*", Message: "long enough it is"}}}, "block"},
		"a check without a command":       {Draft{Kind: knowledge.Rule, Title: "t", Body: "b", Check: &knowledge.Check{Command: "x"}}, "check"},
		"an id that leaves the store":     {Draft{Kind: knowledge.Memory, Title: "t", Body: "b", ID: "../x"}, "id"},
		"an id Windows keeps for itself":  {Draft{Kind: knowledge.Memory, Title: "t", Body: "b", ID: "a/nul.x"}, "id"},
		"an id with a blank":              {Draft{Kind: knowledge.Memory, Title: "t", Body: "b", ID: "a b"}, "id"},
		"an id of the personal store":     {Draft{Kind: knowledge.Memory, Title: "t", Body: "b", ID: "personal/x"}, "id"},
		"bytes that are no text":          {Draft{Kind: knowledge.Memory, Title: "t", Body: "a\xffb"}, "body"},
		"a NUL byte":                      {Draft{Kind: knowledge.Memory, Title: "t", Body: "a\x00b"}, "body"},
		"a body over 1 MiB":               {Draft{Kind: knowledge.Memory, Title: "t", Body: strings.Repeat("a\n", 1<<20)}, "body"},
		"a skill file outside the folder": {Draft{Kind: knowledge.Skill, Title: "t", Body: "b", Files: map[string][]byte{"../x.sh": nil}}, "files"},
		"a skill file named SKILL.md":     {Draft{Kind: knowledge.Skill, Title: "t", Body: "b", Files: map[string][]byte{"skill.MD": nil}}, "files"},
		"workspaces in a project's store": {Draft{Kind: knowledge.Memory, Title: "t", Body: "b", Workspaces: []string{"x"}}, "workspaces"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			_, _, err := b.Create(c.d, CreateOptions{})
			var ie *knowledge.InvalidError
			if !errors.As(err, &ie) || ie.Field != c.field || ie.Msg == "" || ie.Remedy == "" {
				t.Fatalf("error %#v, want field %q with a remedy", err, c.field)
			}
			if !errors.Is(err, knowledge.ErrInvalid) {
				t.Error("is not ErrInvalid")
			}
			if left := b.ids(); left != "" {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

func TestDuplicateTitles(t *testing.T) {
	b := newBench(t)
	b.memory("Retry policy", "one", "a")
	b.add(Draft{Kind: knowledge.Rule, Title: "Retry policy", Body: "a rule may be called the same"})
	b.memory("Retry policy", "in another scope", "b")
	for name, d := range map[string]Draft{
		"other case and blanks": {Kind: knowledge.Memory, Title: "  RETRY   policy ", Body: "x", Paths: []string{"/a/"}},
		"full-width letters":    {Kind: knowledge.Memory, Title: "Ｒｅｔｒｙ policy", Body: "x", Paths: []string{"a"}},
		"a rule anywhere":       {Kind: knowledge.Rule, Title: "retry policy", Body: "x", Paths: []string{"elsewhere"}},
	} {
		_, _, err := b.Create(d, CreateOptions{})
		var de *knowledge.DuplicateError
		if !errors.As(err, &de) || de.Kind != d.Kind || de.ID != "retry-policy" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	e, _, err := b.Create(Draft{Kind: knowledge.Rule, Title: "Retry policy", Body: "asked for"}, CreateOptions{AllowDuplicate: true})
	if err != nil || e.ID != "retry-policy-2" {
		t.Errorf("asked for: %v, id %q", err, e.ID)
	}
	_, err = b.Update(knowledge.Memory, "retry-policy-2", Patch{Paths: ptr([]string{"a"})}, "", "cli")
	if !errors.Is(err, knowledge.ErrDuplicate) {
		t.Errorf("moving into the scope of its twin: %v", err)
	}
}

func TestIDsThatDifferByCaseAreRefused(t *testing.T) {
	b := newBench(t)
	b.add(Draft{Kind: knowledge.Memory, ID: "billing/Retries", Title: "one", Body: "x"})
	b.add(Draft{Kind: knowledge.Skill, ID: "deploy", Title: "deploy", Body: "x"})
	for _, d := range []Draft{
		{Kind: knowledge.Memory, ID: "billing/retries", Title: "two", Body: "x"},
		{Kind: knowledge.Memory, ID: "Billing/other", Title: "three", Body: "x"},
		{Kind: knowledge.Skill, ID: "deploy/web", Title: "four", Body: "x"},
	} {
		if _, _, err := b.Create(d, CreateOptions{}); !errors.Is(err, knowledge.ErrInvalid) {
			t.Errorf("%s: %v", d.ID, err)
		}
	}
	_, _, err := b.Create(Draft{Kind: knowledge.Memory, ID: "billing/Retries", Title: "five", Body: "x"}, CreateOptions{})
	var de *knowledge.DuplicateError
	if !errors.As(err, &de) || de.What != "id" {
		t.Errorf("the same id: %v", err)
	}
}

func TestNearDuplicatesAreNamed(t *testing.T) {
	b := newBench(t)
	body := "Stripe calls are retried three times with exponential backoff. The idempotency key must be stored before the first call, otherwise the customer is charged twice."
	b.memory("Stripe retries need an idempotency key", body)
	b.memory("Catalogue cache", "The product cache is warmed at night by the importer job and never during the day.")
	_, near, err := b.Create(Draft{Kind: knowledge.Rule, Title: "Idempotency keys for Stripe retries", Body: "Store the idempotency key before the first Stripe call; retried calls otherwise charge the customer twice. Retry three times with exponential backoff."}, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(near) != 1 || near[0].ID != "stripe-retries-need-an-idempotency-key" || near[0].Score < nearFloor || near[0].Title == "" {
		t.Errorf("near: %+v", near)
	}
	if _, near, _ = b.Create(Draft{Kind: knowledge.Memory, Title: "Terraform state lock", Body: "Break a stale lock with force-unlock only after asking in the channel."}, CreateOptions{}); len(near) != 0 {
		t.Errorf("an unrelated entry is near: %+v", near)
	}
	ja := "請求書は毎月25日に締める。締め日の前に返金を処理しないと、翌月の請求に回る。"
	b.memory("請求書の締め日", ja)
	if near, _ := b.CheckDraft(Draft{Kind: knowledge.Memory, Title: "請求書の締め日について", Body: ja}, CreateOptions{}); len(near) != 1 || near[0].ID != "請求書の締め日" {
		t.Errorf("near in Japanese: %+v", near)
	}
}

func TestUpdateWantsTheVersionThatWasRead(t *testing.T) {
	b := newBench(t)
	e := b.memory("Cache", "old")
	e2, err := b.Update(knowledge.Memory, e.ID, Patch{Body: ptr("new")}, e.Version, "mcp:x")
	if err != nil || e2.Version == e.Version {
		t.Fatalf("update: %v", err)
	}
	_, err = b.Update(knowledge.Memory, e.ID, Patch{Body: ptr("newer")}, e.Version, "mcp:x")
	var ce *knowledge.ConflictError
	if !errors.As(err, &ce) || ce.Current != e2.Version || !errors.Is(err, knowledge.ErrConflict) {
		t.Fatalf("stale update: %v", err)
	}
	if _, err := b.Delete(knowledge.Memory, e.ID, e.Version, "mcp:x"); !errors.Is(err, knowledge.ErrConflict) {
		t.Fatalf("stale delete: %v", err)
	}
	if got := b.text("memories/cache.md"); !strings.HasSuffix(got, "---\n\nnew\n") {
		t.Errorf("file is %q", got)
	}
	if _, err := b.Delete(knowledge.Memory, e.ID, e2.Version, "mcp:x"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Update(knowledge.Memory, e.ID, Patch{Body: ptr("x")}, e2.Version, "mcp:y"); !errors.As(err, &ce) || ce.Current != "" {
		t.Errorf("update of a deleted entry: %v", err)
	}
}

func TestUpdateLeavesEveryOtherByte(t *testing.T) {
	b := newBench(t)
	file := "\uFEFF---\r\n# head comment\r\ntitle: 'Old'   # why\r\npaths:\r\n- src/a   # first\r\n# between\r\n- \"src/b\"\r\nowner: {team: core}\r\n\r\n---\r\nline one\r\nline two\nline three"
	b.write("memories/m.md", file)
	_, err := b.Update(knowledge.Memory, "m", Patch{Title: ptr("New"), Paths: ptr([]string{"src/b", "src/c"}), Tags: ptr([]string{"x"}),
		Content: &ContentEdit{Op: "str_replace", Old: "one\nline two", Text: "1\nline 2"}}, "", "cli")
	if err != nil {
		t.Fatal(err)
	}
	want := "\uFEFF---\r\n# head comment\r\ntitle: 'New'   # why\r\npaths:\r\n# between\r\n- \"src/b\"\r\n- src/c\r\nowner: {team: core}\r\n\r\ntags:\r\n  - x\r\n---\r\nline 1\r\nline 2\nline three"
	if d := cmp.Diff(want, b.text("memories/m.md")); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestContentEdits(t *testing.T) {
	doc := "\n# T\n\nintro\n\n## Steps\n\n- a\n- b\n\n```\n## Steps\n```\n\n## Notes ##\n\nlast\n"
	for name, c := range map[string]struct {
		body string
		edit ContentEdit
		want string // "" : an error
		msg  string
	}{
		"append starts a new paragraph":         {"\none\n", ContentEdit{Op: "append", Text: "two"}, "\none\n\ntwo\n", ""},
		"append goes on with a list":            {"\n- a\n", ContentEdit{Op: "append", Text: "- b\n"}, "\n- a\n- b\n", ""},
		"append keeps a missing last newline":   {"one", ContentEdit{Op: "append", Text: "two\n"}, "one\n\ntwo", ""},
		"append keeps CRLF":                     {"one\r\n", ContentEdit{Op: "append", Text: "two\nx"}, "one\r\n\r\ntwo\r\nx\r\n", ""},
		"append goes before bindings":           {"one\n\n## Bindings\n- x\n", ContentEdit{Op: "append", Text: "two"}, "one\n\ntwo\n\n## Bindings\n- x\n", ""},
		"prepend stands below the blank line":   {"\none\n", ContentEdit{Op: "prepend", Text: "zero"}, "\nzero\n\none\n", ""},
		"str_replace changes the one match":     {"a b c\n", ContentEdit{Op: "str_replace", Old: "b", Text: "x"}, "a x c\n", ""},
		"str_replace may take text out":         {"a b c\n", ContentEdit{Op: "str_replace", Old: " b"}, "a c\n", ""},
		"str_replace refuses no match":          {"a\n", ContentEdit{Op: "str_replace", Old: "z"}, "", "matches 0 times"},
		"str_replace refuses two matches":       {"a\na\n", ContentEdit{Op: "str_replace", Old: "a"}, "", "matches 2 times (lines 1, 2"},
		"str_replace counts overlaps":           {"aaa\n", ContentEdit{Op: "str_replace", Old: "aa"}, "", "matches 2 times"},
		"str_replace refuses an empty old text": {"a\n", ContentEdit{Op: "str_replace"}, "", "empty"},
		"replace_section ends at its level":     {doc, ContentEdit{Op: "replace_section", Section: "## Steps", Text: "- c"}, "\n# T\n\nintro\n\n## Steps\n\n- c\n\n## Notes ##\n\nlast\n", ""},
		"replace_section takes the heading too": {doc, ContentEdit{Op: "replace_section", Section: "notes", Text: "## Notes\nnew"}, "\n# T\n\nintro\n\n## Steps\n\n- a\n- b\n\n```\n## Steps\n```\n\n## Notes\nnew\n", ""},
		"replace_section names the headings":    {doc, ContentEdit{Op: "replace_section", Section: "Nope", Text: "x"}, "", "matches 0 headings"},
		"replace_section wants the level":       {doc, ContentEdit{Op: "replace_section", Section: "### Steps", Text: "x"}, "", "matches 0 headings"},
		"an unknown op":                         {"a", ContentEdit{Op: "sed"}, "", "unknown op"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := editBody(c.body, c.edit)
			if c.want == "" {
				if err == nil || !strings.Contains(err.Error(), c.msg) {
					t.Fatalf("error %v, want %q", err, c.msg)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestDeleteGoesToTheTrashAndComesBack(t *testing.T) {
	b := newBench(t)
	b.add(Draft{Kind: knowledge.Skill, Title: "deploy", Description: "when deploying", Body: "run it", Files: map[string][]byte{"scripts/run.sh": []byte("echo hi\n")}})
	first := b.text("skills/deploy/SKILL.md")
	where, err := b.Delete(knowledge.Skill, "deploy", "", "mcp:claude code")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(where); err != nil || !strings.Contains(where, "trash") {
		t.Errorf("trashed at %s: %v", where, err)
	}
	if b.ids() != "" {
		t.Errorf("still listed: %s", b.ids())
	}
	if got := b.text(".gitignore"); got != "trash/\n" {
		t.Errorf(".gitignore is %q", got)
	}
	list, err := b.Trash()
	if err != nil || len(list) != 1 || list[0].ID != "deploy" || list[0].By != "mcp:claude code" || list[0].Title != "deploy" || !list[0].At.Equal(b.now) {
		t.Errorf("trash: %+v %v", list, err)
	}
	// A second one of the same name, deleted later, is the one that comes back.
	b.now = b.now.Add(time.Second)
	b.add(Draft{Kind: knowledge.Skill, Title: "deploy", Description: "second", Body: "another"})
	if _, err := b.Restore(knowledge.Skill, "deploy", "cli"); !errors.Is(err, knowledge.ErrDuplicate) {
		t.Errorf("restore over a living entry: %v", err)
	}
	if _, err := b.Delete(knowledge.Skill, "deploy", "", "cli"); err != nil {
		t.Fatal(err)
	}
	e, err := b.Restore(knowledge.Skill, "deploy", "cli")
	if err != nil || e.Description != "second" {
		t.Fatalf("restored %q, %v", e.Description, err)
	}
	if _, err := b.Delete(knowledge.Skill, "deploy", "", "cli"); err != nil {
		t.Fatal(err)
	}
	list, _ = b.Trash()
	if len(list) != 2 {
		t.Fatalf("trash holds %d", len(list))
	}
	// 31 days later the next delete empties it.
	b.now = b.now.AddDate(0, 0, 31)
	b.memory("m", "x")
	if _, err := b.Delete(knowledge.Memory, "m", "", "cli"); err != nil {
		t.Fatal(err)
	}
	if list, _ = b.Trash(); len(list) != 1 || list[0].ID != "m" {
		t.Errorf("after 31 days: %+v", list)
	}
	// The text of the first is still in the history.
	if h, err := b.History(knowledge.Skill, "deploy"); err != nil || len(h) != 3 || h[2].Version != knowledge.Version([]byte(first)) {
		t.Errorf("history: %+v %v", h, err)
	}
}

func TestRestoreBringsAWholeSkillBack(t *testing.T) {
	b := newBench(t)
	b.add(Draft{Kind: knowledge.Skill, ID: "ops/deploy", Title: "deploy", Description: "d", Body: "run it", Files: map[string][]byte{"a/b.txt": []byte("x")}})
	if _, err := b.Delete(knowledge.Skill, "ops/deploy", "", "cli"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(b.Dir(), "skills", "ops")); err == nil {
		t.Error("an empty folder stayed")
	}
	if _, err := b.Restore(knowledge.Skill, "ops/deploy", "cli"); err != nil {
		t.Fatal(err)
	}
	files, problems, err := b.SkillFiles("ops/deploy")
	if err != nil || len(problems) != 0 || len(files) != 1 || files[0] != (SkillFile{"a/b.txt", 1}) {
		t.Errorf("files %v, problems %v, %v", files, problems, err)
	}
	data, err := b.ReadSkillFile("ops/deploy", "a/b.txt")
	if err != nil || string(data) != "x" {
		t.Errorf("read %q %v", data, err)
	}
	if _, err := b.ReadSkillFile("ops/deploy", "../../../x"); !errors.Is(err, knowledge.ErrRefused) {
		t.Errorf("reading outside: %v", err)
	}
	if _, err := b.Restore(knowledge.Skill, "ops/depoy", "cli"); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("restoring what is not there: %v", err)
	}
}

func TestHistoryKeepsTwentyVersionsForNinetyDays(t *testing.T) {
	b := newBench(t)
	e := b.memory("m", "v0")
	first := e.Version
	for i := 1; i <= 25; i++ {
		b.now = b.now.Add(time.Hour)
		if _, err := b.Update(knowledge.Memory, "m", Patch{Body: ptr(fmt.Sprintf("v%d", i))}, "", "mcp:claude-code"); err != nil {
			t.Fatal(err)
		}
	}
	h, err := b.History(knowledge.Memory, "m")
	if err != nil || len(h) != 20 {
		t.Fatalf("%d versions, %v", len(h), err)
	}
	if h[0].Action != "edit" || h[0].Source != "mcp:claude-code" || !h[0].At.Equal(b.now) {
		t.Errorf("newest: %+v", h[0])
	}
	if raw, err := os.ReadFile(h[0].File); err != nil || !strings.Contains(string(raw), "v24") {
		t.Errorf("newest holds %q %v", raw, err)
	}
	if _, err := b.RestoreVersion(knowledge.Memory, "m", first, "cli"); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("a version that is gone: %v", err)
	}
	e, err = b.RestoreVersion(knowledge.Memory, "m", h[3].Version[:6], "cli")
	if err != nil || e.Version != h[3].Version || !strings.Contains(e.Body, "v21") {
		t.Errorf("restored %q, %v", e.Body, err)
	}
	b.now = b.now.AddDate(0, 0, 91)
	if h, err = b.History(knowledge.Memory, "m"); err != nil || len(h) != 0 {
		t.Errorf("after 91 days: %d, %v", len(h), err)
	}
	if _, err := b.History(knowledge.Memory, "nope"); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("history of nothing: %v", err)
	}
	if st, err := os.Stat(filepath.Join(b.home, "history", "0123456789abcdef")); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o700 {
		t.Errorf("history folder: %v %v", st, err)
	}
}

func TestGCRemovesOnlyWhatIsTooOld(t *testing.T) {
	b := newBench(t)
	b.memory("m", "one")
	b.memory("gone", "x")
	if _, err := b.Update(knowledge.Memory, "m", Patch{Body: ptr("two")}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Delete(knowledge.Memory, "gone", "", "cli"); err != nil {
		t.Fatal(err)
	}
	start := b.now
	for _, c := range []struct{ days, want int }{{29, 0}, {31, 1}, {89, 0}} {
		b.now = start.AddDate(0, 0, c.days)
		if n, err := b.GC(); err != nil || n != c.want {
			t.Errorf("after %d days %d went, %v; want %d", c.days, n, err, c.want)
		}
	}
	if list, _ := b.Trash(); len(list) != 0 {
		t.Errorf("trash: %v", list)
	}
	b.now = start.AddDate(0, 0, 91)
	if n, err := b.GC(); err != nil || n != 2 {
		t.Errorf("after 91 days %d versions went, %v", n, err)
	}
	if ids := b.ids(); ids != "memory:m" {
		t.Errorf("ids: %s", ids)
	}
}

func TestLeftoversOfKilledWritesGo(t *testing.T) {
	b := newBench(t)
	b.now = time.Now()
	leave := func(rel string, age time.Duration) {
		b.write(rel, "half")
		at := b.now.Add(-age)
		if err := os.Chtimes(filepath.Join(b.Dir(), filepath.FromSlash(rel)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	gone := func(rel string) bool {
		_, err := os.Lstat(filepath.Join(b.Dir(), filepath.FromSlash(rel)))
		return errors.Is(err, os.ErrNotExist)
	}
	leave("memories/.k11.md.tmp-42", 2*time.Hour)
	leave("memories/.k12.md.tmp-43", time.Minute)
	leave("rules/deep/.r.md.tmp-44", 2*time.Hour)
	b.add(Draft{Kind: knowledge.Memory, Title: "A write", Body: "text"})
	if !gone("memories/.k11.md.tmp-42") || gone("memories/.k12.md.tmp-43") || gone("rules/deep/.r.md.tmp-44") {
		t.Error("the next write sweeps old ones in its own folder only")
	}
	if n, err := b.GC(); err != nil || n != 1 || !gone("rules/deep/.r.md.tmp-44") || gone("memories/.k12.md.tmp-43") {
		t.Errorf("gc removed %d, %v", n, err)
	}
}

func TestUndoWalksBackAndRedoForth(t *testing.T) {
	b := newBench(t)
	b.memory("m", "one")
	step := func(f func() (string, error), want string) {
		t.Helper()
		what, err := f()
		if err != nil || what != want {
			t.Fatalf("%q, %v; want %q", what, err, want)
		}
	}
	undo := func() (string, error) { st, err := b.Undo(StepOptions{By: "cli"}); return st.What, err }
	redo := func() (string, error) { st, err := b.Redo(StepOptions{By: "cli"}); return st.What, err }
	one := b.text("memories/m.md")
	if _, err := b.Update(knowledge.Memory, "m", Patch{Body: ptr("two"), MoveTo: ptr("sub/n")}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	two := b.text("memories/sub/n.md")
	if _, err := b.Delete(knowledge.Memory, "sub/n", "", "cli"); err != nil {
		t.Fatal(err)
	}
	step(undo, "delete of memory:sub/n")
	if b.text("memories/sub/n.md") != two {
		t.Error("delete not taken back")
	}
	step(undo, "move of memory:m to memory:sub/n")
	if b.text("memories/m.md") != one {
		t.Error("move not taken back")
	}
	step(undo, "create of memory:m")
	if b.ids() != "" {
		t.Errorf("create not taken back: %s", b.ids())
	}
	if _, err := b.Undo(StepOptions{By: "cli"}); !errors.Is(err, knowledge.ErrNothing) {
		t.Errorf("undo of nothing: %v", err)
	}
	step(redo, "create of memory:m")
	step(redo, "move of memory:m to memory:sub/n")
	if b.text("memories/sub/n.md") != two {
		t.Error("move not done again")
	}
	step(redo, "delete of memory:sub/n")
	if b.ids() != "" {
		t.Errorf("delete not done again: %s", b.ids())
	}
	if _, err := b.Redo(StepOptions{By: "cli"}); !errors.Is(err, knowledge.ErrNothing) {
		t.Errorf("redo of nothing: %v", err)
	}
	step(undo, "delete of memory:sub/n")
	// A new change cuts the way forth.
	b.memory("other", "x")
	if _, err := b.Redo(StepOptions{By: "cli"}); !errors.Is(err, knowledge.ErrNothing) {
		t.Errorf("redo after a new change: %v", err)
	}
	step(undo, "create of memory:other")
	// What was changed by hand is not overwritten.
	b.write("memories/sub/n.md", "by hand")
	if _, err := b.Undo(StepOptions{By: "cli"}); !errors.Is(err, knowledge.ErrConflict) {
		t.Errorf("undo over a change by hand: %v", err)
	}
	if b.text("memories/sub/n.md") != "by hand" {
		t.Error("undo overwrote a change by hand")
	}
}

func TestReplaceRefusesAFileThatDoesNotParse(t *testing.T) {
	b := newBench(t)
	b.add(Draft{Kind: knowledge.Rule, Title: "r", Body: "text"})
	old := b.text("rules/r.md")
	for name, c := range map[string]struct {
		raw, msg string
		line     int
	}{
		"a bad priority":          {"---\ntitle: r\npriority: urgent\n---\nx\n", "unknown priority", 3},
		"a bad glob":              {"---\ntitle: r\npaths:\n  - ok\n  - \"src/[a\"\n---\nx\n", "paths:", 5},
		"a frontmatter left open": {"---\ntitle: r\nx\n", "not closed", 1},
		"no text":                 {"---\ntitle: r\n---\n\n", "no text", 0},
	} {
		_, err := b.Replace(knowledge.Rule, "r", []byte(c.raw), "", "cli")
		var pe *knowledge.ParseError
		if !errors.As(err, &pe) || pe.Line != c.line || !strings.Contains(pe.Msg, c.msg) || pe.Path != ".pathrule/rules/r.md" || pe.Remedy == "" {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if b.text("rules/r.md") != old {
		t.Error("a refused text was written")
	}
	raw := "---\ntitle: r\npriority: low\nteam: core # kept\n---\nnew"
	if e, err := b.Replace(knowledge.Rule, "r", []byte(raw), knowledge.Version([]byte(old)), "cli"); err != nil || e.Priority != knowledge.Low || b.text("rules/r.md") != raw {
		t.Errorf("replace: %v", err)
	}
}

func TestOneBrokenFileBreaksNothingElse(t *testing.T) {
	b := newBench(t)
	b.memory("good", "text")
	b.write("memories/latin1.md", "caf\xe9")
	b.write("memories/nul.md", "a\x00b")
	b.write("memories/scope.md", "---\npaths: {a: b}\n---\nx")
	b.write("memories/big.md", strings.Repeat("x", knowledge.MaxFile+1))
	b.write("memories/code style.md", "x")
	b.write("memories/.#lock.md", "x")
	b.write("memories/x.md~", "x")
	b.write("memories/4913", "x")
	b.write("rules/r.mdc", "x")
	b.write("skills/flat.md", "x")
	list, problems := b.List()
	if len(list) != 1 || list[0].ID != "good" {
		t.Errorf("list: %v", list)
	}
	var got []string
	for _, p := range problems {
		if p.Msg == "" || p.Remedy == "" {
			t.Errorf("no message or remedy: %+v", p)
		}
		got = append(got, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
	want := []string{".pathrule/memories/code style.md:0", ".pathrule/rules/r.mdc:0", ".pathrule/skills/flat.md:0",
		".pathrule/memories/big.md:0", ".pathrule/memories/latin1.md:1", ".pathrule/memories/nul.md:1", ".pathrule/memories/scope.md:2"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("problems (-want +got)\n%s", d)
	}
	// Each can still be opened to mend it.
	if _, raw, err := b.Read(knowledge.Memory, "latin1"); !errors.Is(err, knowledge.ErrInvalid) || len(raw) == 0 {
		t.Errorf("read of a broken file: %q %v", raw, err)
	}
}

func TestLinksThatLeaveTheWorkspaceAreRefused(t *testing.T) {
	b := newBench(t)
	b.memory("good", "text")
	outside := filepath.Join(filepath.Dir(b.root), "outside")
	if err := os.MkdirAll(filepath.Join(outside, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "x.md"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(b.root, "docs")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(inside, "note.md"), []byte("shared note"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(b.Dir(), filepath.FromSlash(name))); err != nil {
			t.Skipf("no symlinks here: %v", err)
		}
	}
	link(filepath.Join(outside, "x.md"), "memories/leaks.md")
	link(filepath.Join(outside, "dir"), "memories/away")
	link("nowhere.md", "memories/dangling.md")
	link(filepath.Join(inside, "note.md"), "memories/linked.md")
	link(inside, "memories/docs")
	link(filepath.Join(b.Dir(), "memories"), "memories/loop")
	list, problems := b.List()
	var ids []string
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	if d := cmp.Diff([]string{"docs/note", "good", "linked"}, ids); d != "" {
		t.Errorf("ids (-want +got)\n%s", d)
	}
	var named []string
	for _, p := range problems {
		if !p.Warning {
			named = append(named, p.File)
		}
	}
	if d := cmp.Diff([]string{".pathrule/memories/away", ".pathrule/memories/dangling.md", ".pathrule/memories/leaks.md", ".pathrule/memories/loop"}, named); d != "" {
		t.Errorf("problems (-want +got)\n%s", d)
	}
	if _, _, err := b.Read(knowledge.Memory, "leaks"); !errors.Is(err, knowledge.ErrRefused) {
		t.Errorf("read through the link: %v", err)
	}
	if _, err := b.Update(knowledge.Memory, "leaks", Patch{Body: ptr("x")}, "", "cli"); !errors.Is(err, knowledge.ErrRefused) {
		t.Errorf("write through the link: %v", err)
	}
	if _, _, err := b.Create(Draft{Kind: knowledge.Memory, ID: "away/new", Title: "n", Body: "x"}, CreateOptions{}); !errors.Is(err, knowledge.ErrRefused) {
		t.Errorf("create below the link: %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(outside, "x.md")); string(data) != "secret" {
		t.Error("the file outside was changed")
	}
	// A link inside the workspace stays a link.
	if _, err := b.Update(knowledge.Memory, "linked", Patch{Body: ptr("changed")}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	if st, _ := os.Lstat(filepath.Join(b.Dir(), "memories", "linked.md")); st.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if data, _ := os.ReadFile(filepath.Join(inside, "note.md")); string(data) != "changed" {
		t.Errorf("the linked file holds %q", data)
	}
}

func TestResolve(t *testing.T) {
	b := newBench(t)
	b.memory("Stripe retries", "x")
	b.add(Draft{Kind: knowledge.Rule, ID: "stripe-retries", Title: "r", Body: "x"})
	b.add(Draft{Kind: knowledge.Memory, ID: "billing/cents", Title: "Cents", Body: "x"})
	b.add(Draft{Kind: knowledge.Skill, ID: "deploy", Title: "Deploy", Body: "x"})
	for ref, want := range map[string]string{
		"memory:stripe-retries":                 "memory:stripe-retries",
		"rules:stripe-retries":                  "rule:stripe-retries",
		"billing/cents":                         "memory:billing/cents",
		"billing/cents.md":                      "memory:billing/cents",
		".pathrule/rules/stripe-retries.md":     "rule:stripe-retries",
		"skills/deploy/SKILL.md":                "skill:deploy",
		" deploy ":                              "skill:deploy",
		b.Dir() + "/memories/stripe-retries.md": "memory:stripe-retries",
		"memory:Stripe retries":                 "memory:stripe-retries",
	} {
		kind, id, err := b.Resolve(ref, "")
		if err != nil || string(kind)+":"+id != want {
			t.Errorf("%q: %s:%s %v", ref, kind, id, err)
		}
	}
	_, _, err := b.Resolve("stripe-retries", "")
	var ae *knowledge.AmbiguousError
	if !errors.As(err, &ae) || strings.Join(ae.Keys, " ") != "memory:stripe-retries rule:stripe-retries" {
		t.Errorf("two kinds: %v", err)
	}
	if _, id, err := b.Resolve("stripe-retries", knowledge.Rule); err != nil || id != "stripe-retries" {
		t.Errorf("kind given: %v", err)
	}
	_, _, err = b.Resolve("stripe-retry", knowledge.Memory)
	var nf *knowledge.NotFoundError
	if !errors.As(err, &nf) || len(nf.Nearest) == 0 || nf.Nearest[0] != "stripe-retries" {
		t.Errorf("nearest: %v", err)
	}
	if _, _, err := b.Resolve("zzz", ""); !errors.As(err, &nf) || len(nf.Nearest) != 0 {
		t.Errorf("nothing near: %v", err)
	}
	if _, _, err := b.Resolve("../../etc/passwd", ""); !errors.Is(err, knowledge.ErrNotFound) {
		t.Errorf("outside: %v", err)
	}
	if _, _, err := b.Resolve("memory:x", knowledge.Rule); !errors.Is(err, knowledge.ErrInvalid) {
		t.Errorf("two kinds named: %v", err)
	}
}

func TestPersonalIDsCarryTheirPrefix(t *testing.T) {
	b := newBench(t)
	s, err := OpenPersonal(workspace.Dirs{Home: b.home}, sysenv.Env{Now: func() time.Time { return b.now }})
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := s.Create(Draft{Kind: knowledge.Memory, Title: "My way", Body: "x", Workspaces: []string{"~/work"}}, CreateOptions{By: "cli"})
	if err != nil || e.ID != "personal/my-way" || s.Owner() != "personal" {
		t.Fatalf("%q %v", e.ID, err)
	}
	for _, id := range []string{"my-way", "personal/my-way"} {
		if got, _, err := s.Read(knowledge.Memory, id); err != nil || got.ID != "personal/my-way" {
			t.Errorf("read %q: %v", id, err)
		}
	}
	if kind, id, err := s.Resolve("personal/my-way", ""); err != nil || kind != knowledge.Memory || id != "personal/my-way" {
		t.Errorf("resolve: %v", err)
	}
	if runtime.GOOS != "windows" {
		if st, err := os.Stat(s.Path(e)); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("mode %v %v", st.Mode(), err)
		}
		if st, _ := os.Stat(s.Dir()); st.Mode().Perm() != 0o700 {
			t.Errorf("folder mode %v", st.Mode())
		}
	}
	if _, err := s.Delete(knowledge.Memory, "personal/my-way", e.Version, "cli"); err != nil {
		t.Fatal(err)
	}
	if st, err := s.Undo(StepOptions{By: "cli"}); err != nil || st.What != "delete of memory:personal/my-way" {
		t.Errorf("undo: %q %v", st.What, err)
	}
}

func TestTwentyWritersLoseNothing(t *testing.T) {
	b := newBench(t)
	e := b.memory("shared", "start")
	const n = 20
	var wg sync.WaitGroup
	errs := make(chan error, 3*n)
	for i := range n {
		wg.Add(3)
		go func() {
			defer wg.Done()
			_, _, err := b.open().Create(Draft{Kind: knowledge.Memory, Title: fmt.Sprintf("entry %d", i), Body: "text"}, CreateOptions{By: "mcp"})
			errs <- err
		}()
		go func() {
			defer wg.Done()
			_, _, err := b.open().Create(Draft{Kind: knowledge.Rule, Title: "same", Body: fmt.Sprintf("text %d", i)}, CreateOptions{AllowDuplicate: true})
			errs <- err
		}()
		go func() {
			defer wg.Done()
			_, err := b.open().Update(knowledge.Memory, e.ID, Patch{Content: &ContentEdit{Op: "append", Text: fmt.Sprintf("- line %d.", i)}}, "", "mcp")
			errs <- err
		}()
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	got := b.text("memories/shared.md")
	for i := range n {
		if strings.Count(got, fmt.Sprintf("- line %d.", i)) != 1 {
			t.Errorf("line %d is lost or doubled", i)
		}
	}
	if list, _ := b.List(knowledge.Memory); len(list) != n+1 {
		t.Errorf("%d memories", len(list))
	}
	if list, _ := b.List(knowledge.Rule); len(list) != n {
		t.Errorf("%d rules", len(list))
	}
	if list, err := b.journal(); err != nil || len(list) != 1+3*n {
		t.Errorf("%d changes in the journal, %v", len(list), err)
	}
	// Of the same title at once exactly one is made.
	var made sync.Map
	var wg2 sync.WaitGroup
	for i := range n {
		wg2.Add(1)
		go func() {
			defer wg2.Done()
			_, _, err := b.open().Create(Draft{Kind: knowledge.Rule, Title: "only one", Body: "text"}, CreateOptions{})
			if err == nil {
				made.Store(i, true)
			} else if !errors.Is(err, knowledge.ErrDuplicate) {
				t.Error(err)
			}
		}()
	}
	wg2.Wait()
	count := 0
	made.Range(func(any, any) bool { count++; return true })
	if count != 1 {
		t.Errorf("%d entries of one title", count)
	}
}

func TestStaleWritersGetAConflictAndNothingIsOverwritten(t *testing.T) {
	b := newBench(t)
	e := b.memory("shared", "start")
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := b.open().Update(knowledge.Memory, e.ID, Patch{Body: ptr(fmt.Sprintf("writer %d", i))}, e.Version, "mcp")
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			} else if !errors.Is(err, knowledge.ErrConflict) {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d writers of one version won", won)
	}
}

func TestAStoreThatCannotBeWrittenSaysSo(t *testing.T) {
	b := newBench(t)
	e := b.memory("m", "x")
	ws := &workspace.Workspace{Root: b.root, Store: b.Dir(), ID: b.Owner()}
	s, err := Open(ws, workspace.Dirs{}, sysenv.Env{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Create(Draft{Kind: knowledge.Memory, Title: "n", Body: "x"}, CreateOptions{}); !errors.Is(err, knowledge.ErrReadOnly) {
		t.Errorf("no home: %v", err)
	}
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("this user may write everywhere")
	}
	for _, dir := range []string{filepath.Join(b.Dir(), "memories"), b.home} {
		if err := os.Chmod(dir, 0o500); err != nil {
			t.Fatal(err)
		}
		_, err := b.Update(knowledge.Memory, e.ID, Patch{Body: ptr("y")}, "", "cli")
		if !errors.Is(err, knowledge.ErrReadOnly) {
			t.Errorf("%s: %v", dir, err)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSecretsAreNamedButNotQuoted(t *testing.T) {
	b := newBench(t)
	key := "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
	raw := "---\ntitle: t\n---\nuse " + key + "\nAKIAIOSFODNN7EXAMPLE\n-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx7Jk\n"
	var got []string
	for _, p := range b.Check([]byte(raw), knowledge.Memory, ".pathrule/memories/t.md") {
		if strings.Contains(p.Msg+p.Remedy, "a1B2") {
			t.Error("the message quotes the key")
		}
		if !p.Warning || p.File != ".pathrule/memories/t.md" {
			t.Errorf("%+v", p)
		}
		got = append(got, fmt.Sprint(p.Line, " ", strings.TrimPrefix(p.Msg, "this looks like ")[:8]))
	}
	if d := cmp.Diff([]string{"4 a GitHub", "6 a privat"}, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestAFileNamedInAnotherUnicodeFormIsTheSameEntry(t *testing.T) {
	b := newBench(t)
	nfd := "gro\u0308ße"
	b.write("memories/"+nfd+".md", "text\n")
	e, _, err := b.Read(knowledge.Memory, "größe")
	if err != nil || e.ID != "größe" {
		t.Fatalf("%q %v", e.ID, err)
	}
	if _, err := b.Update(knowledge.Memory, nfd, Patch{Body: ptr("new")}, "", "cli"); err != nil {
		t.Fatal(err)
	}
	if b.text("memories/"+nfd+".md") != "new\n" {
		t.Error("the update went elsewhere")
	}
	if ids := b.ids(); ids != "memory:größe" {
		t.Errorf("ids: %s", ids)
	}
	if b.spelled("memories/größe.md") || !b.spelled("memories/"+nfd+".md") {
		t.Error("the listing is not what decides")
	}
}

func TestWorktreesShareTheHistoryOfTheirMainCheckout(t *testing.T) {
	b := newBench(t)
	dir := filepath.Dir(b.root)
	main := &workspace.Workspace{Root: b.root, Store: b.Dir()}
	main.ID = storeID(&workspace.Workspace{Root: "/elsewhere", Store: b.Dir()})
	tree := &workspace.Workspace{Root: filepath.Join(dir, "tree"), Store: b.Dir(), ID: "ffffffffffffffff"}
	if a, c := storeID(main), storeID(tree); a != c || len(a) != 16 {
		t.Errorf("ids %s and %s", a, c)
	}
	priv := &workspace.Workspace{Root: b.root, Store: "/home/x/.pathrule/private/00112233aabbccdd", ID: "eeeeeeeeeeeeeeee", Private: true}
	if storeID(priv) != "00112233aabbccdd" {
		t.Error("a private store is named by its root's id")
	}
}

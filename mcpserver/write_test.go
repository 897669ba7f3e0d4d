package mcpserver

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
)

// P46: what a hook process reads right after a write was answered.
func catalogued(t *testing.T, w *world) map[string]catalog.Record {
	t.Helper()
	r, err := catalog.Open(w.ws(), w.dirs())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all := map[string]catalog.Record{}
	if err := r.All(func(rec catalog.Record) bool { all[string(rec.Kind)+":"+rec.ID] = rec; return true }); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAWriteIsSeenByTheNextProcess(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/old.md": "---\ntitle: Old\n---\nText.\n"})
	c := w.open(Options{}, "claude-code")
	a := c.call("write_memory", `{"title":"Stripe retries","content":"Retry twice, then page someone.","paths":["src/payments"],"tags":["stripe"]}`)
	if a.IsError || a.str("status") != "ok" || a.str("id") != "stripe-retries" {
		t.Fatalf("got %v", a)
	}
	rec, ok := catalogued(t, w)["memory:stripe-retries"]
	if !ok || rec.Hash != a.str("version") || rec.Title != "Stripe retries" {
		t.Fatalf("the catalogue holds %+v, want version %s", rec, a.str("version"))
	}
	text := w.read(".pathrule/memories/stripe-retries.md")
	for _, want := range []string{"title: Stripe retries", "src/payments", "stripe", "source: mcp:claude-code", "Retry twice, then page someone."} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	a = c.call("update_memory", `{"id":"stripe-retries","expected_version":"`+a.str("version")+`","content_edit":{"op":"str_replace","old":"twice","text":"three times"}}`)
	if a.IsError {
		t.Fatalf("got %v", a)
	}
	if rec := catalogued(t, w)["memory:stripe-retries"]; rec.Hash != a.str("version") {
		t.Errorf("after the update the catalogue holds %s, want %s", rec.Hash, a.str("version"))
	}
	a = c.call("delete_entry", `{"kind":"memory","id":"stripe-retries","expected_version":"`+a.str("version")+`"}`)
	if a.IsError || !strings.Contains(a.Text, "restore_entry") {
		t.Fatalf("got %v", a)
	}
	if _, ok := catalogued(t, w)["memory:stripe-retries"]; ok {
		t.Error("the catalogue still holds what was deleted")
	}
	a = c.call("restore_entry", `{"id":"memory:stripe-retries"}`)
	if a.IsError {
		t.Fatalf("got %v", a)
	}
	if _, ok := catalogued(t, w)["memory:stripe-retries"]; !ok {
		t.Error("the catalogue lacks what was restored")
	}
	// The writer is in the history.
	st, err := store.Open(w.ws(), w.dirs(), w.env)
	if err != nil {
		t.Fatal(err)
	}
	if by, how, _, ok := st.LastWrite(knowledge.Memory, "stripe-retries"); !ok || by != "mcp:claude-code" || how != "restore" {
		t.Errorf("written by %q, %q", by, how)
	}
	old, err := st.History(knowledge.Memory, "stripe-retries")
	if err != nil || len(old) == 0 || old[0].Source != "mcp:claude-code" {
		t.Errorf("history %+v, %v", old, err)
	}
}

func TestPersonalEntries(t *testing.T) {
	w := newWorld(t, nil)
	c := w.open(Options{}, "test")
	a := c.call("write_rule", `{"title":"Plain words","content":"Write plain words.","scope":"personal","priority":"high"}`)
	if a.IsError || a.str("id") != "personal/plain-words" {
		t.Fatalf("got %v", a)
	}
	if _, err := os.Stat(filepath.Join(w.root, ".pathrule", "rules")); err == nil {
		t.Error("a personal entry went into the project")
	}
	if _, ok := catalogued(t, w)["rule:personal/plain-words"]; !ok {
		t.Error("the catalogue lacks the personal entry")
	}
	for _, id := range []string{"personal/plain-words", "plain-words", "rule:personal/plain-words"} {
		if a := c.call("read_rule", `{"id":"`+id+`"}`); a.IsError || a.str("priority") != "high" || a.str("id") != "personal/plain-words" {
			t.Errorf("%s: got %v", id, a)
		}
	}
	r := c.call("read_rule", `{"id":"personal/plain-words"}`)
	if a := c.call("update_rule", `{"id":"personal/plain-words","expected_version":"`+r.str("version")+`","priority":"low"}`); a.IsError {
		t.Errorf("got %v", a)
	}
}

// P101: what an assistant writes never blocks by itself.
func TestBlocksChecksAndStrictNeedApproval(t *testing.T) {
	w := newWorld(t, nil)
	c := w.open(Options{}, "test")
	for name, test := range map[string]struct{ args, says string }{
		"a block":            {`{"title":"A","content":"x","block":[{"pattern":"\\bfloat\\b","message":"money is integers","paths":["src/**"],"on":"both"}]}`, `"pathrule approve a"`},
		"a check":            {`{"title":"B","content":"y","check":{"command":"go test ./...","message":"run the tests"}}`, `"pathrule approve b"`},
		"strict enforcement": {`{"title":"C","content":"z","enforcement":"strict"}`, `"pathrule rule edit c --enforcement strict"`},
	} {
		a := c.call("write_rule", test.args)
		if a.IsError || a.str("status") != "needs_approval" || !strings.Contains(a.Text, test.says) {
			t.Errorf("%s: got %v", name, a)
		}
	}
	if a := c.call("write_rule", `{"title":"D","content":"w"}`); a.str("status") != "ok" {
		t.Errorf("got %v", a)
	}
	if text := w.read(".pathrule/rules/a.md"); !strings.Contains(text, "float") {
		t.Errorf("the block is not stored:\n%s", text)
	}
	// An edit of a rule that has one needs approval again.
	r := c.call("read_rule", `{"id":"a"}`)
	if a := c.call("update_rule", `{"id":"a","expected_version":"`+r.str("version")+`","content":"other"}`); a.str("status") != "needs_approval" {
		t.Errorf("got %v", a)
	}
}

// What the next hook reads is advisory; the file keeps what was asked for.
func TestAStrictRuleOfAnAssistantIsInert(t *testing.T) {
	w := newWorld(t, nil)
	c := w.open(Options{}, "test")
	if a := c.call("write_rule", `{"title":"Inert","content":"z","enforcement":"strict"}`); a.IsError {
		t.Fatalf("got %v", a)
	}
	if r := catalogued(t, w)["rule:inert"]; r.ID != "inert" || r.Enforcement != "" {
		t.Errorf("the catalogue holds %+v", r)
	}
	warm := scan(t.Context(), w.ws(), newCore(t.Context(), Options{}, w.env, newLog(&syncBuffer{})))
	if len(warm.records) != 1 || warm.records[0].Enforcement != "" {
		t.Errorf("while the index is built, the files say %+v", warm.records)
	}
	if text := w.read(".pathrule/rules/inert.md"); !strings.Contains(text, "enforcement: strict") || !strings.Contains(text, "source: mcp:test") {
		t.Errorf("the file says\n%s", text)
	}
}

// What a person made strict was one text in one place; another one waits again.
func TestAChangeOfAStrictRuleMakesItWait(t *testing.T) {
	const strict, advisory = "title: R\nenforcement: strict\nsource: person\n", "title: R\nsource: https://wiki/x\n"
	for name, test := range map[string]struct {
		head, change string
		want         string // effective enforcement afterwards
		source       string
		status       string
	}{
		"body of a strict rule":       {strict, `"content":"Other."`, "", "mcp:test", "needs_approval"},
		"part of a strict rule":       {strict, `"content_edit":{"op":"append","text":"More."}`, "", "mcp:test", "needs_approval"},
		"title of a strict rule":      {strict, `"title":"S"`, "", "mcp:test", "needs_approval"},
		"paths of a strict rule":      {strict, `"paths":["src"]`, "", "mcp:test", "needs_approval"},
		"strict once more":            {strict, `"enforcement":"strict"`, "", "mcp:test", "needs_approval"},
		"tags of a strict rule":       {strict, `"tags":["x"]`, "strict", "person", "ok"},
		"a strict rule made advisory": {strict, `"content":"Other.","enforcement":"advisory"`, "advisory", "person", "ok"},
		"an advisory rule strict":     {advisory, `"enforcement":"strict"`, "", "mcp:test", "needs_approval"},
		"body of an advisory rule":    {advisory, `"content":"Other."`, "advisory", "https://wiki/x", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{".pathrule/rules/r.md": "---\n" + test.head + "---\nDo it.\n"})
			c := w.open(Options{}, "test")
			v := c.call("read_rule", `{"id":"r"}`).str("version")
			a := c.call("update_rule", `{"id":"r","expected_version":"`+v+`",`+test.change+`}`)
			if a.IsError || a.str("status") != test.status {
				t.Errorf("got %v", a)
			}
			if r := catalogued(t, w)["rule:r"]; r.Enforcement != test.want {
				t.Errorf("enforcement %q, want %q", r.Enforcement, test.want)
			}
			if text := w.read(".pathrule/rules/r.md"); !strings.Contains(text, "source: "+test.source) {
				t.Errorf("want source %s in\n%s", test.source, text)
			}
		})
	}
}

// P99 and the other parts of an edit.
func TestContentEdits(t *testing.T) {
	const body = "# Retries\n\nRetry twice.\n\n## When\n\nOn 5xx, twice.\n\n## Never\n\nOn 4xx.\n"
	for name, test := range map[string]struct {
		edit string
		want string // in the file
		bad  string // or in the answer
	}{
		"append":                            {`{"op":"append","text":"Last line."}`, "On 4xx.\n", ""},
		"prepend":                           {`{"op":"prepend","text":"First line."}`, "First line.", ""},
		"str_replace with one match":        {`{"op":"str_replace","old":"Retry twice.","text":"Retry once."}`, "Retry once.", ""},
		"str_replace without a match":       {`{"op":"str_replace","old":"thrice","text":"x"}`, "", "0"},
		"str_replace with two":              {`{"op":"str_replace","old":"twice","text":"x"}`, "", "2"},
		"str_replace without old":           {`{"op":"str_replace","text":"x"}`, "", "content_edit.old is missing"},
		"replace_section":                   {`{"op":"replace_section","section":"When","text":"On 503."}`, "## When\n\nOn 503.\n\n## Never", ""},
		"replace_section that is not there": {`{"op":"replace_section","section":"Whence","text":"x"}`, "", "Whence"},
		"replace_section without one":       {`{"op":"replace_section","text":"x"}`, "", "content_edit.section is missing"},
		"an unknown operation":              {`{"op":"replace","text":"x"}`, "", "must be one of append, prepend, str_replace, replace_section"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, map[string]string{".pathrule/memories/r.md": "---\ntitle: Retries\n---\n" + body})
			c := w.open(Options{}, "test")
			before := c.call("read_memory", `{"id":"r"}`)
			a := c.call("update_memory", `{"id":"r","expected_version":"`+before.str("version")+`","content_edit":`+test.edit+`}`)
			text := w.read(".pathrule/memories/r.md")
			if test.bad != "" {
				if !a.IsError || a.str("code") != "invalid_args" || !strings.Contains(a.str("message"), test.bad) {
					t.Errorf("got %v, want %q", a, test.bad)
				}
				if text != "---\ntitle: Retries\n---\n"+body {
					t.Errorf("a refused edit changed the file:\n%s", text)
				}
				return
			}
			if a.IsError || !strings.Contains(text, test.want) {
				t.Errorf("got %v and\n%s", a, text)
			}
		})
	}
}

func TestAStaleVersionIsAConflict(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/r.md": "---\ntitle: R\n---\nOne.\n"})
	c := w.open(Options{}, "test")
	v := c.call("read_memory", `{"id":"r"}`).str("version")
	w.write(".pathrule/memories/r.md", "---\ntitle: R\n---\nTwo.\n")
	now := c.call("read_memory", `{"id":"r"}`).str("version")
	for tool, args := range map[string]string{
		"update_memory": `{"id":"r","expected_version":"` + v + `","content":"Three."}`,
		"delete_entry":  `{"kind":"memory","id":"r","expected_version":"` + v + `"}`,
	} {
		a := c.call(tool, args)
		if !a.IsError || a.str("code") != "conflict" || a.str("current_version") != now || !strings.Contains(a.Text, "read_memory") {
			t.Errorf("%s: got %v", tool, a)
		}
	}
	for tool, args := range map[string]string{
		"update_memory": `{"id":"r","content":"Three."}`,
		"delete_entry":  `{"kind":"memory","id":"r"}`,
	} {
		if a := c.call(tool, args); a.str("code") != "invalid_args" || !strings.Contains(a.Text, `"expected_version" is missing`) {
			t.Errorf("%s: got %v", tool, a)
		}
	}
	if text := w.read(".pathrule/memories/r.md"); !strings.Contains(text, "Two.") {
		t.Errorf("the file was changed:\n%s", text)
	}
}

func TestFaultsNameTheNextStep(t *testing.T) {
	w := newWorld(t, map[string]string{
		".pathrule/memories/auth-tokens.md":  "---\ntitle: Auth tokens\n---\nx\n",
		".pathrule/memories/auth-cookies.md": "---\ntitle: Auth cookies\n---\nx\n",
		".pathrule/rules/money.md":           "---\ntitle: Money\n---\nx\n",
	})
	c := w.open(Options{}, "test")
	v := c.call("read_memory", `{"id":"auth-tokens"}`).str("version")
	for name, test := range map[string]struct{ tool, args, code, text string }{
		"an id that is nearly one":    {"read_memory", `{"id":"auth-token"}`, "not_found", `no entry "auth-token"; nearest: auth-tokens`},
		"a rule asked as a memory":    {"read_memory", `{"id":"rule:money"}`, "invalid_args", "is a rule"},
		"a path that leaves the kind": {"read_memory", `{"id":"../rules/money"}`, "", ""},
		"a title that exists":         {"write_memory", `{"title":" auth TOKENS ","content":"y"}`, "duplicate", "memory:auth-tokens"},
		"an id that exists":           {"write_memory", `{"title":"Other","id":"auth-tokens","content":"y"}`, "duplicate", "memory:auth-tokens"},
		"a bad glob":                  {"write_memory", `{"title":"G","content":"y","paths":["src/[a"]}`, "invalid_args", "src/[a"},
		"an id that leaves the store": {"write_memory", `{"title":"G","content":"y","id":"../../x"}`, "invalid_args", ""},
		"an absolute id":              {"write_memory", `{"title":"G","content":"y","id":"/etc/x"}`, "invalid_args", ""},
		"no title":                    {"write_memory", `{"title":" ","content":"y"}`, "invalid_args", "title"},
		"no text":                     {"write_memory", `{"title":"G","content":""}`, "invalid_args", ""},
		"a pattern that is no RE2":    {"write_rule", `{"title":"G","content":"y","block":[{"pattern":"(?<=a)b","message":"never do this"}]}`, "invalid_args", "block"},
		"a skill without a use":       {"write_skill", `{"title":"deploy","content":"y"}`, "invalid_args", `"description" is missing`},
		"nothing to change":           {"update_memory", `{"id":"auth-tokens","expected_version":"` + v + `"}`, "invalid_args", "nothing to change"},
		"both kinds of change":        {"update_memory", `{"id":"auth-tokens","expected_version":"` + v + `","content":"a","content_edit":{"op":"append","text":"b"}}`, "invalid_args", "exclude each other"},
		"restore of nothing":          {"restore_entry", `{"kind":"memory","id":"gone"}`, "not_found", "no deleted entry"},
		"delete of nothing":           {"delete_entry", `{"kind":"memory","id":"auth","expected_version":"x"}`, "not_found", "nearest"},
		"an unknown argument":         {"write_memory", `{"title":"G","body":"y"}`, "invalid_args", `did you mean "content"?`},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.call(test.tool, test.args)
			if !a.IsError || test.code != "" && a.str("code") != test.code || !strings.Contains(a.Text, test.text) {
				t.Errorf("got %v, want %s %q", a, test.code, test.text)
			}
			if a.str("status") != "error" || a.str("message") == "" {
				t.Errorf("the structured part is %v", a.Data)
			}
			if strings.Contains(a.Text, w.root) || strings.Contains(a.Text, w.dirs().Home) {
				t.Errorf("a folder of this machine in the text: %s", a.Text)
			}
		})
	}
	var files []string
	filepath.WalkDir(filepath.Join(w.root, ".pathrule"), func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, d.Name())
		}
		return nil
	})
	if got := strings.Join(files, " "); got != ".gitignore auth-cookies.md auth-tokens.md money.md" {
		t.Errorf("refused writes left %s", got)
	}
}

func TestSimilarEntriesAreNamed(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/stripe-retries.md": "---\ntitle: Stripe retries\n---\nRetry Stripe calls twice with a backoff of two seconds, then page the on-call person.\n"})
	c := w.open(Options{}, "test")
	a := c.call("write_memory", `{"title":"Stripe retry","content":"Retry Stripe calls twice with a backoff of two seconds, then page the on-call person."}`)
	if a.IsError || !strings.Contains(a.Text, "memory:stripe-retries") {
		t.Errorf("got %v", a)
	}
}

func TestReviewPutsWritesIntoTheInbox(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/r.md": "---\ntitle: R\n---\nOne.\n"})
	w.user("config.yaml", "writes: review\n")
	c := w.open(Options{}, "test")
	v := c.call("read_memory", `{"id":"r"}`).str("version")
	for tool, args := range map[string]string{
		"write_rule":    `{"title":"Money","content":"Integers.","enforcement":"strict"}`,
		"update_memory": `{"id":"r","expected_version":"` + v + `","content":"Two."}`,
		"delete_entry":  `{"kind":"memory","id":"r","expected_version":"` + v + `"}`,
	} {
		a := c.call(tool, args)
		if a.IsError || a.str("status") != "proposed" || a.str("proposal_id") == "" {
			t.Fatalf("%s: got %v", tool, a)
		}
		file := inbox.Rel(w.ws().ID, a.str("proposal_id"))
		if _, err := os.Stat(w.dirs().Below(strings.Split(file, "/")...)); err != nil || !strings.Contains(a.Text, file) || !strings.Contains(a.Text, `"pathrule review"`) {
			t.Errorf("%s: %v; the answer does not lead to %s: %s", tool, err, file, a.Text)
		}
	}
	if a := c.call("update_memory", `{"id":"r","expected_version":"0000000000000000","content":"Two."}`); a.str("code") != "conflict" {
		t.Errorf("got %v", a)
	}
	if text := w.read(".pathrule/memories/r.md"); !strings.Contains(text, "One.") {
		t.Errorf("the file was changed:\n%s", text)
	}
	all, problems := inbox.List(w.dirs(), w.ws().ID)
	if len(all) != 3 || len(problems) != 0 {
		t.Fatalf("the inbox holds %v, %v", all, problems)
	}
	// What was proposed can be done.
	st, err := store.Open(w.ws(), w.dirs(), w.env)
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{inbox.Create, inbox.Update} {
		for _, p := range all {
			if p.Action != action {
				continue
			}
			if p.By != "mcp:test" {
				t.Errorf("by %q", p.By)
			}
			if _, err := inbox.Apply(p, st, p.By); err != nil {
				t.Errorf("%s: %v", action, err)
			}
		}
	}
	if text := w.read(".pathrule/memories/r.md"); !strings.Contains(text, "Two.") {
		t.Errorf("the update was not applied:\n%s", text)
	}
	if text := w.read(".pathrule/rules/money.md"); !strings.Contains(text, "strict") {
		t.Errorf("the rule was not made:\n%s", text)
	}
	// The rest no longer fits what stands.
	for _, p := range all {
		if p.Action == inbox.Delete {
			if _, err := inbox.Apply(p, st, p.By); err == nil {
				t.Error("a delete of another version was applied")
			}
		}
	}
}

// E46, issue 5: with "review" every tool that writes proposes and nothing is
// written; each proposal says who made it, and what nobody could accept is refused.
func TestEveryWriteToolOnlyProposesUnderReview(t *testing.T) {
	w := newWorld(t, map[string]string{
		".pathrule/memories/r.md":        "---\ntitle: R\n---\nOne.\n",
		".pathrule/rules/money.md":       "---\ntitle: Money\n---\nIntegers.\n",
		".pathrule/skills/ship/SKILL.md": "---\nname: ship\ndescription: Ship it\n---\nTag.\n",
	})
	c := w.open(Options{}, "robot")
	versionOf := func(kind, id string) string { return c.call("read_"+kind, `{"id":"`+id+`"}`).str("version") }
	gone := c.call("write_memory", `{"title":"Gone","content":"Soon gone."}`)
	if a := c.call("delete_entry", `{"id":"gone","expected_version":"`+gone.str("version")+`"}`); a.IsError {
		t.Fatal(a)
	}
	m, r, s := versionOf("memory", "r"), versionOf("rule", "money"), versionOf("skill", "ship")
	c.end()
	w.user("config.yaml", "writes: review\n")
	c = w.open(Options{}, "robot")
	before := w.tree(".pathrule")
	tools := map[string]string{
		"write_memory":  `{"title":"New","content":"Text."}`,
		"write_rule":    `{"title":"New rule","content":"Text.","paths":["src/**"],"block":[{"pattern":"float","message":"no"}]}`,
		"write_skill":   `{"title":"deploy","description":"Deploy","content":"Push."}`,
		"update_memory": `{"id":"r","expected_version":"` + m + `","content":"Two."}`,
		"update_rule":   `{"id":"money","expected_version":"` + r + `","content_edit":{"op":"append","text":"Always."}}`,
		"update_skill":  `{"id":"ship","expected_version":"` + s + `","description":"Ship it well"}`,
		"delete_entry":  `{"kind":"memory","id":"r","expected_version":"` + m + `"}`,
		"restore_entry": `{"kind":"memory","id":"gone"}`,
	}
	for _, name := range c.toolNames() {
		writes := strings.HasPrefix(name, "write_") || strings.HasPrefix(name, "update_") || strings.HasSuffix(name, "_entry")
		if _, here := tools[name]; writes != here {
			t.Errorf("%s writes %t, is tried %t", name, writes, here)
		}
	}
	ids := map[string]bool{}
	for tool, args := range tools {
		a := c.call(tool, args)
		if a.IsError || a.str("status") != "proposed" || a.str("proposal_id") == "" {
			t.Errorf("%s: got %v", tool, a)
		}
		ids[a.str("proposal_id")] = true
		if again := c.call(tool, args); again.str("proposal_id") != a.str("proposal_id") {
			t.Errorf("%s: said twice it is proposed twice", tool)
		}
	}
	if after := w.tree(".pathrule"); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
	all, problems := inbox.List(w.dirs(), w.ws().ID)
	if len(all) != len(tools) || len(ids) != len(tools) || len(problems) != 0 {
		t.Errorf("%d proposals for %d tools, %v", len(all), len(tools), problems)
	}
	for _, p := range all {
		if p.By != "mcp:robot" {
			t.Errorf("%s by %q", p.ID, p.By)
		}
	}
	for tool, args := range map[string]string{
		"write_memory":  `{"title":"Bad","content":"Text.","paths":["src/[a"]}`,
		"write_rule":    `{"title":"Money","content":"Once more."}`,
		"update_memory": `{"id":"r","expected_version":"` + m + `","content_edit":{"op":"str_replace","old":"Three","text":"x"}}`,
	} {
		if a := c.call(tool, args); !a.IsError {
			t.Errorf("%s: %v", tool, a)
		}
	}
	if a := c.call("write_memory", `{"title":"R again","content":"One."}`); a.IsError || a.str("proposal_id") == "" {
		t.Errorf("got %v", a)
	}
	// A model in a loop fills no disk.
	for i := len(all) + 1; i < inbox.Max; i++ { // the one above waits as well
		if _, err := inbox.Put(w.dirs(), w.ws().ID, inbox.Proposal{Action: inbox.Delete, Kind: knowledge.Memory, Entry: "x" + strconv.Itoa(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if a := c.call("write_memory", `{"title":"One too many","content":"Text."}`); a.str("code") != "refused" || !strings.Contains(a.Text, "pathrule review") {
		t.Errorf("got %v", a)
	}
	if a := c.call("delete_entry", tools["delete_entry"]); a.str("status") != "proposed" {
		t.Errorf("one that waits already: %v", a)
	}
}

// With "off" every tool that writes refuses and says what the user can do.
func TestEveryWriteToolRefusesWhenWritesAreOff(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/r.md": "---\ntitle: R\n---\nOne.\n"})
	w.user("config.yaml", "writes: off\n")
	c := w.open(Options{}, "robot")
	before := w.tree(".pathrule")
	tried := 0
	for _, name := range c.toolNames() {
		args := ""
		switch {
		case name == "write_skill":
			args = `{"title":"T","description":"D","content":"C"}`
		case strings.HasPrefix(name, "write_"):
			args = `{"title":"T","content":"C"}`
		case strings.HasPrefix(name, "update_"):
			args = `{"id":"r","expected_version":"0","title":"x"}`
		case name == "delete_entry":
			args = `{"id":"r","expected_version":"0"}`
		case name == "restore_entry":
			args = `{"id":"r"}`
		default:
			continue
		}
		tried++
		if a := c.call(name, args); a.str("code") != "refused" || !strings.Contains(a.Text, "pathrule config set writes") {
			t.Errorf("%s: got %v", name, a)
		}
	}
	if tried != 8 || w.tree(".pathrule") != before {
		t.Errorf("%d tools tried; %s", tried, w.tree(".pathrule"))
	}
	if all, _ := inbox.List(w.dirs(), w.ws().ID); len(all) != 0 {
		t.Errorf("proposed: %v", all)
	}
	if a := c.call("read_memory", `{"id":"r"}`); a.IsError {
		t.Errorf("reading: %v", a)
	}
}

func TestSkillsAreWrittenAndRead(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/skills/release/SKILL.md": "---\nname: release\ndescription: Cut a release\n---\nTag it.\n", ".pathrule/skills/release/scripts/tag.sh": "git tag\n"})
	c := w.open(Options{}, "test")
	a := c.call("read_skill", `{"id":"release"}`)
	if a.IsError || !strings.Contains(a.Text, ".pathrule/skills/release/scripts/tag.sh") || a.str("body") != "Tag it." {
		t.Errorf("got %v", a)
	}
	a = c.call("write_skill", `{"title":"deploy","description":"Push to production","content":"1. Push."}`)
	if a.IsError || a.str("id") != "deploy" {
		t.Fatalf("got %v", a)
	}
	m := c.request("prompts/list", "")
	if !strings.Contains(string(m["result"]), `"name":"deploy"`) || !strings.Contains(string(m["result"]), `"name":"release"`) {
		t.Errorf("got %s", m["result"])
	}
	m = c.request("prompts/get", `{"name":"deploy"}`)
	if !strings.Contains(string(m["result"]), `1. Push.`) {
		t.Errorf("got %s", m)
	}
	m = c.request("prompts/get", `{"name":"deplo"}`)
	if !strings.Contains(string(m["error"]), "nearest: deploy") {
		t.Errorf("got %s", m)
	}
}

// tree is every file below a folder of the project with its text.
func (w *world) tree(dir string) string {
	var out []string
	_ = filepath.WalkDir(filepath.Join(w.root, dir), func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			raw, _ := os.ReadFile(p)
			out = append(out, p+"\n"+string(raw))
		}
		return nil
	})
	return strings.Join(out, "\n")
}

// toolNames are the tools that the server offers.
func (c *client) toolNames() []string {
	c.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(c.request("tools/list", "")["result"], &list); err != nil || len(list.Tools) == 0 {
		c.t.Fatalf("%v, %v", list, err)
	}
	var out []string
	for _, t := range list.Tools {
		out = append(out, t.Name)
	}
	return out
}

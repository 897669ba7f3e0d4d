package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/filelock"
	"pathrule/knowledge"
	"pathrule/workspace"
)

func manyMemories(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf(".pathrule/memories/m%04d.md", i)] = fmt.Sprintf("---\ntitle: Memory %d\npaths: [src/p%d]\n---\nThe word is zebra%d.\n", i, i%7, i)
	}
	return files
}

// F89: arguments are not ignored.
func TestTwoQueriesDiffer(t *testing.T) {
	c := newWorld(t, manyMemories(20)).open(Options{}, "test")
	a, b := c.call("search_knowledge", `{"query":"zebra3"}`), c.call("search_knowledge", `{"query":"zebra5"}`)
	if a.Text == b.Text || !strings.Contains(a.Text, "m0003") || !strings.Contains(b.Text, "m0005") {
		t.Errorf("got %s and %s", a.Text, b.Text)
	}
	if a := c.call("search_knowledge", `{"query":"zebra3","kind":"rule"}`); !strings.Contains(a.Text, "No entry") {
		t.Errorf("got %s", a.Text)
	}
	if a := c.call("search_knowledge", `{"query":"memory","limit":3}`); len(a.Data["items"].([]any)) != 3 {
		t.Errorf("got %s", a.Text)
	}
}

// T17, F91: ten servers on one store: all answer, one build.
func TestTenServersOnOneStoreBuildOnce(t *testing.T) {
	w := newWorld(t, manyMemories(300))
	var clients []*client
	for range 10 {
		clients = append(clients, w.open(Options{}, "test"))
	}
	for _, c := range clients {
		if a := c.call("search_knowledge", `{"query":"zebra42"}`); !strings.Contains(a.Text, "m0042") {
			t.Errorf("got %s", a.Text)
		}
	}
	gens, err := filepath.Glob(filepath.Join(w.dirs().Cache(w.ws().ID), "gen-*"))
	if err != nil || len(gens) != 1 {
		t.Errorf("generations: %v, %v", gens, err)
	}
	// One writes, all others see it.
	a := clients[0].call("write_memory", `{"title":"Written by the first","content":"quagga"}`)
	if a.IsError {
		t.Fatal(a)
	}
	for i, c := range clients[1:] {
		if a := c.call("search_knowledge", `{"query":"quagga"}`); !strings.Contains(a.Text, "written-by-the-first") {
			t.Errorf("server %d: got %s", i+1, a.Text)
		}
	}
}

// F72: an idle server holds nothing that a writer needs. Its watch may bring the
// index up to date meanwhile, which holds the lock for milliseconds.
func TestAnIdleServerHoldsNoLock(t *testing.T) {
	w := newWorld(t, manyMemories(20))
	c := w.open(Options{}, "test")
	c.call("search_knowledge", `{"query":"zebra"}`)
	for i := range 20 {
		l, err := filelock.Acquire(filepath.Join(w.dirs().Cache(w.ws().ID), catalog.LockName), 10*time.Second)
		if err != nil {
			t.Fatalf("write %d: %v", i, err)
		}
		l.Unlock()
		w.write(fmt.Sprintf(".pathrule/memories/n%d.md", i), "---\ntitle: New\n---\nText.\n")
		if _, err := index.Refresh(context.Background(), w.ws(), w.env, index.Limits{}); err != nil {
			t.Fatal(err)
		}
	}
	if a := c.call("search_knowledge", `{"query":"new","limit":50}`); len(a.Data["items"].([]any)) < 20 {
		t.Errorf("got %s", a.Text)
	}
}

// Files that change under the server are seen by the next call, and the client
// hears that the lists changed.
func TestChangesOnDiskAreSeenAndAnnounced(t *testing.T) {
	w := newWorld(t, manyMemories(3))
	c := w.open(Options{}, "test")
	c.call("search_knowledge", `{"query":"zebra"}`)
	w.write(".pathrule/memories/late.md", "---\ntitle: Late\n---\nokapi\n")
	w.write(".pathrule/skills/late/SKILL.md", "---\nname: late\ndescription: Late\n---\nx\n")
	if a := c.call("search_knowledge", `{"query":"okapi"}`); !strings.Contains(a.Text, "memory:late") {
		t.Errorf("got %s", a.Text)
	}
	c.hears(`"notifications/resources/list_changed"`)
	c.hears(`"notifications/prompts/list_changed"`)
	os.Remove(filepath.Join(w.root, ".pathrule", "memories", "late.md"))
	if a := c.call("search_knowledge", `{"query":"okapi"}`); strings.Contains(a.Text, "memory:late") {
		t.Errorf("a deleted entry: %s", a.Text)
	}
}

// hears waits until the server has sent the notification.
func (c *client) hears(method string, meta ...string) {
	c.t.Helper()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); {
		c.mu.Lock()
		heard := slices.Contains(c.asked, method)
		c.mu.Unlock()
		if heard {
			return
		}
		// Any request takes in what came meanwhile.
		if meta != nil {
			c.request("prompts/list", "{"+meta[0]+"}")
			continue
		}
		c.request("ping", "")
	}
	c.t.Errorf("no %s came", method)
}

// F82: while the first index is being built a call gets a part, not silence.
func TestWhileTheIndexIsBuiltAPartIsAnswered(t *testing.T) {
	w := newWorld(t, manyMemories(30))
	// Another process is building and takes long.
	l, err := filelock.Acquire(filepath.Join(w.dirs().Cache(w.ws().ID), catalog.LockName), 0)
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	unlock := func() { once.Do(func() { l.Unlock() }) }
	defer unlock()
	old := warmWait
	warmWait = time.Millisecond
	t.Cleanup(func() { warmWait = old }) // once the server has left
	c := w.open(Options{}, "test")
	a := c.call("search_knowledge", `{"query":"zebra7"}`)
	if a.str("status") != "warming" || !strings.Contains(a.Text, "m0007") || !strings.Contains(a.Text, "still being built") {
		t.Errorf("got %v", a)
	}
	if a := c.call("read_memory", `{"id":"m0007"}`); a.IsError {
		t.Errorf("reading needs no index: %v", a)
	}
	// The client hears of what the first index holds beside what it was shown.
	if list := string(c.request("resources/list", "")["result"]); !strings.Contains(list, "m0007") {
		t.Errorf("got %s", list)
	}
	w.write(".pathrule/memories/late.md", "---\ntitle: Late\n---\nText.\n")
	unlock()
	c.hears(`"notifications/resources/list_changed"`)
	for until := time.Now().Add(20 * time.Second); ; {
		a = c.call("search_knowledge", `{"query":"zebra7"}`)
		if a.str("status") == "ok" {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("still %v", a)
		}
	}
	if !strings.Contains(a.Text, "m0007") {
		t.Errorf("got %v", a)
	}
}

func TestTheFilesAloneAnswerLikeASource(t *testing.T) {
	w := newWorld(t, map[string]string{
		".pathrule/memories/tokens.md": "---\ntitle: Auth tokens\npaths: [src/auth]\ntags: [login]\n---\nThey live 15 minutes.\n",
		".pathrule/memories/jp.md":     "---\ntitle: 認証トークン\n---\n有効期限は十五分です。\n",
		".pathrule/rules/money.md":     "---\ntitle: Money\npaths: [src/payments/**]\n---\nIntegers.\n",
		".pathrule/memories/broken.md": "---\ntitle: [\n---\n",
	})
	w.user("personal/memories/mine.md", "---\ntitle: Mine\n---\nMy tokens.\n")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := scan(ctx, w.ws(), newCore(ctx, Options{}, w.env, newLog(&syncBuffer{})))
	for name, test := range map[string]struct {
		q    catalog.Query
		want string
	}{
		"by a word of the title":  {catalog.Query{Text: "where do tokens come from"}, "memory:tokens memory:personal/mine"},
		"by a tag":                {catalog.Query{Text: "LOGIN"}, "memory:tokens"},
		"by a path":               {catalog.Query{Paths: []string{"src/payments/x.ts"}}, "memory:personal/mine memory:jp rule:money"},
		"a script without spaces": {catalog.Query{Text: "トークンの期限"}, "memory:jp"},
		"one kind only":           {catalog.Query{Text: "tokens", Paths: []string{"src/payments"}, Kinds: []knowledge.Kind{knowledge.Rule}}, "rule:money"},
		"nothing":                 {catalog.Query{Text: "zebra"}, ""},
	} {
		res, err := s.Search(test.q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range res.Candidates {
			got = append(got, string(c.Record.Kind)+":"+c.Record.ID)
		}
		slices.Sort(got)
		want := strings.Fields(test.want)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	// Nothing is news to a client that was shown the files, once there is an index
	// of the same.
	if err := os.Remove(filepath.Join(w.root, ".pathrule", "memories", "broken.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := index.Build(t.Context(), w.ws(), w.env); err != nil {
		t.Fatal(err)
	}
	r, err := catalog.Open(w.ws(), w.dirs())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	before, _ := fingerprints(s)
	if after, err := fingerprints(r); err != nil || before != after {
		t.Errorf("a list of the files is another than one of the index (%v)", err)
	}
	kinds, folders, _ := s.Counts()
	if kinds[knowledge.Memory] != 3 || kinds[knowledge.Rule] != 1 || folders["src"] != 2 || folders[""] != 2 {
		t.Errorf("counts %v, %v", kinds, folders)
	}
	err = s.All(func(r catalog.Record) bool {
		if d, err := s.Load(r); err != nil || d.Hash != r.Hash || d.Body == "" {
			t.Errorf("load %s: %+v, %v", r.Key, d, err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestUnreviewedKnowledgeIsHeadedAndBounded(t *testing.T) {
	long := strings.Repeat("Long text of a stranger. ", 120) // 750 tokens
	w := newWorld(t, map[string]string{
		".pathrule/memories/short.md": "---\ntitle: Short\n---\nzebra one\n",
		".pathrule/memories/long.md":  "---\ntitle: Long\n---\n" + long + "\n",
	})
	if err := workspace.Disown(w.ws(), w.dirs()); err != nil {
		t.Fatal(err)
	}
	w.user("personal/memories/mine.md", "---\ntitle: Mine\n---\nzebra two\n")
	c := w.open(Options{}, "test")
	if a := c.call("search_knowledge", `{"query":"zebra"}`); !strings.Contains(a.Text, "not reviewed on this machine") {
		t.Errorf("got %v", a)
	}
	if a := c.call("read_memory", `{"id":"short"}`); !strings.Contains(a.Text, "not reviewed on this machine") || !strings.Contains(a.Text, "zebra one") {
		t.Errorf("got %v", a)
	}
	if a := c.call("read_memory", `{"id":"personal/mine"}`); a.IsError || strings.Contains(a.Text, "not reviewed") {
		t.Errorf("got %v", a)
	}
	if a := c.call("read_memory", `{"id":"long"}`); a.str("code") != "permission_denied" || !strings.Contains(a.Text, "pathrule trust") || strings.Contains(a.Text, "stranger") {
		t.Errorf("got %v", a)
	}
	w.user("config.yaml", "trust:\n  knowledge: ask\n")
	if a := c.call("read_memory", `{"id":"short"}`); a.str("code") != "permission_denied" {
		t.Errorf("got %v", a)
	}
	if a := c.call("search_knowledge", `{"query":"zebra"}`); strings.Contains(a.Text, "memory:short") || !strings.Contains(a.Text, "personal/mine") {
		t.Errorf("got %v", a)
	}
	if m := c.request("resources/list", ""); strings.Contains(string(m["result"]), "memory/short") || !strings.Contains(string(m["result"]), "personal/mine") {
		t.Errorf("got %s", m["result"])
	}
}

// M29: the catalogue of events stands once among the resources, on the first page.
func TestEventsAreAResource(t *testing.T) {
	w := newWorld(t, manyMemories(250))
	c := w.open(Options{Events: func() ([]byte, error) { return []byte(`{"items":[{"name":"SessionStart"}]}`), nil }}, "test")
	first := string(c.request("resources/list", "")["result"])
	if !strings.Contains(first, `"uri":"pathrule://hooks/events"`) || strings.Count(first, "pathrule://hooks/events") != 1 {
		t.Errorf("got %.300s", first)
	}
	var page struct{ NextCursor string }
	if err := json.Unmarshal([]byte(first), &page); err != nil || page.NextCursor == "" {
		t.Fatalf("%v, cursor %q", err, page.NextCursor)
	}
	if m := c.request("resources/list", `{"cursor":`+quoted(page.NextCursor)+`}`); strings.Contains(string(m["result"]), "hooks/events") || !strings.Contains(string(m["result"]), "memory/m0249") {
		t.Errorf("got %.300s", m["result"])
	}
	m := c.request("resources/read", `{"uri":"pathrule://hooks/events"}`)
	var read struct {
		Contents []struct{ MimeType, Text string }
	}
	if err := json.Unmarshal(m["result"], &read); err != nil || len(read.Contents) != 1 ||
		read.Contents[0].MimeType != "application/json" || read.Contents[0].Text != `{"items":[{"name":"SessionStart"}]}` {
		t.Errorf("%v: %s", err, m)
	}
}

func TestResources(t *testing.T) {
	files := manyMemories(450)
	files[".pathrule/memories/認証/トークン.md"] = "---\ntitle: 認証\n---\n十五分。\n"
	files[".pathrule/memories/a b.md"] = "---\ntitle: Not an id\n---\nx\n"
	w := newWorld(t, files)
	c := w.open(Options{}, "test")
	var uris []string
	cursor := ""
	for range 10 {
		m := c.request("resources/list", `{"cursor":`+quoted(cursor)+`}`)
		var r struct {
			Resources  []struct{ URI, Name, MimeType string }
			NextCursor string
		}
		if err := json.Unmarshal(m["result"], &r); err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Resources {
			uris = append(uris, x.URI)
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if len(uris) != 451 || len(slices.Compact(slices.Clone(uris))) != 451 {
		t.Errorf("%d resources", len(uris))
	}
	for _, uri := range []string{"pathrule://memory/m0007", uris[len(uris)-1], "pathrule://memory/認証/トークン"} {
		m := c.request("resources/read", `{"uri":`+quoted(uri)+`}`)
		if !strings.Contains(string(m["result"]), "text/markdown") {
			t.Errorf("%s: %s", uri, m)
		}
	}
	for _, uri := range []string{"pathrule://memory/nope", "pathrule://memory/../rules/x", "pathrule://memory/..%2f..%2fetc", "pathrule://thing/x", "file:///etc/passwd", "pathrule://memory/"} {
		m := c.request("resources/read", `{"uri":`+quoted(uri)+`}`)
		if !strings.Contains(string(m["error"]), "-32002") {
			t.Errorf("%s: %s %s", uri, m["error"], m["result"])
		}
	}
	m := c.request("resources/templates/list", "")
	for _, want := range []string{"pathrule://memory/{+id}", "pathrule://rule/{+id}", "pathrule://skill/{+id}"} {
		if !strings.Contains(string(m["result"]), want) {
			t.Errorf("no template %s in %s", want, m["result"])
		}
	}
	if m := c.request("resources/list", `{"cursor":"%%%"}`); m["error"] == nil {
		t.Errorf("a broken cursor: %s", m["result"])
	}
}

// The stateless protocol sends a notification only to who listens for it, and
// names the stream.
func TestAStreamHearsWhatItAskedFor(t *testing.T) {
	w := newWorld(t, manyMemories(3))
	// With an index from before no build of this server has looked at the lists.
	if _, err := index.Refresh(context.Background(), w.ws(), w.env, index.Limits{}); err != nil {
		t.Fatal(err)
	}
	c := w.start(Options{})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	c.send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},` + meta + `}}`)
	c.request("tools/call", `{"name":"get_tree","arguments":{},`+meta+`}`)
	c.request("tools/call", `{"name":"write_skill","arguments":{"title":"deploy","description":"x","content":"y"},`+meta+`}`)
	c.hears(`"notifications/resources/list_changed"`, meta)
	c.mu.Lock()
	defer c.mu.Unlock()
	if slices.Contains(c.asked, `"notifications/prompts/list_changed"`) {
		t.Error("a notification that nobody asked for")
	}
	if !strings.Contains(strings.Join(c.frames, ""), `"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}}`) {
		t.Errorf("the stream is not named: %v", c.frames)
	}
}

// F72: after a while a server holds no file of the index either.
func TestAnIdleIndexIsClosedAndOpensAgain(t *testing.T) {
	w := newWorld(t, manyMemories(3))
	ctx, cancel := context.WithCancel(context.Background())
	c := newCore(ctx, Options{}, w.env, newLog(&syncBuffer{}))
	defer func() { cancel(); c.tasks.Wait(); c.close() }()
	v := c.view(w.ws())
	for range 2 {
		src, warming, done, err := v.source(ctx)
		if err != nil || warming {
			t.Fatal(warming, err)
		}
		if _, err := src.Search(catalog.Query{Text: "zebra1"}); err != nil {
			t.Fatal(err)
		}
		v.closeIdle()
		if v.idx == nil {
			t.Fatal("closed under a reader")
		}
		done()
		v.closeIdle()
		if v.idx != nil {
			t.Fatal("still open")
		}
	}
}

func TestAnEntryThatNoAnswerHoldsNamesItsFile(t *testing.T) {
	w := newWorld(t, map[string]string{".pathrule/memories/big.md": "---\ntitle: Big\n---\n" + strings.Repeat("word ", 20_000) + "\n"})
	c := w.open(Options{}, "test")
	a := c.call("read_memory", `{"id":"big"}`)
	if a.str("code") != "refused" || !strings.Contains(a.Text, ".pathrule/memories/big.md") || strings.Contains(a.Text, w.root) {
		t.Errorf("got %.300s", a.Text)
	}
}

func TestAPromptMayBeLong(t *testing.T) {
	c := newWorld(t, shopFiles).open(Options{}, "test")
	long := strings.Repeat("日本語 stack trace line\\n", 40_000)
	if a := c.call("get_context", `{"prompt":"why do stripe webhooks come out of order? `+long+`","paths":["src/payments/stripe.ts"]}`); !strings.Contains(a.Text, "may come before") {
		t.Errorf("got %.300s", a.Text)
	}
	many := strings.TrimSuffix(strings.Repeat(`"src/x.ts",`, 101), ",")
	if a := c.call("get_context", `{"prompt":"x","paths":[`+many+`]}`); a.str("code") != "invalid_args" {
		t.Errorf("got %.300s", a.Text)
	}
}

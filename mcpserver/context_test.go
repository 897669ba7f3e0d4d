package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pathrule/slice"
)

// shown is the larger of the two forms in which a client may show an answer to
// its model, in tokens: the text, or the structured part as JSON.
func (a answer) shown(t *testing.T) int {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // as clients in other languages write it
	if err := enc.Encode(a.Data); err != nil {
		t.Fatal(err)
	}
	return max(slice.Tokens(a.Text), (b.Len()-1+3)/4)
}

// randomStore writes n entries whose sizes, scripts and punctuation are of every
// kind; the last line of each body is "end of ID".
func randomStore(r *rand.Rand, n int) map[string]string {
	files := map[string]string{"src/a.ts": "x\n", "src/deep/b.sql": "x\n", "docs/c.md": "x\n"}
	words := strings.Fields("retry webhook ledger \"quoted\" C:\\path\\x <tag> & customs 決済 リトライ 규칙 правило ödeme ค่าธรรมเนียม `code` refund token cache 🚚 ---")
	paths := []string{"", "paths: [src/a.ts]\n", "paths: [src]\n", "paths: [src/deep/**]\n", "paths: ['**/*.md', docs]\n"}
	for i := range n {
		id := fmt.Sprintf("%s-%d", strings.Repeat("part/", r.IntN(4))+strings.Repeat("x", 1+r.IntN(60)), i)
		var b strings.Builder
		for range r.IntN(1 + r.IntN(400)) {
			b.WriteString(words[r.IntN(len(words))])
			b.WriteString([]string{" ", " ", " ", "\n", "\t", ". "}[r.IntN(6)])
		}
		body := b.String() + "\nend of " + id + "\n"
		title := fmt.Sprintf("On %s and %s %d", words[r.IntN(3)], words[r.IntN(3)], i)
		head := "---\ntitle: " + title + "\n" + paths[r.IntN(len(paths))]
		switch r.IntN(5) {
		case 0:
			files[".pathrule/skills/"+id+"/SKILL.md"] = "---\nname: " + title + "\ndescription: retry the webhook " + id + "\n---\n" + body
		case 1:
			files[".pathrule/rules/"+id+".md"] = head + "priority: " + []string{"high", "medium", "low"}[r.IntN(3)] + "\nenforcement: " + []string{"strict", "advisory"}[r.IntN(2)] + "\n---\n" + body
		default:
			files[".pathrule/memories/"+id+".md"] = head + "---\n" + body
		}
	}
	return files
}

var randomPrompts = []string{
	"", "retry the webhook", "why is the ledger wrong after a refund?", "refactor the token cache in src/a.ts", "explain the architecture of this project",
	"list all rules", "what rules do we have?", "make the button blue", "run the tests", "決済のリトライはどうなっていますか", "hello",
	strings.Repeat("the webhook of the ledger is retried and the refund token is cached. ", 60),
}

// P90: the budget holds at every depth, for all that a client may show of the
// answer, with whole bodies in it, whatever the store holds; and P5: what this
// connection was given does not come again, unless it is asked for.
func TestEveryAnswerKeepsItsBudgetAndRepeatsNothing(t *testing.T) {
	seeds := 24
	if testing.Short() {
		seeds = 6
	}
	bodies, again := 0, 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(uint64(seed), 4+3*uint64(seed/2%2)))
		w := newWorld(t, randomStore(r, r.IntN(70)))
		if seed%2 == 0 { // answers name files that change together
			var files []string
			for i := range 6 {
				f := fmt.Sprintf("src/%s%d.ts", strings.Repeat("lib/", (seed+5*i)%20), i)
				w.write(f, "")
				files = append(files, f)
			}
			w.together(append(files, "src/a.ts", "docs")...)
		}
		budgets := map[string]int{"minimal": 300, "focused": 1200, "deep": 2400}
		if seed%3 == 1 {
			budgets = map[string]int{"minimal": 120 + r.IntN(200), "focused": 200 + r.IntN(1500), "deep": 400 + r.IntN(4000)}
			w.user("config.yaml", fmt.Sprintf("budget:\n  minimal: %d\n  focused: %d\n  deep: %d\n", budgets["minimal"], budgets["focused"], budgets["deep"]))
		}
		c := w.open(Options{}, "test")
		given := map[string]bool{}
		for range 14 {
			prompt := randomPrompts[r.IntN(len(randomPrompts))]
			args := map[string]any{"prompt": prompt, "depth": []string{"auto", "minimal", "focused", "deep"}[r.IntN(4)]}
			var paths []string
			if r.IntN(2) == 0 {
				paths = []string{[]string{"src/a.ts", "src/deep/b.sql", "docs", "src/new.ts"}[r.IntN(4)]}
				args["paths"] = paths
			}
			repeat := r.IntN(4) == 0
			args["include_delivered"] = repeat
			raw, _ := json.Marshal(args)
			a := c.call("get_context", string(raw))
			if a.IsError {
				t.Fatalf("seed %d %s: %s", seed, raw, a.Text)
			}
			limit := budgets[args["depth"].(string)]
			if limit == 0 { // auto chooses one of them
				limit = max(budgets["minimal"], budgets["focused"], budgets["deep"])
			}
			if n := a.shown(t); n > limit {
				t.Errorf("seed %d %s: %d tokens, the budget is %d\n%s", seed, raw, n, limit, a.Text)
			}
			for _, i := range a.Data["items"].([]any) {
				m := i.(map[string]any)
				id, form := m["id"].(string), m["form"].(string)
				if form == "body" {
					bodies++
					if !strings.Contains(a.Text, "end of "+id+"\n") || !strings.Contains(a.str("text"), "end of "+id+"\n") {
						t.Errorf("seed %d %s: the body of %s is cut\n%s", seed, raw, id, a.Text)
					}
				}
				key := fmt.Sprint(m["kind"], ":", id, "/", form)
				if given[key] && !repeat {
					t.Errorf("seed %d %s: %s came twice", seed, raw, key)
				}
				if given[key] {
					again++
				}
				given[key] = true
			}
		}
		// The very same call once more tells nothing, whatever it told before; each
		// answer may bring what the one before had no room for, so it comes to an end.
		for n := 0; ; n++ {
			a := c.call("get_context", `{"prompt":"list all rules","depth":"deep"}`)
			if len(a.Data["items"].([]any)) == 0 && !strings.Contains(a.Text, "What is on record") {
				break
			}
			if n > 40 {
				t.Fatalf("seed %d: the same call goes on telling\n%s", seed, a.Text)
			}
		}
		c.end()
	}
	if bodies < 10*seeds/4 || again == 0 {
		t.Errorf("%d bodies, %d repeats on request: these stores try nothing", bodies, again)
	}
}

// The question for what there is, in the languages of the classifier, is
// answered from counts and titles; asked again, it is not answered again.
func TestInventoryIsCountsAndTitles(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf(".pathrule/rules/rule-%02d.md", i)] = fmt.Sprintf("---\ntitle: Rule number %02d holds\npaths: [src/p%d]\n---\nBODY-OF-RULE %d\n", i, i%3, i)
		files[fmt.Sprintf(".pathrule/memories/note-%02d.md", i)] = fmt.Sprintf("---\ntitle: Note number %02d tells\n---\nBODY-OF-NOTE %d\n", i, i)
	}
	w := newWorld(t, files)
	for lang, prompt := range map[string]string{
		"en": "what rules do we have?", "en2": "which rules are there", "en3": "list our rules", "de": "Welche Regeln haben wir?", "es": "¿Qué reglas tenemos?",
		"fr": "Quelles règles avons-nous ?", "pt": "Quais regras temos?", "tr": "Hangi kurallarımız var?", "ru": "Какие у нас есть правила?",
		"ja": "どんなルールがありますか？", "zh": "我们有哪些规则？", "ko": "어떤 규칙이 있나요?", "th": "เรามีกฎอะไรบ้าง",
	} {
		t.Run(lang, func(t *testing.T) {
			c := w.open(Options{}, "test")
			raw, _ := json.Marshal(map[string]any{"prompt": prompt})
			a := c.call("get_context", string(raw))
			if strings.Contains(a.Text, "BODY-OF") {
				t.Errorf("bodies are dumped:\n%s", a.Text)
			}
			if !strings.Contains(a.Text, "30 rules") || !strings.Contains(a.Text, "Rule number 29 holds") || strings.Contains(a.Text, "Note number") {
				t.Errorf("no counts and titles of the rules:\n%s", a.Text)
			}
			if a.str("next") == "" {
				t.Errorf("no next step:\n%s", a.Text)
			}
			a = c.call("get_context", string(raw))
			if strings.Contains(a.Text, "Rule number") || strings.Contains(a.Text, "nothing on record") || !strings.Contains(a.Text, "Nothing new") || !strings.Contains(a.str("next"), "include_delivered") {
				t.Errorf("asked again:\n%s", a.Text)
			}
			raw, _ = json.Marshal(map[string]any{"prompt": prompt, "include_delivered": true})
			if a = c.call("get_context", string(raw)); !strings.Contains(a.Text, "Rule number 29 holds") {
				t.Errorf("asked to repeat:\n%s", a.Text)
			}
		})
	}
}

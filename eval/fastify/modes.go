package fastify

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"pathrule/internal/bench/drive"
)

// ratio is a count over a total.
type ratio struct {
	Hit int `json:"hit"`
	Of  int `json:"of"`
}

func (r ratio) String() string { return fmt.Sprintf("%d/%d", r.Hit, r.Of) }

type promptReport struct {
	GoldBody      ratio    `json:"gold_body"` // memories and rules, cumulative in one session
	GoldSkillName ratio    `json:"gold_skill_name"`
	Facts         ratio    `json:"facts"`
	HardNegatives int      `json:"hard_negative_bodies"`
	Unrelated     int      `json:"unrelated_bodies"`
	AbstainBodies int      `json:"abstain_bodies"`
	SourceBodies  int      `json:"source_only_bodies"`
	BodyTokens    int      `json:"body_tokens"`
	OracleTokens  int      `json:"oracle_tokens"`
	TextTokens    int      `json:"text_tokens"`
	MRR           float64  `json:"mrr"`
	RepeatBytes   int      `json:"repeat_bytes"` // mode C, -1 when not run
	PromptMS      []int64  `json:"-"`
	MedianMS      float64  `json:"median_ms"`
	P95MS         float64  `json:"p95_ms"`
	Notes         []string `json:"notes,omitempty"`
}

func tokens(s string) int { return (len(s) + 3) / 4 }

// prompts runs the ten prompts, each in its own session (mode A) or in one
// (mode B, followed by mode C: the same ten again).
func (b *bench) prompts(fresh bool) (*promptReport, error) {
	w, err := b.seed(false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	r := &promptReport{RepeatBytes: -1}
	oracle := map[string]bool{}
	given := map[string]bool{} // bodies in this session
	named := map[string]bool{}
	facts := ""
	var times []float64
	session := "bench-one"
	start := func(s string) error {
		_, err := w.Hook(drive.SessionStart(s, "startup"), "lib")
		return err
	}
	if !fresh {
		if err := start(session); err != nil {
			return nil, err
		}
	}
	var rank float64
	for i, q := range b.queries {
		if fresh {
			session = fmt.Sprintf("bench-%d", i)
			given, named, facts = map[string]bool{}, map[string]bool{}, ""
			if err := start(session); err != nil {
				return nil, err
			}
		}
		a, err := w.Hook(drive.Prompt(session, fmt.Sprintf("p-%d", i), q.Prompt), strings.TrimPrefix(q.Cwd, "/"))
		if err != nil {
			return nil, err
		}
		if b.verbose {
			fmt.Fprintf(os.Stderr, "--- %s: %s\n%s\n", q.ID, q.Prompt, a.Context)
		}
		times = append(times, drive.MS(a.Took))
		r.TextTokens += tokens(a.Context)
		facts += a.Context
		got := b.delivered(a.Context)
		for id, form := range got {
			named[id] = true
			given[id] = given[id] || form == "body"
		}
		r.bodies(b, q, got)
		all := map[string]string{}
		for id := range named {
			all[id] = "name"
			if given[id] {
				all[id] = "body"
			}
		}
		rank += r.gold(b, q, all, a.Context, facts, oracle)
	}
	r.MRR = rank / float64(r.GoldBody.Of+r.GoldSkillName.Of)
	r.MedianMS, r.P95MS = quantiles(times)
	if !fresh {
		r.RepeatBytes = 0
		for i, q := range b.queries {
			a, err := w.Hook(drive.Prompt(session, fmt.Sprintf("r-%d", i), q.Prompt), strings.TrimPrefix(q.Cwd, "/"))
			if err != nil {
				return nil, err
			}
			if len(a.Stdout) > 0 {
				r.RepeatBytes += len(a.Stdout)
				r.Notes = append(r.Notes, "repeat of "+q.ID+" spoke")
			}
		}
	}
	return r, nil
}

// reciprocal is 1/rank of an item among the items that a text tells, in the
// order of the text; 0 when it is not told.
func reciprocal(text string, b *bench, gold *item) float64 {
	t := fold(text)
	at := strings.Index(t, fold(gold.Title))
	if at < 0 {
		return 0
	}
	rank := 1
	for id := range b.delivered(text) {
		if id == gold.ID {
			continue
		}
		if i := strings.Index(t, fold(b.byID[id].Title)); i >= 0 && i < at {
			rank++
		}
	}
	return 1 / float64(rank)
}

func quantiles(ms []float64) (median, p95 float64) {
	return drive.Quantile(ms, 50), drive.Quantile(ms, 95)
}

type pathReport struct {
	Exact      ratio    `json:"exact"`
	OwnMissing int      `json:"own_missing"`
	Inherited  ratio    `json:"inherited"`
	Foreign    int      `json:"foreign"`
	Tokens     int      `json:"text_tokens"`
	MedianMS   float64  `json:"median_ms"`
	P95MS      float64  `json:"p95_ms"`
	Notes      []string `json:"notes,omitempty"`
}

// look is the event before a file is read; a folder is searched.
func look(session, id, path string) drive.Event {
	ev := drive.Tool(session, id, "Read", path)
	if filepath.Ext(path) == "" {
		ev["tool_name"], ev["tool_input"] = "Grep", map[string]any{"pattern": "x", "path": path}
	}
	return ev
}

// pathExact is mode D: one before-tool event per path, each in a new session.
func (b *bench) pathExact() (*pathReport, error) {
	w, err := b.seed(false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	r := &pathReport{}
	var times []float64
	for i, q := range b.paths {
		session := fmt.Sprintf("path-%d", i)
		file := filepath.Join(w.Root, filepath.FromSlash(q.Path))
		ev := look(session, fmt.Sprintf("t-%d", i), file)
		a, err := w.Hook(ev, "")
		if err != nil {
			return nil, err
		}
		times = append(times, drive.MS(a.Took))
		r.Tokens += tokens(a.Context)
		got := b.delivered(a.Context)
		want := map[string]bool{}
		exact := true
		for _, id := range q.Own {
			want[id] = true
			if got[id] == "" {
				exact = false
				r.OwnMissing++
				r.Notes = append(r.Notes, q.Path+": own "+id+" missing")
			}
		}
		for _, id := range q.Inherited {
			want[id] = true
			r.Inherited.Of++
			if got[id] != "" {
				r.Inherited.Hit++
			} else {
				exact = false
				r.Notes = append(r.Notes, q.Path+": inherited "+id+" missing")
			}
		}
		for id := range got {
			if !want[id] {
				exact = false
				r.Foreign++
				r.Notes = append(r.Notes, q.Path+": foreign "+id)
			}
		}
		r.Exact.Of++
		if exact {
			r.Exact.Hit++
		}
	}
	r.MedianMS, r.P95MS = quantiles(times)
	return r, nil
}

// bodies counts the bodies that one prompt brought, and those that it should not
// have.
func (r *promptReport) bodies(b *bench, q query, got map[string]string) {
	for id, form := range got {
		if form != "body" {
			continue
		}
		it := b.byID[id]
		r.BodyTokens += tokens(it.Title + "\n" + it.Body)
		switch q.Type {
		case "abstain":
			r.AbstainBodies++
		case "source-only":
			r.SourceBodies++
		}
		switch it.Relevance {
		case "hard-negative":
			r.HardNegatives++
			r.Notes = append(r.Notes, q.ID+": hard negative "+id)
		case "unrelated":
			r.Unrelated++
			r.Notes = append(r.Notes, q.ID+": unrelated "+id)
		}
	}
}

// gold counts the gold entries and facts that had been told with this prompt,
// and sums the reciprocal ranks of the entries in its own text. oracle holds what
// is counted already of the tokens that gold alone would cost.
func (r *promptReport) gold(b *bench, q query, got map[string]string, text, facts string, oracle map[string]bool) (rank float64) {
	for _, g := range q.Gold {
		it := b.byID[g]
		if !oracle[g] {
			oracle[g] = true
			r.OracleTokens += tokens(it.Title + "\n" + it.Body)
		}
		of, hit, why := &r.GoldBody, got[g] == "body", fmt.Sprintf("no body of %s (got %v)", g, got)
		if it.Kind == "skill" {
			of, hit, why = &r.GoldSkillName, got[g] != "", "skill not offered"
		}
		of.Of++
		if hit {
			of.Hit++
		} else {
			r.Notes = append(r.Notes, q.ID+": "+why)
		}
		rank += reciprocal(text, b, it)
	}
	for _, f := range q.Facts {
		r.Facts.Of++
		if strings.Contains(strings.ToLower(facts), strings.ToLower(f)) {
			r.Facts.Hit++
		}
	}
	return rank
}

type walkReport struct {
	Told    int      `json:"told"`
	Missing int      `json:"missing"`
	Foreign int      `json:"foreign"`
	Twice   int      `json:"twice"`
	Tokens  int      `json:"text_tokens"`
	Notes   []string `json:"notes,omitempty"`
}

// pathWalk is mode E: one read per path, all in one session. Each entry is told
// by the time its last path was read, and none twice in the same form.
func (b *bench) pathWalk() (*walkReport, error) {
	w, err := b.seed(false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	r := &walkReport{}
	told := map[string]string{}
	wanted := map[string]bool{}
	for i, q := range b.paths {
		file := filepath.Join(w.Root, filepath.FromSlash(q.Path))
		ev := look("walk", fmt.Sprintf("w-%d", i), file)
		a, err := w.Hook(ev, "")
		if err != nil {
			return nil, err
		}
		r.Tokens += tokens(a.Context)
		here := map[string]bool{}
		for _, id := range append(append([]string{}, q.Own...), q.Inherited...) {
			here[id], wanted[id] = true, true
		}
		for id, form := range b.delivered(a.Context) {
			switch {
			case !here[id]:
				r.Foreign++
				r.Notes = append(r.Notes, q.Path+": foreign "+id)
			case told[id] == form:
				r.Twice++
				r.Notes = append(r.Notes, q.Path+": again "+id)
			}
			told[id] = form
		}
	}
	for id := range wanted {
		if told[id] == "" {
			r.Missing++
			r.Notes = append(r.Notes, "never told: "+id)
		}
	}
	sort.Strings(r.Notes)
	r.Told = len(told)
	return r, nil
}

// contexts is mode F: one get_context call per prompt, each in a connection of
// its own, with the session's folder.
func (b *bench) contexts() (*promptReport, error) {
	w, err := b.seed(false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	r := &promptReport{RepeatBytes: -1}
	oracle := map[string]bool{}
	var times []float64
	var rank float64
	for _, q := range b.queries {
		s, _, err := w.Server("--workspace", w.Root)
		if err != nil {
			return nil, err
		}
		begin := time.Now()
		text, err := s.Text("get_context", map[string]any{"prompt": q.Prompt, "cwd": filepath.Join(w.Root, "lib")})
		times = append(times, drive.MS(time.Since(begin)))
		if err != nil {
			return nil, err
		}
		if _, err := s.Close(); err != nil {
			return nil, err
		}
		if b.verbose {
			fmt.Fprintf(os.Stderr, "--- %s by get_context\n%s\n", q.ID, text)
		}
		r.TextTokens += tokens(text)
		got := b.delivered(text)
		r.bodies(b, q, got)
		rank += r.gold(b, q, got, text, text, oracle)
	}
	sort.Strings(r.Notes)
	r.MRR = rank / float64(r.GoldBody.Of+r.GoldSkillName.Of)
	r.MedianMS, r.P95MS = quantiles(times)
	return r, nil
}

type lifeReport struct {
	OK    bool     `json:"ok"`
	Notes []string `json:"notes,omitempty"`
}

func (l *lifeReport) want(ok bool, note string) {
	if !ok {
		l.Notes = append(l.Notes, note)
	}
}

// compact is mode G: five prompts, a compaction, the first prompt again: its
// body must come back.
func (b *bench) compact() (*lifeReport, error) {
	w, err := b.seed(false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	r := &lifeReport{}
	const s = "compact"
	if _, err := w.Hook(drive.SessionStart(s, "startup"), "lib"); err != nil {
		return nil, err
	}
	ask := func(i int, tag string) (drive.Answer, error) {
		return w.Hook(drive.Prompt(s, fmt.Sprintf("%s-%d", tag, i), b.queries[i].Prompt), "lib")
	}
	for i := range 5 {
		if _, err := ask(i, "a"); err != nil {
			return nil, err
		}
	}
	if a, err := w.Hook(drive.PreCompact(s), "lib"); err != nil || len(a.Stdout) > 0 {
		return nil, fmt.Errorf("PreCompact must be silent: %q %v", a.Stdout, err)
	}
	sess, err := w.Hook(drive.SessionStart(s, "compact"), "lib")
	if err != nil {
		return nil, err
	}
	r.want(tokens(sess.Context) <= 300, fmt.Sprintf("compact slice has %d tokens", tokens(sess.Context)))
	a, err := ask(0, "b")
	if err != nil {
		return nil, err
	}
	r.want(b.delivered(a.Context)[b.queries[0].Gold[0]] == "body", "body did not come back after compaction")
	a, err = ask(0, "c")
	if err != nil {
		return nil, err
	}
	r.want(len(a.Stdout) == 0, "spoke again after the body had come back")
	r.OK = len(r.Notes) == 0
	return r, nil
}

// edit is mode H: after a session has a body, the entry is edited on disk; the
// next prompt must bring the new body once, then silence.
func (b *bench) edit() (*lifeReport, error) {
	w, err := b.seed(false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	r := &lifeReport{}
	const s = "edit"
	if _, err := w.Hook(drive.SessionStart(s, "startup"), "lib"); err != nil {
		return nil, err
	}
	q := b.queries[0]
	gold := *b.byID[q.Gold[0]]
	if _, err := w.Hook(drive.Prompt(s, "a", q.Prompt), "lib"); err != nil {
		return nil, err
	}
	old := fold(gold.Body)
	gold.Body += " Reviewed again in **FAST-999**."
	if err := writeItem(w.Root, gold); err != nil {
		return nil, err
	}
	a, err := w.Hook(drive.Prompt(s, "b", q.Prompt), "lib")
	if err != nil {
		return nil, err
	}
	r.want(strings.Contains(fold(a.Context), fold(gold.Body)), "the edited body did not come")
	r.want(strings.Count(fold(a.Context), old) <= 1, "the edited body came twice")
	a, err = w.Hook(drive.Prompt(s, "c", q.Prompt), "lib")
	if err != nil {
		return nil, err
	}
	r.want(len(a.Stdout) == 0, "the edited body came again")
	r.OK = len(r.Notes) == 0
	return r, nil
}

// deterministic asks every prompt in twenty parallel fresh sessions, and again
// in a world whose files were written in the opposite order.
func (b *bench) deterministic() (*lifeReport, error) {
	r := &lifeReport{}
	want := make([]string, len(b.queries))
	for pass, reverse := range []bool{false, true} {
		w, err := b.seed(reverse)
		if err != nil {
			return nil, err
		}
		var mu sync.Mutex
		var wg sync.WaitGroup
		var first error
		for run := range 20 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i, q := range b.queries {
					a, err := w.Hook(drive.Prompt(fmt.Sprintf("d-%d-%d", run, i), "p", q.Prompt), "lib")
					mu.Lock()
					switch {
					case err != nil:
						first = err
					case pass == 0 && want[i] == "":
						want[i] = a.Context + "\x00"
					case want[i] != a.Context+"\x00":
						r.Notes = append(r.Notes, fmt.Sprintf("%s: other bytes in pass %d", q.ID, pass+1))
					}
					mu.Unlock()
				}
			}()
		}
		wg.Wait()
		w.Close()
		if first != nil {
			return nil, first
		}
	}
	r.OK = len(r.Notes) == 0
	return r, nil
}

package slice

import (
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// What a prompt touches on without saying enough for a body is often what the
// files that are opened next are about. So a prompt leaves behind which entries
// it touched on, and a tool on their paths tells those first, and whole: words
// and place then speak together. Only hashes of ids and of sections are kept.

const (
	// TaskKey is the ledger's key of what the last prompt touched on; its hash is
	// Plan.Task.
	TaskKey = "x:task"
	// NoTask is the task of a prompt that asks for something and touches on nothing.
	NoTask = "-"

	// maxTask is how many entries of a prompt are kept, maxTaskSections how many
	// sections of one that is long.
	maxTask         = 12
	maxTaskSections = 4
	// taskShare is how near an entry must come to the best one, taskFloor and
	// taskCoverage are its least evidence: place is still to speak for it.
	taskShare    = 0.3
	taskFloor    = -2.2
	taskCoverage = 0.12

	taskID      = 8 // hex digits that name an entry
	taskSection = 6 // and a section
)

// task is Plan.Task, taken apart.
type task struct {
	rank     map[string]int // by taskID digits of the key's hash, from 1
	sections map[string][]string
}

// keepTask notes what the prompt touched on, best first.
func (p *planner) keepTask(q *question, cands []candidate) {
	if q.empty() || p.in.Channel != Prompt {
		return
	}
	best := 0.0
	for i := range cands {
		if cands[i].seen {
			best = max(best, cands[i].ev.sum)
		}
	}
	var out []string
	for i := range cands {
		c := &cands[i]
		if len(out) == maxTask {
			break
		}
		if !c.seen || c.ev.words < 1 || c.ev.sum < taskShare*best || c.ev.value < taskFloor || c.ev.coverage < taskCoverage {
			continue
		}
		id := shortHash(c.rec.Key)[:taskID]
		if c.rec.Kind != knowledge.Skill && !c.within(p.set.LoadMaxTokens) {
			e := p.excerpt(&unit{item: Item{Key: c.rec.Key}})
			for _, s := range e.order[:min(len(e.order), maxTaskSections)] {
				id += "." + shortHash(e.sections[s].text)[:taskSection]
			}
		}
		out = append(out, id)
	}
	if p.plan.Task = strings.Join(out, ","); p.plan.Task == "" {
		p.plan.Task = NoTask
	}
}

func readTask(s string) task {
	t := task{rank: map[string]int{}, sections: map[string][]string{}}
	if s == "" || s == NoTask {
		return t
	}
	for i, item := range strings.Split(s, ",") {
		id, sections, _ := strings.Cut(item, ".")
		t.rank[id] = i + 1
		if sections != "" {
			t.sections[id] = strings.Split(sections, ".")
		}
	}
	return t
}

// asked is the rank of an entry that the task touches on, 0 for others. One for
// the whole project must hold words of the path as well.
func (p *planner) asked(c *candidate) int {
	n := p.task.rank[shortHash(c.rec.Key)[:taskID]]
	if n == 0 || c.fit >= workspace.Glob || c.rec.Prefix != "" {
		return n
	}
	if p.asks == nil {
		return 0
	}
	l := p.load(&c.rec)
	if !l.ok {
		return 0
	}
	if e := p.asks.look(&c.rec, l.title, knowledge.Strip(l.raw), false); e.words < pathWords && !e.heading {
		return 0
	}
	return n
}

// askedFirst puts what the task touches on before what merely governs the same
// paths; what is attached to the very file stays first.
func (p *planner) askedFirst(cands []candidate) {
	if len(p.task.rank) == 0 {
		return
	}
	for i := range cands {
		cands[i].asked = p.asked(&cands[i])
	}
	slices.SortStableFunc(cands, func(a, b candidate) int {
		if x, y := a.fit == workspace.File, b.fit == workspace.File; x != y || x {
			return order2(x, y)
		}
		if x, y := a.asked > 0, b.asked > 0; x != y || !x {
			return order2(x, y)
		}
		return a.asked - b.asked
	})
}

func order2(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// taskSections are the sections of a long entry that the task touches on.
func (p *planner) taskSections(key string, sections []section) []int {
	var out []int
	for _, want := range p.task.sections[shortHash(key)[:taskID]] {
		for i := range sections {
			if strings.HasPrefix(shortHash(sections[i].text), want) && !slices.Contains(out, i) {
				out = append(out, i)
			}
		}
	}
	return out
}

// pathQuestion asks with the words of paths.
func pathQuestion(paths []string) *question {
	q := ask(strings.Join(paths, "\n"), catalog.Result{}, nil, nil)
	if q.empty() {
		return nil
	}
	return &q
}

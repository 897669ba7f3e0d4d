package slice

import (
	"sort"
	"strings"

	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// wantsOverview: a question about what there is, or an exploratory one at the
// root that no entry answers, gets the shape of the whole instead of bodies.
func (p *planner) wantsOverview(paths []string, cands []candidate) bool {
	switch p.plan.Intent {
	case Inventory:
		return true
	case Explore:
		if len(paths) > 0 || p.in.Cwd != "" {
			return false
		}
		touches := false
		for i := range cands {
			if cands[i].form == Body || cands[i].hosts {
				return false
			}
			// A procedure that is named as fitting is the answer as well.
			if cands[i].rec.Kind == knowledge.Skill && cands[i].form == Name && cands[i].strong(false) {
				return false
			}
			touches = touches || cands[i].weak(false)
		}
		// A question about the world at large gets nothing.
		return touches || aboutProject(p.in.Prompt)
	}
	return false
}

// aboutProject reports that a prompt speaks of the code base as a whole.
func aboutProject(prompt string) bool {
	t := readText(prompt)
	return t.count("architecture|codebase|code base|repo|repository|this project|the project|our project|this app|our app|onboard|onboarding|this service|the system|our system|big picture"+
		"|архитектур*|проект*|репозитори*|кодов* баз*|систем*|architektur|projekt|codebasis|uberblick|arquitectura|proyecto|repositorio|arquitetura|projeto|architecture|projet|depot de code|mimari*|proje*"+
		"|アーキテクチャ|プロジェクト|リポジトリ|コードベース|全体像|架构|项目|代码库|仓库|整体|아키텍처|프로젝트|저장소|코드베이스|전체 구조", 1, 1) > 0
}

// overview tells folders with counts and top titles, in overviewTokens; for
// get_context an inventory may fill the budget. It depends on the kinds that
// are asked for and on nothing else in the prompt, so that a session gets it once.
func (p *planner) overview(prompt string) {
	kinds, folders, err := p.in.Source.Counts()
	if err != nil {
		p.errs = append(p.errs, err)
		return
	}
	total := 0
	for _, n := range kinds {
		total += n
	}
	if total == 0 || p.in.Unseen && p.in.UnseenTokens <= 0 {
		return
	}
	var head strings.Builder
	head.WriteString("What is on record here: ")
	var parts []string
	for _, k := range knowledge.Kinds {
		if n := kinds[k]; n > 0 {
			parts = append(parts, plural(n, k))
		}
	}
	head.WriteString(strings.Join(parts, ", ") + ".")
	if s := folderCounts(folders); s != "" {
		head.WriteString("\nBy folder: " + s + ".")
	}
	// What stands on the page already counts: the whole answer is small.
	p.page.prepare(p)
	room := max(4*overviewTokens-len(p.page.text())-len(frameStart)-len(frameFull), 400)
	inventory := p.in.Channel == MCP && p.plan.Intent == Inventory
	if inventory {
		room = max(room, 4*(p.budget(p.plan.Depth)-80))
	}
	if p.in.Unseen {
		room = min(room, 4*p.in.UnseenTokens)
	}
	if p.plan.Intent != Inventory {
		prompt = ""
	}
	asked := askedKinds(prompt, kinds)
	text := p.overviewText(head.String(), asked, kinds, room)
	for range 4 {
		// The list may fill the budget, and not more than that: what an answer
		// carries beside the text is known only when the text is.
		over := p.size(text) + inventoryFrame - p.budget(p.plan.Depth)
		if !inventory || over <= 0 {
			break
		}
		room -= 4 * over
		text = p.overviewText(head.String(), asked, kinds, room)
	}
	x, fresh := p.extra("x:overview", text)
	if !fresh {
		p.plan.Had = true
		return
	}
	p.page.notes = append(p.page.notes, note{text: text, x: &x, drop: 3})
}

// inventoryFrame is what stands around an inventory, in tokens.
const inventoryFrame = 60

func (p *planner) overviewText(head string, asked []knowledge.Kind, kinds map[knowledge.Kind]int, room int) string {
	text := head
	for _, k := range asked {
		if titles := p.titles(k, room-len(text)-40, kinds[k]); titles != "" {
			text += "\n" + titles
		}
	}
	if t := p.toolName("get_tree"); t != "" && len(text)+len(t)+40 < room {
		text += "\nThe whole tree: " + t + "."
	}
	return text
}

func plural(n int, k knowledge.Kind) string {
	s := itoa(n) + " "
	switch {
	case k == knowledge.Memory && n != 1:
		return s + "memories"
	case n != 1:
		return s + string(k) + "s"
	}
	return s + string(k)
}

// folderCounts are the top-level folders by how many entries they have.
func folderCounts(folders map[string]int) string {
	type row struct {
		dir string
		n   int
	}
	var rows []row
	for d, n := range folders {
		if n > 0 {
			rows = append(rows, row{d, n})
		}
	}
	sort.Slice(rows, func(i, j int) bool {
		if rows[i].n != rows[j].n {
			return rows[i].n > rows[j].n
		}
		return rows[i].dir < rows[j].dir
	})
	const most = 12
	var out []string
	rest := 0
	for i, r := range rows {
		if i >= most {
			rest++
			continue
		}
		d := "whole workspace"
		if r.dir != "" {
			d = plaintext.Line(r.dir, 40) + "/"
		}
		out = append(out, d+" "+itoa(r.n))
	}
	s := strings.Join(out, ", ")
	if rest > 0 {
		s += " and " + itoa(rest) + " folders more"
	}
	return s
}

// askedKinds are the kinds that the prompt asks for, else all, rules first:
// what binds is worth knowing before what is known.
func askedKinds(prompt string, have map[knowledge.Kind]int) []knowledge.Kind {
	t := readText(prompt)
	var out []knowledge.Kind
	for _, k := range [...]struct {
		kind knowledge.Kind
		cues string
	}{
		{knowledge.Rule, "rule|rules|constraint*|правил*|regel|regeln|regla|reglas|regle|regles|regra|regras|kural*|ルール|规则|규칙|กฎ"},
		{knowledge.Memory, "memory|memories|note|notes|decision*|заметк*|memoria*|notiz*|nota|notas|notlar*|メモ|メモリ|记忆|笔记|메모|บันทึก"},
		{knowledge.Skill, "skill|skills|procedure*|навык*|habilidad*|competence*|beceri*|スキル|技能|스킬|ทักษะ"},
	} {
		if have[k.kind] > 0 && t.count(k.cues, 1, 1) > 0 {
			out = append(out, k.kind)
		}
	}
	if len(out) > 0 {
		return out
	}
	return []knowledge.Kind{knowledge.Rule, knowledge.Memory, knowledge.Skill}
}

// titles lists the titles of a kind by id, as many as fit.
func (p *planner) titles(k knowledge.Kind, room, total int) string {
	head := map[knowledge.Kind]string{knowledge.Rule: "Rules: ", knowledge.Memory: "Memories: ", knowledge.Skill: "Skills: "}[k]
	// Kinds share the room; the last one may take what is left.
	limit := room
	switch k {
	case knowledge.Rule:
		limit = room / 2
	case knowledge.Memory:
		limit = room * 3 / 4
	}
	if p.plan.Intent == Inventory && p.in.Channel == MCP {
		limit = room
	}
	var out []string
	have := map[string]bool{}
	used := len(head) + len(" +99999 more.")
	add := func(r *catalog.Record) bool {
		if have[r.Key] {
			return true
		}
		s := plaintext.Line(r.Title, 80)
		if k == knowledge.Skill {
			s = "::" + plaintext.Line(r.ID, 0)
		} else if p.in.Channel == MCP {
			s += " [" + plaintext.Line(r.ID, 0) + "]"
		}
		if used+len(s)+2 > limit {
			return false
		}
		used += len(s) + 2
		have[r.Key] = true
		out = append(out, s)
		return true
	}
	p.records(k, func(r catalog.Record) bool { return add(&r) && len(out) < 400 })
	if len(out) == 0 {
		return ""
	}
	s := head + strings.Join(out, "; ")
	if rest := total - len(out); rest > 0 {
		s += " +" + itoa(rest) + " more"
	}
	return s + "."
}

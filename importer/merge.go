package importer

import (
	"path"
	"slices"
	"sort"
	"strings"

	"pathrule/knowledge"
)

// merge joins files that say the same: the first by rank stands for all, and
// counts where any of them does. Copies that a generator made from its own
// folder are left out whatever they add around the text.
func (p *planner) merge() {
	byText := map[string]*source{}
	order := slices.Clone(p.list)
	sort.SliceStable(order, func(i, j int) bool { return rank(order[i]) < rank(order[j]) })
	for _, s := range order {
		if s.skip != "" {
			continue
		}
		key := essence(s.body)
		if blank(s.body) || key == "" {
			continue
		}
		if s.form().role == skill {
			key = "skill\x00" + p.skillPrint(s) + key
		}
		if s.form().personal {
			key = "personal\x00" + key
		}
		if first := byText[key]; first != nil {
			s.merged = first
			continue
		}
		byText[key] = s
	}
	p.copies(order)
}

// rank orders the files that may stand for a text: a generator's source, then
// what several clients read, then the rest.
func rank(s *source) int {
	switch {
	case s.form().generator != "":
		return 0
	case strings.HasPrefix(path.Base(s.rel), "AGENTS") || strings.HasPrefix(s.rel, ".agents/"):
		return 1
	case s.form().role == skill && s.form().client == "Claude Code":
		return 2
	case s.form().role == guide:
		return 3
	}
	return 4
}

// copies finds files that a generator put together from its sources: each line
// that they hold stands in one of them.
func (p *planner) copies(order []*source) {
	lines := map[string]bool{}
	tool := ""
	for _, s := range order {
		if s.tool == "" || s.skip != "" || s.merged != nil {
			continue
		}
		tool = s.tool
		for line := range strings.Lines(unix(s.body)) {
			if t := strings.TrimSpace(line); t != "" {
				lines[t] = true
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	for _, s := range order {
		if s.skip != "" || s.merged != nil || s.tool != "" || blank(s.body) || s.form().role == skill {
			continue
		}
		foreign := 0
		for line := range strings.Lines(unix(s.body)) {
			t := strings.TrimSpace(line)
			if t != "" && !lines[t] && !strings.HasPrefix(t, "<!--") && !strings.HasPrefix(t, "@") {
				foreign++
			}
		}
		if foreign == 0 {
			s.skip = "made by " + tool + ": each of its lines stands in a file of " + tool + ", which is imported"
		}
	}
}

// pieces cuts a body at its headings of the highest level of which there are
// two or more. Put together again they are the body, byte for byte.
func pieces(body string) []string {
	all := knowledge.Headings(body)
	count := [7]int{}
	for _, h := range all {
		count[h.Level]++
	}
	level := 0
	for l := 1; l <= 6; l++ {
		if count[l] >= 2 {
			level = l
			break
		}
	}
	if level == 0 {
		return []string{body}
	}
	var out []string
	at := 0
	for _, h := range all {
		if h.Level != level && !(h.Level < level && h.Start > 0) || h.Start == at {
			continue
		}
		out = append(out, body[at:h.Start])
		at = h.Start
	}
	out = append(out, body[at:])
	// A piece that says nothing by itself, such as the title alone, goes along
	// with what follows.
	for i := 0; i < len(out)-1; {
		if saysNothing(out[i]) {
			out[i+1] = out[i] + out[i+1]
			out = append(out[:i], out[i+1:]...)
			continue
		}
		i++
	}
	if n := len(out); n > 1 && saysNothing(out[n-1]) {
		out[n-2] += out[n-1]
		out = out[:n-1]
	}
	return out
}

// saysNothing reports a text of headings and rules only.
func saysNothing(body string) bool {
	for line := range strings.Lines(knowledge.Strip(unix(body))) {
		t := strings.TrimSpace(line)
		if t != "" && !strings.HasPrefix(t, "#") && strings.Trim(t, "-*_ ") != "" {
			return false
		}
	}
	return true
}

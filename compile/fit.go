package compile

import (
	"strings"

	"pathrule/knowledge"
)

// form is how much of an entry a file tells.
type form int

const (
	formOut form = iota
	formName
	formCard
	formBody
)

// placed is an entry with the form it gets, and its text in every form.
type placed struct {
	*entry
	form  form
	texts [4]string
	// measure counts in the unit of the target's limit.
	measure func(string) int
}

func (p *placed) text() string { return p.texts[p.form] }

// fit lowers entries, the last ones first, from body to card to name to
// nothing, until what remains is within room. A body is never cut: half a rule
// can say the opposite of the rule. Two fifths of the room at most are kept for
// the lines of what is not told whole, so that many small notes cannot push
// every body out, nor a few bodies every line.
func fit(items []placed, room int) {
	total, lines := 0, 0
	for i := range items {
		total += items[i].size()
		lines += items[i].measure(items[i].texts[formCard])
	}
	if total <= room {
		return
	}
	fitBodies(items, room-min(lines, room*2/5))
	total = 0
	for i := range items {
		total += items[i].size()
	}
	for _, step := range []form{formCard, formName} {
		for i := len(items) - 1; i >= 0 && total > room; i-- {
			if items[i].form == step {
				total -= items[i].size()
				items[i].form--
				total += items[i].size()
			}
		}
	}
}

// fitBodies turns bodies into cards, the last ones first, until those that
// remain are within room; lines do not count. A body that could not stand even
// alone gives way at once instead of pushing the others out.
func fitBodies(items []placed, room int) {
	total := 0
	for i := range items {
		if items[i].form == formBody && items[i].size() > room {
			items[i].form = formCard
		}
		if items[i].form == formBody {
			total += items[i].size()
		}
	}
	for i := len(items) - 1; i >= 0 && total > room; i-- {
		if items[i].form == formBody {
			total -= items[i].size()
			items[i].form = formCard
		}
	}
}

// fitSkills bounds the lines of skills in a text that is in every request: a
// client whose own list of skills is over its budget drops their descriptions.
func fitSkills(items []placed) {
	var at []int
	var skills []placed
	for i := range items {
		if items[i].rec.Kind == knowledge.Skill {
			at, skills = append(at, i), append(skills, items[i])
		}
	}
	fit(skills, maxSkills)
	for i, j := range at {
		items[j].form = skills[i].form
	}
}

// size includes the blank line that follows a body.
func (p *placed) size() int {
	n := p.measure(p.text())
	if p.form == formBody {
		n++
	}
	return n
}

// bodies and list split a fitted sequence: whole texts, then one line each.
func bodies(items []placed) string {
	var b strings.Builder
	for i := range items {
		if items[i].form == formBody {
			b.WriteString(items[i].text())
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func list(items []placed) string {
	var b strings.Builder
	for i := range items {
		if f := items[i].form; f == formCard || f == formName {
			b.WriteString(items[i].text())
		}
	}
	return b.String()
}

func leftOut(items []placed) int {
	n := 0
	for i := range items {
		if items[i].form == formOut {
			n++
		}
	}
	return n
}

package pack

import (
	"strings"

	"pathrule/internal/plaintext"
	"pathrule/internal/rawjson"
)

// QuestionTool is the tool with which Claude Code asks the user to choose.
const QuestionTool = "AskUserQuestion"

// Questions looks at a call of the question tool: each question with two or more
// options says which one the assistant recommends, first and marked. ok is false
// when all of them do.
//
//	{"tool_input":{"questions":[{"question":"…","header":"…","options":[{"label":"…","description":"…"}],"multiSelect":false}]}}
func Questions(payload []byte) (f Finding, ok bool) {
	v, err := rawjson.Parse(payload)
	if err != nil || v.Get("tool_name").Text() != QuestionTool {
		return f, false
	}
	for q := range v.Get("tool_input").Get("questions").Elements {
		n, marked := 0, false
		first := ""
		for o := range q.Get("options").Elements {
			label := o.Get("label").Text()
			if o.Kind() == '"' {
				label = o.Text()
			}
			if n == 0 {
				first = label
			}
			n++
			if recommended(label) {
				marked = true
			}
		}
		if n < 2 || q.Get("multiSelect").True() || marked && recommended(first) {
			continue
		}
		name := plaintext.Line(q.Get("header").Text(), 60)
		if name == "" {
			name = plaintext.Line(q.Get("question").Text(), 60)
		}
		what := "names no option that you recommend"
		if marked {
			what = "does not begin with the option that you recommend"
		}
		return Finding{Guard: Question, Path: name, What: what,
			text: "Guard: the question \"" + name + "\" " + what + ". Put the option that you would choose first, add \"(Recommended)\" to its label, and say why in its description."}, true
	}
	return f, false
}

func recommended(label string) bool {
	l := strings.ToLower(label)
	for _, w := range [...]string{"(recommended)", "(recommended,", "(recommended:", "[recommended]", "(推奨)", "（推奨）", "(推荐)", "（推荐）", "(추천)", "(empfohlen)", "(recomendado)", "(recomendada)", "(recommandé)", "(рекомендуется)", "(önerilen)"} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

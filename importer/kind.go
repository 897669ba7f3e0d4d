package importer

import (
	"fmt"
	"strings"

	"pathrule/internal/codefence"
	"pathrule/knowledge"
)

// minLines are the lines of prose that free text needs before its words can
// make it a rule.
const minLines = 3

// kindOf decides what a text is, by what its file is for its client and by its
// words, and says why. Rules bind work, so a text becomes one when its client
// treats it as one, unless it only describes; free text becomes one when most
// of its lines command.
func (p *planner) kindOf(s *source, body string) (knowledge.Kind, string) {
	f := s.form()
	switch {
	case p.opts.Kind != "":
		return p.opts.Kind, "asked for"
	case f.role == skill && strings.HasSuffix(s.rel, "SKILL.md"):
		return knowledge.Skill, "a SKILL.md"
	case f.role == skill, f.role == command:
		return knowledge.Skill, "a prompt that is called by name"
	}
	a := activationOf(s.fields, f.dialect)
	if a.manual != "" && !a.always {
		return knowledge.Skill, a.manual + ": it comes only when it is called, as a skill does"
	}
	orders, lines := commands(body)
	share := 0
	if lines > 0 {
		share = orders * 100 / lines
	}
	words := fmt.Sprintf("orders in %d of its %d lines", orders, lines)
	if lines == 1 {
		words = fmt.Sprintf("orders in %d of its 1 line", orders)
	}
	if f.role == rules {
		if lines >= 8 && share < 8 && !a.always {
			return knowledge.Memory, "lies among rules, but describes: " + words
		}
		return knowledge.Rule, "a rule of " + f.client
	}
	switch {
	case share < 50:
		return knowledge.Memory, "describes more than it commands: " + words
	case lines < minLines:
		return knowledge.Memory, "too short to tell by its words: " + words
	}
	return knowledge.Rule, words
}

// commands counts the lines of prose, and those of them that tell the reader
// what to do or to leave.
func commands(body string) (orders, lines int) {
	for _, l := range proseLines(body) {
		t := strings.TrimLeft(strings.TrimSpace(l), "-*+>0123456789.)[]x \t")
		t = strings.TrimLeft(t, "*_`✅❌⚠️🚫 ")
		if t == "" || strings.HasPrefix(strings.TrimSpace(l), "#") || strings.HasPrefix(t, "|") {
			continue
		}
		lines++
		if orderly(t) {
			orders++
		}
	}
	return orders, lines
}

// orderly reports a sentence that commands: a modal word in it, or a verb in
// the imperative at its beginning.
func orderly(t string) bool {
	low := " " + strings.ToLower(t) + " "
	for _, w := range [...]string{
		" must ", " must not ", " never ", " always ", " do not ", " don't ", " don’t ", " should ", " shall ", " avoid ", " required ", " forbidden ",
		" not allowed ", " mandatory ", " make sure ", " ensure ", " prefer ", " only use ", " cannot ", " may not ", " no longer use ",
		"必须", "必須", "禁止", "不要", "不得", "应该", "應該", "务必", "请勿", "しないで", "すること", "してください", "べき", "使わない",
		"해야", "하지 마", "금지", " должен", " должны", " нельзя ", " запрещ", " всегда ", " никогда ", " не использ", " обязательно ",
		" muss ", " müssen ", " niemals ", " immer ", " nicht verwenden", " debe ", " nunca ", " siempre ", " doit ", " jamais ", " toujours ",
		" deve ", " sempre ", " asla ", " her zaman ",
	} {
		if strings.Contains(low, w) {
			return true
		}
	}
	low = strings.TrimSpace(low)
	for _, w := range [...]string{"使用", "避免", "采用", "採用", "遵循", "遵守", "确保", "確保", "优先", "優先", "保持", "应", "應", "实现", "编写", "定义", "添加", "利用", "合理", "正确", "统一"} {
		if strings.HasPrefix(low, w) {
			return true
		}
	}
	for _, w := range [...]string{"する", "すること", "しない", "ください", "하세요", "합니다"} {
		if strings.HasSuffix(strings.TrimRight(low, "。.!！"), w) {
			return true
		}
	}
	first, _, _ := strings.Cut(low, " ")
	first = strings.Trim(first, "*_`:,.")
	if n := len(first); n > 8 && (strings.HasSuffix(first, "йте") || strings.HasSuffix(first, "ите")) {
		return true
	}
	switch first {
	case "verwende", "verwenden", "nutze", "vermeide", "schreibe", "usa", "utiliza", "evita", "escribe", "utilisez", "évitez", "écrivez", "evite", "kullan", "kullanın", "yaz":
		return true
	case "use", "don't", "do", "never", "always", "avoid", "prefer", "keep", "write", "add", "run", "follow", "ensure", "make", "put", "place",
		"name", "test", "check", "validate", "handle", "return", "throw", "catch", "log", "document", "include", "exclude", "remove", "update",
		"create", "delete", "implement", "define", "declare", "import", "export", "call", "pass", "set", "start", "stop", "limit", "respect",
		"apply", "provide", "leverage", "utilize", "favor", "favour", "minimize", "maximize", "optimize", "organize", "structure", "separate",
		"split", "move", "reuse", "extract", "verify", "commit", "review", "ask", "explain", "read", "look", "treat", "wrap", "mock", "cover",
		"choose", "consider", "be", "no", "not", "only", "stick", "match", "cite", "respond", "answer", "assume", "employ", "enforce", "maintain":
		return true
	}
	return false
}

// proseLines are the lines outside fenced code and comments.
func proseLines(body string) []string {
	var out []string
	var fenced codefence.Fences
	for line := range strings.Lines(knowledge.Strip(unix(body))) {
		line = strings.TrimRight(line, "\n")
		if !fenced.Code(line) {
			out = append(out, line)
		}
	}
	return out
}

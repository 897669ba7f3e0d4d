package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"pathrule/internal/codefence"
)

const (
	lineRunes = 200
	// A first sentence shorter than this takes the next one along: "Beware."
	// alone decides nothing.
	shortRunes = 40
)

// Line is the one line that carries the decision, at most 200 runes: of a skill
// its description, else the first meaningful sentence of the body without
// markup. What a rule's description says, where an imported one has it, is when
// the rule comes and not what it asks for.
func (e *Entry) Line() string {
	d := plainText(clean(e.Description))
	if d != "" && e.Kind == Skill {
		return sentences(d)
	}
	if s := summary(e.Body, e.Title); s != "" {
		return s
	}
	return sentences(d)
}

// summary finds the text that decides: what stands under a heading or behind a
// label such as "Decision", else the first paragraph that is prose.
func summary(body, title string) string {
	paras := paragraphs(Strip(body))
	first := ""
	for i, p := range paras {
		if p.heading {
			if i+1 < len(paras) && decides(p.text) && !paras[i+1].heading {
				return sentences(introduced(paras, i+1))
			}
			continue
		}
		if label, rest, ok := cutLabel(p.text); ok && decides(label) && rest != "" {
			return sentences(rest)
		}
		if first == "" && !strings.EqualFold(strings.TrimRight(p.text, ".。"), title) {
			first = introduced(paras, i)
		}
		if i > 40 {
			break
		}
	}
	if first == "" {
		for _, p := range paras {
			if !p.heading {
				return sentences(p.text)
			}
		}
		for _, p := range paras {
			if !strings.EqualFold(p.text, title) {
				return sentences(p.text)
			}
		}
	}
	return sentences(first)
}

// introduced is paragraph i, with the list items behind it when it only
// announces them.
func introduced(paras []para, i int) string {
	text := paras[i].text
	if !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "：") {
		return text
	}
	for j := i + 1; j < len(paras) && paras[j].item && utf8.RuneCountInString(text) < lineRunes; j++ {
		sep := " "
		if j > i+1 {
			sep = "; "
		}
		text += sep + strings.TrimRight(paras[j].text, ".;,。；，")
	}
	return text
}

// decides reports words that head the part of a note that carries its decision.
func decides(word string) bool {
	switch strings.ToLower(strings.Trim(word, " .:：*_")) {
	case "decision", "tl;dr", "tldr", "summary", "rule", "the rule", "in short", "conclusion",
		"結論", "決定", "要約", "ルール", "结论", "决定", "摘要", "规则", "결론", "결정", "요약",
		"entscheidung", "zusammenfassung", "kurz", "regel", "решение", "вывод", "итог", "правило",
		"decisión", "resumen", "décision", "résumé", "decisão", "resumo", "karar", "özet":
		return true
	}
	return false
}

func cutLabel(text string) (label, rest string, ok bool) {
	for i, r := range text {
		if i > 40 {
			break
		}
		if r == '：' || r == ':' && strings.HasPrefix(text[i+1:], " ") {
			return text[:i], strings.TrimSpace(text[i+utf8.RuneLen(r):]), true
		}
	}
	return "", "", false
}

type para struct {
	text          string
	heading, item bool
}

// paragraphs cuts a stripped body into headings, list items and paragraphs as
// plain text, without code, tables, rules and bare pictures.
func paragraphs(body string) []para {
	var out []para
	var f codefence.Fences
	open := false
	for rest := body; rest != ""; {
		var raw string
		raw, rest, _ = strings.Cut(rest, "\n")
		if f.Code(raw) {
			open = false
			continue
		}
		t := strings.TrimSpace(raw)
		for strings.HasPrefix(t, ">") {
			t = strings.TrimSpace(t[1:])
		}
		if t == "" || t[0] == '|' || rule(t) || callout(t) {
			// A line of "=" or "-" makes a heading of the paragraph above it.
			if open && t != "" && (t[0] == '=' || t[0] == '-') && rule(t) {
				out[len(out)-1].heading = true
			}
			open = false
			continue
		}
		if n := len(t) - len(strings.TrimLeft(t, "#")); n >= 1 && n <= 6 && len(t) > n && t[n] == ' ' {
			if h := plainText(closeHeading(t[n:])); h != "" {
				out = append(out, para{text: h, heading: true})
			}
			open = false
			continue
		}
		item := false
		if m := marker(t); m > 0 {
			t, item, open = strings.TrimSpace(t[m:]), true, false
			for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
				t = strings.TrimPrefix(t, box)
			}
		}
		if t = plainText(t); t == "" || !strings.ContainsFunc(t, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			continue
		}
		if open {
			last := &out[len(out)-1]
			if utf8.RuneCountInString(last.text) < 4*lineRunes {
				last.text = joinLines(last.text, t)
			}
			continue
		}
		out = append(out, para{text: t, item: item})
		open = true
		if len(out) > 60 {
			break
		}
	}
	return out
}

// joinLines puts two lines of a paragraph together; scripts without blanks
// between words get none.
func joinLines(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	if wide(last) && wide(first) {
		return a + b
	}
	return a + " " + b
}

func wide(r rune) bool {
	return r >= 0x2e80 && r <= 0x9fff && !unicode.Is(unicode.Hangul, r) || r >= 0xff00 && r <= 0xffef || r >= 0x20000 && r <= 0x3ffff
}

// rule reports "---", "***", "===" lines.
func rule(t string) bool {
	c := t[0]
	if c != '-' && c != '*' && c != '_' && c != '=' {
		return false
	}
	n := 0
	for i := 0; i < len(t); i++ {
		if t[i] == c {
			n++
		} else if t[i] != ' ' {
			return false
		}
	}
	return n >= 3 || c == '=' || c == '-' && n >= 2
}

// callout reports "[!NOTE]" lines and lone HTML tags.
func callout(t string) bool {
	return strings.HasPrefix(t, "[!") && strings.HasSuffix(t, "]") ||
		t[0] == '<' && t[len(t)-1] == '>' && strings.Count(t, "<") == 1
}

// marker is the length of a list marker with its blank, 0 without one.
func marker(t string) int {
	if len(t) >= 2 && (t[0] == '-' || t[0] == '*' || t[0] == '+') && t[1] == ' ' {
		return 2
	}
	n := 0
	for n < len(t) && t[n] >= '0' && t[n] <= '9' {
		n++
	}
	if n > 0 && n <= 9 && n+1 < len(t) && (t[n] == '.' || t[n] == ')') && t[n+1] == ' ' {
		return n + 2
	}
	return 0
}

// sentences takes whole sentences up to lineRunes; a first one that is longer
// is cut at a word.
func sentences(text string) string {
	text = strings.TrimSpace(text)
	end := 0
	for end < len(text) {
		next := end + sentenceEnd(text[end:])
		if utf8.RuneCountInString(text[:next]) > lineRunes {
			break
		}
		end = next
		if utf8.RuneCountInString(strings.TrimSpace(text[:end])) >= shortRunes {
			break
		}
	}
	if end > 0 {
		return strings.TrimSpace(text[:end])
	}
	n := 0
	for i := range text {
		if n == lineRunes-1 {
			cut := strings.TrimSpace(text[:i])
			if j := strings.LastIndexByte(cut, ' '); j > len(cut)/2 {
				cut = cut[:j]
			}
			return strings.TrimRight(cut, " ,;:-–—、，") + "…"
		}
		n++
	}
	return text
}

// sentenceEnd is the offset behind the first sentence of text.
func sentenceEnd(text string) int {
	for i, r := range text {
		switch r {
		case '。', '！', '？', '．', '।', '؟', '۔':
			return trail(text, i+utf8.RuneLen(r))
		case '!', '?':
			if j := trail(text, i+1); j == len(text) || text[j] == ' ' {
				return j
			}
		case '.':
			j := trail(text, i+1)
			if j == len(text) {
				return j
			}
			if text[j] != ' ' || short(text[:i]) {
				continue
			}
			next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[j:], " \"'(“„«*`"))
			if unicode.IsLower(next) { // "approx. three", "z. B. hier"
				continue
			}
			return j
		}
	}
	return len(text)
}

// trail steps over closing quotes and brackets.
func trail(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune("\"')]”’»」』）)", r) {
			break
		}
		i += n
	}
	return i
}

// short reports that the dot behind text ends an abbreviation: one letter, a
// number at the start of a list, or one of the common words.
func short(text string) bool {
	i := strings.LastIndexAny(text, " (")
	word := strings.ToLower(text[i+1:])
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLetter(r)
	}
	switch word {
	case "e.g", "i.e", "vs", "etc", "cf", "approx", "no", "nr", "fig", "sec", "vol", "mr", "mrs", "dr", "st", "inc", "incl", "resp",
		"z.b", "bzw", "usw", "ca", "vgl", "т.е", "т.д", "т.п", "напр", "см", "стр", "p.ej", "p.ex", "örn", "vb":
		return true
	}
	return false
}

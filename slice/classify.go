package slice

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"pathrule/index/terms"
)

// The classifier finds what a prompt wants. It is a scale, not a chain of first
// matches: words vote for an intent with a weight, and what the prompt is made
// of (a stack trace, a path and its extension, a bare command) outweighs single
// words, so that a table in a .sql file is no table on a page.

// votes are the sums per intent.
type votes struct {
	ui, bug, refactor, explore, inventory, history int
	data                                           int // speaks against ui: databases, back ends
	file                                           int // speaks for work on files
}

// text is a prompt as the classifier reads it.
type text struct {
	folded string   // folded, one space between words, at both ends too
	words  []string // folded words
	gapped string   // folded without spaces: for scripts that write none
}

func readText(prompt string) text {
	f := strings.ReplaceAll(terms.Fold(clip(prompt)), "’", "'")
	var t text
	var b strings.Builder
	b.WriteByte(' ')
	start := -1
	flush := func(end int) {
		if start >= 0 {
			w := f[start:end]
			t.words = append(t.words, w)
			b.WriteString(w)
			b.WriteByte(' ')
			start = -1
		}
	}
	for i, r := range f {
		if wordRune(r) || r == '\'' {
			if start < 0 {
				start = i
			}
			continue
		}
		flush(i)
	}
	flush(len(f))
	t.folded = b.String()
	t.gapped = f
	return t
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r == '_'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// has reports a cue: a word, several words in a row, a word's beginning
// ("ошибк*"), or for scripts without spaces any stretch of text.
func (t *text) has(cue string) bool {
	r, _ := utf8.DecodeRuneInString(cue)
	if isGram(cue) || r >= 0xAC00 && r < 0xD800 {
		return strings.Contains(t.gapped, cue)
	}
	if beginning, ok := strings.CutSuffix(cue, "*"); ok {
		return strings.Contains(t.folded, " "+beginning)
	}
	i := strings.Index(t.folded, cue)
	for i >= 0 {
		if t.folded[i-1] == ' ' && i+len(cue) < len(t.folded) && t.folded[i+len(cue)] == ' ' {
			return true
		}
		j := strings.Index(t.folded[i+1:], cue)
		if j < 0 {
			return false
		}
		i += 1 + j
	}
	return false
}

// count adds weight for every cue of a list that stands in the text. Lists are
// written as one string, cues parted by "|", so that they cost nothing at start.
func (t *text) count(list string, weight, most int) int {
	n := 0
	for list != "" {
		cue := list
		if i := strings.IndexByte(list, '|'); i >= 0 {
			cue, list = list[:i], list[i+1:]
		} else {
			list = ""
		}
		if cue != "" && t.has(cue) {
			n += weight
			if n >= most {
				return most
			}
		}
	}
	return n
}

func classify(prompt string, paths []string) (Intent, Depth) {
	i := intentOf(prompt, paths)
	return i, depthOf(i)
}

func depthOf(i Intent) Depth {
	switch i {
	case UI:
		return Minimal
	case Explore, Inventory:
		return Deep
	case Command:
		return DepthNone
	}
	return Focused
}

func intentOf(prompt string, paths []string) Intent {
	t := readText(prompt)
	if len(t.words) == 0 {
		return Unknown
	}
	ms := mentions(clip(prompt))
	if isCommand(prompt, &t) {
		return Command
	}
	named := len(paths) > 0 || fileLike(ms)
	trace := isTrace(prompt)
	v := t.votes()
	structure(&v, paths, ms)
	if trace {
		v.bug += 6
	}
	if v.history >= 3 || strings.Contains(prompt, "++history") || strings.Contains(prompt, "++handoff") {
		return History
	}
	if v.inventory >= 3 {
		return Inventory
	}
	if trace {
		return Bug
	}
	ui := v.ui - v.data
	switch {
	case v.bug >= 3 && v.bug >= ui && v.bug >= v.explore:
		return Bug
	case v.refactor >= 3 && v.refactor >= ui && v.refactor >= v.explore:
		return Refactor
	case ui >= 3 && ui >= v.explore:
		return UI
	case v.explore >= 3 && !named:
		return Explore
	case v.bug >= 2:
		return Bug
	case v.refactor >= 2:
		return Refactor
	case named:
		return KnownFile
	case v.explore >= 2:
		return Explore
	}
	return Unknown
}

// votes weighs the words.
func (t *text) votes() votes {
	return votes{
		ui:        t.count(uiStrong, 3, 9) + t.count(uiWeak, 1, 2),
		bug:       t.count(bugStrong, 3, 9) + t.count(bugWeak, 2, 2),
		refactor:  t.count(refactorStrong, 3, 6) + t.count(refactorWeak, 2, 2),
		explore:   t.count(exploreStrong, 3, 6) + t.count(exploreWeak, 2, 4),
		inventory: t.inventory(),
		history:   t.count(historyStrong, 3, 6),
		data:      t.count(dataWords, 2, 6),
	}
}

// inventory wants a word that asks for a list and one that names what we keep.
func (t *text) inventory() int {
	if t.count(inventoryWhole, 3, 3) > 0 {
		return 3
	}
	if t.count(listWords, 1, 1) > 0 && t.count(keptWords, 1, 1) > 0 {
		return 3
	}
	return 0
}

// structure lets the files in hand vote.
func structure(v *votes, paths []string, ms []mention) {
	vote := func(p string) {
		v.file++
		switch strings.ToLower(path.Ext(p)) {
		case ".css", ".scss", ".sass", ".less", ".styl":
			v.ui += 2
		case ".tsx", ".jsx", ".vue", ".svelte", ".html", ".astro", ".storyboard", ".xaml":
			if v.ui > 0 {
				v.ui++
			}
		case ".sql", ".prisma", ".proto", ".tf", ".go", ".rs", ".py", ".java", ".kt", ".rb", ".php", ".c", ".h", ".cc", ".cpp", ".cs", ".ex", ".scala", ".sh", ".yaml", ".yml", ".toml", ".json":
			v.data += 3
		}
		low := "/" + strings.ToLower(p) + "/"
		for _, dir := range [...]string{"/migrations/", "/db/", "/database/", "/server/", "/backend/", "/api/"} {
			if strings.Contains(low, dir) {
				v.data += 2
				break
			}
		}
	}
	for i, p := range paths {
		if i == 3 {
			break
		}
		vote(p)
	}
	if len(paths) == 0 {
		for i, m := range ms {
			if i == 3 {
				break
			}
			if m.rank >= 3 && !domainLike(m.path) {
				vote(m.path)
			}
		}
	}
}

// isTrace reports pasted stack traces, panics and failing test output.
func isTrace(s string) bool {
	s = clip(s)
	for _, mark := range [...]string{"Traceback (most recent call last)", "\npanic: ", "goroutine 1 [", "Exception in thread", "Segmentation fault", "--- FAIL: ", "thread 'main' panicked", "FAILED (", "npm ERR!", "UnhandledPromiseRejection"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	if strings.HasPrefix(s, "panic: ") {
		return true
	}
	frames := 0
	for line := range strings.Lines(s) {
		l := strings.TrimSpace(line)
		if strings.HasPrefix(l, "at ") && strings.ContainsAny(l, "(:") || strings.HasPrefix(l, "File \"") && strings.Contains(l, ", line ") {
			frames++
		}
		if frames == 2 {
			return true
		}
	}
	// "TypeError: x is not a function", "java.lang.NullPointerException"
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !asciiWord(r) && r != '.' && r != ':' }) {
		name := strings.TrimSuffix(w, ":")
		if i := strings.LastIndexByte(name, '.'); i >= 0 {
			name = name[i+1:]
		}
		if len(name) > 7 && name[0] >= 'A' && name[0] <= 'Z' && (strings.HasSuffix(name, "Error") && w != name || strings.HasSuffix(name, "Exception")) {
			return true
		}
	}
	return false
}

package pack

import (
	"strings"

	"pathrule/internal/plaintext"
)

// A form is one way to run or rebuild code from data.
type form struct {
	text string
	// dot: may follow a "." (a method of anything); else "x.text" is something
	// else, as in regexp.exec or model.eval.
	dot bool
	// unless: a word in the same line that makes it safe.
	unless string
	// lang: the only files in which it means that, by their ending; a command line
	// counts as any.
	lang string
}

// forms is a function so that a hook that has the guard off pays nothing for it.
func forms() []form {
	return []form{
		{text: "eval("}, {text: "window.eval(", dot: true}, {text: "globalThis.eval("}, {text: "new Function("},
		{text: "execScript("}, {text: "vm.runInNewContext("}, {text: "vm.runInThisContext("}, {text: "vm.runInContext("},
		{text: `setTimeout("`}, {text: `setInterval("`}, {text: "setTimeout('"}, {text: "setInterval('"},
		{text: "exec(", lang: ".py"}, {text: "__import__("},
		{text: "pickle.load", dot: true}, {text: "cPickle.load", dot: true}, {text: "dill.load"}, {text: "joblib.load("}, {text: "marshal.load", lang: ".py"},
		{text: "shelve.open("}, {text: "jsonpickle.decode("}, {text: "pickle.Unpickler(", dot: true},
		{text: "torch.load(", unless: "weights_only=True"},
		{text: "yaml.load(", unless: "SafeLoader"}, {text: "yaml.unsafe_load("}, {text: "yaml.full_load("}, {text: "yaml.load_all(", unless: "SafeLoader"},
		{text: "YAML.load(", unless: "safe"}, {text: "YAML.unsafe_load("}, {text: "Marshal.load("},
		{text: "instance_eval(", dot: true}, {text: "class_eval(", dot: true}, {text: "module_eval(", dot: true},
		{text: "unserialize(", unless: "allowed_classes"}, {text: "create_function("},
		{text: "ObjectInputStream("}, {text: "XMLDecoder("}, {text: "enableDefaultTyping(", dot: true}, {text: "ScriptEngineManager("},
		{text: "BinaryFormatter("}, {text: "NetDataContractSerializer("}, {text: "SoapFormatter("}, {text: "LosFormatter("},
		{text: "TypeNameHandling.All"}, {text: "TypeNameHandling.Auto"}, {text: "TypeNameHandling.Objects"},
		{text: "node-serialize"}, {text: "loadstring(", lang: ".lua"},
	}
}

// primitive finds the first form in text that touches [from, to), with its line.
// path "" is a command line, in which a shell's own eval counts too.
func primitive(text string, from, to int, path string) (prim, line string) {
	best := len(text) + 1
	take := func(at int, name string) {
		if at < best {
			best, prim, line = at, name, lineAt(text, at)
		}
	}
	ext := extOf(strings.ToLower(baseOf(path)))
	for _, f := range forms() {
		if f.lang != "" && path != "" && f.lang != ext {
			continue
		}
		for at := 0; ; {
			i := strings.Index(text[at:], f.text)
			if i < 0 {
				break
			}
			i += at
			at = i + len(f.text)
			if at <= from || i >= to || !begins(text, i, f.dot) {
				continue
			}
			l := fullLine(text, i)
			if f.unless != "" && strings.Contains(l, f.unless) || commented(l) {
				continue
			}
			take(i, strings.TrimRight(f.text, `("'`))
			break
		}
	}
	if path == "" || ext == ".sh" || ext == ".bash" || ext == ".zsh" {
		for at := 0; ; {
			i := strings.Index(text[at:], "eval ")
			if i < 0 {
				break
			}
			i += at
			at = i + 5
			if at <= from || i >= to || !commandStarts(text, i) {
				continue
			}
			take(i, "eval")
			break
		}
	}
	return prim, line
}

// begins reports that a word begins at i, and is not the declaration of one.
func begins(text string, i int, dot bool) bool {
	if i == 0 {
		return true
	}
	switch c := text[i-1]; {
	case c == '_', c == '$', c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= 0x80:
		return false
	case c == '.':
		return dot
	}
	before := strings.TrimRight(text[max(0, i-12):i], " \t")
	for _, w := range [...]string{"def", "func", "fn", "function"} {
		if strings.HasSuffix(before, w) && (len(before) == len(w) || before[len(before)-len(w)-1] <= ' ') {
			return false
		}
	}
	return true
}

// commandStarts reports that a command begins at i.
func commandStarts(text string, i int) bool {
	before := strings.TrimRight(text[:i], " \t")
	if before == "" {
		return true
	}
	switch before[len(before)-1] {
	case ';', '&', '|', '\n', '(', '{', '`':
		return true
	case '"', '\'': // sh -c "eval ..."
		return strings.HasSuffix(strings.TrimRight(before[:len(before)-1], " \t"), "-c")
	}
	for _, w := range [...]string{"then", "do", "else", "-c"} {
		if strings.HasSuffix(before, w) && (len(before) == len(w) || before[len(before)-len(w)-1] <= ' ') {
			return true
		}
	}
	return false
}

// commented reports a line that is a comment as a whole.
func commented(line string) bool {
	l := strings.TrimLeft(line, " \t")
	return strings.HasPrefix(l, "//") || strings.HasPrefix(l, "# ") || strings.HasPrefix(l, "* ") || strings.HasPrefix(l, "--")
}

func fullLine(text string, at int) string {
	from := strings.LastIndexByte(text[:at], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	return text[from:to]
}

func lineAt(text string, at int) string {
	l := fullLine(text, at)
	if start := at - strings.LastIndexByte(text[:at], '\n') - 1; start > 100 {
		l = l[start-40:]
	}
	return plaintext.Line(strings.ToValidUTF8(l, ""), 160)
}

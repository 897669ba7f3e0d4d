package pack

import (
	"strings"

	"pathrule/internal/plaintext"
)

// A form is one way to run or rebuild code from data.
type form struct {
	// langs are the languages in which it means that, separated by blanks.
	langs string
	text  string
	// dot: may follow a "." (a method of anything); else "x.text" is something
	// else, as in regexp.exec or model.eval.
	dot bool
	// unless: a word in the same line that makes it safe.
	unless string
	// dynamic: a constant text as the first argument is harmless.
	dynamic bool
}

// forms is a function so that a hook that has the guard off pays nothing for it.
func forms() []form {
	return []form{
		{langs: "js py rb php perl r julia matlab groovy", text: "eval("},
		{langs: "js", text: "window.eval(", dot: true}, {langs: "js", text: "globalThis.eval("}, {langs: "js", text: "new Function("}, {langs: "js", text: "execScript("},
		{langs: "js", text: "vm.runInNewContext("}, {langs: "js", text: "vm.runInThisContext("}, {langs: "js", text: "vm.runInContext("}, {langs: "js", text: "vm.compileFunction("},
		{langs: "js", text: `setTimeout("`}, {langs: "js", text: `setInterval("`}, {langs: "js", text: "setTimeout('"}, {langs: "js", text: "setInterval('"},
		{langs: "js", text: "node-serialize"},
		{langs: "py", text: "exec("}, {langs: "py", text: "__import__(", dynamic: true},
		{langs: "py", text: "pickle.load", dot: true}, {langs: "py", text: "pickle.Unpickler(", dot: true}, {langs: "py", text: "cPickle.load", dot: true}, {langs: "py", text: "dill.load"},
		{langs: "py", text: "read_pickle(", dot: true}, {langs: "py", text: "joblib.load("}, {langs: "py", text: "marshal.load"}, {langs: "py", text: "shelve.open("}, {langs: "py", text: "jsonpickle.decode("},
		{langs: "py", text: "allow_pickle=True"}, {langs: "py", text: "torch.load(", unless: "weights_only=True"},
		{langs: "py", text: "yaml.load(", unless: "SafeLoader"}, {langs: "py", text: "yaml.load_all(", unless: "SafeLoader"}, {langs: "py", text: "yaml.unsafe_load"}, {langs: "py", text: "yaml.full_load("},
		{langs: "rb", text: "instance_eval(", dot: true}, {langs: "rb", text: "class_eval(", dot: true}, {langs: "rb", text: "module_eval(", dot: true},
		{langs: "rb", text: "Marshal.load("}, {langs: "rb", text: "YAML.load(", unless: "safe"}, {langs: "rb", text: "YAML.unsafe_load("}, {langs: "rb", text: "Oj.object_load("},
		{langs: "php", text: "unserialize(", unless: "allowed_classes"}, {langs: "php", text: "create_function("},
		{langs: "perl", text: "Storable::thaw("}, {langs: "perl", text: "Storable::retrieve("},
		{langs: "jvm groovy", text: "ObjectInputStream("}, {langs: "jvm groovy", text: "XMLDecoder("}, {langs: "jvm groovy", text: "enableDefaultTyping(", dot: true},
		{langs: "jvm groovy", text: "ScriptEngineManager("}, {langs: "jvm groovy", text: "new GroovyShell("}, {langs: "groovy", text: "Eval.me("}, {langs: "jvm groovy", text: "new Yaml(", unless: "SafeConstructor"},
		{langs: "cs", text: "BinaryFormatter("}, {langs: "cs", text: "NetDataContractSerializer("}, {langs: "cs", text: "SoapFormatter("}, {langs: "cs", text: "LosFormatter("},
		{langs: "cs", text: "ObjectStateFormatter("}, {langs: "cs", text: "TypeNameHandling.All"}, {langs: "cs", text: "TypeNameHandling.Auto"}, {langs: "cs", text: "TypeNameHandling.Objects"},
		{langs: "cs", text: "CSharpScript.Evaluate"},
		{langs: "lua", text: "loadstring("},
		{langs: "elixir", text: "Code.eval_string("}, {langs: "elixir", text: "binary_to_term(", dot: true, unless: "safe"}, {langs: "erlang", text: "binary_to_term(", unless: "safe"},
		{langs: "clojure", text: "(eval "}, {langs: "clojure", text: "(load-string "},
		{langs: "julia", text: "include_string("},
		{langs: "swift", text: "NSKeyedUnarchiver.unarchiveObject("},
		{langs: "ps", text: "Invoke-Expression"},
	}
}

// anyLang is the language of a command line and of a file whose name says none.
const anyLang = "*"

// language is what a file's ending says of it; "" for one in which none of the
// forms means anything.
func language(path string) string {
	if path == "" {
		return anyLang
	}
	switch extOf(strings.ToLower(baseOf(path))) {
	case "":
		return anyLang
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro", ".html", ".htm", ".ejs":
		return "js"
	case ".py", ".pyw", ".ipynb":
		return "py"
	case ".rb", ".rake", ".erb", ".ru":
		return "rb"
	case ".php", ".phtml":
		return "php"
	case ".pl", ".pm", ".t":
		return "perl"
	case ".java", ".kt", ".kts", ".scala":
		return "jvm"
	case ".groovy", ".gradle":
		return "groovy"
	case ".cs", ".vb", ".fs", ".cshtml":
		return "cs"
	case ".lua":
		return "lua"
	case ".r":
		return "r"
	case ".jl":
		return "julia"
	case ".m":
		return "matlab"
	case ".ex", ".exs":
		return "elixir"
	case ".erl":
		return "erlang"
	case ".clj", ".cljs", ".cljc":
		return "clojure"
	case ".swift":
		return "swift"
	case ".ps1", ".psm1":
		return "ps"
	case ".sh", ".bash", ".zsh", ".ksh":
		return "sh"
	}
	return ""
}

func speaks(langs, lang string) bool {
	if lang == anyLang {
		return true
	}
	for l := range strings.FieldsSeq(langs) {
		if l == lang {
			return true
		}
	}
	return false
}

// primitive finds the first form in text that touches [from, to), with its line.
// path "" is a command line, in which a shell's own eval counts too.
func primitive(text string, from, to int, path string) (prim, line string) {
	lang := language(path)
	if lang == "" {
		return "", ""
	}
	best := len(text) + 1
	take := func(at int, name string) {
		if at < best {
			best, prim, line = at, name, lineAt(text, at)
		}
	}
	for _, f := range forms() {
		if !speaks(f.langs, lang) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(text[at:], f.text)
			if i < 0 {
				break
			}
			i += at
			at = i + len(f.text)
			if at <= from || i >= to || f.text[0] != '(' && !begins(text, i, f.dot) {
				continue
			}
			l := fullLine(text, i)
			if f.unless != "" && strings.Contains(l, f.unless) || told(f, text, i, l, lang) {
				continue
			}
			take(i, strings.Trim(f.text, `("' `))
			break
		}
	}
	if lang == "sh" || lang == anyLang {
		each(text, "eval ", from, to, func(i int) bool {
			if !commandStarts(text, i) {
				return false
			}
			take(i, "eval")
			return true
		})
	}
	if lang == "rb" || lang == "perl" {
		// eval "$code"; "eval {" of Perl catches errors.
		each(text, "eval ", from, to, func(i int) bool {
			rest := strings.TrimLeft(text[i+5:min(len(text), i+40)], " ")
			l := fullLine(text, i)
			body := strings.TrimLeft(rest, `"'`)
			if strings.HasPrefix(body, "require ") || strings.HasPrefix(body, "use ") {
				return false // how Perl asks whether a module is there
			}
			if rest == "" || strings.IndexByte(`"'$`, rest[0]) < 0 && !strings.HasPrefix(rest, "qq") || !begins(text, i, false) || quiet(l, i-lineStart(text, i), lang) {
				return false
			}
			take(i, "eval")
			return true
		})
	}
	return prim, line
}

// each calls f for the places of a word that touch [from, to), until it takes one.
func each(text, word string, from, to int, f func(i int) bool) {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return
		}
		i += at
		at = i + len(word)
		if at > from && i < to && f(i) {
			return
		}
	}
}

// told reports that a form at i is spoken of and not used: in a comment or a
// text, without an argument, as the name of a method that is declared.
func told(f form, text string, i int, line, lang string) bool {
	end := i + len(f.text)
	rest := text[end:min(len(text), end+200)]
	if strings.HasSuffix(f.text, "(") {
		arg := strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(arg, ")") && !strings.HasSuffix(strings.TrimRight(text[:i], " \t"), "new") && !strings.HasPrefix(f.text, "new ") {
			return true // "eval()" in prose
		}
		if f.dynamic && arg != "" && (arg[0] == '"' || arg[0] == '\'') {
			return true
		}
	}
	if commented(line) || lang == "js" && strings.Contains(line, "<code") {
		return true
	}
	at := i - lineStart(text, i)
	if lang == anyLang {
		return false // a command's quotes hold the code that it runs
	}
	return quiet(line, at, lang) || lang == "js" && declared(line, at)
}

// declared reports a method of that name: only modifiers before it, and a body
// or a type behind its parameters.
func declared(line string, at int) bool {
	for w := range strings.FieldsSeq(line[:at]) {
		switch w {
		case "async", "static", "public", "private", "protected", "override", "abstract", "readonly", "get", "set", "*":
		default:
			return false
		}
	}
	depth := 0
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				rest := strings.TrimLeft(line[i+1:], " \t")
				return strings.HasPrefix(rest, "{") || strings.HasPrefix(rest, ":")
			}
		}
	}
	return false
}

// quiet reports that place at of a line lies in a text or in a comment behind
// code.
func quiet(line string, at int, lang string) bool {
	hash := lang == "py" || lang == "rb" || lang == "perl" || lang == "php" || lang == "r" || lang == "julia" || lang == "elixir" || lang == "ps"
	slash := lang == "js" || lang == "php" || lang == "jvm" || lang == "groovy" || lang == "cs" || lang == "swift"
	var in byte
	for i := 0; i < at; i++ {
		c := line[i]
		switch {
		case in != 0:
			if c == '\\' {
				i++
			} else if c == in {
				in = 0
			}
		case c == '"' || c == '\'':
			in = c
		case hash && c == '#' && (i == 0 || line[i-1] == ' ' || line[i-1] == '\t'):
			return true
		case slash && c == '/' && i+1 < at && line[i+1] == '/' && (i == 0 || line[i-1] != ':'):
			return true
		}
	}
	return in != 0
}

// begins reports that a word begins at i, and is not the declaration of one.
func begins(text string, i int, dot bool) bool {
	if i == 0 {
		return true
	}
	switch c := text[i-1]; {
	case c == '_', c == '$', c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= 0x80, c == '>' && i > 1 && text[i-2] == '-':
		return false
	case c == '.':
		return dot
	}
	before := strings.TrimRight(text[max(0, i-12):i], " \t")
	for _, w := range [...]string{"def", "func", "fn", "function", "sub"} {
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
	return strings.HasPrefix(l, "//") || strings.HasPrefix(l, "#") || strings.HasPrefix(l, "* ") || strings.HasPrefix(l, "--") || strings.HasPrefix(l, ";;") || strings.HasPrefix(l, `"""`) ||
		strings.HasPrefix(l, "<!--") || strings.HasPrefix(l, "/*") || strings.HasPrefix(l, "=head") || strings.HasPrefix(l, "%")
}

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

func fullLine(text string, at int) string {
	to := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		to = at + i
	}
	return text[lineStart(text, at):to]
}

func lineAt(text string, at int) string {
	l := fullLine(text, at)
	if start := at - lineStart(text, at); start > 100 {
		l = l[start-40:]
	}
	return plaintext.Line(strings.ToValidUTF8(l, ""), 160)
}

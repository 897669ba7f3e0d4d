package secret

import (
	"regexp"
	"strings"
	"sync"
)

// A name, perhaps in quotes, then ":", "=", ":=" or "=>". The value is cut by
// hand, since how far it goes depends on what stands before it.
var assignment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[A-Za-z0-9_.-]{3,80}["'` + "`" + `]?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8}`)
})

// assigned finds the values of names that say "secret": NAME=value, name: value,
// "name": "value".
func assigned(text string) []Span {
	var out []Span
	for i := 0; i < len(text); {
		m := assignment().FindStringIndex(text[i:])
		if m == nil {
			break
		}
		head := text[i+m[0] : i+m[1]]
		start := i + m[0]
		i += m[1]
		name := strings.TrimRight(head, " \t:=>")
		quoted := strings.TrimRight(name, "\"'`")
		least, ok := secretName(quoted)
		if !ok {
			continue
		}
		value, kind := valueAt(text, i, head, lineStart(text, start))
		if len(value) < least || value == "" || strings.Contains(value, Redacted) || placeholder(value) || kind != inQuotes && notAValue(value, kind) {
			continue
		}
		at := strings.Index(text[i:], value) + i
		out = append(out, Span{From: at, To: at + len(value)})
		i = at + len(value)
	}
	return out
}

type valueKind int

const (
	inQuotes valueKind = iota
	tight              // NAME=value
	loose              // name: value, name = value
)

// valueAt is the value that begins at i: up to its closing quote, in a line of
// its own ("NAME=value", as in .env) up to the line's end, else one word.
func valueAt(text string, i int, head string, ownLine bool) (string, valueKind) {
	line, _, _ := strings.Cut(text[i:], "\n")
	line = strings.TrimRight(line, " \t\r")
	if line == "" {
		return "", loose
	}
	if q := line[0]; q == '"' || q == '\'' || q == '`' {
		v, _, closed := strings.Cut(line[1:], string(q))
		if !closed {
			v = firstWord(v)
		}
		return v, inQuotes
	}
	if strings.HasSuffix(head, "=") && !strings.ContainsAny(head, " \t:") {
		if ownLine {
			v, _, _ := strings.Cut(line, " #")
			if v = strings.TrimSpace(v); !strings.ContainsAny(v, " \t") {
				return v, tight
			}
		}
		return firstWord(line), tight
	}
	return firstWord(line), loose
}

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\"'`,;"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimRight(s, ").]}")
}

// lineStart reports that only blanks, a list's mark or "export" stand before at.
func lineStart(text string, at int) bool {
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	switch strings.TrimLeft(line, " \t>+-") {
	case "", "export ", "set ", "ENV ", "ARG ":
		return true
	}
	return false
}

// secretName reports whether a name is that of a secret, and how long a value
// has to be at least.
func secretName(name string) (least int, ok bool) {
	n := strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "").Replace(name))
	for _, end := range [...]string{"url", "uri", "name", "path", "file", "type", "field", "count", "counts", "limit", "length", "size", "ttl", "expiry", "expires", "expiration", "header", "prefix", "pattern", "policy",
		"arn", "ref", "version", "bucket", "budget", "usage", "window", "used", "estimate", "id", "ids", "hint", "rules", "strength", "label", "placeholder", "input", "reset", "required", "format", "store", "manager", "provider", "endpoint"} {
		if strings.HasSuffix(n, end) {
			return 0, false
		}
	}
	for _, w := range [...]string{"password", "passwd", "passphrase", "passcode"} {
		if strings.Contains(n, w) {
			return 4, true
		}
	}
	if n == "pwd" || n == "pass" || strings.HasSuffix(n, "pwd") && len(n) <= 12 || strings.HasSuffix(name, "_PASS") || strings.HasSuffix(name, "_pass") {
		return 4, true
	}
	for _, w := range [...]string{"secret", "apikey", "accesskey", "accountkey", "privatekey", "signingkey", "encryptionkey", "masterkey", "licensekey", "servicekey", "authkey", "sessionkey", "authtoken", "credential", "clientkey", "hmackey", "saltkey"} {
		if strings.Contains(n, w) {
			return 6, true
		}
	}
	if strings.HasSuffix(n, "token") || n == "auth" || strings.HasSuffix(name, "_auth") {
		return 6, true
	}
	return 0, false
}

// notAValue tells a word of code or of a sentence from a value without quotes.
func notAValue(v string, kind valueKind) bool {
	switch strings.ToLower(strings.TrimRight(v, "?!|&")) {
	case "string", "str", "number", "boolean", "bool", "bytes", "byte", "object", "none", "null", "undefined", "true", "false", "required", "optional", "secretstr", "text", "char", "varchar", "header", "bearer", "basic", "missing", "invalid", "expired", "empty", "unset", "optional[str]":
		return true
	}
	if strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "@") || strings.HasPrefix(v, "&") || strings.HasPrefix(v, "*") && len(v) > 1 && letter(rune(v[1])) || strings.HasPrefix(v, "=") {
		return true // a path, an annotation, a pointer, a comparison
	}
	if kind == tight {
		return false
	}
	// userToken, user.token, user_token, TOKEN_NAME: a name in code.
	if !identifier(v) || strings.ContainsAny(v, "0123456789") {
		return false
	}
	return strings.ContainsAny(v, "._") || strings.IndexFunc(v[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0
}

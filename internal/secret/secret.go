// Package secret finds text that looks like a key of somebody's, by the marks
// that services give theirs, and takes it out of text that is kept. It never
// quotes what it found.
package secret

import "strings"

// Span is one find: the bytes from From to To.
type Span struct {
	From, To int
	What     string // "a GitHub token"
}

// Find lists what looks like a key: private keys first, then each service's.
// What says of itself that it is an example is none.
func Find(text string) []Span {
	out := privateKeys(text)
	for _, t := range tokens {
		for i := 0; ; {
			j := strings.Index(text[i:], t.prefix)
			if j < 0 {
				break
			}
			at := i + j
			i = at + len(t.prefix)
			if at > 0 && (wordByte(text[at-1]) || text[at-1] == '-') {
				continue
			}
			end := i
			for end < len(text) && (wordByte(text[end]) || text[end] == '-' || t.dotted() && text[end] == '.') {
				end++
			}
			if end-i >= t.least && random(text[i:end]) && (!t.plainRun() || plainRun(text[i:end])) {
				out = append(out, Span{at, end, t.what})
			}
			i = end
		}
	}
	return append(out, olderKeys(text)...)
}

// olderKeys are "sk-" and then letters and digits alone, as OpenAI's first keys
// and those of services made after them.
func olderKeys(text string) []Span {
	var out []Span
	for i := 0; ; {
		j := strings.Index(text[i:], "sk-")
		if j < 0 {
			return out
		}
		at := i + j
		i = at + len("sk-")
		end := i
		for end < len(text) && wordByte(text[end]) {
			end++
		}
		if (at == 0 || !wordByte(text[at-1]) && text[at-1] != '-') && end-i >= 32 && random(text[i:end]) && plainRun(text[i:end]) {
			out = append(out, Span{at, end, "an API key"})
		}
		i = end
	}
}

// privateKeys are the armoured ones, with their lines as lines or as "\n" in a
// string. One that is cut off ends where its lines do.
func privateKeys(text string) []Span {
	var out []Span
	for i := 0; ; {
		j := strings.Index(text[i:], "-----BEGIN ")
		if j < 0 {
			return out
		}
		from := i + j
		i = from + len("-----BEGIN ")
		label, _, ok := strings.Cut(text[i:min(len(text), i+60)], "-----")
		if !ok || !strings.HasSuffix(strings.TrimSuffix(label, " BLOCK"), "PRIVATE KEY") {
			continue
		}
		i += len(label) + len("-----")
		rest := text[i:]
		if k := strings.Index(rest, "-----END "); k >= 0 && !strings.Contains(rest[:k], "-----BEGIN ") {
			if !keyBody(rest[:k]) {
				continue
			}
			i += k + len("-----END ")
			if _, tail, ok := strings.Cut(text[i:min(len(text), i+60)], "-----"); ok {
				i = min(len(text), i+60) - len(tail)
			}
		} else {
			n := keyLines(rest)
			if !keyBody(rest[:n]) {
				continue
			}
			i += n
		}
		out = append(out, Span{from, i, "a private key"})
	}
}

// keyBody tells the lines of a key from words that stand for them.
func keyBody(s string) bool {
	s = strings.NewReplacer("\\n", "", "\\r", "", "\n", "", "\r", "", " ", "").Replace(s)
	return len(s) >= 10 && random(s)
}

// keyLines is how far the lines of a key go that is not closed.
func keyLines(s string) int {
	at := 0
	for at < len(s) {
		line, _, more := strings.Cut(s[at:], "\n")
		for _, r := range strings.TrimSpace(line) {
			if !(r < 0x80 && wordByte(byte(r))) && !strings.ContainsRune("+/=\\\"", r) {
				if strings.HasPrefix(line, "Proc-Type:") || strings.HasPrefix(line, "DEK-Info:") || strings.HasPrefix(line, "Version:") || strings.HasPrefix(line, "Comment:") {
					break
				}
				return at
			}
		}
		at += len(line)
		if more {
			at++
		}
	}
	return at
}

// plainRun: letters and digits alone, some of them digits.
func plainRun(s string) bool {
	return strings.ContainsAny(s, "0123456789") && !strings.ContainsAny(s, "_-.")
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// random tells a key from a placeholder: many different characters, and no
// word that says so.
func random(s string) bool {
	if standsFor(s) {
		return false
	}
	var seen [256]bool
	n := 0
	for i := 0; i < len(s); i++ {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n >= 8
}

// standsFor reports a text that says of itself that it stands for a value.
func standsFor(s string) bool {
	up := strings.ToUpper(s)
	for _, w := range [...]string{"EXAMPLE", "XXXX", "YOUR", "PLACEHOLDER", "REDACTED", "CHANGEME", "CHANGE_ME", "CHANGE-ME", "DUMMY", "...", "…"} {
		if strings.Contains(up, w) {
			return true
		}
	}
	return false
}

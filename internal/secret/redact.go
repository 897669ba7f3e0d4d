package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// loose are further forms that text to be kept loses. They are too loose for a
// warning: taking out too much of a note costs little.
var loose = sync.OnceValue(func() []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, p := range []string{
		// A web token: two or three parts of base64, the first of which is JSON.
		`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`,
		`(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{12,})`,
		// The password of an address.
		`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@]*:([^\s/@]+)@`,
		// NAME=value, "name": "value", name: value, --name value.
		`(?i)[a-z0-9_.-]*(?:passw(?:or)?d|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|token|credential)s?["']?\s*[:=]\s*["']?([^\s"'` + "`" + `,;]{6,})`,
		`(?i)--(?:password|passphrase|secret|token|api-key)[ =]["']?([^\s"'` + "`" + `]{4,})`,
	} {
		out = append(out, regexp.MustCompile(p))
	}
	return out
})

// Redact replaces what looks like a secret, and counts it.
func Redact(text string) (string, int) {
	spans := Find(text)
	for _, re := range loose() {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			at := m[:2]
			if len(m) > 2 && m[2] >= 0 {
				at = m[2:4]
			}
			if v := text[at[0]:at[1]]; v != Redacted && !strings.HasPrefix(v, "[redacted") && !placeholder(v) {
				spans = append(spans, Span{From: at[0], To: at[1]})
			}
		}
	}
	if len(spans) == 0 {
		return text, 0
	}
	slices.SortFunc(spans, func(a, b Span) int {
		if a.From != b.From {
			return a.From - b.From
		}
		return b.To - a.To
	})
	var b strings.Builder
	at, n := 0, 0
	for _, s := range spans {
		if s.From < at {
			if s.To > at { // one that overlaps goes with it
				at = s.To
			}
			continue
		}
		b.WriteString(text[at:s.From])
		b.WriteString(Redacted)
		at = s.To
		n++
	}
	b.WriteString(text[at:])
	return b.String(), n
}

// placeholder tells the value of code or a template from a value.
func placeholder(v string) bool {
	if strings.ContainsAny(v, "(){}<>$*") {
		return true
	}
	up := strings.ToUpper(v)
	return standsFor(v) || strings.Contains(up, "PROCESS.ENV") || strings.Contains(up, "OS.ENVIRON")
}

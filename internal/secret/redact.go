package secret

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Redacted stands where a secret stood.
const Redacted = "[redacted]"

// shape is a form that text to be kept loses. These are too loose for a warning:
// taking out too much of a note costs little.
type shape struct {
	re *regexp.Regexp
	// secret tells a value from what only looks like one; nil: whatever is no
	// placeholder.
	secret func(string) bool
}

// shapes: the first group is the secret, or the whole where there is none.
var shapes = sync.OnceValue(func() []shape {
	var out []shape
	for _, s := range []struct {
		re     string
		secret func(string) bool
	}{
		// A web token: two or three parts of base64, the first of which is JSON.
		{`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?`, nil},
		{`(?i)\b(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{12,})`, mixed},
		// The password of an address, and a token that stands for a user.
		{`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'<>]*:([^\s/"'<>]+)@`, nil},
		{`\b[a-z]+://([A-Za-z0-9_-]{20,})@`, mixed},
		// A signature in an address.
		{`(?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature|access_token|api_?key|key|token)=([A-Za-z0-9%+/=._~-]{16,})`, mixed},
		{`https://hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{20,})`, nil},
		{`https://(?:[a-z]+\.)?discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{20,})`, nil},
		{`\b[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}`, nil},                                // Telegram
		{`\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}`, nil}, // Discord
		{`\b1//0[A-Za-z0-9_-]{30,}`, nil},                                          // Google
		{`\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}`, nil},                    // Terraform
		{`(?i)(?:^|\s)(?:-u|--user)[ =]["']?[^\s:"']+:([^\s"']{3,})`, nil},
		{`(?i)--(?:password|passphrase|secret|token|api-key|auth-token)[ =]["']?([^\s"'` + "`" + `]{4,})`, func(v string) bool { return !notAValue(v, tight) }},
	} {
		out = append(out, shape{regexp.MustCompile(s.re), s.secret})
	}
	return out
})

// Redact replaces what looks like a secret, and counts it.
func Redact(text string) (string, int) {
	spans := Find(text)
	add := func(from, to int, secret func(string) bool) {
		v := text[from:to]
		if !strings.Contains(v, Redacted) && !placeholder(v) && (secret == nil || secret(v)) {
			spans = append(spans, Span{From: from, To: to})
		}
	}
	for _, s := range shapes() {
		for _, m := range s.re.FindAllStringSubmatchIndex(text, -1) {
			at := m[:2]
			if len(m) > 2 && m[2] >= 0 {
				at = m[2:4]
			}
			add(at[0], at[1], s.secret)
		}
	}
	spans = append(spans, assigned(text)...)
	spans = append(spans, randomRuns(text)...)
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
	if v == "" || standsFor(v) {
		return true
	}
	if strings.Trim(v, "*•xX_-.#") == "" {
		return true
	}
	first, last := v[0], v[len(v)-1]
	switch {
	case first == '<' && strings.IndexByte(v, '>') > 0, first == '[' && last == ']', first == '%' && last == '%' && len(v) > 2:
		return true
	case first == '$' && len(v) > 1 && (v[1] == '{' || v[1] == '(' || v[1] >= 'A' && v[1] <= 'Z' || v[1] >= 'a' && v[1] <= 'z' || v[1] == '_'):
		return true
	case strings.Contains(v, "${"), strings.Contains(v, "$("), strings.Contains(v, "{{"):
		return true
	}
	// getToken(), process.env.TOKEN, os.environ["TOKEN"], secrets.TOKEN
	if i := strings.IndexAny(v, "(["); i > 0 && identifier(v[:i]) {
		return true
	}
	return strings.Contains(v, "process.env") || strings.Contains(v, "os.environ") || strings.Contains(v, "import.meta.env")
}

// mixed tells a key from a word: digits, or capitals within.
func mixed(v string) bool {
	return strings.ContainsAny(v, "0123456789") && strings.IndexFunc(v, letter) >= 0 ||
		strings.IndexFunc(v[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0 && strings.IndexFunc(v, func(r rune) bool { return r >= 'a' && r <= 'z' }) >= 0
}

func letter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// identifier: names, joined by dots.
func identifier(s string) bool {
	for i := 0; i < len(s); i++ {
		if !wordByte(s[i]) && s[i] != '.' {
			return false
		}
	}
	return s != "" && !(s[0] >= '0' && s[0] <= '9')
}

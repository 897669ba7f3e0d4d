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

// tokens are the beginnings of keys that services hand out, with what follows
// them: how many characters at least.
var tokens = [...]struct {
	prefix string
	least  int
	what   string
}{
	{"AKIA", 16, "an AWS access key"},
	{"ASIA", 16, "an AWS access key"},
	{"ghp_", 30, "a GitHub token"},
	{"gho_", 30, "a GitHub token"},
	{"ghu_", 30, "a GitHub token"},
	{"ghs_", 30, "a GitHub token"},
	{"github_pat_", 40, "a GitHub token"},
	{"glpat-", 20, "a GitLab token"},
	{"sk-ant-", 30, "an Anthropic key"},
	{"sk-proj-", 30, "an OpenAI key"},
	{"sk_live_", 20, "a live payment key"},
	{"rk_live_", 20, "a live payment key"},
	{"xoxb-", 20, "a Slack token"},
	{"xoxp-", 20, "a Slack token"},
	{"AIza", 35, "a Google API key"},
	{"npm_", 36, "an npm token"},
	{"pypi-", 40, "a PyPI token"},
	{"hf_", 30, "a Hugging Face token"},
	{"SG.", 40, "a SendGrid key"},
	{"dop_v1_", 40, "a DigitalOcean token"},
}

// Find lists what looks like a key: private keys first, then each service's.
// What says of itself that it is an example is none.
func Find(text string) []Span {
	var out []Span
	for i := 0; ; {
		j := strings.Index(text[i:], "-----BEGIN ")
		if j < 0 {
			break
		}
		i += j
		line, rest, _ := strings.Cut(text[i:], "\n")
		next, _, _ := strings.Cut(rest, "\n")
		end := i + len(line)
		if strings.Contains(line, "PRIVATE KEY-----") && random(strings.TrimSpace(next)) {
			to := len(text) // a key that is cut off is one to its end
			if k := strings.Index(text[i:], "-----END "); k >= 0 {
				last, _, _ := strings.Cut(text[i+k:], "\n")
				to = i + k + len(last)
			}
			out = append(out, Span{i, to, "a private key"})
		}
		i = end
	}
	for _, t := range tokens {
		for i := 0; ; {
			j := strings.Index(text[i:], t.prefix)
			if j < 0 {
				break
			}
			at := i + j
			i = at + len(t.prefix)
			if at > 0 && wordByte(text[at-1]) {
				continue
			}
			end := i
			for end < len(text) && (wordByte(text[end]) || text[end] == '-' || t.prefix == "SG." && text[end] == '.') {
				end++
			}
			if end-i >= t.least && random(text[i:end]) {
				out = append(out, Span{at, end, t.what})
			}
			i = end
		}
	}
	return out
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
	for _, w := range [...]string{"EXAMPLE", "XXXX", "YOUR", "PLACEHOLDER", "REDACTED", "..."} {
		if strings.Contains(up, w) {
			return true
		}
	}
	return false
}

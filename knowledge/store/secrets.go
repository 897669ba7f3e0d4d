package store

import (
	"strings"

	"pathrule/internal/head"
	"pathrule/workspace"
)

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

// secrets warns of text that looks like a key. It never quotes it.
func secrets(raw []byte, file string) []workspace.Problem {
	text := string(raw)
	var out []workspace.Problem
	add := func(off int, what string) {
		out = append(out, workspace.Problem{File: file, Line: head.LineAt(raw, off), Warning: true,
			Msg: "this looks like " + what + "; whatever stands here reaches the assistant", Remedy: "take it out and, if it is real, replace it at its service"})
	}
	for i := 0; ; {
		j := strings.Index(text[i:], "-----BEGIN ")
		if j < 0 {
			break
		}
		i += j
		line, rest, _ := strings.Cut(text[i:], "\n")
		next, _, _ := strings.Cut(rest, "\n")
		if strings.Contains(line, "PRIVATE KEY-----") && random(strings.TrimSpace(next)) {
			add(i, "a private key")
		}
		i += len(line)
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
				add(at, t.what)
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
	up := strings.ToUpper(s)
	for _, w := range []string{"EXAMPLE", "XXXX", "YOUR", "PLACEHOLDER", "REDACTED", "..."} {
		if strings.Contains(up, w) {
			return false
		}
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

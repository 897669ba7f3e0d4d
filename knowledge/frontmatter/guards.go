package frontmatter

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pathrule/internal/head"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// guards reads block and check, which only full YAML can hold.
func (d *document) guards(e *knowledge.Entry) {
	if e.Kind != knowledge.Rule {
		return
	}
	base := head.LineAt(d.data, d.sp.Start) - 1
	seen := map[string]bool{}
	for i, f := range d.fields {
		if f.Key != "block" && f.Key != "check" || f.Null || seen[f.Key] {
			continue
		}
		seen[f.Key] = true
		if d.loose {
			d.problem(f.Line, fmt.Sprintf("%q cannot be read while the frontmatter is not valid YAML", f.Key), "mend the line that is named above")
			continue
		}
		if f.Key == "block" {
			e.Block = d.blocks(d.nodes[i], base)
		} else {
			e.Check = d.check(d.nodes[i], base)
		}
	}
}

func (d *document) blocks(n *yaml.Node, base int) []knowledge.Block {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	var out []knowledge.Block
	for _, c := range list {
		c = deref(c)
		m, ok := d.pairs(c, base, "block", []string{"pattern", "paths", "on", "message"}, "write: block: [{pattern: \"…\", message: \"…\"}]")
		if !ok {
			continue
		}
		var b knowledge.Block
		good := true
		b.Pattern, good = d.text(m["pattern"], base, "pattern", good)
		b.Message, good = d.text(m["message"], base, "message", good)
		b.On, good = d.text(m["on"], base, "on", good)
		b.Paths, good = d.scope(m["paths"], base, good)
		line := base + c.Line
		if p := m["pattern"]; p != nil {
			line = base + p.Line
		}
		if msg, remedy := CheckPattern(b.Pattern); msg != "" {
			d.problem(line, msg, remedy)
			good = false
		}
		switch b.On = strings.ToLower(b.On); b.On {
		case "", "edit", "shell", "both":
		default:
			d.problem(base+m["on"].Line, fmt.Sprintf("unknown value %q for \"on\"", b.On), "write edit, shell or both")
			good = false
		}
		if utf8.RuneCountInString(b.Message) < 10 {
			d.warn(base+c.Line, "block has no message that says what to do instead", "add message: with at least ten characters")
		}
		if good {
			out = append(out, b)
		}
	}
	return out
}

func (d *document) check(n *yaml.Node, base int) *knowledge.Check {
	m, ok := d.pairs(n, base, "check", []string{"command", "paths", "message"}, "write: check: {command: \"…\", message: \"…\"}")
	if !ok {
		return nil
	}
	var c knowledge.Check
	good := true
	c.Command, good = d.text(m["command"], base, "command", good)
	c.Message, good = d.text(m["message"], base, "message", good)
	c.Paths, good = d.scope(m["paths"], base, good)
	if n := utf8.RuneCountInString(strings.TrimSpace(c.Command)); n < 3 || n > 300 {
		d.problem(base+n0(m["command"], n0(m["message"], 1)), "check needs a command of 3 to 300 characters", "add command: with the command that must pass")
		good = false
	}
	if strings.ContainsAny(c.Command, "\n\r") {
		d.problem(base+m["command"].Line, "a check's command is one line", "put the lines into a script and name that")
		good = false
	}
	if utf8.RuneCountInString(c.Message) < 10 {
		d.warn(base+n0(m["message"], n0(m["command"], 1)), "check has no message that says why it must pass", "add message: with at least ten characters")
	}
	if !good {
		return nil
	}
	return &c
}

func n0(n *yaml.Node, or int) int {
	if n == nil {
		return or
	}
	return n.Line
}

// pairs reads a map with known keys.
func (d *document) pairs(n *yaml.Node, base int, what string, keys []string, remedy string) (map[string]*yaml.Node, bool) {
	if n.Kind != yaml.MappingNode {
		d.problem(base+n.Line, fmt.Sprintf("%q must be made of key: value pairs", what), remedy)
		return nil, false
	}
	m := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case !contains(keys, k.Value):
			r := "known keys of " + what + ": " + strings.Join(keys, ", ")
			if near := nearest(k.Value, keys); near != "" {
				r = fmt.Sprintf("did you mean %q?", near)
			}
			d.warn(base+k.Line, fmt.Sprintf("unknown key %q in %s", k.Value, what), r)
		case m[k.Value] != nil:
			d.warn(base+k.Line, fmt.Sprintf("key %q stands here a second time; the first counts", k.Value), "take one of the two out")
		default:
			m[k.Value] = deref(n.Content[i+1])
		}
	}
	return m, true
}

func (d *document) text(n *yaml.Node, base int, key string, good bool) (string, bool) {
	if n == nil || n.Kind == yaml.ScalarNode && isNull(n) {
		return "", good
	}
	if n.Kind != yaml.ScalarNode {
		d.problem(base+n.Line, fmt.Sprintf("%q must be text", key), "write it on one line, in quotes")
		return "", false
	}
	return n.Value, good
}

func (d *document) scope(n *yaml.Node, base int, good bool) ([]string, bool) {
	if n == nil {
		return nil, good
	}
	f := fieldOf("paths", n, base)
	if f.Nested {
		d.problem(base+n.Line, "\"paths\" must be a list of patterns", "write: paths: [\"src/api\"]")
		return nil, false
	}
	var out []string
	if !f.IsList && !f.Null {
		f.List = workspace.SplitPatterns(f.Text)
	}
	for _, p := range f.List {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	if _, err := workspace.ParseScope(out); err != nil {
		d.problem(base+n.Line, "paths: "+err.Error(), "mend the pattern")
		return out, false
	}
	return out, good
}

// CheckPattern says what is wrong with a block's pattern; msg "" when it can
// be used.
func CheckPattern(p string) (msg, remedy string) {
	n := utf8.RuneCountInString(p)
	switch {
	case strings.TrimSpace(p) == "":
		return "block has no pattern", "add pattern: with an RE2 expression"
	case n < 3 || n > 200:
		return fmt.Sprintf("pattern has %d characters", n), "write 3 to 200 characters"
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return fmt.Sprintf("pattern %q does not compile: %s", p, strings.TrimPrefix(err.Error(), "error parsing regexp: ")), patternHint(p)
	}
	if re.MatchString("") {
		return fmt.Sprintf("pattern %q matches the empty string, so it would match everything", p), "make at least one character of it certain"
	}
	return "", ""
}

// patternHint names what other engines have and RE2 has not.
func patternHint(p string) string {
	switch {
	case strings.Contains(p, "(?=") || strings.Contains(p, "(?!") || strings.Contains(p, "(?<=") || strings.Contains(p, "(?<!"):
		return "RE2 has no look-ahead and no look-behind: match the forbidden text itself, or split it into two rules"
	case hasBackref(p):
		return "RE2 has no backreferences: write the repeated part out"
	case strings.Contains(p, "(?>") || strings.Contains(p, "*+") || strings.Contains(p, "++") || strings.Contains(p, "?+"):
		return "RE2 has no atomic groups and no possessive quantifiers, and needs none: leave them out"
	case strings.HasPrefix(p, "/") && strings.LastIndexByte(p, '/') > 0:
		return "write the expression without the slashes; (?i) at its start ignores case"
	}
	return "patterns are RE2: https://github.com/google/re2/wiki/Syntax"
}

func hasBackref(p string) bool {
	for i := 0; i+1 < len(p); i++ {
		if p[i] == '\\' {
			if c := p[i+1]; c >= '1' && c <= '9' || c == 'k' {
				return true
			}
			i++
		}
	}
	return false
}

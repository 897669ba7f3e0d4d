package frontmatter

import (
	"fmt"
	"strings"
	"unicode"

	"pathrule/internal/head"
	"pathrule/internal/yamlquote"
	"pathrule/knowledge"
)

func render(e knowledge.Entry) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	put := func(key string, v any) {
		b.WriteString(renderField(key, v, "\n"))
	}
	put(knowledge.TitleKey(e.Kind), e.Title)
	put("description", e.Description)
	put("paths", e.Paths)
	put("tags", e.Tags)
	put("related", e.Related)
	if e.Kind == knowledge.Rule {
		if e.Priority != knowledge.Medium {
			put("priority", string(e.Priority))
		}
		if e.Enforcement != knowledge.Advisory {
			put("enforcement", e.Enforcement)
		}
		put("block", e.Block)
		if e.Check != nil {
			put("check", e.Check)
		}
	}
	put("source", e.Source)
	put("workspaces", e.Workspaces)
	put("created", e.Created)
	b.WriteString("---\n")
	b.WriteString(e.Body)
	return []byte(b.String())
}

// renderField writes one key with all its lines; "" for an empty value.
func renderField(key string, v any, eol string) string {
	var b strings.Builder
	switch v := v.(type) {
	case nil:
	case string:
		if v = oneLine(v); v != "" {
			fmt.Fprintf(&b, "%s: %s%s", key, Quote(v), eol)
		}
	case []string:
		if v = lines(v); len(v) > 0 {
			b.WriteString(key + ":" + eol)
			for _, s := range v {
				b.WriteString("  - " + quoteItem(s) + eol)
			}
		}
	case []knowledge.Block:
		if len(v) == 0 {
			break
		}
		b.WriteString(key + ":" + eol)
		for _, bl := range v {
			pre := "  - "
			for _, kv := range [][2]string{{"pattern", bl.Pattern}, {"on", bl.On}, {"message", bl.Message}} {
				if kv[1] != "" {
					fmt.Fprintf(&b, "%s%s: %s%s", pre, kv[0], double(kv[1], kv[0] == "on"), eol)
					pre = "    "
				}
			}
			if len(bl.Paths) > 0 {
				fmt.Fprintf(&b, "%spaths: %s%s", pre, flowList(bl.Paths), eol)
			}
		}
	case *knowledge.Check:
		if v == nil || v.Command == "" {
			break
		}
		b.WriteString(key + ":" + eol)
		fmt.Fprintf(&b, "  command: %s%s", double(v.Command, false), eol)
		if v.Message != "" {
			fmt.Fprintf(&b, "  message: %s%s", double(v.Message, false), eol)
		}
		if len(v.Paths) > 0 {
			fmt.Fprintf(&b, "  paths: %s%s", flowList(v.Paths), eol)
		}
	default:
		panic(fmt.Sprintf("frontmatter: cannot write a %T", v))
	}
	return b.String()
}

func flowList(list []string) string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = double(oneLine(s), false)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

// oneLine folds line breaks and other characters that no value may hold.
func oneLine(s string) string {
	if strings.IndexFunc(s, yamlquote.Odd) < 0 {
		return strings.TrimSpace(s)
	}
	s = strings.Map(func(r rune) rune {
		if yamlquote.Odd(r) {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Quote writes a one-line value so that YAML and the line reader read it back:
// plain where that is certain, else in double quotes.
func Quote(s string) string {
	if plainSafe(s, false) {
		return s
	}
	return double(s, false)
}

func quoteItem(s string) string {
	// Patterns are quoted even where they need not be: the next one that is
	// added by hand is copied from its neighbour.
	if strings.ContainsAny(s, "*?[]{}!") || !plainSafe(s, true) {
		return double(s, false)
	}
	return s
}

// double writes s in double quotes. Block values, which the line reader leaves
// alone, may need the escapes of YAML for line breaks.
func double(s string, bareWord bool) string {
	if bareWord && plainSafe(s, false) {
		return s
	}
	return yamlquote.Double(s)
}

// plainSafe reports that s unquoted means s and nothing else, to YAML 1.1 and
// 1.2 readers of any kind.
func plainSafe(s string, item bool) bool {
	if s == "" || s != strings.TrimSpace(s) || strings.Contains(s, ": ") || strings.Contains(s, " #") ||
		strings.HasSuffix(s, ":") || item && strings.Contains(s, ":") {
		return false
	}
	first := []rune(s)[0]
	if !unicode.IsLetter(first) && !unicode.IsDigit(first) && first != '/' && first != '_' && first != '(' {
		return false
	}
	if strings.IndexFunc(s, yamlquote.Odd) >= 0 {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", ".nan":
		return false
	}
	// Numbers and dates stay text in quotes, for readers that type values.
	if unicode.IsDigit(first) && strings.Trim(s, "0123456789.:-_xXabcdefABCDEFTZ+ ") == "" {
		return isDate(s)
	}
	// What the line reader reads differently must be quoted, whatever it is.
	data := []byte("---\nk: " + s + "\n---\n")
	l := head.Scan(data, head.Find(data, len(data)))
	return l.Beyond == 0 && l.Refused == 0 && l.NotMapping == 0 && len(l.Fields) == 1 && l.Fields[0].Style == head.Plain && l.Fields[0].Text == s
}

// isDate reports YYYY-MM-DD, which everybody writes bare.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if i != 4 && i != 7 && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}

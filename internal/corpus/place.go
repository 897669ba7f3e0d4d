package corpus

import (
	"path"
	"strings"

	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
)

// notInstructions says why a file is left out by its name alone.
func notInstructions(rel string) string {
	base := path.Base(rel)
	switch base {
	case ".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".goosehints":
		return ""
	}
	switch strings.ToLower(path.Ext(base)) {
	case ".md", ".mdc", ".markdown":
		return ""
	}
	return "no Markdown"
}

// place says what a file is and which folder it governs: the one that holds
// the client's own folder, for AGENTS.md and its like the one it lies in.
func place(rel string) (kind knowledge.Kind, dir string) {
	base := path.Base(rel)
	segs := strings.Split(path.Dir(rel), "/")
	if segs[0] == "." {
		segs = nil
	}
	kind = knowledge.Memory
	cut := len(segs)
	for i, s := range segs {
		if s != "" && s[0] == '.' {
			cut = i
			if hidden := strings.Join(segs[i:], "/"); isRules(hidden) {
				kind = knowledge.Rule
			}
			break
		}
	}
	if cut == len(segs) {
		// A library of rules governs what its parent does, not its own folder.
		for i, s := range segs {
			switch strings.ToLower(s) {
			case "rules", "rules-mdc", "project-rules", "global-rules", "custom_rules", "instructions", "non-standard":
				kind, cut = knowledge.Rule, i
			case "skills", "agents", "prompts", "docs", "resources":
				cut = i
			default:
				continue
			}
			break
		}
	}
	switch {
	case base == "SKILL.md":
		kind = knowledge.Skill
	case strings.HasSuffix(base, ".mdc"), strings.HasSuffix(base, ".instructions.md"),
		base == ".cursorrules", base == ".windsurfrules", base == ".clinerules", base == ".rules":
		kind = knowledge.Rule
	}
	return kind, strings.Join(segs[:cut], "/")
}

// isRules reports the folders in which clients look for rules.
func isRules(hidden string) bool {
	for _, p := range []string{".cursor/rules", ".windsurf/rules", ".devin/rules", ".claude/rules", ".github/instructions",
		".clinerules", ".continue/rules", ".kiro/steering", ".roo/rules", ".agents/rules", ".trae/rules"} {
		if hidden == p || strings.HasPrefix(hidden, p+"/") || strings.HasPrefix(hidden, p+"-") {
			return true
		}
	}
	return false
}

// entry reads what a file says of itself; its scope comes later.
func entry(rel string, data []byte) (knowledge.Entry, []string) {
	kind, _ := place(rel)
	fields, body, problems := frontmatter.Head(data)
	e := knowledge.Entry{Kind: kind, Body: string(data[body:]), Priority: knowledge.Medium, Source: rel}
	var warnings []string
	for _, p := range problems {
		warnings = append(warnings, p.Msg)
	}
	for i := len(fields) - 1; i >= 0; i-- { // the first of two wins
		f := fields[i]
		if f.Nested || f.IsList && f.Key != "tags" {
			continue
		}
		switch f.Key {
		case "title", "name":
			e.Title = one(f.Text)
		case "description":
			e.Description = one(f.Text)
		case "tags":
			e.Tags = f.List
			if !f.IsList && !f.Null {
				e.Tags = strings.Split(f.Text, ",")
			}
		}
	}
	if e.Title == "" {
		for _, h := range knowledge.Headings(e.Body) {
			if h.Level <= 2 && h.Text != "" {
				e.Title = one(h.Text)
				break
			}
		}
	}
	if e.Title == "" {
		e.Title = strings.TrimSpace(strings.TrimLeft(rel, "./"))
	}
	if r := []rune(e.Title); len(r) > frontmatter.MaxTitle {
		e.Title = string(r[:frontmatter.MaxTitle-1]) + "…"
	}
	return e, warnings
}

func one(s string) string { return strings.Join(strings.Fields(s), " ") }

// pointsTo is the path that a file consists of: what a link becomes where links
// are not supported, or a lone import line.
func pointsTo(body string) string {
	t := strings.TrimPrefix(strings.TrimSpace(body), "@")
	if t == "" || strings.ContainsAny(t, " \n\t#") || !strings.HasSuffix(t, ".md") || len(t) > 200 {
		return ""
	}
	return t
}

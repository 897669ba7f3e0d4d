package compile

import (
	"slices"
	"strings"

	"pathrule/internal/yamlquote"
)

// dialect is how one client's rule files say when they apply.
type dialect struct {
	ext string
	// always begins a file in every request, "" for none.
	always string
	// scoped begins a file for some paths.
	scoped func(globs []string) string
	// skill begins a file that the model opens by its description; nil: skills are
	// lines of the file in every request.
	skill func(name, description string) string
	// exact: the client's matcher is known to read "?" and "[...]"; for others
	// they become "*", which is wider, and the text says so.
	exact bool
	// bare: the patterns stand without quotes, so that what YAML could read must
	// not stand in them.
	bare bool
	// floats: where the client also takes a pattern for deeper paths than meant.
	floats func(glob string) bool
}

// Windsurf and Devin: trigger, and globs as one comma string.
var windsurfHead = dialect{
	ext:    ".md",
	always: head("trigger: always_on"),
	scoped: func(globs []string) string {
		return head("trigger: glob", "globs: "+quoteYAML(strings.Join(globs, ",")))
	},
	skill: func(_, description string) string {
		return head("trigger: model_decision", "description: "+quoteYAML(description))
	},
}

// Claude Code: paths as a YAML list. Its documentation takes "*.md" for the root
// alone, releases took it for any depth, as in a gitignore file.
var claudeHead = dialect{
	ext:    ".md",
	scoped: func(globs []string) string { return head(yamlList("paths", globs)...) },
	exact:  true,
	floats: func(glob string) bool { return !strings.Contains(glob, "/") },
}

// Cursor: globs is one string with commas and no quotes, which is not YAML where
// it begins with "*"; with quotes or as a list it is not sure to be read.
var cursorHead = dialect{
	ext:    ".mdc",
	always: head("description:", "globs:", "alwaysApply: true"),
	scoped: func(globs []string) string {
		return head("description:", "globs: "+strings.Join(globs, ","), "alwaysApply: false")
	},
	skill: func(_, description string) string {
		return head("description: "+quoteYAML(description), "globs:", "alwaysApply: false")
	},
	bare: true,
}

// Copilot: applyTo is one comma string; a list is dropped by the editor. The
// editor puts "**/" before a pattern, so that it also matches deeper down, and
// reads a leading slash as the root of the disk. It also ignores case.
var copilotHead = dialect{
	ext:    ".instructions.md",
	always: head(`applyTo: "**"`),
	scoped: func(globs []string) string { return head("applyTo: " + quoteYAML(strings.Join(globs, ","))) },
	floats: func(glob string) bool { return !strings.HasPrefix(glob, "**/") || strings.ToLower(glob) != glob },
}

// Qwen Code: paths as a YAML list, from the project's root; without it the file
// is part of the system prompt.
var qwenHead = dialect{
	ext:    ".md",
	scoped: func(globs []string) string { return head(yamlList("paths", globs)...) },
}

// Kiro: inclusion, and fileMatchPattern as a string or a list.
var kiroHead = dialect{
	ext:    ".md",
	always: head("inclusion: always"),
	scoped: func(globs []string) string {
		if len(globs) == 1 {
			return head("inclusion: fileMatch", "fileMatchPattern: "+quoteYAML(globs[0]))
		}
		return head(append([]string{"inclusion: fileMatch"}, yamlList("fileMatchPattern", globs)...)...)
	},
	skill: func(name, description string) string {
		return head("inclusion: auto", "name: "+quoteYAML(name), "description: "+quoteYAML(description))
	},
}

// Cline: paths as a YAML list; any other type makes the rule apply always. Its
// command line ignores paths and loads every file.
var clineHead = dialect{
	ext:    ".md",
	scoped: func(globs []string) string { return head(yamlList("paths", globs)...) },
	exact:  true,
}

// CodeBuddy: the command line reads .md with paths, the editor .mdc with globs.
var (
	codebuddyHead = dialect{
		ext:    ".md",
		always: head("alwaysApply: true"),
		scoped: func(globs []string) string { return head(append(yamlList("paths", globs), "alwaysApply: false")...) },
	}
	codebuddyEditorHead = dialect{
		ext:    ".mdc",
		always: head("alwaysApply: true"),
		scoped: func(globs []string) string {
			return head("globs: "+quoteYAML(strings.Join(globs, ",")), "alwaysApply: false")
		},
	}
)

// head renders the lines of a frontmatter.
func head(lines ...string) string { return "---\n" + strings.Join(lines, "\n") + "\n---\n" }

// yamlList is a block list; every item is quoted, because a plain "*" is no YAML.
func yamlList(key string, items []string) []string {
	out := []string{key + ":"}
	for _, s := range items {
		out = append(out, "  - "+quoteYAML(s))
	}
	return out
}

// globs spells include for the dialect; wider reports that the client takes
// them for more paths than meant.
func (d *dialect) globs(include []string) (globs []string, wider bool) {
	for _, g := range include {
		if d.floats != nil && d.floats(g) {
			wider = true
		}
		if !d.exact {
			w := g
			if d.bare {
				w = strings.Map(func(r rune) rune {
					if r < ' ' || strings.ContainsRune("#\"'`&", r) {
						return '?'
					}
					return r
				}, w)
			}
			if w = widen(w); w != g {
				g, wider = w, true
			}
		}
		if !slices.Contains(globs, g) {
			globs = append(globs, g)
		}
	}
	return globs, wider
}

// widen replaces "?" and "[...]" by "*". Two stars that meet become one: a
// segment may not turn into "**".
func widen(glob string) string {
	var b strings.Builder
	star := func() {
		if s := b.String(); !strings.HasSuffix(s, "*") {
			b.WriteByte('*')
		}
	}
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '?':
			star()
			for i+1 < len(glob) && glob[i+1] == '*' {
				i++
			}
		case '[':
			end := strings.IndexByte(glob[i:], ']')
			if end < 0 {
				b.WriteByte(c)
				continue
			}
			star()
			i += end
			for i+1 < len(glob) && glob[i+1] == '*' {
				i++
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// quoteYAML is a double-quoted scalar on one line that needs no escape but those
// of quotes and backslashes: the clients' own readers know few others.
func quoteYAML(s string) string {
	return yamlquote.Double(strings.Map(func(r rune) rune {
		if yamlquote.Odd(r) || r == 0xfffd || r&0xfffe == 0xfffe {
			return ' '
		}
		return r
	}, s))
}

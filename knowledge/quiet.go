package knowledge

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"pathrule/internal/head"
	"pathrule/workspace"
)

// Limits beyond which frontmatter.Parse warns.
const (
	MaxTitle       = 200  // runes
	MaxDescription = 1024 // runes, as the Agent Skills format has it
	MaxRelated     = 32
)

// frontBytes is how far into a text frontmatter.Parse looks for a head that is
// none.
const frontBytes = 4 << 10

// headQuiet reports that nothing about a file's head is odd. It need not find
// every head that is fine, but none that is not.
func headQuiet(data []byte, sp head.Span, lines head.Lines, kind Kind) bool {
	if !sp.Found {
		return !sp.Unclosed && !bytes.Contains(data[sp.Open:min(len(data), sp.Open+frontBytes)], []byte("---"))
	}
	if lines.Refused > 0 || lines.NotMapping > 0 {
		return false
	}
	for i := range lines.Fields {
		if k := lines.Fields[i].Key; !known(kind, k) && !Foreign(kind, k) {
			return false
		}
	}
	// A second head right behind the first.
	body := data[sp.Body:min(len(data), sp.Body+frontBytes)]
	return !bytes.HasPrefix(bytes.TrimSpace(body), []byte("---"))
}

// textQuiet reports that nothing about an entry's values and its text deserves a
// warning.
func textQuiet(e *Entry) bool {
	if utf8.RuneCountInString(e.Title) > MaxTitle || utf8.RuneCountInString(e.Description) > MaxDescription ||
		len(e.Related) > MaxRelated || e.Kind == Skill && e.Description == "" {
		return false
	}
	if strings.TrimSpace(e.Body) == "" {
		return false
	}
	if (strings.Contains(e.Body, "<!--") || strings.Contains(e.Body, "## Bindings")) && Strip(e.Body) == "" {
		return false
	}
	if len(workspace.Warnings(e.Paths)) > 0 {
		return false
	}
	for _, p := range e.Paths {
		if strings.Contains(p, ",") && len(workspace.SplitPatterns(p)) > 1 {
			return false
		}
	}
	return true
}

// Foreign reports keys of the Agent Skills format and of clients that read
// skills: theirs, and no mistake.
func Foreign(kind Kind, key string) bool {
	if kind != Skill {
		return false
	}
	switch key {
	case "license", "compatibility", "metadata", "allowed-tools", "version", "model", "argument-hint",
		"disable-model-invocation", "user-invocable", "context", "agent", "hooks":
		return true
	}
	return false
}

package observe

import "strings"

// theirs are the beginnings of the elements in which clients put their own words,
// and those of hooks, into a person's message.
var theirs = [...]string{
	"system-reminder", "system_reminder", "environment_context", "user_instructions", "INSTRUCTIONS", "command-name", "command-message", "command-args", "command-contents",
	"local-command", "bash-stdout", "bash-stderr", "task-notification", "subagent_notification", "turn_aborted", "skill", "hook_prompt", "hook_context",
	"session_context", "current_datetime", "qwen:", "ide_opened_file", "ide_selection",
}

// ownWords is what the person wrote of a message sent in their name: without the
// elements that a client or a hook added, and of Cursor's only the question.
// An element that is not closed counts only at the message's beginning, so that
// a person who writes about a tag keeps the rest.
func ownWords(s string) string {
	if _, rest, ok := strings.Cut(s, "<user_query>"); ok {
		q, _, _ := strings.Cut(rest, "</user_query>")
		return strings.TrimSpace(q)
	}
	t := strings.TrimSpace(s)
	switch {
	case strings.HasPrefix(t, "# AGENTS.md instructions"), strings.HasPrefix(t, "Stop hook feedback:"), strings.HasPrefix(t, "[Request interrupted by user"):
		return ""
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		end := elementOfTheirs(s)
		if end < 0 && strings.TrimSpace(b.String()) == "" && theirTag(s) != "" {
			return ""
		}
		if end < 0 {
			b.WriteByte('<')
			end = 1
		}
		s = s[end:]
	}
	b.WriteString(s)
	return strings.TrimSpace(b.String())
}

// elementOfTheirs is the length of the element that s begins with, -1 when it is
// none of theirs or not closed.
func elementOfTheirs(s string) int {
	name := theirTag(s)
	if name == "" {
		return -1
	}
	end := "</" + name + ">"
	i := strings.Index(s, end)
	if i < 0 {
		return -1
	}
	return i + len(end)
}

// theirTag is the name of the tag that s begins with, "" when it is not theirs.
func theirTag(s string) string {
	for _, t := range theirs {
		if strings.HasPrefix(s[1:], t) {
			name := s[1:]
			if i := strings.IndexAny(name, " \t\r\n>/"); i >= 0 {
				name = name[:i]
			}
			if len(name) > len(t) && !strings.HasSuffix(t, ":") && t != "local-command" {
				continue // "skills", of which a person may speak
			}
			return name
		}
	}
	return ""
}

package mcpserver

import (
	"fmt"
	"strings"
)

// otherWords are names that models use for ours.
func otherWords(name string) string {
	switch name {
	case "body", "text", "markdown", "value":
		return "content"
	case "name", "heading":
		return "title"
	case "path", "file", "files", "file_path", "scope_path", "node_path":
		return "paths"
	case "q", "search", "question", "task", "user_intent", "intent":
		return "query"
	case "version", "expected_version_id", "version_id":
		return "expected_version"
	case "edit", "patch":
		return "content_edit"
	case "memory_id", "rule_id", "skill_id", "slug", "key":
		return "id"
	case "directory", "dir", "workspace", "workspace_path", "root":
		return "cwd"
	case "max", "count", "top_k", "k":
		return "limit"
	case "all", "force", "include":
		return "include_delivered"
	}
	return ""
}

// didYouMean is `; did you mean "x"?` for the known word nearest to what was
// written, "" when none is near.
func didYouMean(word string, known []string) string {
	if best := nearestWord(word, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

func nearestWord(word string, known []string) string {
	word = strings.ToLower(word)
	other := otherWords(word)
	best, least := "", 1+max(1, len([]rune(word))/3)
	for _, k := range known {
		if k == other {
			return k
		}
		d := distance(word, k)
		if strings.ReplaceAll(word, "_", "") == strings.ReplaceAll(k, "_", "") {
			d = 0
		}
		if d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of runes to insert, delete, replace or swap with a
// neighbour to turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	older, old, now := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range old {
		old[j] = j
	}
	for i := range x {
		now[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			now[j+1] = min(old[j+1]+1, now[j]+1, old[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				now[j+1] = min(now[j+1], older[j-1]+1)
			}
		}
		older, old, now = old, now, older
	}
	return old[len(y)]
}

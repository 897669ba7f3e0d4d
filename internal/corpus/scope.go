package corpus

import (
	"strings"

	"pathrule/internal/head"
	"pathrule/workspace"
)

// scope is where a file at rel counts: the patterns of its head below the
// folder that it governs, or that folder.
func scope(rel string, fields []head.Field) (paths, warnings []string) {
	_, dir := place(rel)
	var patterns []string
	always, found := false, false
	for _, f := range fields {
		switch f.Key {
		case "globs", "paths", "applyTo", "glob", "fileMatch", "fileMatchPattern":
			if found || f.Nested {
				continue
			}
			list := f.List
			if !f.IsList && !f.Null {
				list = workspace.SplitPatterns(f.Text)
			}
			for _, p := range list {
				// A list's item may be a comma string all the same.
				patterns = append(patterns, workspace.SplitPatterns(p)...)
			}
			found = len(patterns) > 0
		case "alwaysApply":
			always = always || strings.EqualFold(strings.TrimSpace(f.Text), "true")
		case "trigger":
			always = always || strings.TrimSpace(f.Text) == "always_on"
		case "inclusion":
			always = always || strings.TrimSpace(f.Text) == "always"
		}
	}
	if always {
		if found {
			warnings = append(warnings, "always on, so its globs are decoration")
		}
		return under(dir), warnings
	}
	positive := false
	for _, p := range patterns {
		p, ok := pattern(p, dir)
		if !ok {
			return under(dir), warnings // "**" and its like
		}
		if p == "" {
			continue
		}
		if _, err := workspace.ParseScope([]string{p}); err != nil {
			warnings = append(warnings, "pattern left out: "+err.Error())
			continue
		}
		positive = positive || p[0] != '!'
		paths = append(paths, p)
	}
	if !positive {
		// Exclusions alone leave the rest of the governed folder.
		paths = append(under(dir), paths...)
	}
	return paths, warnings
}

// pattern brings one pattern of another client into ours. ok is false when it
// covers everything.
func pattern(p, dir string) (string, bool) {
	p = strings.Trim(strings.TrimSpace(p), `"'`)
	bang := ""
	if strings.HasPrefix(p, "!") {
		bang, p = "!", p[1:]
	}
	rooted := strings.HasPrefix(p, "/")
	p = strings.TrimPrefix(strings.TrimLeft(p, "/"), "./")
	switch p {
	case "":
		return "", true
	case "**", "*", "**/*", "**/*.*":
		return "", bang != ""
	}
	// A bare name counts at any depth for the clients that these come from.
	if !rooted && !strings.Contains(strings.TrimSuffix(p, "/"), "/") && !strings.HasPrefix(p, "**") {
		p = "**/" + p
	}
	if dir != "" {
		p = escape(dir) + "/" + p
	}
	return bang + p, true
}

// under covers a folder and everything below; the root is the whole workspace.
func under(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{escape(dir)}
}

// escape keeps a folder's own brackets and stars from being read as a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `!`, `\!`).Replace(dir)
}

// widest joins the scopes of the places at which one file lies; the whole
// workspace swallows the others.
func widest(scopes [][]string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range scopes {
		if len(s) == 0 {
			return nil
		}
		for _, p := range s {
			if !seen[p] {
				seen[p] = true
				out = append(out, p)
			}
		}
	}
	return out
}

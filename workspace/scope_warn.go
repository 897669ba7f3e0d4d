package workspace

import (
	"fmt"
	"strings"
)

// Warning is a pattern that is allowed but probably means something else.
type Warning struct {
	Pattern string // as written
	Msg     string // what it covers, in plain words
	Suggest string // the pattern that was probably meant
}

// Warnings looks over patterns that ParseScope accepts: a bare "*.ts" covers
// the root only, "**" inside a name is no more than "*", and [name] is a set of
// characters. "add" prints them and offers Suggest.
func Warnings(patterns []string) []Warning {
	var out []Warning
	for _, p := range patterns {
		clean := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(p), "!"), "/")
		switch {
		case clean == "*":
			out = append(out, Warning{p, "covers only the files and folders that lie in the root itself", "/"})
		case strings.HasPrefix(clean, "*") && !strings.HasPrefix(clean, "**") && !strings.Contains(clean, "/"):
			out = append(out, Warning{p, "covers the root folder only", keepBang(p, "**/"+clean)})
		case deepInName(clean) >= 0:
			i := deepInName(clean)
			out = append(out, Warning{p, `holds "**" inside a name, where it covers one folder level like "*"`,
				keepBang(p, clean[:i]+"**/*"+clean[i+2:])})
		case routeFolder(clean) != "":
			name := routeFolder(clean)
			out = append(out, Warning{p, fmt.Sprintf("reads %s as one character out of a set", name),
				keepBang(p, strings.Replace(clean, name, `\[`+name[1:len(name)-1]+`\]`, 1))})
		}
	}
	return out
}

func keepBang(written, pattern string) string {
	if strings.HasPrefix(strings.TrimSpace(written), "!") {
		return "!" + pattern
	}
	return pattern
}

// deepInName finds a "**" that begins a segment and has more behind it, as in
// "src/**.ts"; -1 if none.
func deepInName(p string) int {
	for i := 0; i+2 < len(p); i++ {
		if p[i] == '*' && p[i+1] == '*' && p[i+2] != '/' && p[i+2] != '*' && (i == 0 || p[i-1] == '/') {
			return i
		}
	}
	return -1
}

// routeFolder finds a whole segment "[word]", the name of a route folder in
// several web frameworks; "" if none.
func routeFolder(p string) string {
	for seg := range strings.SplitSeq(p, "/") {
		if len(seg) > 4 && seg[0] == '[' && strings.IndexByte(seg, ']') == len(seg)-1 && strings.Trim(seg[1:len(seg)-1], ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
			return seg
		}
	}
	return ""
}

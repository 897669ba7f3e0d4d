package host

import "strings"

// shWord is a word for a POSIX shell, in single quotes unless it is plain: no
// byte inside them means anything.
func shWord(word string) string {
	if plainWord(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// psWord is a word for PowerShell, always in single quotes.
func psWord(word string) string { return "'" + strings.ReplaceAll(word, "'", "''") + "'" }

// commandLine is a command for the shell that a client hands its hooks to:
// sh, or on Windows cmd or PowerShell, whichever the client takes. There the
// program is spelled with backslashes, since cmd finds none behind slashes.
func commandLine(argv []string, goos string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		switch {
		case goos != "windows":
			w = shWord(w)
		case i == 0:
			w = strings.ReplaceAll(w, "/", `\`)
			fallthrough
		default:
			if strings.ContainsAny(w, " &()^;,'") || w == "" {
				w = `"` + w + `"`
			}
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

func plainWord(word string) bool {
	return word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_./:@+,=-", r))
	})
}

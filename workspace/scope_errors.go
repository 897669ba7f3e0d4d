package workspace

import (
	"errors"
	"strings"
)

// What can be wrong with a pattern. The texts follow `path pattern "x"`.
var (
	errDotDot       = errors.New(`leaves the folder by ".."`)
	errBackslash    = errors.New("has a backslash that escapes nothing")
	errBracket      = errors.New(`has a "[" that is never closed`)
	errEmptyClass   = errors.New(`has an empty "[]"`)
	errSlashInClass = errors.New(`has a "/" inside "[…]"`)
	errBrace        = errors.New(`has a "{" that is never closed`)
	errBraceEnd     = errors.New(`has a "}" without its "{"`)
	errTooMany      = errors.New("spreads into more than 1,000 alternatives")
)

func remedyOf(err error) string {
	switch err {
	case errDotDot:
		return "patterns start at the project root and stay below it"
	case errBackslash:
		return `write "/" between folders, or "\\" for a real backslash`
	case errBracket, errEmptyClass, errSlashInClass:
		return `close it in the same segment, or write "\[" for the character itself`
	case errBrace:
		return `close it, or write "\{" for the character itself`
	case errBraceEnd:
		return `open it, or write "\}" for the character itself`
	case errTooMany:
		return "use * or several patterns"
	}
	return "see docs/format.md"
}

// classError finds out why doublestar refuses a brace-free segment.
func classError(seg string) error {
	for i := 0; i < len(seg); i++ {
		switch seg[i] {
		case '\\':
			if i++; i >= len(seg) {
				return errBackslash
			}
		case '{':
			return errBrace
		case '}':
			return errBraceEnd
		case '[':
			rest := strings.TrimLeft(seg[i+1:], "!^")
			if strings.HasPrefix(rest, "]") {
				return errEmptyClass
			}
			end := unescapedIndex(rest, ']')
			if end < 0 {
				return errBracket
			}
			i = len(seg) - len(rest) + end
		}
	}
	return errBracket
}

// unescapedIndex is the first c that no backslash stands before, -1 if none.
func unescapedIndex(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == c {
			return i
		}
	}
	return -1
}

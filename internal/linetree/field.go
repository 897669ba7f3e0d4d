package linetree

import "strings"

// Lines are tab-separated fields. A field escapes the bytes that have a
// meaning between fields, so that any text survives and a line stays a line:
// the files of a generation can be read with grep and cut.

const listSep = '\x1f'

// AppendField appends s with its separators escaped.
func AppendField(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); i++ {
		var e byte
		switch s[i] {
		case '\\':
			e = '\\'
		case '\t':
			e = 't'
		case '\n':
			e = 'n'
		case '\r':
			e = 'r'
		case listSep:
			e = 'u'
		default:
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = append(dst, '\\', e)
		start = i + 1
	}
	return append(dst, s[start:]...)
}

// Unescape is the inverse of AppendField; unknown escapes stand for themselves.
func Unescape(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for {
		b = append(b, s[:i]...)
		if i+1 >= len(s) {
			return string(b)
		}
		switch s[i+1] {
		case 't':
			b = append(b, '\t')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 'u':
			b = append(b, listSep)
		default:
			b = append(b, s[i+1])
		}
		s = s[i+2:]
		if i = strings.IndexByte(s, '\\'); i < 0 {
			return string(append(b, s...))
		}
	}
}

// AppendList appends a list as one field.
func AppendList(dst []byte, list []string) []byte {
	for i, s := range list {
		if i > 0 {
			dst = append(dst, listSep)
		}
		dst = AppendField(dst, s)
	}
	return dst
}

// SplitList is the inverse of AppendList; an empty field is no list.
func SplitList(s string) []string {
	if s == "" {
		return nil
	}
	out := make([]string, 0, strings.Count(s, string(listSep))+1)
	for {
		item, rest, more := strings.Cut(s, string(listSep))
		out = append(out, Unescape(item))
		if !more {
			return out
		}
		s = rest
	}
}

// Cut splits off the first field of a line.
func Cut(s string) (field, rest string) {
	if i := strings.IndexByte(s, '\t'); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// Key is a value as the first field of a line: escaped.
func Key(s string) string {
	if !strings.ContainsAny(s, "\\\t\n\r\x1f") {
		return s
	}
	return string(AppendField(nil, s))
}

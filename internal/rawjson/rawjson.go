// Package rawjson reads one JSON value without copying it: values are slices
// of the input, decoded only where asked. It takes what real hosts send and
// encoding/json refuses (raw control characters inside strings), and skips
// megabytes of tool output at the speed of a byte search, which a hook that
// looks at six small members of a large payload needs.
package rawjson

import (
	"bytes"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrSyntax: not one complete JSON value.
var ErrSyntax = errors.New("not a complete JSON value")

// MaxDepth is how deeply values may nest.
const MaxDepth = 10_000

// Value is one raw value without surrounding blanks; nil is an absent one.
type Value []byte

// KindName is a Kind as a person would say it.
func KindName(kind byte) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "missing"
}

// Kind is the value's first byte: '{' '[' '"' 't' 'f' 'n', '0' for any number,
// 0 for an absent value.
func (v Value) Kind() byte {
	if len(v) == 0 {
		return 0
	}
	if c := v[0]; c != '-' && (c < '0' || c > '9') {
		return c
	}
	return '0'
}

// Text is a string value decoded; "" for every other kind.
func (v Value) Text() string {
	if v.Kind() != '"' {
		return ""
	}
	return unquote(v[1 : len(v)-1])
}

// True reports the literal true.
func (v Value) True() bool { return v.Kind() == 't' }

// Get is the member of an object, nil when there is none. Of several with one
// name the last counts.
func (v Value) Get(name string) Value {
	var got Value
	v.Members(func(n string, m Value) bool {
		if n == name {
			got = m
		}
		return true
	})
	return got
}

// Members calls yield for each member of an object in order until it returns
// false; it does nothing for another kind.
func (v Value) Members(yield func(name string, member Value) bool) {
	if v.Kind() != '{' {
		return
	}
	i := blank(v, 1)
	for i < len(v) && v[i] == '"' {
		end := stringEnd(v, i)
		name := unquote(v[i+1 : end-1])
		i = blank(v, blank(v, end)+1) // the colon
		end = valueEnd(v, i)
		if !yield(name, v[i:end:end]) {
			return
		}
		i = blank(v, end)
		if v[i] != ',' {
			return
		}
		i = blank(v, i+1)
	}
}

// Elements is Members for an array.
func (v Value) Elements(yield func(element Value) bool) {
	if v.Kind() != '[' {
		return
	}
	i := blank(v, 1)
	for i < len(v) && v[i] != ']' {
		end := valueEnd(v, i)
		if !yield(v[i:end:end]) {
			return
		}
		i = blank(v, end)
		if v[i] != ',' {
			return
		}
		i = blank(v, i+1)
	}
}

func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// stringEnd is the index after the closing quote of the string that opens at
// i, or -1. A quote closes unless an odd number of backslashes stands before it.
func stringEnd(b []byte, i int) int {
	for at := i + 1; ; {
		q := bytes.IndexByte(b[at:], '"')
		if q < 0 {
			return -1
		}
		q += at
		n := 0
		for q-1-n > i && b[q-1-n] == '\\' {
			n++
		}
		if n%2 == 0 {
			return q + 1
		}
		at = q + 1
	}
}

// valueEnd is the index after the value at i of an already checked text.
func valueEnd(b []byte, i int) int {
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		for depth := 0; i < len(b); i++ {
			switch b[i] {
			case '"':
				i = stringEnd(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(b)
	}
	for i < len(b) {
		switch b[i] {
		case ',', ']', '}', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

// unquote decodes the inside of a string. Unknown escapes keep their
// character, halves of surrogates and bytes that are no UTF-8 become U+FFFD.
func unquote(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		if utf8.Valid(s) {
			return string(s)
		}
		return string(bytes.ToValidUTF8(s, []byte("\uFFFD")))
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, ok := hex4(s[i+1:])
			if !ok {
				out = append(out, 'u')
				continue
			}
			i += 4
			if utf16.IsSurrogate(r) {
				r2, ok := rune(0), false
				if i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
					r2, ok = hex4(s[i+3:])
				}
				if pair := utf16.DecodeRune(r, r2); ok && pair != utf8.RuneError {
					r = pair
					i += 6
				} else {
					r = utf8.RuneError
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			out = append(out, c)
		}
	}
	if utf8.Valid(out) {
		return string(out)
	}
	return string(bytes.ToValidUTF8(out, []byte("\uFFFD")))
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

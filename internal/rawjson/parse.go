package rawjson

// Parse checks that b is exactly one JSON value (blanks around it allowed) and
// returns it. Raw control characters and unknown escapes inside strings pass;
// everything else is as strict as RFC 8259.
func Parse(b []byte) (Value, error) {
	start := blank(b, 0)
	i := start
	// One byte per open container, so that depth costs no stack.
	var open []byte
	for {
		// A value begins at i.
		if i >= len(b) {
			return nil, ErrSyntax
		}
		switch c := b[i]; c {
		case '{', '[':
			if len(open) == MaxDepth {
				return nil, ErrSyntax
			}
			i = blank(b, i+1)
			if i < len(b) && b[i] == c+2 { // '}' and ']' stand two after their openers
				i++
				break
			}
			open = append(open, c)
			if c == '{' {
				if i = memberName(b, i); i < 0 {
					return nil, ErrSyntax
				}
			}
			continue
		case '"':
			if i = stringEnd(b, i); i < 0 {
				return nil, ErrSyntax
			}
		case 't', 'f', 'n':
			if i = literalEnd(b, i); i < 0 {
				return nil, ErrSyntax
			}
		default:
			if i = numberEnd(b, i); i < 0 {
				return nil, ErrSyntax
			}
		}
		// A value ended before i: close containers, or go on to the next one.
		for {
			if len(open) == 0 {
				if blank(b, i) != len(b) {
					return nil, ErrSyntax
				}
				return Value(b[start:i:i]), nil
			}
			i = blank(b, i)
			if i >= len(b) {
				return nil, ErrSyntax
			}
			top := open[len(open)-1]
			if b[i] == top+2 {
				open = open[:len(open)-1]
				i++
				continue
			}
			if b[i] != ',' {
				return nil, ErrSyntax
			}
			i = blank(b, i+1)
			if top == '{' {
				if i = memberName(b, i); i < 0 {
					return nil, ErrSyntax
				}
			}
			break
		}
	}
}

// memberName skips `"name" :` and the blanks after it; -1 when it is not there.
func memberName(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = stringEnd(b, i); i < 0 {
		return -1
	}
	i = blank(b, i)
	if i >= len(b) || b[i] != ':' {
		return -1
	}
	return blank(b, i+1)
}

func literalEnd(b []byte, i int) int {
	for _, w := range [...]string{"true", "false", "null"} {
		if len(b)-i >= len(w) && string(b[i:i+len(w)]) == w {
			return i + len(w)
		}
	}
	return -1
}

func numberEnd(b []byte, i int) int {
	digits := func() bool {
		from := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

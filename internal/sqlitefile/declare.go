package sqlitefile

import "strings"

// columns reads the names of a table's columns from its declaration. rowid is
// the column that stands for the row's number, -1 for none; odd says that the
// table is not kept as rows by number.
func columns(sql string) (names []string, rowid int, odd bool) {
	rowid = -1
	low := strings.ToLower(strings.Join(strings.Fields(sql), " "))
	if strings.HasPrefix(low, "create virtual") {
		return nil, -1, true
	}
	open := strings.IndexByte(sql, '(')
	if open < 0 {
		return nil, -1, true
	}
	parts, rest := split(sql[open+1:])
	odd = strings.Contains(strings.ToLower(strings.Join(strings.Fields(rest), " ")), "without rowid")
	for _, part := range parts {
		name, def := firstWord(part)
		if name == "" {
			continue
		}
		if first := strings.TrimLeft(part, " \t\r\n"); first[0] != '"' && first[0] != '`' && first[0] != '[' {
			switch strings.ToUpper(name) {
			case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
				continue // about the table
			}
		}
		if d := strings.ToUpper(strings.Join(strings.Fields(def), " ")); strings.HasPrefix(d, "INTEGER PRIMARY KEY") && !strings.HasPrefix(d, "INTEGER PRIMARY KEY DESC") {
			rowid = len(names)
		}
		names = append(names, name)
	}
	return names, rowid, odd
}

// split cuts the inside of the outer parentheses at its own commas; rest is
// what follows them. Comments count as blanks.
func split(s string) (parts []string, rest string) {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '"' || c == '`' || c == '[':
			end := c
			if c == '[' {
				end = ']'
			}
			j := strings.IndexByte(s[i+1:], end)
			if j < 0 {
				return append(parts, b.String()), ""
			}
			b.WriteString(s[i : i+j+2])
			i += j + 1
		case strings.HasPrefix(s[i:], "--"):
			j := strings.IndexByte(s[i:], '\n')
			if j < 0 {
				return append(parts, b.String()), ""
			}
			b.WriteByte(' ')
			i += j
		case strings.HasPrefix(s[i:], "/*"):
			j := strings.Index(s[i:], "*/")
			if j < 0 {
				return append(parts, b.String()), ""
			}
			b.WriteByte(' ')
			i += j + 1
		case c == '(':
			depth++
			b.WriteByte(c)
		case c == ')':
			if depth == 0 {
				return append(parts, b.String()), s[i+1:]
			}
			depth--
			b.WriteByte(c)
		case c == ',' && depth == 0:
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, b.String()), ""
}

// firstWord takes the name off a column's declaration, without its quotes.
func firstWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t\r\n")
	if s == "" {
		return "", ""
	}
	if i := strings.IndexByte("\"`[", s[0]); i >= 0 {
		end := strings.IndexByte(s[1:], "\"`]"[i])
		if end < 0 {
			return "", ""
		}
		return s[1 : 1+end], s[end+2:]
	}
	end := strings.IndexAny(s, " \t\r\n")
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

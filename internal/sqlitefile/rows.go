package sqlitefile

import (
	"encoding/binary"
	"math"
	"unicode/utf16"
)

// Row is one row by column. A value is nil, an int64, a float64, a string or a
// []byte; whole numbers of a REAL column are int64, as they are stored.
type Row map[string]any

// Text is a column's text, "" when it holds none.
func (r Row) Text(col string) string {
	s, _ := r[col].(string)
	return s
}

// Rows calls f for each row of the table, in the order of its row numbers; a
// table that is not there has none.
func (db *DB) Rows(table string, f func(Row) error) error {
	for i := range db.tables {
		t := &db.tables[i]
		if t.Name != table {
			continue
		}
		if t.odd {
			return bad("table %s is kept in a form that is not read here (WITHOUT ROWID or virtual)", table)
		}
		return db.walk(t.root, func(id int64, row []any) error {
			out := make(Row, len(t.Columns))
			for i, c := range t.Columns {
				switch {
				case i == t.rowid:
					out[c] = id
				case i < len(row): // columns added later are missing in old rows
					out[c] = row[i]
				}
			}
			return f(out)
		})
	}
	return nil
}

// walk goes through a table's tree, leaf by leaf.
func (db *DB) walk(root uint32, f func(id int64, row []any) error) error {
	return db.walkPage(root, 0, map[uint32]bool{}, f)
}

func (db *DB) walkPage(n uint32, depth int, seen map[uint32]bool, f func(int64, []any) error) error {
	if depth > maxDepth || seen[n] {
		return bad("page %d leads in a circle", n)
	}
	seen[n] = true
	p, err := db.read(n)
	if err != nil {
		return err
	}
	at := 0
	if n == 1 {
		at = 100
	}
	kind, cells := p[at], int(binary.BigEndian.Uint16(p[at+3:]))
	head := 8
	if kind == 5 {
		head = 12
	}
	if at+head+2*cells > len(p) {
		return bad("page %d names %d cells", n, cells)
	}
	for i := range cells {
		off := int(binary.BigEndian.Uint16(p[at+head+2*i:]))
		if off >= db.usable || off < at+head {
			return bad("cell %d of page %d", i, n)
		}
		switch kind {
		case 5:
			if off+4 > len(p) {
				return bad("cell %d of page %d", i, n)
			}
			if err := db.walkPage(binary.BigEndian.Uint32(p[off:]), depth+1, seen, f); err != nil {
				return err
			}
		case 13:
			id, payload, err := db.cell(p, off)
			if err != nil {
				return err
			}
			row, err := db.record(payload)
			if err != nil {
				return err
			}
			if err := f(id, row); err != nil {
				return err
			}
		default:
			return bad("page %d is of kind %d", n, kind)
		}
	}
	if kind == 5 {
		return db.walkPage(binary.BigEndian.Uint32(p[at+8:]), depth+1, seen, f)
	}
	if kind != 13 {
		return bad("page %d is of kind %d", n, kind)
	}
	return nil
}

// cell reads a row's number and its bytes, those on further pages included.
func (db *DB) cell(p []byte, off int) (id int64, payload []byte, err error) {
	size, n := varint(p[off:])
	if n == 0 {
		return 0, nil, bad("a cell's size")
	}
	off += n
	num, n := varint(p[off:])
	if n == 0 {
		return 0, nil, bad("a row's number")
	}
	off += n
	if size > maxPayload {
		return 0, nil, bad("a row of %d bytes", size)
	}
	total := int(size)
	local := total
	if limit := db.usable - 35; total > limit {
		least := (db.usable-12)*32/255 - 23
		if local = least + (total-least)%(db.usable-4); local > limit {
			local = least
		}
	}
	if off+local > len(p) {
		return 0, nil, bad("a row leaves its page")
	}
	if local == total {
		return int64(num), p[off : off+total], nil
	}
	if off+local+4 > len(p) {
		return 0, nil, bad("a row leaves its page")
	}
	out := append(make([]byte, 0, min(total, 1<<20)), p[off:off+local]...)
	next := binary.BigEndian.Uint32(p[off+local:])
	for len(out) < total {
		q, err := db.read(next)
		if err != nil {
			return 0, nil, err
		}
		next = binary.BigEndian.Uint32(q)
		out = append(out, q[4:4+min(total-len(out), db.usable-4)]...)
	}
	return int64(num), out, nil
}

// record reads the values of one row.
func (db *DB) record(b []byte) ([]any, error) {
	size, n := varint(b)
	if n == 0 || size > uint64(len(b)) || int(size) < n {
		return nil, bad("a row's head")
	}
	head, body := b[n:size], b[size:]
	var out []any
	for len(head) > 0 {
		kind, n := varint(head)
		if n == 0 {
			return nil, bad("a row's head")
		}
		head = head[n:]
		v, used, ok := db.value(kind, body)
		if !ok {
			return nil, bad("a value leaves its row")
		}
		out, body = append(out, v), body[used:]
	}
	return out, nil
}

func (db *DB) value(kind uint64, b []byte) (v any, used int, ok bool) {
	switch kind {
	case 0:
		return nil, 0, true
	case 8, 9:
		return int64(kind - 8), 0, true
	case 10, 11:
		return nil, 0, false
	}
	if kind < 8 {
		used = [...]int{0, 1, 2, 3, 4, 6, 8, 8}[kind]
		if used > len(b) {
			return nil, 0, false
		}
		var u uint64
		for _, c := range b[:used] {
			u = u<<8 | uint64(c)
		}
		if kind == 7 {
			return math.Float64frombits(u), used, true
		}
		shift := 64 - 8*used
		return int64(u<<shift) >> shift, used, true
	}
	n := (kind - 12) / 2
	if n > uint64(len(b)) {
		return nil, 0, false
	}
	used = int(n)
	if kind%2 == 0 {
		return append([]byte(nil), b[:used]...), used, true
	}
	return db.text(b[:used]), used, true
}

func (db *DB) text(b []byte) string {
	if db.utf16 == 0 {
		return string(b)
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if db.utf16 == 1 {
			units = append(units, uint16(b[i])|uint16(b[i+1])<<8)
		} else {
			units = append(units, uint16(b[i])<<8|uint16(b[i+1]))
		}
	}
	return string(utf16.Decode(units))
}

// varint reads SQLite's number of one to nine bytes; n is 0 when it is cut off.
func varint(b []byte) (v uint64, n int) {
	for i := 0; i < 9 && i < len(b); i++ {
		if i == 8 {
			return v<<8 | uint64(b[i]), 9
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

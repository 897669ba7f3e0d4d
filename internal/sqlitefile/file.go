// Package sqlitefile reads the tables of an SQLite database without SQLite: the
// published file format, read-only. It exists for one import, so it knows
// ordinary tables and no SQL. A library that does all of SQL would cost every
// start of the program several milliseconds and its size several megabytes.
//
// What a write-ahead log (FILE-wal) holds counts as far as it was committed;
// neither file is changed, locked or given a -shm file.
package sqlitefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrFormat: the file is no SQLite database, or a damaged one.
var ErrFormat = errors.New("not a readable SQLite database")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

const (
	maxPayload = 64 << 20 // bytes of one row
	maxDepth   = 32       // levels of a tree
)

// DB is an open database.
type DB struct {
	f, wal  *os.File
	size    int64 // bytes of f
	page    int   // bytes of a page
	usable  int   // of them without what is reserved at its end
	pages   uint32
	inWAL   map[uint32]int64 // where the newest committed copy of a page begins
	utf16   int              // 0: UTF-8, 1: little-endian, 2: big-endian
	user    int
	tables  []Table
	changed func() bool
}

// Table is one table of the database.
type Table struct {
	Name string
	// Columns as the table was declared, columns added later last.
	Columns []string
	root    uint32
	rowid   int // column that is the row's number, -1 for none
	odd     bool
}

// Open reads the header and the list of tables.
func Open(path string) (*DB, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	db := &DB{f: f}
	if err := db.open(path); err != nil {
		db.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// Close lets go of the files.
func (db *DB) Close() error {
	if db.wal != nil {
		_ = db.wal.Close()
	}
	return db.f.Close()
}

// UserVersion is the number that the program which owns the database keeps in
// it.
func (db *DB) UserVersion() int { return db.user }

// Tables lists the tables by name.
func (db *DB) Tables() []Table { return db.tables }

// Changed reports that the files were written to since they were opened, so
// that what was read may be from two moments.
func (db *DB) Changed() bool { return db.changed() }

func (db *DB) open(path string) error {
	st, err := db.f.Stat()
	if err != nil {
		return err
	}
	if !st.Mode().IsRegular() {
		return bad("no regular file")
	}
	db.size = st.Size()
	var h [100]byte
	if _, err := db.f.ReadAt(h[:], 0); err != nil && err != io.EOF {
		return err
	}
	if !bytes.HasPrefix(h[:], []byte("SQLite format 3\x00")) {
		return bad("it does not begin as one")
	}
	if j, err := os.Stat(path + "-journal"); err == nil && j.Size() > 512 {
		return fmt.Errorf("a write was cut off (%s-journal); open it once with the program that made it", path)
	}
	stamp := func() string {
		s := ""
		for _, p := range []string{path, path + "-wal"} {
			if st, err := os.Stat(p); err == nil {
				s += fmt.Sprint(st.Size(), st.ModTime().UnixNano(), ";")
			}
		}
		return s
	}
	before := stamp()
	db.changed = func() bool { return stamp() != before }
	db.pageSize(int(binary.BigEndian.Uint16(h[16:])), int(h[20]))
	if err := db.openWAL(path + "-wal"); err != nil {
		return err
	}
	if db.page < 512 || db.page > 65536 || db.page&(db.page-1) != 0 || db.usable < 480 {
		return bad("page size %d", db.page)
	}
	if db.pages == 0 {
		db.pages = uint32(min(db.size/int64(db.page), 1<<32-1))
	}
	first, err := db.read(1)
	if err != nil {
		return err
	}
	switch enc := binary.BigEndian.Uint32(first[56:]); enc {
	case 0, 1:
	case 2, 3:
		db.utf16 = int(enc) - 1
	default:
		return bad("text encoding %d", enc)
	}
	db.user = int(int32(binary.BigEndian.Uint32(first[60:])))
	return db.schema()
}

func (db *DB) pageSize(n, reserved int) {
	if n == 1 {
		n = 65536
	}
	db.page, db.usable = n, n-reserved
}

// read returns one page; pages count from 1.
func (db *DB) read(n uint32) ([]byte, error) {
	if n == 0 || n > db.pages {
		return nil, bad("page %d of %d", n, db.pages)
	}
	buf := make([]byte, db.page)
	if at, ok := db.inWAL[n]; ok {
		_, err := db.wal.ReadAt(buf, at)
		return buf, err
	}
	_, err := db.f.ReadAt(buf, int64(n-1)*int64(db.page))
	if err == io.EOF {
		err = bad("cut off at page %d", n)
	}
	return buf, err
}

// openWAL finds the newest committed copy of each page in the log.
func (db *DB) openWAL(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	db.wal = f
	var h [32]byte
	if _, err := f.ReadAt(h[:], 0); err != nil {
		return nil // empty or cut off: nothing was committed
	}
	magic := binary.BigEndian.Uint32(h[:])
	if magic&^1 != 0x377f0682 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if magic&1 == 1 {
		order = binary.BigEndian
	}
	page := int(binary.BigEndian.Uint32(h[8:]))
	if page < 512 || page > 65536 || page&(page-1) != 0 {
		return nil
	}
	s0, s1 := checksum(order, 0, 0, h[:24])
	if s0 != binary.BigEndian.Uint32(h[24:]) || s1 != binary.BigEndian.Uint32(h[28:]) {
		return nil
	}
	frame := make([]byte, 24+page)
	found, pending := map[uint32]int64{}, map[uint32]int64{}
	for at := int64(32); ; at += int64(len(frame)) {
		if _, err := f.ReadAt(frame, at); err != nil {
			break
		}
		if !bytes.Equal(frame[8:16], h[16:24]) { // salts: left from an older log
			break
		}
		s0, s1 = checksum(order, s0, s1, frame[:8])
		s0, s1 = checksum(order, s0, s1, frame[24:])
		if s0 != binary.BigEndian.Uint32(frame[16:]) || s1 != binary.BigEndian.Uint32(frame[20:]) {
			break
		}
		pending[binary.BigEndian.Uint32(frame)] = at + 24
		if n := binary.BigEndian.Uint32(frame[4:]); n > 0 {
			for p, off := range pending {
				found[p] = off
			}
			clear(pending)
			db.pages = n
		}
	}
	if len(found) > 0 {
		db.inWAL = found
		if db.page != page {
			db.usable += page - db.page
			db.page = page
		}
	}
	return nil
}

func checksum(order binary.ByteOrder, s0, s1 uint32, b []byte) (uint32, uint32) {
	for i := 0; i+8 <= len(b); i += 8 {
		s0 += order.Uint32(b[i:]) + s1
		s1 += order.Uint32(b[i+4:]) + s0
	}
	return s0, s1
}

// schema reads the list of tables, which is a table itself.
func (db *DB) schema() error {
	return db.walk(1, func(_ int64, row []any) error {
		if len(row) < 5 {
			return bad("a table without a declaration")
		}
		if kind, _ := row[0].(string); kind != "table" {
			return nil
		}
		name, _ := row[1].(string)
		root, _ := row[3].(int64)
		sql, _ := row[4].(string)
		if strings.HasPrefix(name, "sqlite_") || root <= 0 {
			return nil
		}
		t := Table{Name: name, root: uint32(root)}
		t.Columns, t.rowid, t.odd = columns(sql)
		db.tables = append(db.tables, t)
		return nil
	})
}

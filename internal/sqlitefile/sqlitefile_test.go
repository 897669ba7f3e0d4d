package sqlitefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dump writes rows as testdata/*.want has them, which SQLite itself wrote.
func dump(db *DB, tables ...string) (string, error) {
	var b strings.Builder
	for _, name := range tables {
		var cols []string
		for _, t := range db.Tables() {
			if t.Name == name {
				cols = t.Columns
			}
		}
		err := db.Rows(name, func(r Row) error {
			b.WriteString(name)
			for _, c := range cols {
				b.WriteByte('\t')
				switch v := r[c].(type) {
				case nil:
					b.WriteString("NULL")
				case []byte:
					b.WriteString("x" + hex.EncodeToString(v))
				case float64:
					fmt.Fprintf(&b, "f%.6f", v)
				case string:
					if len([]rune(v)) > 60 {
						sum := sha256.Sum256([]byte(v))
						v = "h" + hex.EncodeToString(sum[:])[:16]
					}
					b.WriteString(v)
				case int64:
					if c == "f" {
						fmt.Fprintf(&b, "f%.6f", float64(v))
						continue
					}
					b.WriteString(strconv.FormatInt(v, 10))
				default:
					t := fmt.Sprintf("%T", v)
					return errors.New("a value of type " + t)
				}
			}
			b.WriteByte('\n')
			return nil
		})
		if err != nil {
			return b.String(), err
		}
	}
	return b.String(), nil
}

func TestRowsAreWhatSQLiteReads(t *testing.T) {
	for _, name := range []string{"plain", "utf16", "wal"} {
		want, err := os.ReadFile("testdata/" + name + ".want")
		if err != nil {
			t.Fatal(err)
		}
		db, err := Open("testdata/" + name + ".db")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		got, err := dump(db, "things", "numbered")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
		if db.UserVersion() != 7 || db.Changed() {
			t.Errorf("%s: version %d, changed %v", name, db.UserVersion(), db.Changed())
		}
		if err := db.Rows("keyed", func(Row) error { return nil }); !errors.Is(err, ErrFormat) {
			t.Errorf("a table without row numbers: %v", err)
		}
		if err := db.Rows("none", func(Row) error { return errors.New("a row") }); err != nil {
			t.Errorf("a table that is not there: %v", err)
		}
	}
}

// What the log holds counts only as far as it was committed, and a log that is
// damaged or left from before counts for nothing.
func TestADamagedLogCountsUpToTheDamage(t *testing.T) {
	main, err := os.ReadFile("testdata/wal.db")
	if err != nil {
		t.Fatal(err)
	}
	wal, err := os.ReadFile("testdata/wal.db-wal")
	if err != nil {
		t.Fatal(err)
	}
	last := func(wal []byte) string {
		dir := t.TempDir()
		for name, b := range map[string][]byte{"x.db": main, "x.db-wal": wal} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		db, err := Open(filepath.Join(dir, "x.db"))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		text, err := dump(db, "numbered")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if left, _ := os.ReadDir(dir); len(left) != 2 {
			t.Errorf("reading left files behind: %v", left)
		}
		return lines[len(lines)-1]
	}
	if got := last(wal); !strings.Contains(got, "only in the log") {
		t.Errorf("the whole log: %q", got)
	}
	bent := slices.Clone(wal)
	bent[32+24+5] ^= 1
	for name, w := range map[string][]byte{"nothing": nil, "cut off": wal[:40], "a bit": bent, "no log": []byte(strings.Repeat("x", 100))} {
		if got := last(w); !strings.Contains(got, "late") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestColumnsOfADeclaration(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE t (a TEXT, b)":                                               "[a b] -1 false",
		"CREATE TABLE t(a INTEGER PRIMARY KEY, \"b c\" TEXT, PRIMARY KEY(a))":      "[a b c] 0 false",
		"CREATE TABLE t (a TEXT CHECK (a IN ('x,y', ')')), [b] INT) WITHOUT ROWID": "[a b] -1 true",
		"CREATE TABLE t (a /* , z */ TEXT, -- , y\n b TEXT)":                       "[a b] -1 false",
		"CREATE VIRTUAL TABLE t USING fts5(a)":                                     "[] -1 true",
	} {
		names, rowid, odd := columns(sql)
		if got := fmt.Sprint(names, rowid, odd); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "text": strings.Repeat("hello ", 100), "head alone": "SQLite format 3\x00"} {
		p := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(p, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(p); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A damaged file gives an error or other rows, and always an end.
func FuzzReadingADamagedFileEnds(f *testing.F) {
	b, err := os.ReadFile("testdata/plain.db")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(uint32(120), byte(0xff), uint32(3000), byte(1))
	f.Add(uint32(16), byte(2), uint32(512), byte(5))
	f.Fuzz(func(t *testing.T, at uint32, v byte, at2 uint32, v2 byte) {
		data := slices.Clone(b[:min(len(b), 40<<10)])
		data[int(at)%len(data)] = v
		data[int(at2)%len(data)] = v2
		p := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := Open(p)
		if err != nil {
			return
		}
		defer db.Close()
		for _, tab := range db.Tables() {
			_ = db.Rows(tab.Name, func(Row) error { return nil })
		}
	})
}

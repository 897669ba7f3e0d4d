package health

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/cespare/xxhash/v2"

	"pathrule/index/terms"
	"pathrule/internal/filelock"
	"pathrule/knowledge"
)

// FactsFile is the name, in a workspace's cache folder, of the file of entries
// and facts that were read before. It is derived and may go at any time.
const FactsFile = "facts"

const (
	// maxKept bounds the file: what does not fit is read each time.
	maxKept = 256 << 20
	// keptSlack is how much of the file, beside as much again as what is in use,
	// may be of entries that are gone or changed before it is written anew.
	keptSlack = 1 << 20
	// frame stands before every record: its length and its checksum.
	frame = 4 + 8
)

// magic begins the file; another version's is as good as none.
func magic() string {
	return fmt.Sprintf("pathrule-facts %d.%d\n", factsVersion, terms.AnalyserVersion)
}

// note is one entry, without its text, and its facts.
type note struct {
	entry knowledge.Entry
	facts *Facts
	bytes int64 // of the record
	used  bool
}

// kept are the notes of the file, by keptKey.
type kept struct {
	path  string
	at    map[string]*note
	fresh []*note
	// was is the file as it was read and end how far it could be; whole: that is
	// all of it.
	was   os.FileInfo
	end   int64
	whole bool
}

func keptKey(file, version string) string { return version + file }

// openKept reads the notes in a cache folder. A record whose checksum is not
// that of its bytes ends the file: what follows is read from the entries again.
func openKept(cache string) *kept {
	k := &kept{path: filepath.Join(cache, FactsFile), at: map[string]*note{}}
	f, err := os.Open(k.path)
	if err != nil {
		return k
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxKept {
		return k
	}
	r := bufio.NewReaderSize(f, 1<<20)
	head := make([]byte, len(magic()))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != magic() {
		return k
	}
	k.was, k.end = st, int64(len(head))
	var h [frame]byte
	var buf []byte
	for {
		if _, err := io.ReadFull(r, h[:]); err != nil {
			break
		}
		n := int64(binary.LittleEndian.Uint32(h[:]))
		if n > st.Size()-k.end-frame {
			break
		}
		if int64(cap(buf)) < n {
			buf = make([]byte, n)
		}
		buf = buf[:n]
		if _, err := io.ReadFull(r, buf); err != nil || xxhash.Sum64(buf) != binary.LittleEndian.Uint64(h[4:]) {
			break
		}
		one, ok := parseNote(buf)
		if !ok {
			break
		}
		one.bytes = frame + n
		k.end += one.bytes
		k.at[keptKey(one.entry.File, one.entry.Version)] = one
	}
	k.whole = k.end == st.Size()
	return k
}

// entry answers what store.ListKnown asks.
func (k *kept) entry(file, version string) (knowledge.Entry, bool) {
	n := k.at[keptKey(file, version)]
	if n == nil {
		return knowledge.Entry{}, false
	}
	return n.entry, true
}

// of are the facts of entries as they are kept, or as their texts give them;
// those are kept from now on.
func (k *kept) of(entries []knowledge.Entry) []*Facts {
	out := make([]*Facts, len(entries))
	var rest []knowledge.Entry
	var at []int
	for i := range entries {
		e := &entries[i]
		if n := k.at[keptKey(e.File, e.Version)]; n != nil && e.Version != "" {
			n.used, out[i] = true, n.facts
			continue
		}
		rest, at = append(rest, *e), append(at, i)
	}
	for j, f := range allFacts(rest) {
		out[at[j]] = f
		e := rest[j]
		// An entry is kept as far as plain ones have something to keep.
		if e.Version == "" || len(e.Block) > 0 || e.Check != nil {
			continue
		}
		e.Body = ""
		n := &note{entry: e, facts: f, used: true}
		k.at[keptKey(e.File, e.Version)] = n
		k.fresh = append(k.fresh, n)
	}
	return out
}

// save writes what was read for the first time behind the rest, or everything
// that is in use anew when the file is damaged or much of it is not. It is for
// speed alone, so that whatever goes wrong is only left undone.
func (k *kept) save() {
	live := int64(len(magic()))
	for _, n := range k.at {
		if n.used {
			live += n.bytes // 0 of fresh ones
		}
	}
	anew := k.was == nil || !k.whole || k.end > 2*live+keptSlack
	if len(k.fresh) == 0 && (!anew || k.was == nil && len(k.at) == 0) {
		return
	}
	lock, err := filelock.Acquire(k.path+".lock", time.Second)
	if err != nil {
		return
	}
	defer lock.Unlock()
	if anew {
		_ = k.rewrite()
		return
	}
	st, err := os.Stat(k.path)
	if err != nil || !os.SameFile(st, k.was) || st.Size() != k.end {
		return // another run kept what it read meanwhile
	}
	f, err := os.OpenFile(k.path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_ = writeNotes(f, k.end, k.fresh)
}

func (k *kept) rewrite() error {
	var all []*note
	for _, n := range k.at {
		if n.used && n.bytes > 0 {
			all = append(all, n)
		}
	}
	all = append(all, k.fresh...)
	// Always the same name, so that what a killed run left is written over. It is
	// not synced: a file that a power cut tore is known by its checksums.
	tmp := k.path + ".new"
	f, err := os.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, magic())
	if err == nil {
		err = writeNotes(f, int64(len(magic())), all)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp, k.path)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

// writeNotes appends records to a file of the size given, as long as they fit.
func writeNotes(f io.Writer, size int64, notes []*note) error {
	w := bufio.NewWriterSize(f, 1<<20)
	var buf []byte
	for _, n := range notes {
		buf = appendNote(append(buf[:0], make([]byte, frame)...), n)
		if size += int64(len(buf)); size > maxKept {
			break
		}
		binary.LittleEndian.PutUint32(buf, uint32(len(buf)-frame))
		binary.LittleEndian.PutUint64(buf[4:], xxhash.Sum64(buf[frame:]))
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return w.Flush()
}

// A record is the length of its first part; that part, of strings with their
// lengths, lists with their counts, and numbers; and sets of words with theirs,
// four bytes each.

func appendNote(b []byte, n *note) []byte {
	start := len(b)
	b = append(b, 0, 0, 0, 0)
	e, f := &n.entry, n.facts
	for _, s := range [...]string{e.File, e.Version, e.Title, e.Description, string(e.Priority), e.Enforcement, e.Source, e.Created, e.Updated} {
		b = appendText(b, s)
	}
	for _, l := range [...][]string{e.Paths, e.Tags, e.Related, e.Workspaces, f.numbers, f.mentions} {
		b = binary.AppendUvarint(b, uint64(len(l)))
		for _, s := range l {
			b = appendText(b, s)
		}
	}
	negated := 0
	if f.negated {
		negated = 1
	}
	for _, v := range [...]int{e.BodyOffset, f.size, f.Bytes, f.Hidden, f.Fences, negated} {
		b = binary.AppendUvarint(b, uint64(v))
	}
	binary.LittleEndian.PutUint32(b[start:], uint32(len(b)-start-4))
	for _, set := range [...][]uint32{f.words, f.pairs, f.core} {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(set)))
		for _, w := range set {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// noteReader takes a record apart; ok falls where it is not one.
type noteReader struct {
	text string
	sets []byte
	ok   bool
}

func parseNote(b []byte) (*note, bool) {
	if len(b) < 4 {
		return nil, false
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return nil, false
	}
	// One string holds all of them.
	r := &noteReader{string(b[4 : 4+n]), b[4+n:], true}
	e, f := knowledge.Entry{}, &Facts{}
	var priority string
	for _, s := range [...]*string{&e.File, &e.Version, &e.Title, &e.Description, &priority, &e.Enforcement, &e.Source, &e.Created, &e.Updated} {
		*s = r.string()
	}
	e.Priority = knowledge.Priority(priority)
	for _, l := range [...]*[]string{&e.Paths, &e.Tags, &e.Related, &e.Workspaces, &f.numbers, &f.mentions} {
		*l = r.list()
	}
	negated := 0
	for _, v := range [...]*int{&e.BodyOffset, &f.size, &f.Bytes, &f.Hidden, &f.Fences, &negated} {
		*v = r.int()
	}
	f.negated = negated == 1
	for _, s := range [...]*[]uint32{&f.words, &f.pairs, &f.core} {
		*s = r.set()
	}
	return &note{entry: e, facts: f}, r.ok && r.text == "" && len(r.sets) == 0
}

func (r *noteReader) int() int {
	// binary.Uvarint wants bytes, and the text is one string.
	v := 0
	for i := 0; i < len(r.text) && i < 5; i++ {
		c := r.text[i]
		v |= int(c&0x7f) << (7 * i)
		if c < 0x80 && v >= 0 {
			r.text = r.text[i+1:]
			return v
		}
	}
	r.ok, r.text = false, ""
	return 0
}

func (r *noteReader) string() string {
	n := r.int()
	if n > len(r.text) {
		r.ok, r.text = false, ""
		return ""
	}
	s := r.text[:n]
	r.text = r.text[n:]
	return s
}

func (r *noteReader) list() []string {
	n := r.int()
	if n == 0 {
		return nil
	}
	if n > len(r.text) { // each takes a byte at least
		r.ok, r.text = false, ""
		return nil
	}
	out := make([]string, n)
	for i := range out {
		out[i] = r.string()
	}
	return out
}

func (r *noteReader) set() []uint32 {
	if len(r.sets) < 4 {
		r.ok = false
		return nil
	}
	n := int64(binary.LittleEndian.Uint32(r.sets))
	r.sets = r.sets[4:]
	if n > int64(len(r.sets)/4) {
		r.ok = false
		return nil
	}
	if n == 0 {
		return nil
	}
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(r.sets[4*i:])
	}
	r.sets = r.sets[4*n:]
	return out
}

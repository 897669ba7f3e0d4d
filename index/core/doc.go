package core

import (
	"path"
	"strings"
	"unsafe"

	bleveindex "github.com/blevesearch/bleve_index_api"

	"pathrule/index/terms"
	"pathrule/knowledge"
)

// The text fields of an entry. Their order is the order of the lengths in the
// manifest; adding one needs a new catalog.Layout.
const (
	fieldAll = iota
	fieldTitle
	fieldTags
	fieldDesc
	fieldSymbols
	fieldPath
	numFields
)

// fieldNames as they stand in the bleve index. "all" is the one that knows in
// how many entries a word occurs.
var fieldNames = [numFields]string{"all", "title", "tags", "description", "symbols", "path"}

const (
	// fieldScope holds the keys of an entry's scope as keywords.
	fieldScope = "scope"
	// fieldBase and fieldDir are the words of a project file's name and folders.
	fieldBase = "base"
	fieldDir  = "dir"

	// filePrefix begins the document id of a project file; an entry's is
	// "kind:id".
	filePrefix = "f:"
	// metaID is a document that every index holds: bleve has no empty segment.
	metaID = "m:index"
)

// lengths are the analysed words of one entry per text field.
type lengths [numFields]int

// document is one bleve document whose words are already analysed, so that
// analysis runs beside the writing of segments.
type document struct {
	id     string
	fields []bleveindex.Field
}

func (d *document) ID() string { return d.id }
func (d *document) Size() int  { return 64 + 512*len(d.fields) }
func (d *document) VisitFields(visit bleveindex.FieldVisitor) {
	for _, f := range d.fields {
		visit(f)
	}
}
func (d *document) VisitComposite(bleveindex.CompositeFieldVisitor) {}
func (d *document) HasComposite() bool                              { return false }
func (d *document) NumPlainTextBytes() uint64                       { return 0 }
func (d *document) StoredFieldsBytes() uint64                       { return 0 }
func (d *document) Indexed() bool                                   { return true }

// AddIDField adds the one stored field, by which bleve knows a document.
func (d *document) AddIDField() {
	id := []byte(d.id)
	freq := &bleveindex.TokenFreq{Term: id}
	freq.SetFrequency(1)
	d.fields = append(d.fields, &field{
		name: "_id", value: id, length: 1,
		options: bleveindex.IndexField | bleveindex.StoreField,
		freqs:   bleveindex.TokenFrequencies{d.id: freq},
	})
}

// field is an analysed field: nothing stored, no term vectors, no doc values.
type field struct {
	name    string
	value   []byte
	length  int
	options bleveindex.FieldIndexingOptions
	freqs   bleveindex.TokenFrequencies
}

func (f *field) Name() string                                          { return f.name }
func (f *field) Value() []byte                                         { return f.value }
func (f *field) ArrayPositions() []uint64                              { return nil }
func (f *field) EncodedFieldType() byte                                { return 't' }
func (f *field) Analyze()                                              {}
func (f *field) Options() bleveindex.FieldIndexingOptions              { return f.options }
func (f *field) AnalyzedLength() int                                   { return f.length }
func (f *field) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies { return f.freqs }
func (f *field) NumPlainTextBytes() uint64                             { return uint64(len(f.value)) }

// words counts the terms of one field.
type words struct {
	freqs bleveindex.TokenFrequencies
	n     int
}

func (a *analyser) add(w *words, ts []terms.Term, all *words) {
	if len(ts) == 0 {
		return
	}
	if w.freqs == nil {
		w.freqs = make(bleveindex.TokenFrequencies, len(ts))
	}
	for i := range ts {
		f := a.count(w, ts[i].Text)
		if all == nil {
			continue
		}
		all.n++
		if g := all.freqs[ts[i].Text]; g != nil {
			g.SetFrequency(g.Frequency() + 1)
			continue
		}
		g := a.slab.freq()
		g.Term = f.Term
		g.SetFrequency(1)
		all.freqs[unsafe.String(unsafe.SliceData(f.Term), len(f.Term))] = g
	}
}

func (a *analyser) count(w *words, term string) *bleveindex.TokenFreq {
	w.n++
	f := w.freqs[term]
	if f == nil {
		// A copy: the term may be a slice of the whole analysed text.
		f = a.slab.freq()
		f.Term = a.slab.bytes(term)
		w.freqs[unsafe.String(unsafe.SliceData(f.Term), len(f.Term))] = f
	}
	f.SetFrequency(f.Frequency() + 1)
	return f
}

// slab hands out small things from large pieces: a build counts millions of
// words, and each would cost three allocations.
type slab struct {
	freqs []bleveindex.TokenFreq
	text  []byte
}

func (s *slab) freq() *bleveindex.TokenFreq {
	if len(s.freqs) == 0 {
		s.freqs = make([]bleveindex.TokenFreq, 256)
	}
	f := &s.freqs[0]
	s.freqs = s.freqs[1:]
	return f
}

// bytes copies a term; nobody writes to the copy, so that a string may share it.
func (s *slab) bytes(term string) []byte {
	if len(s.text) < len(term) {
		s.text = make([]byte, max(8<<10, len(term)))
	}
	b := s.text[:len(term):len(term)]
	copy(b, term)
	s.text = s.text[len(term):]
	return b
}

func (w *words) field(name string) *field {
	return &field{name: name, length: w.n, options: bleveindex.IndexField, freqs: w.freqs}
}

func keywords(name string, list []string) *field {
	freqs := make(bleveindex.TokenFrequencies, len(list))
	for _, k := range list {
		freqs[k] = &bleveindex.TokenFreq{Term: []byte(k)}
	}
	return &field{name: name, length: len(list), options: bleveindex.IndexField | bleveindex.SkipFreqNorm, freqs: freqs}
}

// analyser makes documents; it keeps its buffer, so one goroutine uses it.
type analyser struct {
	buf  []terms.Term
	slab slab
}

func (a *analyser) terms(text string) []terms.Term {
	a.buf = terms.AppendTerms(a.buf[:0], text)
	return a.buf
}

// entry makes the document of an entry. keys are its scope's.
func (a *analyser) entry(e *knowledge.Entry, keys []string) (*document, lengths) {
	var w [numFields]words
	all := &w[fieldAll]
	all.freqs = make(bleveindex.TokenFrequencies, 64+len(e.Body)/16)
	a.add(&w[fieldTitle], a.terms(e.Title), all)
	a.add(&w[fieldTags], a.terms(strings.Join(e.Tags, "\n")), all)
	a.add(&w[fieldDesc], a.terms(e.Description), all)
	a.add(&w[fieldPath], a.terms(pathText(e)), all)
	a.add(all, a.terms(e.Body), nil)
	a.add(&w[fieldSymbols], a.terms(code(e.Body)), nil)
	d := &document{id: e.Key(), fields: make([]bleveindex.Field, 0, numFields+2)}
	var n lengths
	for i := range w {
		n[i] = w[i].n
		if w[i].n > 0 {
			d.fields = append(d.fields, w[i].field(fieldNames[i]))
		}
	}
	d.fields = append(d.fields, keywords(fieldScope, keys))
	return d, n
}

// pathText are the words of an entry's id and scope.
func pathText(e *knowledge.Entry) string {
	var b strings.Builder
	b.WriteString(strings.TrimPrefix(e.ID, knowledge.PersonalPrefix))
	for _, p := range e.Paths {
		b.WriteByte('\n')
		b.WriteString(p)
	}
	return b.String()
}

// file makes the document of a project file.
func (a *analyser) file(p string) *document {
	var base, dir words
	a.add(&base, a.terms(path.Base(p)), nil)
	d := &document{id: filePrefix + p, fields: make([]bleveindex.Field, 0, 3)}
	d.fields = append(d.fields, base.field(fieldBase))
	if folder := path.Dir(p); folder != "." {
		a.add(&dir, a.terms(folder), nil)
		d.fields = append(d.fields, dir.field(fieldDir))
	}
	return d
}

func metaDocument() *document {
	return &document{id: metaID, fields: make([]bleveindex.Field, 0, 1)}
}

// code is the text of a Markdown body's code spans and fenced blocks: where
// the identifiers stand.
func code(body string) string {
	if !strings.ContainsAny(body, "`~") {
		return ""
	}
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(body) {
		trimmed := strings.TrimLeft(line, " \t>")
		if fence != "" {
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]+" \t\r\n") == "" {
				fence = ""
				continue
			}
			b.WriteString(line)
			continue
		}
		if f := fenceOf(trimmed); f != "" {
			fence = f
			continue
		}
		spans(&b, line)
	}
	return b.String()
}

// fenceOf is the run of backticks or tildes that opens a fenced block.
func fenceOf(s string) string {
	for _, c := range [...]byte{'`', '~'} {
		n := 0
		for n < len(s) && s[n] == c {
			n++
		}
		// An info string after backticks holds no backtick, else it is a span.
		if n >= 3 && (c == '~' || strings.IndexByte(s[n:], '`') < 0) {
			return s[:n]
		}
	}
	return ""
}

func spans(b *strings.Builder, line string) {
	for {
		i := strings.IndexByte(line, '`')
		if i < 0 {
			return
		}
		n := 0
		for i+n < len(line) && line[i+n] == '`' {
			n++
		}
		tick, rest := line[i:i+n], line[i+n:]
		end := strings.Index(rest, tick)
		if end < 0 {
			return
		}
		b.WriteString(rest[:end])
		b.WriteByte('\n')
		line = rest[end+n:]
	}
}

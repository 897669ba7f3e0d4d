package core

import (
	"path"
	"slices"
	"strings"

	bleveindex "github.com/blevesearch/bleve_index_api"

	"pathrule/index/terms"
	"pathrule/internal/codefence"
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
	d.fields = append(d.fields, &field{
		name: "_id", value: []byte(d.id), words: []string{d.id},
		options: bleveindex.IndexField | bleveindex.StoreField,
	})
}

// field is an analysed field: nothing stored, no term vectors, no doc values.
// bleve asks for counted words; a build takes them as they come (EachWord), since
// counting them document by document is most of what analysis would cost.
type field struct {
	name    string
	value   []byte
	words   []string // each occurrence
	options bleveindex.FieldIndexingOptions
	freqs   bleveindex.TokenFrequencies // once asked for
}

func (f *field) Name() string                             { return f.name }
func (f *field) Value() []byte                            { return f.value }
func (f *field) ArrayPositions() []uint64                 { return nil }
func (f *field) EncodedFieldType() byte                   { return 't' }
func (f *field) Analyze()                                 {}
func (f *field) Options() bleveindex.FieldIndexingOptions { return f.options }
func (f *field) AnalyzedLength() int                      { return len(f.words) }
func (f *field) NumPlainTextBytes() uint64                { return uint64(len(f.value)) }

// EachWord visits every occurrence of every word. Keywords (SkipFreqNorm) are
// not counted: each stands in its document or not.
func (f *field) EachWord(visit func(word string)) {
	for _, w := range f.words {
		visit(w)
	}
}

func (f *field) AnalyzedTokenFrequencies() bleveindex.TokenFrequencies {
	if f.freqs == nil {
		f.freqs = make(bleveindex.TokenFrequencies, len(f.words))
		counted := f.options&bleveindex.SkipFreqNorm == 0
		for _, w := range f.words {
			t := f.freqs[w]
			if t == nil {
				t = &bleveindex.TokenFreq{Term: []byte(w)}
				f.freqs[w] = t
			}
			if counted {
				t.SetFrequency(t.Frequency() + 1)
			}
		}
	}
	return f.freqs
}

func keywords(name string, list []string) *field {
	return &field{name: name, words: list, options: bleveindex.IndexField | bleveindex.SkipFreqNorm}
}

// analyser makes documents; it keeps its buffer, so one goroutine uses it.
type analyser struct {
	buf []terms.Term
}

// add appends the words of a text.
func (a *analyser) add(to []string, text string) []string {
	a.buf = terms.AppendTerms(a.buf[:0], text)
	to = slices.Grow(to, len(a.buf))
	for i := range a.buf {
		to = append(to, a.buf[i].Text)
	}
	return to
}

// entry makes the document of an entry. keys are its scope's.
func (a *analyser) entry(e *knowledge.Entry, keys []string) (*document, lengths) {
	var w [numFields][]string
	w[fieldTitle] = a.add(nil, e.Title)
	w[fieldTags] = a.add(nil, strings.Join(e.Tags, "\n"))
	w[fieldDesc] = a.add(nil, e.Description)
	w[fieldPath] = a.add(nil, pathText(e))
	w[fieldAll] = a.add(slices.Concat(w[fieldTitle], w[fieldTags], w[fieldDesc], w[fieldPath]), e.Body)
	w[fieldSymbols] = a.add(nil, code(e.Body))
	d := &document{id: e.Key(), fields: make([]bleveindex.Field, 0, numFields+2)}
	var n lengths
	for i := range w {
		n[i] = len(w[i])
		if n[i] > 0 {
			d.fields = append(d.fields, &field{name: fieldNames[i], words: w[i], options: bleveindex.IndexField})
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
	d := &document{id: filePrefix + p, fields: make([]bleveindex.Field, 0, 3)}
	d.fields = append(d.fields, &field{name: fieldBase, words: a.add(nil, path.Base(p)), options: bleveindex.IndexField})
	if folder := path.Dir(p); folder != "." {
		d.fields = append(d.fields, &field{name: fieldDir, words: a.add(nil, folder), options: bleveindex.IndexField})
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
	var fences codefence.Fences
	for line := range strings.Lines(body) {
		switch fences.Next(line) {
		case codefence.Inside:
			b.WriteString(line)
		case codefence.Outside:
			spans(&b, line)
		}
	}
	return b.String()
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

// Package gen makes synthetic workspaces of any size for tests and benchmarks:
// the same seed and sizes give the same bytes everywhere. Words follow a Zipf
// law in several languages, scopes follow a folder tree, so that an index of
// such a workspace behaves like one of a real team's notes.
package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options size a workspace.
type Options struct {
	Entries int // memories, rules and skills together
	Files   int // project files, in a git index (no blobs, no files on disk)
	// OnDisk writes the project files too, empty; without it only the git index
	// names them.
	OnDisk bool
	Seed   uint64 // 0 is a seed like any other
}

// Entry is what the generator wrote, for a caller that wants to ask for it.
type Entry struct {
	Kind, ID, Title string
	Paths           []string
}

// zipf draws from a list, the first ones far more often than the last.
type zipf struct {
	words []string
	cdf   []float64
}

// makeZipf fills a list of n different words.
func makeZipf(n int, word func() string) zipf {
	var z zipf
	seen := map[string]bool{}
	sum := 0.0
	for len(z.words) < n {
		w := word()
		if seen[w] {
			continue
		}
		seen[w] = true
		sum += 1 / math.Pow(float64(len(z.words))+2.7, 1.05)
		z.words, z.cdf = append(z.words, w), append(z.cdf, sum)
	}
	return z
}

func (z *zipf) draw(r *rand.Rand) string {
	x := r.Float64() * z.cdf[len(z.cdf)-1]
	i, _ := slices.BinarySearch(z.cdf, x)
	return z.words[min(i, len(z.words)-1)]
}

// Text makes words.
type Text struct {
	r       *rand.Rand
	latin   zipf
	foreign []zipf // Russian-, German-, Chinese- and Japanese-looking
	idents  zipf
}

// NewText makes a source of words. Its vocabulary grows neither with the number
// of entries nor with the seed: what a team writes about is finite.
func NewText(seed uint64) *Text {
	r := rand.New(rand.NewPCG(0x70617468, 0x72756c65))
	t := &Text{latin: makeZipf(6000, func() string { return coin(r, latin) })}
	t.idents = makeZipf(5000, func() string { return t.ident(r) })
	t.foreign = []zipf{
		makeZipf(4000, func() string { return coin(r, cyrillic) }),
		makeZipf(4000, func() string { return coin(r, umlaut) }),
		makeZipf(3000, func() string { return runes(r, 0x4e00, 900, 1+r.IntN(2)) }),
		makeZipf(3000, func() string { return runes(r, 0x3042, 80, 2+r.IntN(3)) }),
	}
	t.r = rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	return t
}

type script struct{ onset, vowel, coda []string }

var (
	latin = script{
		strings.Fields("b c d f g h k l m n p r s t v w br cl cr dr fl gr pl pr sh sl st str th tr"),
		strings.Fields("a e i o u ai ea io ou"), append(strings.Fields("n r s t l m nd nt st rk ck x"), "", "", ""),
	}
	cyrillic = script{
		strings.Fields("б в г д ж з к л м н п р с т ф х ч ш пр ст тр"),
		strings.Fields("а е и о у ы я ю"), append(strings.Fields("н р с т л м в к й"), "", "", ""),
	}
	umlaut = script{
		strings.Fields("b d f g h k l m n p r s t w z sch st sp tr kr"),
		strings.Fields("a e i o u ä ö ü ei au"), append(strings.Fields("n r s t l m ch ng cht"), ""),
	}
)

func coin(r *rand.Rand, s script) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		b.WriteString(s.onset[r.IntN(len(s.onset))])
		b.WriteString(s.vowel[r.IntN(len(s.vowel))])
	}
	b.WriteString(s.coda[r.IntN(len(s.coda))])
	return b.String()
}

func runes(r *rand.Rand, from rune, span, n int) string {
	b := make([]rune, n)
	for i := range b {
		b[i] = from + rune(r.IntN(span))
	}
	return string(b)
}

// Word is one word of the commonest language.
func (t *Text) Word() string { return t.latin.draw(t.r) }

// Words joins n words.
func (t *Text) Words(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Word())
	}
	return b.String()
}

// sentence in another language.
func (t *Text) sentence() string {
	i := t.r.IntN(len(t.foreign))
	space, stop := " ", "."
	if i >= 2 {
		space, stop = "", "。"
	}
	w := make([]string, 6+t.r.IntN(8))
	for j := range w {
		w[j] = t.foreign[i].draw(t.r)
	}
	return strings.Join(w, space) + stop
}

// Ident is a name as code has it.
func (t *Text) Ident() string { return t.idents.draw(t.r) }

func (t *Text) ident(r *rand.Rand) string {
	a, b := t.latin.draw(r), t.latin.draw(r)
	switch r.IntN(3) {
	case 0:
		return a + strings.ToUpper(b[:1]) + b[1:]
	case 1:
		return a + "_" + b
	default:
		return strings.ToUpper(a[:1]) + a[1:] + strings.ToUpper(b[:1]) + b[1:]
	}
}

// tree is a folder tree with as many leaves as a project of that size has.
type tree struct{ dirs []string }

func newTree(t *Text, files int) tree {
	n := max(12, files/12)
	tr := tree{dirs: []string{"src", "lib", "docs", "test", "cmd", "internal"}}
	seen := map[string]bool{}
	for len(tr.dirs) < n {
		p := tr.dirs[t.r.IntN(len(tr.dirs))]
		if strings.Count(p, "/") > 6 {
			continue
		}
		d := p + "/" + t.Word()
		if !seen[d] {
			seen[d] = true
			tr.dirs = append(tr.dirs, d)
		}
	}
	return tr
}

var extensions = strings.Fields("go ts tsx py js sql md yaml rs java css sh")

// Make writes a workspace below root (which exists) and returns its entries.
func Make(root string, o Options) ([]Entry, error) {
	t := NewText(o.Seed)
	tr := newTree(t, max(o.Files, o.Entries))
	files := make([]string, 0, o.Files)
	seen := map[string]bool{}
	for len(files) < o.Files {
		p := tr.dirs[t.r.IntN(len(tr.dirs))] + "/" + t.Word() + "_" + t.Word() + "." + extensions[t.r.IntN(len(extensions))]
		if !seen[p] {
			seen[p] = true
			files = append(files, p)
		}
	}
	if o.OnDisk {
		for _, p := range files {
			if err := write(filepath.Join(root, filepath.FromSlash(p)), ""); err != nil {
				return nil, err
			}
		}
	}
	if o.Files > 0 {
		if err := write(filepath.Join(root, ".git", "HEAD"), "ref: refs/heads/main\n"); err != nil {
			return nil, err
		}
		if err := write(filepath.Join(root, ".git", "index"), string(GitIndex(files))); err != nil {
			return nil, err
		}
	}
	store := filepath.Join(root, ".pathrule")
	entries := make([]Entry, 0, o.Entries)
	for i := range o.Entries {
		e, name, text := t.entry(i, tr, files)
		entries = append(entries, e)
		if err := write(filepath.Join(store, filepath.FromSlash(name)), text); err != nil {
			return nil, err
		}
	}
	if o.Entries == 0 {
		return entries, os.MkdirAll(store, 0o755)
	}
	return entries, nil
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// entry makes the i-th entry: seven memories, two rules and a skill in ten, a
// group folder for every hundred.
func (t *Text) entry(i int, tr tree, files []string) (Entry, string, string) {
	e := Entry{Kind: "memory", Title: strings.ToUpper(t.Word()[:1]) + t.Words(3+t.r.IntN(5))}
	e.Paths = t.paths(tr, files)
	id := fmt.Sprintf("g%03d/%s-%d", i/100, t.Word(), i)
	e.ID = id
	var head strings.Builder
	name := "memories/" + id + ".md"
	switch i % 10 {
	case 7, 8:
		e.Kind, name = "rule", "rules/"+id+".md"
		fmt.Fprintf(&head, "title: %s\npriority: %s\n", e.Title, []string{"high", "medium", "low"}[t.r.IntN(3)])
	case 9:
		e.Kind, name = "skill", "skills/"+id+"/SKILL.md"
		fmt.Fprintf(&head, "name: %s\ndescription: %s\n", e.Title, t.Words(8+t.r.IntN(8)))
	default:
		fmt.Fprintf(&head, "title: %s\n", e.Title)
	}
	if len(e.Paths) > 0 {
		head.WriteString("paths:\n")
		for _, p := range e.Paths {
			fmt.Fprintf(&head, "  - %q\n", p)
		}
	}
	fmt.Fprintf(&head, "tags: [%s, %s]\n", t.Word(), t.Word())
	var b strings.Builder
	fmt.Fprintf(&b, "---\n%s---\n\n", head.String())
	// One entry in five has text in another language too.
	foreign := t.r.IntN(5) == 0
	for range 1 + t.r.IntN(4) {
		for range 1 + t.r.IntN(3) {
			s := t.Words(6 + t.r.IntN(12))
			b.WriteString(strings.ToUpper(s[:1]) + s[1:] + ". ")
		}
		if foreign {
			b.WriteString(t.sentence() + " ")
		}
		fmt.Fprintf(&b, "See `%s`.\n\n", t.Ident())
	}
	if t.r.IntN(4) == 0 {
		fmt.Fprintf(&b, "```go\nfunc %s() error { return %s(%s) }\n```\n", t.Ident(), t.Ident(), t.Ident())
	}
	return e, name, b.String()
}

// paths: one entry in fifty speaks about the whole workspace, one in twelve is
// a glob without a folder, the rest name folders, files and globs below one.
func (t *Text) paths(tr tree, files []string) []string {
	var out []string
	for range 1 + t.r.IntN(2) {
		dir := tr.dirs[t.r.IntN(len(tr.dirs))]
		switch n := t.r.IntN(100); {
		case n < 2:
			return nil
		case n < 10:
			out = append(out, "**/*_"+t.Word()+"."+extensions[t.r.IntN(len(extensions))])
		case n < 40 && len(files) > 0:
			out = append(out, files[t.r.IntN(len(files))])
		case n < 60:
			out = append(out, dir+"/**/*."+extensions[t.r.IntN(len(extensions))])
		default:
			out = append(out, dir)
		}
	}
	return out
}

// FilePath is a file that lies below one of e's folders, "" when the entry
// names none.
func (e Entry) FilePath() string {
	for _, p := range e.Paths {
		if strings.HasPrefix(p, "**") {
			continue
		}
		if dir, ext, ok := strings.Cut(p, "/**/*"); ok {
			return dir + "/some/file" + ext
		}
		if strings.Contains(filepath.Base(p), ".") {
			return p
		}
		return p + "/file.go"
	}
	return ""
}

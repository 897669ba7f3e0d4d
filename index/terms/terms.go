// Package terms is the one analyser for index and query, right for any script:
// NFKC, width folding, identifiers split and also kept whole, lower case, CJK
// and Thai bigrams with a unigram fallback, light stemming for languages where
// it is safe. bleve wraps it for the index; slice uses it to see which query
// words an entry really holds. It must not import bleve.
package terms

// Term is one analysed word.
type Term struct {
	Text  string // folded, stemmed
	Start int    // byte offset in the input
	End   int
	Pos   int // 1-based word position; parts of one identifier share it
	// Whole: an identifier kept in one piece beside its parts.
	Whole bool
}

// Analyse splits text into terms in order. Same input, same terms.
func Analyse(text string) []Term { return analyse(text) }

// Stop reports words that carry no topic in the languages we know ("the",
// "и", "der", "です" ...). They are kept in the index; ranking gives them no
// weight unless a query has nothing else.
func Stop(term string) bool { return stop(term) }

// Package terms is the one analyser for index and query, right for any script:
// NFKC (which folds widths too), identifiers split and also kept whole, lower
// case, CJK and Thai bigrams with a unigram fallback, light stemming for
// languages where it is safe. bleve wraps it for the index; slice uses it to
// see which query words an entry really holds. It must not import bleve, and
// does no work when the program starts: every hook process links it.
//
// A term is a function of its own word alone, never of the text around it or
// of a guessed language, so that a word gives the same term in a query and in
// an entry.
package terms

// AnalyserVersion changes whenever the same text may give other terms; an
// index made with another version is rebuilt.
//
//	1: first version
const AnalyserVersion = 1

// MaxTermBytes bounds Term.Text; a longer word is cut at a character, and a
// longer identifier keeps only its parts.
const MaxTermBytes = 96

// Term is one analysed word.
type Term struct {
	Text  string // folded, stemmed
	Start int    // byte offset in the input
	End   int
	Pos   int // 1-based word position; parts of one identifier share it
	// Whole: an identifier kept in one piece beside its parts: "lib/route.js",
	// "route.js"; "-" and "_" are dropped, so that retry-limit, retry_limit and
	// retryLimit are one ("retrylimit"). Never stemmed.
	Whole bool
	// Single: one character of a longer run of a script without spaces. It is
	// for the index alone, so that a query of one character finds the run;
	// Query leaves it out.
	Single bool
}

// Analyse splits text into terms in order, as the index needs them. Same
// input, same terms.
func Analyse(text string) []Term {
	if text == "" {
		return nil
	}
	return AppendTerms(make([]Term, 0, len(text)/5+4), text)
}

// AppendTerms is Analyse into a slice that the caller reuses. The terms may
// share one string, so keep none of them longer than their neighbours.
func AppendTerms(dst []Term, text string) []Term { return analyse(dst, text, true) }

// Query is Analyse for the asking side: without Single terms.
func Query(text string) []Term { return analyse(nil, text, false) }

// Fold brings text into the form in which words are compared: NFKC, lower
// case, Latin diacritics and the dotless i folded. Fold(Fold(s)) == Fold(s).
func Fold(text string) string { return fold(text) }

// Stop reports words that carry no topic in the languages we know ("the",
// "и", "der", "です" ...), given as a Term's text. They are kept in the index;
// ranking gives them no weight unless a query has nothing else.
func Stop(term string) bool { return stop(term) }

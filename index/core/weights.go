package core

// Everything tunable of the text door stands here. Weights belong to query
// time: changing one needs no rebuild.

// weights multiply a field's BM25. The field "all" holds every word of an
// entry, so the others say how much more a word counts where it also stands.
var weights = [numFields]float64{
	fieldAll:     1.0,
	fieldTitle:   2.0,
	fieldTags:    1.5,
	fieldDesc:    1.0,
	fieldSymbols: 0.8,
	fieldPath:    0.6,
}

const (
	// weightWhole multiplies a term that is a whole identifier of the query: two
	// texts that share "retryLimit" share more than "retry" and "limit".
	weightWhole = 1.5

	// weightOther is for a word that only stands for one of the query.
	weightOther = 0.5

	// weightBase and weightDir are for the project map: the name of a file
	// speaks louder than that of a folder.
	weightBase = 2.0
	weightDir  = 1.0

	// maxTerms is how many distinct words of a query are looked for, the most
	// informative ones; maxStats is how many are looked up to find those.
	maxTerms = 40
	maxStats = 400
	// maxOthers and maxOtherTerms are the same for words that stand for others.
	maxOthers     = 400
	maxOtherTerms = 24

	// A word in more than commonShare of the entries, but at least commonMin and
	// at most commonMax of them, may re-score what rarer words found but not
	// search by itself.
	commonShare = 0.03
	commonMin   = 150
	commonMax   = 1000
	// maxRescored is how many of the best finds are scored with common words, and
	// againFields in how many fields (all, title): what a common word adds
	// elsewhere changes no order.
	maxRescored = 120
	againFields = 2
	// maxScanned bounds the entries that the rarest word may bring when a query
	// has none but common ones. Beyond it the answer depends on the order in which
	// the store was written.
	maxScanned = 30_000

	// maxFileHits is how many files of the project map a query returns.
	maxFileHits = 10
	// maxPastHits is how many files come besides, that history alone knows.
	maxPastHits = 20
	// pathShare: a word in a larger share of the paths is no word about one.
	pathShare = 0.2
	// usualPath is how many different words a path has that is not long.
	usualPath = 4.0
)

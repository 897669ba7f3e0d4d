package slice

// weakWord reports a term that every project uses; see weakwords.txt.
func weakWord(term string) bool { return len(term) <= maxWeak && inWeakTable(term) }

package terms

import "unicode/utf8"

// stop is Stop: the table made from stopwords.txt, and every bigram or single
// character of Hiragana, which writes endings and particles.
func stop(term string) bool {
	if len(term) > 2*utf8.UTFMax+4 {
		return len(term) <= maxStop && inStopTable(term)
	}
	if len(term) >= 3 && term[0] == 0xE3 {
		kana := true
		for _, r := range term {
			if classOf(r) != hiragana && r != 'ー' {
				kana = false
				break
			}
		}
		if kana {
			return true
		}
	}
	return inStopTable(term)
}

package slice

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// commonText is a term and how many of a thousand passages of ordinary prose hold
// it, one a line, sorted by bytes; made by scripts/common-words from manuals and
// fortune cookies in ten languages. Words below twenty are not in it.
//
//go:embed common.txt
var commonText string

// commonShare is the share of ordinary passages, of about as many words as a note
// has, that hold a term; 0 for one that is not common anywhere. It reads the text
// where it lies: every hook process links it, and few words are asked for.
func commonShare(term string) float64 {
	text := commonText
	for text != "" {
		mid := len(text) / 2
		from := strings.LastIndexByte(text[:mid], '\n') + 1
		to := from + strings.IndexByte(text[from:], '\n') + 1
		t, n, _ := strings.Cut(text[from:to-1], " ")
		switch strings.Compare(term, t) {
		case -1:
			text = text[:from]
		case 1:
			text = text[to:]
		default:
			v, _ := strconv.Atoi(n)
			return float64(v) / 1000
		}
	}
	return 0
}

// weighTerm is what a term is worth that n of docs entries hold, and the share of
// entries that would hold it for all we know. An ordinary word that few entries
// of this workspace hold is not rare for that, and tells no topic. One that no
// entry holds speaks against them as any other does.
func weighTerm(term string, n, docs int) (weight, share float64) {
	common := commonShare(term)
	share = max(priorShare, common)
	weight = idf(n, docs, share)
	if common > 0 && n > 0 {
		weight = min(weight, max(commonWeight, -math.Log(min(1, commonMore*common))))
	}
	return weight, share
}

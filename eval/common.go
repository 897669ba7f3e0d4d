package main

import (
	"strings"

	"pathrule/index/terms"
)

// How many words a prompt has in common with an entry that should come tells what
// can be asked of any delivery by words: with none, only somebody who knows what
// both of them mean could link the two.

// commonShare is the share of a workspace's entries beyond which a word tells
// nothing about any of them.
const commonShare = 0.1

// words counts, for the entries of a set, the words that tell something.
type words struct {
	of map[string]map[string]bool // by entry key
	df map[string]int
	n  int
}

func (s *set) words() *words {
	w := &words{of: map[string]map[string]bool{}, df: map[string]int{}, n: len(s.entries)}
	for i := range s.entries {
		e := &s.entries[i]
		held := map[string]bool{}
		for _, t := range terms.Analyse(strings.Join(append([]string{e.ID, e.Title, e.Description, e.Body}, append(e.Tags, e.Paths...)...), "\n")) {
			held[t.Text] = true
		}
		for t := range held {
			w.df[t]++
		}
		w.of[e.Key()] = held
	}
	return w
}

// common is how many words of a prompt the entry holds, each of which at most
// every tenth entry does. Identifiers and paths count once. Text in a script
// without spaces is taken in pairs of letters, so that two of them are a word.
func (w *words) common(text, key string) int {
	held := w.of[key]
	seen, places := map[string]bool{}, map[int]bool{}
	grams := 0
	for _, t := range terms.Query(text) {
		if seen[t.Text] || !held[t.Text] || terms.Stop(t.Text) || float64(w.df[t.Text]) > commonShare*float64(w.n) {
			continue
		}
		seen[t.Text] = true
		if len(t.Text) == 1 || strings.Trim(t.Text, "0123456789") == "" {
			continue
		}
		if t.Text[0] >= 0xE0 { // a pair of letters of such a script
			grams++
			continue
		}
		places[t.Pos] = true
	}
	return len(places) + grams/2
}

// links are the figures by words in common.
type links struct {
	Gold   int `json:"gold"`
	Body   int `json:"body"`
	Line   int `json:"line"`
	Opened int `json:"touched_body"`
}

const mostCommon = 3 // and more

func (r *report) link(w *words, o outcome) {
	for _, k := range o.p.Gold {
		l := &r.Common[min(w.common(o.p.Prompt, k), mostCommon)]
		want, told := enough(k), o.prompt
		if o.p.Session != "" {
			told = o.session
		}
		l.Gold++
		if told.forms[k] >= want {
			l.Body++
		}
		if line(k, told) {
			l.Line++
		}
		if o.touched.forms[k] >= want || o.p.Session != "" && told.forms[k] >= want {
			l.Opened++
		}
	}
}

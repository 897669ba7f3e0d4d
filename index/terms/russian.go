package terms

import "strings"

// The Russian stemmer (snowballstem.org/algorithms/russian), as published, on
// folded text: ё is written е. The tests hold it to the generated stemmer,
// which takes several times as long and links a logger into every hook.

// russian returns the stem of a lower-case Cyrillic word.
func russian(w string) string {
	rv, r2, ok := russianRegions(w)
	if !ok {
		return w
	}
	w = russianEnding(w, rv)
	w = cutSuffix(w, rv, "и")
	if e := longest(w, r2, "ость", "ост"); e != "" {
		w = w[:len(w)-len(e)]
	}
	if e := longest(w, rv, "ейше", "ейш"); e != "" {
		w = w[:len(w)-len(e)]
		return undouble(w, rv)
	}
	if u := undouble(w, rv); u != w {
		return u
	}
	return cutSuffix(w, rv, "ь")
}

// russianEnding takes off one ending: of a gerund, else of a reflexive and
// then an adjective, a verb or a noun.
func russianEnding(w string, rv int) string {
	if e := longest(w, rv, "ывшись", "ившись", "вшись", "ывши", "ивши", "вши", "ыв", "ив", "в"); e != "" {
		switch e {
		case "вшись", "вши", "в":
			if afterAYa(w, rv, e) {
				return w[:len(w)-len(e)]
			}
		default:
			return w[:len(w)-len(e)]
		}
	}
	if e := longest(w, rv, "ся", "сь"); e != "" {
		w = w[:len(w)-len(e)]
	}
	if e := longest(w, rv, "ими", "ыми", "его", "ого", "ему", "ому", "ее", "ие", "ые", "ое", "ей", "ий", "ый", "ой", "ем", "им", "ым", "ом", "их", "ых", "ую", "юю", "ая", "яя", "ою", "ею"); e != "" {
		w = w[:len(w)-len(e)]
		switch e := longest(w, rv, "ивш", "ывш", "ующ", "ем", "нн", "вш", "ющ", "щ"); e {
		case "":
		case "ивш", "ывш", "ующ":
			w = w[:len(w)-len(e)]
		default:
			if afterAYa(w, rv, e) {
				w = w[:len(w)-len(e)]
			}
		}
		return w
	}
	switch e := longest(w, rv, "ейте", "уйте", "ила", "ыла", "ена", "ите", "или", "ыли", "ило", "ыло", "ено", "ует", "уют", "ены", "ить", "ыть", "ишь",
		"ете", "йте", "ешь", "нно", "ей", "уй", "ил", "ыл", "им", "ым", "ен", "ят", "ит", "ыт", "ую",
		"ла", "на", "ли", "ем", "ло", "но", "ет", "ют", "ны", "ть", "й", "л", "н", "ю"); e {
	case "":
	case "ла", "на", "ете", "йте", "ли", "й", "л", "ем", "н", "ло", "но", "ет", "ют", "ны", "ть", "ешь", "нно":
		if afterAYa(w, rv, e) {
			return w[:len(w)-len(e)]
		}
	default:
		return w[:len(w)-len(e)]
	}
	e := longest(w, rv, "иями", "ями", "ами", "ией", "иям", "ием", "иях", "ев", "ов", "ие", "ье", "еи", "ии", "ей", "ой", "ий", "ям", "ем", "ам", "ом", "ах", "ях", "ию", "ью", "ия", "ья",
		"а", "е", "и", "й", "о", "у", "ы", "ь", "ю", "я")
	return w[:len(w)-len(e)]
}

// longest is the first of the endings, which are given longest first, that w
// has at or behind from.
func longest(w string, from int, endings ...string) string {
	if len(w) <= from {
		return ""
	}
	last := w[len(w)-1]
	for _, e := range endings {
		// Most endings fall at their last byte.
		if e[len(e)-1] == last && len(w)-len(e) >= from && strings.HasSuffix(w, e) {
			return e
		}
	}
	return ""
}

// afterAYa reports that а or я stands before the ending, inside the region.
func afterAYa(w string, rv int, e string) bool {
	rest := w[:len(w)-len(e)]
	return longest(rest, rv, "а", "я") != ""
}

func cutSuffix(w string, from int, e string) string {
	if len(w)-len(e) >= from && strings.HasSuffix(w, e) {
		return w[:len(w)-len(e)]
	}
	return w
}

func undouble(w string, rv int) string {
	const nn = "нн"
	if len(w)-len(nn) >= rv && strings.HasSuffix(w, nn) {
		return w[:len(w)-len("н")]
	}
	return w
}

// russianRegions are the region behind the first vowel, and R2 of it. ok is
// false when there is no vowel.
func russianRegions(w string) (rv, r2 int, ok bool) {
	rv, r2 = len(w), len(w)
	state := 0
	for i, r := range w {
		v := russianVowel(r)
		end := i + 2 // every letter here has two bytes
		switch {
		case state == 0 && v:
			rv, ok, state = end, true, 1
		case state == 1 && !v, state == 3 && !v:
			state++
			if state == 4 {
				return rv, end, ok
			}
		case state == 2 && v:
			state = 3
		}
	}
	return rv, r2, ok
}

func russianVowel(r rune) bool {
	switch r {
	case 'а', 'е', 'и', 'о', 'у', 'ы', 'э', 'ю', 'я':
		return true
	}
	return false
}

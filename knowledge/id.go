package knowledge

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxSegment = 200 // bytes; with the extension below what file systems hold
	maxID      = 400 // bytes
	maxSlug    = 60  // runes
)

// CheckID says what is wrong with an id (without PersonalPrefix); nil when it
// is fine to read.
func CheckID(id string) error {
	switch {
	case id == "":
		return errors.New("id is empty")
	case !utf8.ValidString(id):
		return errors.New("id is not valid UTF-8")
	case len(id) > maxID:
		return fmt.Errorf("id is longer than %d bytes", maxID)
	case !norm.NFC.IsNormalString(id):
		return errors.New("id is not in Unicode form NFC")
	case strings.HasPrefix(id, "/") || strings.HasSuffix(id, "/") || strings.Contains(id, "//"):
		return errors.New("id has an empty segment")
	}
	for rest := id; rest != ""; {
		var seg string
		seg, rest, _ = strings.Cut(rest, "/")
		if seg[0] == '.' {
			return errors.New("id may not have a segment that begins with \".\"")
		}
		if len(seg) > maxSegment {
			return fmt.Errorf("id has a segment longer than %d bytes", maxSegment)
		}
		for i, r := range seg {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '_' || r == '-' || i > 0 && unicode.IsMark(r) {
				continue
			}
			return fmt.Errorf("id holds %q; letters, digits, \".\", \"_\", \"-\" and \"/\" may stand in it", r)
		}
	}
	return nil
}

// CheckNewID is CheckID for an id that is about to be written: names that some
// system cannot hold are refused too.
func CheckNewID(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	for rest := id; rest != ""; {
		var seg string
		seg, rest, _ = strings.Cut(rest, "/")
		if reserved(seg) {
			return fmt.Errorf("%q is a name that Windows keeps for itself", seg)
		}
		if strings.HasSuffix(seg, ".") {
			return errors.New("id has a segment that ends in \".\", which Windows cannot hold")
		}
	}
	if strings.HasSuffix(strings.ToLower(id), ".md") {
		return errors.New("id is written without \".md\"")
	}
	return nil
}

// reserved reports a device name of Windows, which no extension makes free.
func reserved(seg string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(seg), ".")
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	if len(stem) == 4 && (stem[:3] == "com" || stem[:3] == "lpt") {
		return stem[3] >= '0' && stem[3] <= '9'
	}
	return false
}

// Slug makes an id from a title in any script; "" when the title has no letter
// or digit.
func Slug(title string) string {
	var b strings.Builder
	n, gap := 0, false
	for _, r := range norm.NFKC.String(title) {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || b.Len() > 0 && !gap && unicode.IsMark(r)
		if !letter {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			if n >= maxSlug-8 { // rather end at a word than in the next one
				break
			}
			b.WriteByte('-')
			n++
		}
		gap = false
		if n >= maxSlug {
			break
		}
		b.WriteRune(unicode.ToLower(r))
		n++
	}
	s := norm.NFC.String(b.String())
	if reserved(s) {
		s += "-entry"
	}
	return s
}

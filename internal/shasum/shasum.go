// Package shasum knows how the SHA-256 sums look that pins are made of.
package shasum

// Valid reports a whole SHA-256 in lower-case hex, 64 digits.
func Valid(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

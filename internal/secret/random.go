package secret

import "strings"

// Bounds of a run that is random enough to be a key that nobody named. Longer
// ones are pictures and other contents.
const (
	shortestRun = 32
	longestRun  = 200
)

// randomRuns finds words that only a generator makes: capitals, small letters and
// digits in quick change. Hashes (hexadecimal, with the name of their sort before
// them, or in base64 behind it), ids, public keys and pictures are none.
func randomRuns(text string) []Span {
	var out []Span
	add := func(from, to int) {
		run := text[from:to]
		if n := len(run); n < shortestRun || n > longestRun || !generated(run) || named(text[:from]) || standsFor(run) {
			return
		}
		for to < len(text) && text[to] == '=' {
			to++
		}
		out = append(out, Span{From: from, To: to})
	}
	for i := 0; i < len(text); {
		if !runByte(text[i]) {
			i++
			continue
		}
		end := i
		for end < len(text) && runByte(text[end]) {
			end++
		}
		if i > 0 && (text[i-1] == '.' || text[i-1] == ':' && text[i] == '/') || text[i] == '/' {
			for at := i; at < end; at++ { // an address or a path: part by part
				next := strings.IndexByte(text[at:end], '/')
				if next < 0 {
					next = end - at
				}
				add(at, at+next)
				at += next
			}
		} else {
			add(i, end)
		}
		i = end
	}
	return out
}

func runByte(c byte) bool { return wordByte(c) || c == '+' || c == '/' || c == '-' }

// generated: three sorts of characters in quick change, and digits here and there;
// a name in code has them in one place.
func generated(s string) bool {
	for _, begin := range [...]string{"sha1-", "sha256-", "sha384-", "sha512-", "AAAAB3", "AAAAC3", "AAAAE2", "iVBORw0KGgo", "/9j/", "R0lGOD", "PHN2Zy", "UklGR"} {
		if strings.HasPrefix(s, begin) {
			return false
		}
	}
	var upper, lower, other, changes, numbers, capitals int
	last := -1
	for i := 0; i < len(s); i++ {
		class := 3
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			upper++
			class = 0
			if last == 0 {
				capitals++
			}
		case c >= 'a' && c <= 'z':
			lower++
			class = 1
		case c >= '0' && c <= '9':
			class = 2
			if last != 2 {
				numbers++
			}
		default:
			other++
		}
		if last >= 0 && class != last {
			changes++
		}
		last = class
	}
	n := len(s)
	return upper >= n/8 && lower >= n/8 && (numbers >= 3 || numbers == 2 && capitals >= 2) && other <= n/6 && changes*5 >= (n-1)*2
}

// named reports that what stands before a run says that it is a hash or contents.
func named(before string) bool {
	if len(before) > 40 {
		before = before[len(before)-40:]
	}
	before = strings.ToLower(before)
	for _, end := range [...]string{"h1:", "base64,", "sha256:", "sha512:", "sha1:", "sha384:", "md5:", "ssh-rsa ", "ssh-ed25519 ", "ecdsa-sha2-nistp256 ", "integrity=\"", "nonce-"} {
		if strings.HasSuffix(before, end) {
			return true
		}
	}
	return false
}

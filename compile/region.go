package compile

import (
	"bytes"
	"strings"

	"pathrule/internal/managed"
)

// The lines between which a shared file is ours.
const (
	beginLine     = managed.BeginLine
	endLine       = managed.EndLine
	byteOrderMark = managed.ByteOrderMark
)

// region is managed.Region.
type region struct {
	from, to int
	found    bool
}

func findRegion(data []byte) (region, error) {
	r, err := managed.FindRegion(data)
	return region{r.From, r.To, r.Found}, err
}

// setRegion puts text between the markers of the file, or adds the region at
// the end. lead is what was added before it so that it begins on a line of its
// own, "" when the region was there. Every other byte stays; the region takes
// the file's own line ends.
func setRegion(data []byte, text string) (out []byte, lead string, err error) {
	r, err := findRegion(data)
	if err != nil {
		return nil, "", err
	}
	eol := lineEnd(data, r)
	block := strings.ReplaceAll(beginLine+"\n"+text+endLine, "\n", eol)
	if r.found {
		return concat(data[:r.from], []byte(block), data[r.to:]), "", nil
	}
	rest := bytes.TrimPrefix(data, []byte(byteOrderMark))
	switch {
	case len(rest) == 0:
	case bytes.HasSuffix(rest, []byte("\r")):
		lead = "\n" + eol // completes the line end that stands there
	case !bytes.HasSuffix(rest, []byte("\n")):
		lead = eol + eol
	case !bytes.HasSuffix(rest, []byte("\n\n")) && !bytes.HasSuffix(rest, []byte("\n\r\n")):
		lead = eol
	}
	return concat(data, []byte(lead+block+eol)), lead, nil
}

// cutRegion takes the region out, with the lead before it and its line end when
// the region was added at the end, so that the file gets its own bytes back.
func cutRegion(data []byte, lead string) ([]byte, error) {
	r, err := findRegion(data)
	if err != nil || !r.found {
		return data, err
	}
	from, to := r.from, r.to
	crlf := []byte("\r\n")
	if bytes.Contains(data[from:to], crlf) == strings.Contains(lead, "\r\n") {
		if bytes.HasSuffix(data[:from], []byte(lead)) {
			from -= len(lead)
		}
	} else {
		// A checkout turned the line ends since; count them.
		for range strings.Count(lead, "\n") {
			switch {
			case bytes.HasSuffix(data[:from], crlf):
				from -= 2
			case bytes.HasSuffix(data[:from], crlf[1:]):
				from--
			}
		}
	}
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(data[to:], []byte(eol)) {
			to += len(eol)
			break
		}
	}
	return concat(data[:from], data[to:]), nil
}

// lineEnd is the line end of the file outside the region.
func lineEnd(data []byte, r region) string {
	own := data
	if r.found {
		own = concat(data[:r.from], data[r.to:])
	}
	i := bytes.IndexByte(own, '\n')
	if i < 0 && bytes.HasSuffix(own, []byte("\r")) || i > 0 && own[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func concat(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

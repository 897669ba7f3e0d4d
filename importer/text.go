package importer

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"

	"pathrule/internal/head"
	"pathrule/knowledge"
)

const (
	// readMost bounds what is read of one file, in bytes.
	readMost = 16 << 20
	// largeFile is what a person should look at before it is told to a model.
	largeFile = 40 << 10
)

// decode makes UTF-8 text without a mark of a file's bytes. skip says why it
// is no text; its size is judged later, since a split may make it fit.
func decode(data []byte) (text []byte, note, skip string) {
	switch {
	case bytes.HasPrefix(data, []byte(head.BOM)):
		data = data[len(head.BOM):]
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		data = fromUTF16(data)
		note = "was UTF-16, imported as UTF-8"
	}
	if f := head.Text(data, readMost); f.Msg != "" {
		if f.Line > 0 {
			return nil, "", fmt.Sprintf("%s (line %d); %s", f.Msg, f.Line, f.Remedy)
		}
		return nil, "", f.Msg + "; " + f.Remedy
	}
	return data, note, ""
}

func fromUTF16(data []byte) []byte {
	big := data[0] == 0xfe
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		lo, hi := data[i], data[i+1]
		if big {
			lo, hi = hi, lo
		}
		units = append(units, uint16(lo)|uint16(hi)<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// unix makes two texts equal that differ by line ends only.
func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// essence is what two copies of one text have in common: line ends, blanks at
// the ends of lines and blank lines around it do not count.
func essence(s string) string {
	lines := strings.Split(unix(s), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// blank reports that nothing would be delivered of a body.
func blank(body string) bool { return strings.TrimSpace(knowledge.Strip(body)) == "" }

func one(s string) string { return strings.Join(strings.Fields(s), " ") }

// short cuts a text for a message.
func short(s string, runes int) string {
	if r := []rune(s); len(r) > runes {
		return string(r[:runes-1]) + "…"
	}
	return s
}

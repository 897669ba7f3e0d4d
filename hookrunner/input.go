package hookrunner

import (
	"bytes"
	"errors"
	"io"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"pathrule/internal/rawjson"
)

const (
	maxPayload = 8 << 20
	// idleTime is how long stdin may be silent: some hosts never close it.
	idleTime = 300 * time.Millisecond
)

var (
	errIdle    = errors.New("stdin was silent for 300 ms before the payload was complete")
	errTooBig  = errors.New("payload is larger than 8 MiB")
	errNoValue = errors.New("payload is not a JSON object")
	errTorn    = errors.New("stdin ended inside the payload")
)

// readPayload reads the first JSON object from in without waiting for the end
// of it: any number of byte order marks before it, UTF-16 too, blanks. nil
// without an error is an empty stdin. More than what the object needs may have
// been read from in.
func readPayload(in io.Reader) ([]byte, error) {
	if in == nil {
		return nil, nil
	}
	next, stop := memoryChunks(in)
	if next == nil {
		next, stop = chunksOf(in)
	}
	defer stop()
	var d decoder
	for {
		b, err := next()
		if err == errIdle {
			return nil, err
		}
		end, bad := d.add(b)
		switch {
		case bad != nil:
			return nil, bad
		case end > 0:
			return bytes.TrimLeft(d.text[:end:end], " \t\r\n"), nil
		case err == nil:
		case d.empty():
			return nil, nil
		default:
			return nil, errTorn
		}
	}
}

const chunkSize = 64 << 10

// readerChunks reads in a goroutine of its own, for what cannot be asked
// whether it has something. next gives the next bytes, or errIdle.
func readerChunks(in io.Reader) (next func() ([]byte, error), stop func()) {
	type chunk struct {
		b   []byte
		err error
	}
	chunks := make(chan chunk)
	done := make(chan struct{})
	go func() {
		// Two buffers in turn: the one just handed over is still being looked at.
		var bufs [2][]byte
		for i := 0; ; i++ {
			b := &bufs[i%2]
			if *b == nil {
				*b = make([]byte, chunkSize)
			}
			n, err := in.Read(*b)
			select {
			case chunks <- chunk{(*b)[:n], err}:
			case <-done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	idle := time.NewTimer(idleTime)
	next = func() ([]byte, error) {
		idle.Reset(idleTime)
		select {
		case c := <-chunks:
			return c.b, c.err
		case <-idle.C:
			select {
			case c := <-chunks: // both were there when we were looked after
				return c.b, c.err
			default:
				return nil, errIdle
			}
		}
	}
	return next, func() { idle.Stop(); close(done) }
}

// memoryChunks reads what is in memory, which is never waited for: a machine
// that keeps the reader from running is no silent host. nil for anything else.
func memoryChunks(in io.Reader) (next func() ([]byte, error), stop func()) {
	if _, ok := in.(interface{ Len() int }); !ok {
		return nil, nil
	}
	buf := make([]byte, chunkSize)
	return func() ([]byte, error) {
		n, err := in.Read(buf)
		return buf[:n], err
	}, func() {}
}

// decoder gathers the payload as UTF-8 without byte order marks.
type decoder struct {
	raw    []byte // not yet decoded: a mark or a code unit that is still incomplete
	known  bool   // the encoding is decided
	wide   bool   // UTF-16
	big    bool   // big-endian
	high   rune   // first half of a surrogate pair
	text   []byte
	stream rawjson.Stream
}

func (d *decoder) empty() bool {
	return len(bytes.TrimSpace(d.text)) == 0 && len(bytes.TrimSpace(d.raw)) == 0
}

// add takes in bytes; end is the length of the first object in text once it is
// complete.
func (d *decoder) add(b []byte) (end int, err error) {
	if !d.known || d.wide {
		d.raw = append(d.raw, b...)
		b = d.decode()
	}
	d.text = append(d.text, b...)
	if len(d.text) > maxPayload {
		return 0, errTooBig
	}
	end, ok := d.stream.Next(d.text)
	if !ok {
		return 0, errNoValue
	}
	return end, nil
}

// decode gives what of raw can be decoded by now.
func (d *decoder) decode() []byte {
	for !d.known {
		r := d.raw
		switch {
		case len(r) == 0:
			return nil
		case hasMark(r, "\xEF\xBB\xBF"):
			d.raw = r[3:]
			continue
		case hasMark(r, "\xFF\xFE"):
			d.raw, d.known, d.wide = r[2:], true, true
		case hasMark(r, "\xFE\xFF"):
			d.raw, d.known, d.wide, d.big = r[2:], true, true, true
		case partOfMark(r):
			return nil // one or two bytes that may become a mark
		case len(r) < 2:
			return nil
		default:
			// JSON begins with two ASCII characters: a zero among them is UTF-16.
			d.known, d.wide, d.big = true, r[0] == 0 || r[1] == 0, r[0] == 0
		}
	}
	if !d.wide {
		b := d.raw
		d.raw = nil
		return b
	}
	out := make([]byte, 0, len(d.raw))
	for len(d.raw) >= 2 {
		u := rune(d.raw[0]) | rune(d.raw[1])<<8
		if d.big {
			u = rune(d.raw[0])<<8 | rune(d.raw[1])
		}
		d.raw = d.raw[2:]
		switch {
		case d.high != 0:
			r := utf16.DecodeRune(d.high, u)
			d.high = 0
			out = utf8.AppendRune(out, r)
		case u >= 0xD800 && u < 0xDC00:
			d.high = u
		case u == 0xFEFF: // a further mark
		default:
			out = utf8.AppendRune(out, u)
		}
	}
	return out
}

func hasMark(b []byte, mark string) bool {
	return len(b) >= len(mark) && string(b[:len(mark)]) == mark
}

// partOfMark reports that b is the beginning of a mark and no more.
func partOfMark(b []byte) bool {
	for _, m := range [...]string{"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"} {
		if len(b) < len(m) && m[:len(b)] == string(b) {
			return true
		}
	}
	return false
}

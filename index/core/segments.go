package core

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"

	"pathrule/internal/linetree"
)

// The list of segments says of a generation's bleve store what its root.bolt
// says, for readers: which files, and which of their documents no longer
// count. So a reader opens no database, takes no lock and never waits, and
// links nothing of bleve that writes.

const (
	segmentsName  = "segments"
	segmentsMagic = "pathrule-segments"
)

// Segment is one segment file of a store.
type Segment struct {
	Name    string // below the store
	Docs    uint64 // deleted ones included
	Live    uint64 // those that count
	Deleted []byte // the others, as a roaring bitmap writes itself; nil: none
}

// live is the number of documents that count.
func live(segs []Segment) int {
	n := uint64(0)
	for _, s := range segs {
		n += s.Live
	}
	return int(n)
}

// writeSegments writes the list into dir; the files lie in dir's store.
func writeSegments(dir string, segs []Segment) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %d\n", segmentsMagic, zap.Type, zap.Version)
	for _, s := range segs {
		st, err := os.Stat(filepath.Join(dir, storeName, s.Name))
		if err != nil {
			return fmt.Errorf("write list of segments: %w", err)
		}
		deleted := "-"
		if s.Deleted != nil {
			deleted = base64.StdEncoding.EncodeToString(s.Deleted)
		}
		fmt.Fprintf(&b, "segment %s %d %d %s\n", s.Name, st.Size(), s.Docs, deleted)
	}
	fmt.Fprintf(&b, "sum %08x\n", linetree.Sum32([]byte(b.String())))
	return os.WriteFile(filepath.Join(dir, segmentsName), []byte(b.String()), 0o600)
}

var errSegments = errors.New("list of segments is damaged")

// listed is a segment as the list has it.
type listed struct {
	name    string
	size    int64 // of its file
	docs    uint64
	deleted *roaring.Bitmap // nil: none
}

func parseSegments(s string) ([]listed, error) {
	body, sum, ok := strings.Cut(s, "sum ")
	if !ok || fmt.Sprintf("%08x\n", linetree.Sum32([]byte(body))) != sum {
		return nil, errSegments
	}
	head, body, _ := strings.Cut(body, "\n")
	if head != fmt.Sprintf("%s %s %d", segmentsMagic, zap.Type, zap.Version) {
		return nil, fmt.Errorf("segments of another version: %q", head)
	}
	var out []listed
	for line := range strings.Lines(body) {
		f := strings.Fields(line)
		if len(f) != 5 || f[0] != "segment" || filepath.Base(f[1]) != f[1] {
			return nil, errSegments
		}
		l := listed{name: f[1]}
		var e1, e2 error
		l.size, e1 = strconv.ParseInt(f[2], 10, 64)
		l.docs, e2 = strconv.ParseUint(f[3], 10, 32)
		if e1 != nil || e2 != nil {
			return nil, errSegments
		}
		if f[4] != "-" {
			raw, err := base64.StdEncoding.DecodeString(f[4])
			if err != nil {
				return nil, errSegments
			}
			l.deleted = roaring.New()
			if err := l.deleted.UnmarshalBinary(raw); err != nil {
				return nil, errSegments
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// openSegment opens a segment file. zap trusts its files, so a damaged one can
// make it panic; that is an error here.
func openSegment(path string, l listed) (seg segment.Segment, err error) {
	defer func() {
		if p := recover(); p != nil {
			seg, err = nil, fmt.Errorf("open %s: %v", path, p)
		}
	}()
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Size() != l.size {
		return nil, fmt.Errorf("open %s: %d bytes, not %d", path, st.Size(), l.size)
	}
	seg, err = (&zap.ZapPlugin{}).Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if seg.Count() != l.docs {
		seg.Close()
		return nil, fmt.Errorf("open %s: %d documents, not %d", path, seg.Count(), l.docs)
	}
	return seg, nil
}

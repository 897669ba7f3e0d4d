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
	// Runs are the numbers of documents from which on names ascend until the next
	// run; nil: their order is not known.
	Runs []uint64
}

// maxRuns bounds the runs that are worth knowing: a build makes one for each
// store, and one of the project's files.
const maxRuns = 64

// runs finds the runs of names as they come.
type runs struct {
	at   []uint64
	n    uint64
	last string
	many bool
}

func (r *runs) add(name string) {
	if (r.n == 0 || name <= r.last) && !r.many {
		r.at = append(r.at, r.n)
		if r.many = len(r.at) > maxRuns; r.many {
			r.at = nil
		}
	}
	r.last = name
	r.n++
}

// keepRuns gives segments that stood in an older generation what that knew of
// their order; a segment's file never changes.
func keepRuns(segs []Segment, old []listed) {
	for i := range segs {
		for _, l := range old {
			if l.name == segs[i].Name && l.docs == segs[i].Docs {
				segs[i].Runs = l.runs
			}
		}
	}
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
		runs := "-"
		if s.Runs != nil {
			runs = strings.Trim(strings.ReplaceAll(fmt.Sprint(s.Runs), " ", ","), "[]")
		}
		fmt.Fprintf(&b, "segment %s %d %d %s %s\n", s.Name, st.Size(), s.Docs, deleted, runs)
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
	runs    []uint64        // see Segment
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
		if len(f) != 6 || f[0] != "segment" || filepath.Base(f[1]) != f[1] {
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
		if f[5] != "-" {
			for s := range strings.SplitSeq(f[5], ",") {
				n, err := strconv.ParseUint(s, 10, 32)
				if err != nil || len(l.runs) > 0 && n <= l.runs[len(l.runs)-1] {
					return nil, errSegments
				}
				l.runs = append(l.runs, n)
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

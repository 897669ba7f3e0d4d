package index

// SetLink replaces how a published file gets its second name; the returned
// function puts it back.
func SetLink(f func(from, to string) error) func() {
	old := linkFile
	linkFile = f
	return func() { linkFile = old }
}

// Segments is how many segments an open index has.
func (x *Index) Segments() int { return len(x.snap.Segments()) }

const (
	MaxSegments = maxSegments
	TmpPrefix   = tmpPrefix
	StoreName   = storeName
	MaxFileHits = maxFileHits
)

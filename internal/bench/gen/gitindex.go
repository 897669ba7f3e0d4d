package gen

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"slices"
)

// GitIndex is a git index file, version 2, that tracks the given paths.
func GitIndex(paths []string) []byte {
	paths = slices.Clone(paths)
	slices.Sort(paths)
	var b bytes.Buffer
	b.WriteString("DIRC")
	binary.Write(&b, binary.BigEndian, uint32(2))
	binary.Write(&b, binary.BigEndian, uint32(len(paths)))
	for _, p := range paths {
		start := b.Len()
		var stat [40]byte
		binary.BigEndian.PutUint32(stat[24:], 0o100644)
		b.Write(stat[:])
		b.Write(make([]byte, sha1.Size))
		binary.Write(&b, binary.BigEndian, uint16(min(len(p), 0xfff)))
		b.WriteString(p)
		b.Write(make([]byte, 8-(b.Len()-start)%8))
	}
	sum := sha1.Sum(b.Bytes())
	b.Write(sum[:])
	return b.Bytes()
}

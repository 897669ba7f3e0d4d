// Package render writes the manifests that package managed reads: apart, since
// hooks read them and link no reflection.
package render

import (
	"bytes"
	"encoding/json"
	"fmt"

	"pathrule/internal/managed"
)

// Version counts the formats. 1: version and files, one a line.
const Version = 1

// Manifest is a manifest with one file a line, so that git merges it well.
func Manifest(files []managed.File) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"version\": %d, \"files\": [\n", Version)
	for i, f := range files {
		line, err := json.Marshal(f)
		if err != nil {
			return nil, err
		}
		b.Write(line)
		if i < len(files)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	return b.Bytes(), nil
}

package hookrunner

import "io"

func chunksOf(in io.Reader) (next func() ([]byte, error), stop func()) { return readerChunks(in) }

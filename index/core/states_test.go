package core

// states are all files of a manifest.
func (r *manifestReader) states() (map[fileID]*fileState, error) {
	files := make(map[fileID]*fileState, r.nFiles)
	err := r.eachFile("", func(f *fileState) bool { files[fileID{f.root, f.file}] = f; return true })
	return files, err
}

package core

import "os"

// fileStat is what tells one state of a file from another.
type fileStat struct {
	size  int64
	mtime int64 // ns
	inode uint64
	dir   bool
	plain bool // a regular file
}

func stat(path string) (fileStat, error) {
	st, err := os.Stat(path)
	if err != nil {
		return fileStat{}, err
	}
	return fileStat{
		size: st.Size(), mtime: st.ModTime().UnixNano(), inode: inode(st),
		dir: st.IsDir(), plain: st.Mode().IsRegular(),
	}, nil
}

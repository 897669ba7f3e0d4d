//go:build !unix

package core

import "path/filepath"

// statRoot stats files below one folder.
type statRoot struct{ dir string }

func openStatRoot(dir string) (statRoot, error) { return statRoot{dir}, nil }

func (r statRoot) close() {}

// stat follows links; rel is a slash path, "" is the folder itself.
func (r statRoot) stat(rel string) (fileStat, error) {
	return stat(filepath.Join(r.dir, filepath.FromSlash(rel)))
}

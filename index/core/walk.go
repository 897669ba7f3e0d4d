package core

import (
	"os"
	"path"
	"path/filepath"

	"pathrule/workspace"
)

// maxWalkDirs bounds the walk of a project without a readable git index: a
// home folder that became a workspace must not hold a session up.
const maxWalkDirs = 20_000

// walkProject lists the files below base, honouring every .gitignore on the
// way, without .git, node_modules and stores. ok is false when late said so.
func walkProject(base string, limit int, late func() bool) (paths []string, ok bool) {
	type folder struct {
		dir   string
		rules []ignoreFile
	}
	queue := []folder{{}}
	dirs := 0
	for len(queue) > 0 && len(paths) < limit && dirs < maxWalkDirs {
		f := queue[0]
		queue = queue[1:]
		dirs++
		if dirs%64 == 0 && late() {
			return nil, false
		}
		entries, err := os.ReadDir(filepath.Join(base, filepath.FromSlash(f.dir)))
		if err != nil {
			continue
		}
		rules := f.rules
		if gi, ok := readIgnoreFile(filepath.Join(base, filepath.FromSlash(f.dir), ".gitignore"), f.dir); ok {
			rules = append(rules[:len(rules):len(rules)], gi)
		}
		for _, e := range entries {
			name := e.Name()
			p := path.Join(f.dir, name)
			switch {
			case e.IsDir():
				if name == ".git" || name == "node_modules" || name == workspace.Marker || ignored(rules, p, true) {
					continue
				}
				queue = append(queue, folder{p, rules})
			case e.Type().IsRegular() || e.Type()&os.ModeSymlink != 0:
				if !ignored(rules, p, false) && len(paths) < limit {
					paths = append(paths, p)
				}
			}
		}
	}
	return paths, true
}

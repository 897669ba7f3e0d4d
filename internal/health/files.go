package health

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pathrule/internal/safegit"
	"pathrule/workspace"
)

// Files are the files of a project as far as they were listed.
type Files struct {
	Root  string
	Paths []string // slash paths below Root, sorted
	// Partial: the project is larger than the bound, so that a glob which covers
	// none of Paths may still cover something.
	Partial bool

	known map[string]bool // patterns that were tried: entries share many
}

const maxFiles = 100_000

// ProjectFiles lists a project's files: what git tracks or would, else a
// bounded walk that leaves out version control and installed packages.
func ProjectFiles(ctx context.Context, root string) Files {
	f := Files{Root: root, known: map[string]bool{}}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := safegit.Command(ctx, root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if out, err := cmd.Output(); err == nil {
		for p := range strings.SplitSeq(string(out), "\x00") {
			if p == "" {
				continue
			}
			if len(f.Paths) == maxFiles {
				f.Partial = true
				break
			}
			f.Paths = append(f.Paths, p)
		}
		slices.Sort(f.Paths)
		return f
	}
	seen := 0
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if seen++; seen > maxFiles || ctx.Err() != nil {
			f.Partial = true
			return fs.SkipAll
		}
		if d.IsDir() {
			switch d.Name() {
			case ".git", ".hg", ".svn", ".jj", "node_modules":
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(root, p)
		if err == nil {
			f.Paths = append(f.Paths, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(f.Paths)
	return f
}

// Unmatched are the patterns that cover no file below root. The project is listed
// only when one of them has a wildcard.
func Unmatched(ctx context.Context, root string, patterns []string) []string {
	f := Files{Root: root, known: map[string]bool{}}
	if slices.ContainsFunc(patterns, wild) {
		f = ProjectFiles(ctx, root)
	}
	return f.Unmatched(patterns)
}

// wild reports a pattern that the files of the project have to be held against.
func wild(pattern string) bool { return strings.ContainsAny(pattern, `*?[{\`) }

// Unmatched are the patterns that cover no file of the project.
func (f Files) Unmatched(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		if strings.HasPrefix(p, "!") || strings.Trim(p, "/ ") == "" || f.covered(p) {
			continue
		}
		out = append(out, p)
	}
	return out
}

func (f Files) covered(pattern string) bool {
	if hit, ok := f.known[pattern]; ok {
		return hit
	}
	hit := f.covers(pattern)
	f.known[pattern] = hit
	return hit
}

func (f Files) covers(pattern string) bool {
	clean := strings.Trim(filepath.ToSlash(pattern), "/")
	if !wild(clean) {
		_, err := os.Lstat(filepath.Join(f.Root, filepath.FromSlash(clean)))
		return err == nil
	}
	sc, err := workspace.ParseScope([]string{pattern})
	if err != nil || f.Partial {
		return true
	}
	// Only files below the part before the first wildcard can be covered.
	prefix := clean[:strings.IndexAny(clean, `*?[{\`)]
	prefix = prefix[:strings.LastIndexByte(prefix, '/')+1]
	end := tail(clean)
	from, _ := slices.BinarySearch(f.Paths, prefix)
	for _, p := range f.Paths[from:] {
		if !strings.HasPrefix(p, prefix) {
			break
		}
		// A glob covers whole paths, so most files are told apart by their end: a
		// glob of no folder is held against every file of the project.
		if strings.HasSuffix(p, end) && sc.Covers(p) {
			return true
		}
	}
	return false
}

// tail is what every path that a glob covers ends in; "" where that cannot be
// told, or where a path may be spelt in two ways.
func tail(glob string) string {
	end := glob[strings.LastIndexAny(glob, `*?[]{}\`)+1:]
	for i := 0; i < len(end); i++ {
		if end[i] >= 0x80 {
			return ""
		}
	}
	return end
}

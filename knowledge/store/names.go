package store

import (
	"strings"

	"pathrule/knowledge"
)

// names are the files of a store's entries, and what a new id is held against.
type names struct {
	at map[string]knowledge.FileRef // by file
	// ids are the files by id, taken are those by id in lower case, and below is
	// how many entries lie in a folder: by the folder in lower case, then as it is
	// spelled. Keys begin with the kind.
	ids   map[string]string
	taken map[string][]string
	below map[string]map[string]int
}

// names are the store's entries, whatever is in them.
func (s *store) names() *names {
	files, _ := s.walk()
	return namesOf(files)
}

func namesOf(files []knowledge.FileRef) *names {
	all := &names{make(map[string]knowledge.FileRef, len(files)), make(map[string]string, len(files)), make(map[string][]string, len(files)), map[string]map[string]int{}}
	for _, f := range files {
		all.add(f)
	}
	return all
}

func nameKey(kind knowledge.Kind, id string) string { return string(kind) + ":" + id }

// add and drop keep names up to date that were read (nil: not yet).
func (all *names) add(f knowledge.FileRef) {
	if all == nil || all.at[f.File] == f {
		return
	}
	all.at[f.File] = f
	all.ids[nameKey(f.Kind, f.ID)] = f.File
	fold := nameKey(f.Kind, strings.ToLower(f.ID))
	all.taken[fold] = append(all.taken[fold], f.File)
	for dir := range folders(f.ID) {
		key := nameKey(f.Kind, strings.ToLower(dir))
		if all.below[key] == nil {
			all.below[key] = map[string]int{}
		}
		all.below[key][dir]++
	}
}

func (all *names) drop(file string) {
	if all == nil {
		return
	}
	f, ok := all.at[file]
	if !ok {
		return
	}
	delete(all.at, file)
	if key := nameKey(f.Kind, f.ID); all.ids[key] == file {
		delete(all.ids, key)
	}
	fold := nameKey(f.Kind, strings.ToLower(f.ID))
	var rest []string
	for _, other := range all.taken[fold] {
		if other != file {
			rest = append(rest, other)
		}
	}
	if all.taken[fold] = rest; rest == nil {
		delete(all.taken, fold)
	}
	for dir := range folders(f.ID) {
		in := all.below[nameKey(f.Kind, strings.ToLower(dir))]
		if in[dir]--; in[dir] == 0 {
			delete(in, dir)
		}
	}
}

// folders yields the folders that an id lies in, the outermost first.
func folders(id string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := range len(id) {
			if id[i] == '/' && !yield(id[:i]) {
				return
			}
		}
	}
}

// free says why an id cannot be taken: it exists, it differs from another only
// by case, or it lies inside another skill. file is the entry that is moved.
func (s *store) free(all *names, kind knowledge.Kind, id, file string) error {
	if f, ok := all.at[file]; ok {
		all.drop(file)
		defer all.add(f)
	}
	fold := strings.ToLower(id)
	if same := all.taken[nameKey(kind, fold)]; len(same) > 0 {
		n := all.at[same[0]]
		if n.ID == id {
			return &knowledge.DuplicateError{Kind: kind, ID: s.prefix + n.ID, What: "id"}
		}
		return &knowledge.InvalidError{Field: "id", Msg: "\"" + id + "\" differs from \"" + n.ID + "\" only by upper and lower case, which macOS and Windows cannot hold", Remedy: "take another id"}
	}
	if kind == knowledge.Skill {
		inside := ""
		for dir := range folders(fold) {
			for _, other := range all.taken[nameKey(kind, dir)] {
				inside = all.at[other].ID
			}
		}
		if dir := spelling(all.below[nameKey(kind, fold)], ""); dir != "" {
			inside = all.in(kind, dir)
		}
		if inside != "" {
			return &knowledge.InvalidError{Field: "id", Msg: "\"" + id + "\" and the skill \"" + inside + "\" would lie inside each other", Remedy: "take another id"}
		}
	}
	// Folders on the way must be spelled alike too.
	for dir := range folders(id) {
		if have := spelling(all.below[nameKey(kind, strings.ToLower(dir))], dir); have != "" {
			return &knowledge.InvalidError{Field: "id", Msg: "folder \"" + dir + "\" is spelled \"" + have + "\" in \"" + all.in(kind, have) + "\"", Remedy: "spell it alike"}
		}
	}
	return nil
}

// spelling is the first of a folder's spellings that is not the one given.
func spelling(have map[string]int, not string) (first string) {
	for dir := range have {
		if dir != not && (first == "" || dir < first) {
			first = dir
		}
	}
	return first
}

// in is the first entry by id that lies below a folder.
func (all *names) in(kind knowledge.Kind, dir string) (first string) {
	for _, f := range all.at {
		if f.Kind == kind && strings.HasPrefix(f.ID, dir+"/") && (first == "" || f.ID < first) {
			first = f.ID
		}
	}
	return first
}

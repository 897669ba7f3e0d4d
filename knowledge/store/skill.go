package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"pathrule/knowledge"
	"pathrule/workspace"
)

func (s *store) skillDir(id string) (string, error) {
	f, err := s.find(knowledge.Skill, s.bare(id))
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(filepath.Dir(f.File)), nil
}

func (s *store) skillFiles(id string) ([]SkillFile, []workspace.Problem, error) {
	rel, err := s.skillDir(id)
	if err != nil {
		return nil, nil, err
	}
	root := s.path(rel)
	var out []SkillFile
	var problems []workspace.Problem
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		name, e := filepath.Rel(root, p)
		if e != nil {
			return e
		}
		name = filepath.ToSlash(name)
		if err != nil {
			problems = append(problems, workspace.Problem{File: s.show(rel + "/" + name), Msg: "cannot be read: " + rootCause(err).Error(), Remedy: "mend its rights"})
			return nil
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if name == "SKILL.md" || strings.HasPrefix(d.Name(), ".") || strings.HasSuffix(d.Name(), "~") {
			return nil
		}
		if err := s.safe(rel + "/" + name); err != nil {
			problems = append(problems, workspace.Problem{File: s.show(rel + "/" + name), Msg: "refused: the link leaves the workspace", Remedy: "copy the file into the skill's folder"})
			return nil
		}
		st, err := os.Stat(p)
		if err != nil || !st.Mode().IsRegular() {
			return nil
		}
		out = append(out, SkillFile{name, st.Size()})
		return nil
	})
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out, problems, err
}

func (s *store) readSkillFile(id, name string) ([]byte, error) {
	rel, err := s.skillDir(id)
	if err != nil {
		return nil, err
	}
	name = filepath.ToSlash(name)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, &knowledge.RefusedError{Path: name, Msg: "leaves the skill's folder", Remedy: "name a path below it"}
	}
	file := rel + "/" + name
	if err := s.safe(file); err != nil {
		return nil, err
	}
	st, err := os.Stat(s.path(file))
	if err != nil || st.IsDir() {
		return nil, &knowledge.NotFoundError{Ref: strings.TrimPrefix(file, "skills/")}
	}
	if st.Size() > knowledge.MaxFile {
		return nil, &knowledge.RefusedError{Path: s.show(file), Msg: "file is larger than 1 MiB", Remedy: "open it by its path"}
	}
	return readFile(s.path(file))
}

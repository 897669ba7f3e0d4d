package store

import (
	"path/filepath"

	"pathrule/internal/sysenv"
	"pathrule/knowledge"
	"pathrule/workspace"
)

type store struct{ dir, owner string }

func open(ws *workspace.Workspace, dirs workspace.Dirs, env sysenv.Env) (*Store, error) {
	return &Store{store{ws.Store, ws.ID}}, nil
}
func openPersonal(dirs workspace.Dirs, env sysenv.Env) (*Store, error) {
	return &Store{store{dirs.Personal(), "personal"}}, nil
}
func (s *Store) path(file string) string { return filepath.Join(s.dir, filepath.FromSlash(file)) }
func (s *Store) list(kinds []knowledge.Kind) ([]knowledge.Entry, []workspace.Problem) {
	return nil, nil
}
func (s *Store) read(kind knowledge.Kind, id string) (knowledge.Entry, []byte, error) {
	return knowledge.Entry{}, nil, knowledge.ErrNotFound
}
func (s *Store) resolve(ref string, kind knowledge.Kind) (knowledge.Kind, string, error) {
	return "", "", knowledge.ErrNotFound
}
func (s *Store) create(d Draft, o CreateOptions) (knowledge.Entry, []Near, error) {
	return knowledge.Entry{}, nil, knowledge.ErrReadOnly
}
func (s *Store) similar(d Draft) []Near { return nil }
func (s *Store) update(kind knowledge.Kind, id string, p Patch, expected, by string) (knowledge.Entry, error) {
	return knowledge.Entry{}, knowledge.ErrReadOnly
}
func (s *Store) replace(kind knowledge.Kind, id string, raw []byte, expected, by string) (knowledge.Entry, error) {
	return knowledge.Entry{}, knowledge.ErrReadOnly
}
func (s *Store) remove(kind knowledge.Kind, id, expected, by string) (string, error) {
	return "", knowledge.ErrReadOnly
}
func (s *Store) restore(kind knowledge.Kind, id, by string) (knowledge.Entry, error) {
	return knowledge.Entry{}, knowledge.ErrReadOnly
}
func (s *Store) restoreVersion(kind knowledge.Kind, id, version, by string) (knowledge.Entry, error) {
	return knowledge.Entry{}, knowledge.ErrReadOnly
}
func (s *Store) trash() ([]Trashed, error) { return nil, nil }
func (s *Store) history(kind knowledge.Kind, id string) ([]knowledge.OldVersion, error) {
	return nil, nil
}
func (s *Store) undo(by string) (string, error) { return "", knowledge.ErrNothing }
func (s *Store) skillFiles(id string) ([]SkillFile, []workspace.Problem, error) {
	return nil, nil, knowledge.ErrNotFound
}
func (s *Store) readSkillFile(id, path string) ([]byte, error) { return nil, knowledge.ErrNotFound }
func (s *Store) check(raw []byte, kind knowledge.Kind, path string) []workspace.Problem {
	return nil
}

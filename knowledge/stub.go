package knowledge

import "pathrule/workspace"

func parseLines(data []byte, kind Kind, id, file string) (Entry, error) { return Entry{}, ErrBeyond }
func version(data []byte) string                                        { return "" }
func strip(body string) string                                          { return body }
func line(e *Entry) string                                              { return "" }
func inWorkspace(e *Entry, ws *workspace.Workspace, home string) bool   { return true }
func checkID(id string) error                                           { return nil }
func checkNewID(id string) error                                        { return nil }
func slug(title string) string                                          { return "" }
func ident(rel string) (Kind, string, bool)                             { return "", "", false }
func fileOf(kind Kind, id string) string                                { return "" }
func walk(store string, within []string) ([]FileRef, []string, []workspace.Problem) {
	return nil, nil, nil
}

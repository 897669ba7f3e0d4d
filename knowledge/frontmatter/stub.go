package frontmatter

import (
	"pathrule/knowledge"
	"pathrule/workspace"
)

func parse(data []byte, kind knowledge.Kind, id, file string) (knowledge.Entry, []workspace.Problem, error) {
	return knowledge.Entry{}, nil, nil
}
func apply(data []byte, edits []Edit) ([]byte, error) { return data, nil }
func setBody(data []byte, body string) []byte         { return data }
func render(e knowledge.Entry) []byte                 { return nil }

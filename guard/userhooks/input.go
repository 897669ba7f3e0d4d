package userhooks

import (
	"path/filepath"

	"pathrule/guard/hookfile"
	"pathrule/internal/rawjson"
)

// stdin is what a command reads: one JSON object and a line end.
func stdin(c Candidate, req hookfile.Request) []byte {
	b := []byte(`{"version":1`)
	field := func(name, value string) {
		if value == "" {
			return
		}
		b = append(b, `,"`+name+`":`...)
		b = rawjson.AppendQuoted(b, value)
	}
	field("event", c.Event)
	field("hook", c.Hook.Name)
	field("host", req.Host)
	field("session", req.Session)
	field("agent", req.Agent)
	field("project", project(c.Source, req))
	field("cwd", req.Cwd)
	field("source", req.Source)
	field("prompt", req.Prompt)
	if req.Tool != "" {
		b = append(b, `,"tool":{"name":`...)
		b = rawjson.AppendQuoted(b, req.Tool)
		if req.ToolUseID != "" {
			b = append(b, `,"use_id":`...)
			b = rawjson.AppendQuoted(b, req.ToolUseID)
		}
		b = append(b, '}')
	}
	field("command", req.Command)
	paths := pathsBelow(c.Source, req)
	if len(paths) > 0 {
		field("path", paths[0])
		b = append(b, `,"paths":[`...)
		for i, p := range paths {
			if i > 0 {
				b = append(b, ',')
			}
			b = rawjson.AppendQuoted(b, p)
		}
		b = append(b, ']')
	}
	if m := req.Memory; m != nil {
		b = append(b, `,"memory":{"operation":`...)
		b = rawjson.AppendQuoted(b, m.Operation)
		for _, f := range [...][2]string{{"kind", m.Kind}, {"id", m.ID}, {"scope", m.Scope}, {"title", m.Title}, {"text", m.Text}, {"query", m.Query}} {
			if f[1] != "" {
				b = append(b, `,"`+f[0]+`":`...)
				b = rawjson.AppendQuoted(b, f[1])
			}
		}
		for i, p := range m.Paths {
			if b = append(b, ','); i == 0 {
				b = append(b, `"paths":[`...)
			}
			b = rawjson.AppendQuoted(b, p)
		}
		if len(m.Paths) > 0 {
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	// A client's payload may hold raw control characters that a strict reader
	// refuses; the hook is given what it can parse.
	if v, err := rawjson.Parse(req.Payload); err == nil && len(req.Payload) > 0 {
		b = append(b, `,"payload":`...)
		b = appendClean(b, v)
	}
	return append(b, "}\n"...)
}

// appendClean appends a value as strict JSON.
func appendClean(b []byte, v rawjson.Value) []byte {
	sep := byte(0)
	next := func() {
		if sep != 0 {
			b = append(b, sep)
		}
		sep = ','
	}
	switch v.Kind() {
	case '{':
		b = append(b, '{')
		v.Members(func(name string, m rawjson.Value) bool {
			next()
			b = rawjson.AppendQuoted(b, name)
			b = append(b, ':')
			b = appendClean(b, m)
			return true
		})
		return append(b, '}')
	case '[':
		b = append(b, '[')
		v.Elements(func(e rawjson.Value) bool {
			next()
			b = appendClean(b, e)
			return true
		})
		return append(b, ']')
	case '"':
		return rawjson.AppendQuoted(b, v.Text())
	}
	return append(b, v...)
}

// project is the root that a hook works in: that of its file, for the user's own
// the session's.
func project(s *Source, req hookfile.Request) string {
	if s.Root != "" {
		return s.Root
	}
	if req.Workspace != nil {
		return req.Workspace.Root
	}
	return filepath.Clean(req.Cwd)
}

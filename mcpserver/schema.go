package mcpserver

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// field is one argument of a tool, or one key of its result. One description
// serves the schema that clients see, the check of what they send, and the
// documentation.
type field struct {
	name string
	typ  string // string, strings, integer, boolean, object, objects
	desc string
	need bool
	enum []string
	// choice is an enum that the schema leaves out.
	choice []string
	of     []field // keys of object and objects
	// also are other names that are taken for this one without being shown.
	also []string
	// brief leaves the keys out of the schema, where the description has them.
	brief bool
	// unseen is taken but not shown: an error names it where it is of use.
	unseen bool
}

// schemaOf spells a JSON schema for an object with these fields, in order and
// without a wasted byte: every client pays for it in every session. It does not
// forbid other keys; our own check does, and names the nearest one.
func schemaOf(fields []field) json.RawMessage {
	var b bytes.Buffer
	writeObject(&b, fields)
	return b.Bytes()
}

func writeObject(b *bytes.Buffer, fields []field) {
	b.WriteString(`{"type":"object"`)
	open := `,"properties":{`
	for _, f := range fields {
		if f.unseen {
			continue
		}
		b.WriteString(open)
		b.WriteString(strconv.Quote(f.name))
		b.WriteByte(':')
		writeField(b, f)
		open = ","
	}
	if open == "," {
		b.WriteByte('}')
	}
	open = `,"required":[`
	for _, f := range fields {
		if f.need {
			b.WriteString(open)
			b.WriteString(strconv.Quote(f.name))
			open = ","
		}
	}
	if open == "," {
		b.WriteByte(']')
	}
	b.WriteByte('}')
}

func writeField(b *bytes.Buffer, f field) {
	if f.brief {
		f.of = nil
	}
	switch f.typ {
	case "object":
		writeNested(b, f)
	case "objects":
		b.WriteString(`{"type":"array","items":`)
		writeNested(b, field{of: f.of})
		writeRest(b, f)
	case "strings":
		b.WriteString(`{"type":"array","items":{"type":"string"}`)
		writeRest(b, f)
	default:
		b.WriteString(`{"type":` + strconv.Quote(f.typ))
		writeRest(b, f)
	}
}

func writeNested(b *bytes.Buffer, f field) {
	var o bytes.Buffer
	writeObject(&o, f.of)
	b.Write(o.Bytes()[:o.Len()-1])
	writeRest(b, f)
}

// writeRest ends a schema object with what every type may carry.
func writeRest(b *bytes.Buffer, f field) {
	if len(f.enum) > 0 {
		raw, _ := marshal(f.enum)
		b.WriteString(`,"enum":`)
		b.Write(raw)
	}
	if f.desc != "" {
		raw, _ := marshal(f.desc)
		b.WriteString(`,"description":`)
		b.Write(raw)
	}
	b.WriteByte('}')
}

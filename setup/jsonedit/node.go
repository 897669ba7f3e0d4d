package jsonedit

import (
	"slices"

	"github.com/tailscale/hujson"
)

// Kind is the first byte of a value's grammar: '{' '[' '"' '0' 't' 'f' 'n'.
type Kind = hujson.Kind

// Node is one value of a document, valid until the next edit. The zero Node is
// an absent value.
type Node struct {
	d *Doc
	v *hujson.Value
}

// Root is the document's top value.
func (d *Doc) Root() Node { return Node{d, &d.root} }

// At follows a path of keys (string) and indices (int) from the root.
func (d *Doc) At(path ...any) (Node, bool) {
	n := d.Root()
	for _, p := range path {
		var ok bool
		switch p := p.(type) {
		case string:
			n, ok = n.Get(p)
		case int:
			if e := n.Elems(); p >= 0 && p < len(e) {
				n, ok = e[p], true
			}
		}
		if !ok {
			return Node{}, false
		}
	}
	return n, true
}

// Kind is the value's kind, 0 for an absent one.
func (n Node) Kind() Kind {
	if n.v == nil {
		return 0
	}
	return n.v.Value.Kind()
}

// Line is the 1-based line on which the value starts.
func (n Node) Line() int { return lineAt(n.d.src, n.v.StartOffset) }

// Comments are the texts of the comments inside the value.
func (n Node) Comments() []string { return n.d.comments(n.v.StartOffset, n.v.EndOffset, nil) }

// Bare reports an object or array without children and comments.
func (n Node) Bare() bool {
	return n.v != nil && len(n.Keys())+len(n.Elems()) == 0 && (n.Kind() == '{' || n.Kind() == '[') && len(n.Comments()) == 0
}

// Get is a member of an object.
func (n Node) Get(key string) (Node, bool) {
	if n.v == nil {
		return Node{}, false
	}
	if o, ok := n.v.Value.(*hujson.Object); ok {
		for i := range o.Members {
			if literal(o.Members[i].Name) == key {
				return Node{n.d, &o.Members[i].Value}, true
			}
		}
	}
	return Node{}, false
}

// Keys are an object's keys in order.
func (n Node) Keys() []string {
	if n.v == nil {
		return nil
	}
	o, ok := n.v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	out := make([]string, len(o.Members))
	for i := range o.Members {
		out[i] = literal(o.Members[i].Name)
	}
	return out
}

// Elems are an array's elements.
func (n Node) Elems() []Node {
	if n.v == nil {
		return nil
	}
	a, ok := n.v.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	out := make([]Node, len(a.Elements))
	for i := range a.Elements {
		out[i] = Node{n.d, &a.Elements[i]}
	}
	return out
}

// Str is a string's value; false when it is none.
func (n Node) Str() (string, bool) {
	if n.Kind() != '"' {
		return "", false
	}
	return n.v.Value.(hujson.Literal).String(), true
}

// Value is the node's meaning without its spelling: Object, []any, string,
// Number, bool or nil.
func (n Node) Value() any {
	switch v := n.v.Value.(type) {
	case *hujson.Object:
		out := Object{}
		for i := range v.Members {
			out = append(out, Member{literal(v.Members[i].Name), Node{n.d, &v.Members[i].Value}.Value()})
		}
		return out
	case *hujson.Array:
		out := []any{}
		for i := range v.Elements {
			out = append(out, Node{n.d, &v.Elements[i]}.Value())
		}
		return out
	case hujson.Literal:
		switch v.Kind() {
		case '"':
			return v.String()
		case 't':
			return true
		case 'f':
			return false
		case '0':
			return Number(v)
		}
	}
	return nil
}

// Object is an ordered object.
type Object []Member

// Member is one key with its value: Object, []any, []string, string, int,
// Number, bool or nil.
type Member struct {
	Key string
	Val any
}

// Number is a number as spelled, so that none is rounded.
type Number string

// Get is a member's value.
func (o Object) Get(key string) (any, bool) {
	for _, m := range o {
		if m.Key == key {
			return m.Val, true
		}
	}
	return nil, false
}

// Without is the object less some keys.
func (o Object) Without(keys ...string) Object {
	out := Object{}
	for _, m := range o {
		if !slices.Contains(keys, m.Key) {
			out = append(out, m)
		}
	}
	return out
}

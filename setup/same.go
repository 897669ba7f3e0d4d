package setup

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"

	"pathrule/host"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
)

// sameJSON compares two values; the order of an object's members does not
// count, that of a list does.
func sameJSON(a, b any) bool { return reflect.DeepEqual(plain(a), plain(b)) }

func plain(v any) any {
	switch v := v.(type) {
	case jsonedit.Object:
		m := make(map[string]any, len(v))
		for _, e := range v {
			m[e.Key] = plain(e.Val)
		}
		return m
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case []string:
		out := make([]any, len(v))
		for i := range v {
			out[i] = v[i]
		}
		return out
	case int:
		return jsonedit.Number(fmt.Sprint(v))
	}
	return v
}

// foreignJSON is a document's meaning less everything of ours and what our
// leaving empties: what an edit must not change.
func foreignJSON(root any, h host.Host, t target) any {
	top, ok := root.(jsonedit.Object)
	if !ok {
		return root
	}
	sh, table := h.Shape(), h.Wiring().MCPTable
	hooked := t.hooks
	if hooked && sh.Key == "" {
		top = foreignHooks(top, sh)
	}
	var out jsonedit.Object
	for _, m := range top {
		switch {
		case hooked && sh.Key != "" && m.Key == sh.Key:
			if events, ok := m.Val.(jsonedit.Object); ok {
				if m.Val = foreignHooks(events, sh); len(m.Val.(jsonedit.Object)) == 0 {
					continue
				}
			}
		case m.Key == table:
			if servers, ok := m.Val.(jsonedit.Object); ok {
				e, _ := servers.Get(server)
				if argv, _ := mcpEntry(e); oursMCP(argv) {
					servers = servers.Without(server)
				}
				if m.Val = servers; len(servers) == 0 {
					continue
				}
			}
		case m.Key == "version" && sh.Version > 0:
			continue
		}
		out = append(out, m)
	}
	return out
}

func foreignHooks(events jsonedit.Object, sh host.HookShape) jsonedit.Object {
	out := jsonedit.Object{}
	for _, ev := range events {
		list, ok := ev.Val.([]any)
		if !ok {
			out = append(out, ev)
			continue
		}
		var rest []any
		for _, e := range list {
			if e, keep := foreignElement(e, sh); keep {
				rest = append(rest, e)
			}
		}
		if len(rest) > 0 {
			out = append(out, jsonedit.Member{Key: ev.Key, Val: rest})
		}
	}
	return out
}

func foreignElement(e any, sh host.HookShape) (any, bool) {
	o, ok := e.(jsonedit.Object)
	if !ok {
		return e, true
	}
	ours := func(v any) bool {
		body, ok := v.(jsonedit.Object)
		if !ok {
			return false
		}
		argv, _, ok := words(body, sh)
		return ok && oursHook(argv)
	}
	if !sh.Grouped {
		return o, !ours(o)
	}
	hs, _ := o.Get("hooks")
	list, ok := hs.([]any)
	if !ok {
		return o, true
	}
	rest := slices.DeleteFunc(slices.Clone(list), ours)
	if len(rest) == 0 && len(o.Without("matcher", "hooks")) == 0 {
		return nil, false
	}
	out := slices.Clone(o)
	for i := range out {
		if out[i].Key == "hooks" {
			out[i].Val = rest
		}
	}
	return out, true
}

// verifyJSON reads an edited document anew and holds it against the one
// before: nothing foreign may have changed, no comment may be lost, and the
// client must accept its shape. It is the last line of defence before a file
// that belongs to a person is replaced.
func verifyJSON(before, after []byte, h host.Host, t target) error {
	b, err := jsonedit.Parse(before)
	if err != nil {
		return err
	}
	a, err := jsonedit.Parse(after)
	if err != nil {
		return fmt.Errorf("the edited text does not parse: %w", err)
	}
	// Order counts here: DeepEqual over ordered members.
	if !reflect.DeepEqual(foreignJSON(b.Root().Value(), h, t), foreignJSON(a.Root().Value(), h, t)) {
		return fmt.Errorf("the edit would change what is not ours")
	}
	if !slices.Equal(b.Comments(ownNodes(b, h, t)...), a.Comments(ownNodes(a, h, t)...)) {
		return fmt.Errorf("the edit would change a comment")
	}
	if t.hooks {
		if err := checkHooks(a, h); err != nil && checkHooks(b, h) == nil {
			return err
		}
	}
	return nil
}

// ownNodes are our handlers and our server in a document.
func ownNodes(d *jsonedit.Doc, h host.Host, t target) []jsonedit.Node {
	var out []jsonedit.Node
	root := d.Root().Value()
	var hooks []hook
	if t.hooks {
		hooks = ownHooks(root, h.Shape())
	}
	for _, k := range hooks {
		if n, ok := d.At(k.path(h.Shape())...); ok {
			out = append(out, n)
		}
	}
	table := h.Wiring().MCPTable
	if e, ok := jsonServer(root, table); ok {
		if argv, _ := mcpEntry(e); oursMCP(argv) {
			n, _ := d.At(table, server)
			out = append(out, n)
		}
	}
	return out
}

// verifyTOML is verifyJSON for a TOML file.
func verifyTOML(before, after []byte, table string) error {
	b, err := tomledit.Parse(before)
	if err != nil {
		return err
	}
	a, err := tomledit.Parse(after)
	if err != nil {
		return fmt.Errorf("the edited text does not parse: %w", err)
	}
	if !sameTOML(foreignTOML(b.Value(), table), foreignTOML(a.Value(), table)) {
		return fmt.Errorf("the edit would change what is not ours")
	}
	if !slices.Equal(b.Comments(table, server), a.Comments(table, server)) {
		return fmt.Errorf("the edit would change a comment")
	}
	return nil
}

func foreignTOML(v map[string]any, table string) map[string]any {
	t, ok := v[table].(map[string]any)
	if !ok {
		return v
	}
	v, t = maps.Clone(v), maps.Clone(t)
	if argv, there := mcpEntry(t[server]); there && oursMCP(argv) {
		delete(t, server)
	}
	if v[table] = t; len(t) == 0 {
		delete(v, table)
	}
	return v
}

// sameTOML is DeepEqual for which nan equals nan.
func sameTOML(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if _, ok := b[k]; !ok || !sameTOML(a[k], b[k]) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameTOML(a[i], b[i]) {
				return false
			}
		}
		return true
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b))
	}
	return reflect.DeepEqual(a, b)
}

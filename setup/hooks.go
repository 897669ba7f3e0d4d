package setup

import (
	"fmt"
	"slices"

	"pathrule/host"
	"pathrule/internal/rawjson"
	"pathrule/setup/jsonedit"
)

// at is a place below the map of events: the member that holds it, or the file
// itself where the client knows no such member.
func at(sh host.HookShape, parts ...any) []any {
	if sh.Key == "" {
		return parts
	}
	return append([]any{sh.Key}, parts...)
}

// mark names the list of an event, or with "" the map, among what setup made.
func mark(sh host.HookShape, event string) string {
	if event == "" {
		return sh.Key
	}
	return sh.Key + "/" + event
}

// eventsOf is the map of events of a hook file.
func eventsOf(root any, sh host.HookShape) jsonedit.Object {
	top, _ := root.(jsonedit.Object)
	if sh.Key == "" {
		return top
	}
	v, _ := top.Get(sh.Key)
	events, _ := v.(jsonedit.Object)
	return events
}

// hook is one handler found in a hook file.
type hook struct {
	event   string
	group   int // index in the event's list
	handler int // index in the group's list, -1 where the file has no groups
	matcher string
	alone   bool // its group holds nothing but it and a matcher
	body    jsonedit.Object
	argv    []string
	shell   bool
}

// path leads from the document's root to the handler.
func (k hook) path(sh host.HookShape) []any {
	if k.handler < 0 {
		return at(sh, k.event, k.group)
	}
	return at(sh, k.event, k.group, "hooks", k.handler)
}

// ownHooks are our handlers in file order. What does not have the shape of a
// hook is passed over; checkHooks names it.
func ownHooks(root any, sh host.HookShape) []hook {
	var out []hook
	add := func(k hook) {
		argv, shell, ok := words(k.body, sh)
		if ok && oursHook(argv) {
			k.argv, k.shell = argv, shell
			out = append(out, k)
		}
	}
	for _, ev := range eventsOf(root, sh) {
		list, _ := ev.Val.([]any)
		for g, e := range list {
			o, _ := e.(jsonedit.Object)
			m, _ := o.Get("matcher")
			matcher, _ := m.(string)
			if !sh.Grouped {
				add(hook{event: ev.Key, group: g, handler: -1, matcher: matcher, alone: true, body: o})
				continue
			}
			hs, _ := o.Get("hooks")
			handlers, _ := hs.([]any)
			for i, h := range handlers {
				body, _ := h.(jsonedit.Object)
				add(hook{event: ev.Key, group: g, handler: i, matcher: matcher, body: body,
					alone: len(handlers) == 1 && len(o.Without("matcher", "hooks")) == 0})
			}
		}
	}
	return out
}

// wanted is one registration as it should stand.
type wanted struct {
	event, matcher string
	body           jsonedit.Object
}

// element is what stands in the event's list.
func (w wanted) element(sh host.HookShape) jsonedit.Object {
	if !sh.Grouped {
		return w.body
	}
	o := jsonedit.Object{}
	if w.matcher != "" {
		o = append(o, jsonedit.Member{Key: "matcher", Val: w.matcher})
	}
	return append(o, jsonedit.Member{Key: "hooks", Val: []any{w.body}})
}

// over is the body with the members that a person added to an older one.
func (w wanted) over(old jsonedit.Object, sh host.HookShape) jsonedit.Object {
	gone := []string{"matcher", "type", "command", "args", sh.Command, sh.Timeout, sh.Windows}
	for _, m := range w.body {
		gone = append(gone, m.Key)
	}
	return append(slices.Clip(w.body), old.Without(gone...)...)
}

// tally counts what a merge did.
type tally struct{ added, updated, removed, kept int }

func (t *tally) add(u tally) {
	t.added += u.added
	t.updated += u.updated
	t.removed += u.removed
	t.kept += u.kept
}

// mergeHooks makes d hold exactly the wanted handlers of ours. What is right
// stays where it is; what is old is changed in place, so that no other hook
// changes its position (Codex keys its trust by position); what is missing is
// appended. It returns the members it made, for unsetup to prune.
func mergeHooks(d *jsonedit.Doc, sh host.HookShape, want []wanted) (t tally, made []string, err error) {
	owned := ownHooks(d.Root().Value(), sh)
	used := make([]bool, len(owned))
	var missing []wanted
	for _, w := range want {
		best, score := -1, 0
		for i, k := range owned {
			if used[i] || k.event != w.event {
				continue
			}
			s := 0
			switch {
			case k.matcher == w.matcher && sameJSON(k.body, w.over(k.body, sh)):
				s = 3
			case k.matcher == w.matcher && sh.Grouped:
				s = 2
			case k.alone && uncommented(d, at(sh, k.event, k.group)...):
				s = 1
			}
			if s > score {
				best, score = i, s
			}
		}
		switch score {
		case 0:
			missing = append(missing, w)
			continue
		case 3:
			t.kept++
		case 2:
			t.updated++
			err = d.Set(w.over(owned[best].body, sh), owned[best].path(sh)...)
		case 1:
			t.updated++
			w.body = w.over(owned[best].body, sh)
			err = d.Set(w.element(sh), at(sh, w.event, owned[best].group)...)
		}
		if err != nil {
			return t, nil, err
		}
		used[best] = true
	}
	var stale []hook
	for i, k := range owned {
		if !used[i] {
			stale = append(stale, k)
		}
	}
	t.removed = len(stale)
	keep := func(path string) bool {
		return slices.ContainsFunc(missing, func(w wanted) bool { return path == mark(sh, "") || path == mark(sh, w.event) })
	}
	if err := dropHooks(d, sh, stale, func(path string) bool { return !keep(path) }); err != nil {
		return t, nil, err
	}
	for _, w := range missing {
		t.added++
		if _, ok := d.At(at(sh)...); !ok {
			made = append(made, mark(sh, ""))
			if err := d.AddMember(sh.Key, firstEvents(missing, sh)); err != nil {
				return t, nil, err
			}
			for _, w := range missing {
				made = append(made, mark(sh, w.event))
			}
			t.added += len(missing) - 1
			break
		}
		if _, ok := d.At(at(sh, w.event)...); !ok {
			made = append(made, mark(sh, w.event))
			err = d.AddMember(w.event, []any{w.element(sh)}, at(sh)...)
		} else {
			err = d.AddElem(w.element(sh), at(sh, w.event)...)
		}
		if err != nil {
			return t, nil, err
		}
	}
	return t, made, nil
}

func uncommented(d *jsonedit.Doc, path ...any) bool {
	n, ok := d.At(path...)
	return ok && len(n.Comments()) == 0
}

// firstEvents is the whole map of events for a file that had none.
func firstEvents(want []wanted, sh host.HookShape) jsonedit.Object {
	var o jsonedit.Object
	for _, w := range want {
		if i := slices.IndexFunc(o, func(m jsonedit.Member) bool { return m.Key == w.event }); i >= 0 {
			o[i].Val = append(o[i].Val.([]any), w.element(sh))
			continue
		}
		o = append(o, jsonedit.Member{Key: w.event, Val: []any{w.element(sh)}})
	}
	return o
}

// dropHooks takes handlers out, last first, then groups that held nothing
// else, and the emptied lists and members that prune allows by their path
// ("hooks/Stop", "hooks"). A comment inside keeps any of them.
func dropHooks(d *jsonedit.Doc, sh host.HookShape, gone []hook, prune func(path string) bool) error {
	for i := len(gone) - 1; i >= 0; i-- {
		k := gone[i]
		if err := d.Remove(k.path(sh)...); err != nil {
			return err
		}
		if k.handler >= 0 {
			g, _ := d.At(at(sh, k.event, k.group)...)
			hs, _ := g.Get("hooks")
			if hs.Bare() && len(g.Comments()) == 0 && !slices.ContainsFunc(g.Keys(), func(key string) bool { return key != "matcher" && key != "hooks" }) {
				if err := d.Remove(at(sh, k.event, k.group)...); err != nil {
					return err
				}
			}
		}
		list, _ := d.At(at(sh, k.event)...)
		if list.Bare() && prune(mark(sh, k.event)) {
			if err := d.Remove(at(sh, k.event)...); err != nil {
				return err
			}
		}
	}
	if len(gone) > 0 && sh.Key != "" {
		if all, ok := d.At(sh.Key); ok && all.Bare() && prune(mark(sh, "")) {
			return d.Remove(sh.Key)
		}
	}
	return nil
}

// checkHooks holds a hook file to the shape that the client loads; the error
// is a *jsonedit.Error with the line.
func checkHooks(d *jsonedit.Doc, h host.Host) error {
	sh, types := h.Shape(), h.Wiring().Types
	root := d.Root()
	if root.Kind() != '{' {
		return &jsonedit.Error{Line: root.Line(), Msg: "the top value is " + rawjson.KindName(byte(root.Kind())) + ", not an object"}
	}
	hooks, name, dot := root, "the file", ""
	if sh.Key != "" {
		var ok bool
		if hooks, ok = root.Get(sh.Key); !ok {
			return nil
		}
		name, dot = fmt.Sprintf("%q", sh.Key), sh.Key+"."
	}
	bad := func(n jsonedit.Node, where, want string) error {
		return &jsonedit.Error{Line: n.Line(), Msg: fmt.Sprintf("%s is %s, not %s", where, rawjson.KindName(byte(n.Kind())), want)}
	}
	if hooks.Kind() != '{' {
		return bad(hooks, name, "an object")
	}
	for _, ev := range hooks.Keys() {
		list, _ := hooks.Get(ev)
		where := dot + ev
		if list.Kind() != '[' {
			return bad(list, where, "a list")
		}
		for g, group := range list.Elems() {
			where := fmt.Sprintf("%s[%d]", where, g)
			if group.Kind() != '{' {
				return bad(group, where, "an object")
			}
			if m, ok := group.Get("matcher"); ok && m.Kind() != '"' && m.Kind() != 'n' {
				return bad(m, where+".matcher", "a string")
			}
			handlers := []jsonedit.Node{group}
			if sh.Grouped {
				hs, ok := group.Get("hooks")
				if !ok {
					return &jsonedit.Error{Line: group.Line(), Msg: where + ` has no "hooks"`}
				}
				if hs.Kind() != '[' {
					return bad(hs, where+".hooks", "a list")
				}
				handlers = hs.Elems()
			}
			for i, one := range handlers {
				if sh.Grouped {
					where := fmt.Sprintf("%s.hooks[%d]", where, i)
					if one.Kind() != '{' {
						return bad(one, where, "an object")
					}
				}
				if types == nil {
					continue
				}
				typ, ok := one.Get("type")
				name, _ := typ.Str()
				if !ok || !slices.Contains(types, name) {
					return &jsonedit.Error{Line: one.Line(), Msg: fmt.Sprintf("%s.hooks[%d] has the type %q; %s loads no hook at all from a file with such an entry", where, i, name, h.Title())}
				}
			}
		}
	}
	return nil
}

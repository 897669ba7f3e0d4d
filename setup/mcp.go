package setup

import (
	"fmt"
	"slices"

	"pathrule/host"
	"pathrule/internal/rawjson"
	"pathrule/internal/sysenv"
	"pathrule/setup/jsonedit"
	"pathrule/setup/tomledit"
)

// server is the name of our MCP server in every client.
const server = "pathrule"

// entry is our MCP entry as it should stand.
type entry struct {
	typ     string
	command string
	vars    map[string]string // carried variables, "" to drop
	pass    []string          // variables that the client hands on
	list    bool              // program and arguments are one list
	env     string            // the member with the variables
	extra   []host.Member     // further members of a new entry
}

// run is what starts the server, as the client writes it.
func (e entry) run() jsonedit.Object {
	if e.list {
		return jsonedit.Object{{Key: "command", Val: []string{e.command, "mcp"}}}
	}
	return jsonedit.Object{{Key: "command", Val: e.command}, {Key: "args", Val: []string{"mcp"}}}
}

// envKey is the member with a server's variables.
func envKey(w host.Wiring) string {
	if w.MCPEnv != "" {
		return w.MCPEnv
	}
	return "env"
}

func wantedEntry(h host.Host, t target, scope host.Scope, root string, p programs, env sysenv.Env) (entry, error) {
	w := h.Wiring()
	// Clients that share a file agree on the first one's word for the type: all
	// of them take it, while some refuse a word of another's.
	for _, o := range sharers(h, scope, root, t.cfg.Path, env) {
		if typ := o.Wiring().MCPType; typ != "" && (w.MCPType == "" || before(o, h)) {
			w.MCPType = typ
			break
		}
	}
	e := entry{typ: w.MCPType, command: p.pathrule, vars: vars(scope, env), list: w.MCPList, env: envKey(w), extra: w.MCPExtra}
	if scope == host.Project && w.MCPPass != "" {
		// The servers of a team cannot name a home; the client hands on what
		// each person has, so that server and hooks agree.
		e.pass = append(slices.Clone(carried), "XDG_STATE_HOME")
	}
	for _, s := range append([]string{e.command}, mapValues(e.vars)...) {
		if err := printable(s); err != nil {
			return e, err
		}
	}
	return e, nil
}

// before: a stands before b in the table of clients.
func before(a, b host.Host) bool {
	at := func(h host.Host) int {
		return slices.IndexFunc(host.All(), func(x host.Host) bool { return x.ID() == h.ID() })
	}
	return at(a) < at(b)
}

func mapValues(m map[string]string) []string {
	var out []string
	for _, name := range carried {
		out = append(out, m[name])
	}
	return out
}

// mcpEntry is what stands under our name: the words it runs, whether there is
// an entry at all.
func mcpEntry(v any) (argv []string, there bool) {
	switch e := v.(type) {
	case nil:
		return nil, false
	case jsonedit.Object:
		cmd, _ := e.Get("command")
		args, _ := e.Get("args")
		return mcpWords(cmd, args), true
	case map[string]any:
		return mcpWords(e["command"], e["args"]), true
	}
	return nil, true
}

func mcpWords(cmd, args any) []string {
	var argv []string
	list, _ := args.([]any)
	switch c := cmd.(type) {
	case string:
		argv = []string{c}
	case []any:
		list = append(slices.Clip(c), list...)
	default:
		return nil
	}
	for _, a := range list {
		s, ok := a.(string)
		if !ok {
			return nil
		}
		argv = append(argv, s)
	}
	return argv
}

// foreignEntry is the refusal for a server of another product that has our
// name.
func foreignEntry(argv []string, table string) string {
	what := "something else"
	if len(argv) > 0 {
		what = fmt.Sprintf("%q", argv[0])
	}
	return fmt.Sprintf("%s.%s runs %s, not this program; rename or remove that entry", table, server, what)
}

// jsonServer is our entry in a JSON file.
func jsonServer(root any, table string) (any, bool) {
	top, _ := root.(jsonedit.Object)
	t, _ := top.Get(table)
	servers, _ := t.(jsonedit.Object)
	return servers.Get(server)
}

// mergeMCP makes our entry in a JSON file what it should be. Members that a
// person added to it stay.
func mergeMCP(d *jsonedit.Doc, table string, w entry) (t tally, made []string, err error) {
	node, ok := d.At(table)
	if ok && node.Kind() != '{' {
		return t, nil, &jsonedit.Error{Line: node.Line(), Msg: fmt.Sprintf("%q is %s, not an object", table, rawjson.KindName(byte(node.Kind())))}
	}
	if !ok {
		made = append(made, table)
		if err := d.AddMember(table, jsonedit.Object{}); err != nil {
			return t, nil, err
		}
	}
	var env jsonedit.Object
	for _, name := range carried {
		if w.vars[name] != "" {
			env = append(env, jsonedit.Member{Key: name, Val: w.vars[name]})
		}
	}
	old, ok := jsonServer(d.Root().Value(), table)
	if !ok {
		o := jsonedit.Object{}
		if w.typ != "" {
			o = append(o, jsonedit.Member{Key: "type", Val: w.typ})
		}
		o = append(o, w.run()...)
		if len(env) > 0 {
			o = append(o, jsonedit.Member{Key: w.env, Val: env})
		}
		for _, m := range w.extra {
			o = append(o, jsonedit.Member{Key: m.Key, Val: value(m.Val)})
		}
		t.added++
		return t, made, d.AddMember(server, o, table)
	}
	argv, _ := mcpEntry(old)
	node, _ = d.At(table, server)
	if !oursMCP(argv) {
		return t, nil, &jsonedit.Error{Line: node.Line(), Msg: foreignEntry(argv, table)}
	}
	was := string(d.Bytes())
	if argv[0] != w.command {
		// A person may have added flags behind ours: only the program changes.
		place := []any{table, server, "command"}
		if n, ok := d.At(place...); ok && n.Kind() == '[' {
			place = append(place, 0)
		}
		if err := d.Set(w.command, place...); err != nil {
			return t, nil, err
		}
	}
	if n, ok := d.At(table, server, "type"); ok && w.typ != "" {
		if typ, _ := n.Str(); typ != w.typ {
			if err := d.Set(w.typ, table, server, "type"); err != nil {
				return t, nil, err
			}
		}
	}
	if err := setVars(d, table, w.env, env, w.vars); err != nil {
		return t, nil, err
	}
	if string(d.Bytes()) == was {
		t.kept++
	} else {
		t.updated++
	}
	return t, made, nil
}

// setVars brings the carried variables of an existing entry up to date.
func setVars(d *jsonedit.Doc, table, key string, env jsonedit.Object, want map[string]string) error {
	node, ok := d.At(table, server, key)
	if ok && node.Kind() != '{' {
		return &jsonedit.Error{Line: node.Line(), Msg: fmt.Sprintf("%s.%s.%s is %s, not an object", table, server, key, rawjson.KindName(byte(node.Kind())))}
	}
	if !ok {
		if len(env) == 0 {
			return nil
		}
		return d.AddMember(key, env, table, server)
	}
	had := len(node.Keys())
	for _, name := range carried {
		cur, there := d.At(table, server, key, name)
		val, _ := cur.Str()
		var err error
		switch {
		case want[name] == "" && there:
			err = d.Remove(table, server, key, name)
		case want[name] != "" && !there:
			err = d.AddMember(name, want[name], table, server, key)
		case want[name] != "" && val != want[name]:
			err = d.Set(want[name], table, server, key, name)
		}
		if err != nil {
			return err
		}
	}
	if node, _ = d.At(table, server, key); had > 0 && node.Bare() {
		return d.Remove(table, server, key)
	}
	return nil
}

// dropMCP takes our entry out of a JSON file, and the table when it is empty
// then and prune allows it.
func dropMCP(d *jsonedit.Doc, table string, prune func(path string) bool) (bool, error) {
	old, ok := jsonServer(d.Root().Value(), table)
	if !ok {
		return false, nil
	}
	if argv, _ := mcpEntry(old); !oursMCP(argv) {
		return false, nil
	}
	if err := d.Remove(table, server); err != nil {
		return false, err
	}
	if t, _ := d.At(table); t.Bare() && prune(table) {
		return true, d.Remove(table)
	}
	return true, nil
}

// tomlKeys are the keys of our table in a TOML file.
func tomlKeys(w entry, pass string) []tomledit.KV {
	kvs := []tomledit.KV{{Key: "command", Val: w.command}, {Key: "args", Val: []string{"mcp"}}}
	if env := tomlVars(w.vars, false); len(env) > 0 {
		kvs = append(kvs, tomledit.KV{Key: "env", Val: env})
	}
	if len(w.pass) > 0 {
		kvs = append(kvs, tomledit.KV{Key: pass, Val: w.pass})
	}
	return kvs
}

func tomlVars(vars map[string]string, all bool) []tomledit.KV {
	var out []tomledit.KV
	for _, name := range carried {
		if all || vars[name] != "" {
			out = append(out, tomledit.KV{Key: name, Val: vars[name]})
		}
	}
	return out
}

// mergeTOML makes our table in a TOML file what it should be. Keys that a
// person added to it stay.
func mergeTOML(d *tomledit.Doc, table, pass string, w entry) (t tally, err error) {
	path := []string{table, server}
	keys := tomlKeys(w, pass)
	form, closed := d.FormOf(path...)
	refuse := func(msg string) error { return &tomledit.Error{Line: max(1, d.Line(path...)), Msg: msg} }
	argv, there := mcpEntry(d.At(path...))
	if there && !oursMCP(argv) {
		return t, refuse(foreignEntry(argv, table))
	}
	if !there {
		if closed {
			return t, &tomledit.Error{Line: max(1, d.Line(table)), Msg: table + " is written in a form that cannot be added to; put this inside it by hand: " + inlineEntry(keys)}
		}
		t.added++
		return t, d.AddTable(path, keys)
	}
	cur, _ := d.At(path...).(map[string]any)
	right := argv[0] == w.command && (len(w.pass) == 0 || hasAll(cur[pass], w.pass))
	env, _ := cur["env"].(map[string]any)
	for _, name := range carried {
		v, _ := env[name].(string)
		right = right && v == w.vars[name]
	}
	if right {
		t.kept++
		return t, nil
	}
	t.updated++
	switch form {
	case tomledit.Header:
		if argv[0] != w.command {
			if err := d.SetKey(path, keys[0]); err != nil {
				return t, err
			}
		}
		if err := d.SetVars(path, "env", tomlVars(w.vars, true)); err != nil {
			return t, err
		}
		if len(w.pass) > 0 && !hasAll(cur[pass], w.pass) {
			return t, d.SetKey(path, tomledit.KV{Key: pass, Val: union(cur[pass], w.pass)})
		}
		return t, nil
	case tomledit.Keys:
		for k := range cur {
			if k != "command" && k != "args" && k != "env" && k != pass {
				return t, refuse(fmt.Sprintf("%s.%s is out of date and written without its own header; set it by hand to: %s", table, server, inlineEntry(keys)))
			}
		}
		if err := d.RemoveTable(path...); err != nil {
			return t, err
		}
		return t, d.AddTable(path, keys)
	}
	return t, refuse(fmt.Sprintf("%s.%s is out of date and written in a form that is not edited; set it by hand to: %s", table, server, inlineEntry(keys)))
}

func inlineEntry(keys []tomledit.KV) string { return server + " = " + tomledit.Render(keys) }

func hasAll(have any, want []string) bool {
	list, _ := have.([]any)
	for _, w := range want {
		if !slices.Contains(list, any(w)) {
			return false
		}
	}
	return true
}

func union(have any, want []string) []string {
	var out []string
	list, _ := have.([]any)
	for _, h := range list {
		if s, ok := h.(string); ok {
			out = append(out, s)
		}
	}
	for _, w := range want {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// dropTOML takes our table out of a TOML file.
func dropTOML(d *tomledit.Doc, table string) (bool, error) {
	path := []string{table, server}
	argv, there := mcpEntry(d.At(path...))
	if !there || !oursMCP(argv) {
		return false, nil
	}
	if err := d.RemoveTable(path...); err != nil {
		return false, &tomledit.Error{Line: max(1, d.Line(path...)), Msg: fmt.Sprintf("%s.%s is written in a form that is not edited; remove that entry by hand", table, server)}
	}
	return true, nil
}

package compile

import (
	"fmt"
	"slices"
	"strings"

	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Two targets may be read by one client, which then gets every note twice. Where
// that client is the one that a target is written for, this is certain, and a
// second target is refused. Where it is a third one (Devin reads what Windsurf,
// Cursor and everybody read), nobody may work with it here, and it is named.

// Double is two targets that third clients read both.
type Double struct {
	Target, Other string
	Clients       []string // titles
}

func (d Double) String() string {
	many := "s"
	if len(d.Clients) > 1 {
		many = ""
	}
	return fmt.Sprintf("%s load%s the files of %s and of %s: who works with it gets every note twice", strings.Join(d.Clients, " and "), many, d.Other, d.Target)
}

// DoubleError: the client that a target is written for would load the output of
// two targets.
type DoubleError struct {
	Target, Other, Client string
	Standing              bool   // the other one's files are there already
	Enough                string // the one of the two that is not for this client alone; "" for none
}

func (e *DoubleError) Error() string {
	text := fmt.Sprintf("compile %s: %s loads the files of %s and of %s, and would get every note twice; ", e.Target, e.Client, e.Other, e.Target)
	switch {
	case e.Standing && e.Enough == e.Other:
		text += fmt.Sprintf("%s serves it already", e.Other)
	case e.Standing:
		text += fmt.Sprintf("take the first back (pathrule compile %s --remove)", e.Other)
	case e.Enough != "":
		text += fmt.Sprintf("%s alone serves it too", e.Enough)
	default:
		text += "name one of the two"
	}
	return text + ", or pass --allow-double where nobody uses " + e.Client
}

// Doubles are the targets, standing or of the same run, that third clients read
// beside o's; none once the target's files stand, since it was said then.
func Doubles(ws *workspace.Workspace, o Options, env sysenv.Env) ([]Double, error) {
	standing, err := ManagedFiles(ws)
	if err != nil {
		return nil, err
	}
	if own, err := readManifest(personalManifest(ws, env)); err == nil {
		standing = append(standing, own.Files...)
	}
	t, err := targetOf(o.Target)
	if err != nil || o.Remove || o.AllowDouble {
		return nil, err
	}
	var out []Double
	for _, other := range besides(t, standing, o) {
		if third := t.shared(other); len(third) > 0 && t.owner(other, third) == "" {
			out = append(out, Double{t.name, other.name, third})
		}
	}
	return out, nil
}

// double refuses a second target that the client of one of the two reads both,
// unless both stand already: somebody allowed it then.
func double(t *target, standing []Managed, o Options) error {
	if o.AllowDouble {
		return nil
	}
	for _, other := range besides(t, standing, o) {
		client := t.owner(other, t.shared(other))
		if client == "" {
			continue
		}
		e := &DoubleError{Target: t.name, Other: other.name, Client: client,
			Standing: slices.ContainsFunc(standing, func(f Managed) bool { return f.Target == other.name })}
		for _, x := range []*target{t, other} {
			if titleOf(x.host) != client {
				e.Enough = x.name
			}
		}
		return e
	}
	return nil
}

// besides are the targets of a kind with t that stand or belong to the same run;
// none when t stands itself.
func besides(t *target, standing []Managed, o Options) (out []*target) {
	if slices.ContainsFunc(standing, func(f Managed) bool { return f.Target == t.name }) {
		return nil
	}
	names := slices.Clone(o.Beside)
	for _, f := range standing {
		if !f.Note { // a note repeats nothing
			names = append(names, f.Target)
		}
	}
	for _, n := range names {
		if x, err := targetOf(n); err == nil && x != t && x.skills == t.skills && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// shared are the clients that load both targets.
func (t *target) shared(other *target) (out []string) {
	for _, a := range readersOf(t.name) {
		for _, b := range readersOf(other.name) {
			if a.Title == b.Title && !a.Else && !b.Else {
				out = append(out, a.Title)
			}
		}
	}
	return out
}

// owner is the first of the clients for which one of the two is written.
func (t *target) owner(other *target, clients []string) string {
	for _, c := range clients {
		if c == titleOf(t.host) || c == titleOf(other.host) {
			return c
		}
	}
	return ""
}

// titleOf is a client's title by its id, "" for none.
func titleOf(id string) string {
	for _, c := range clients() {
		if c.id == id && id != "" {
			return c.title
		}
	}
	return ""
}

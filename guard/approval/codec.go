package approval

import (
	"strconv"
	"strings"
	"time"

	"pathrule/internal/linetree"
	"pathrule/internal/shasum"
	"pathrule/knowledge"
)

// A file of pins is lines of tab-separated fields (linetree's escapes):
//
//	pathrule-approvals <format>
//	root   ROOT
//	pin    ID SUM FILE SECONDS TITLE PATHS WORKSPACES
//	block  PATTERN ON MESSAGE PATHS      of the pin above
//	check  COMMAND MESSAGE PATHS         of the pin above
//	end
//
// A line of another kind makes the whole file damaged: what grants is never
// read half.
//
//	1: first
const magic = "pathrule-approvals 1"

func encode(at Place, pins []Pin) []byte {
	b := append([]byte(magic), '\n')
	line := func(kind string, fields ...string) {
		b = append(b, kind...)
		for _, f := range fields {
			b = append(b, '\t')
			b = append(b, f...)
		}
		b = append(b, '\n')
	}
	text := func(s string) string { return string(linetree.AppendField(nil, s)) }
	list := func(l []string) string { return string(linetree.AppendList(nil, l)) }
	line("root", text(at.Root))
	for _, p := range pins {
		line("pin", text(p.ID), text(p.Sum), text(p.File), strconv.FormatInt(p.At.Unix(), 10), text(p.Title), list(p.Paths), list(p.Workspaces))
		for _, k := range p.Blocks {
			line("block", text(k.Pattern), text(k.On), text(k.Message), list(k.Paths))
		}
		if p.Check != nil {
			line("check", text(p.Check.Command), text(p.Check.Message), list(p.Check.Paths))
		}
	}
	return append(b, "end\n"...)
}

func decode(s string, at Place) ([]Pin, error) {
	var pins []Pin
	rooted, foreign := false, false
	ok := linetree.Whole(s, magic, func(f []string) bool {
		get := func(i int) string { return linetree.Unescape(f[i]) }
		switch {
		case !rooted:
			rooted = f[0] == "root" && len(f) == 2
			foreign = rooted && get(1) != at.Root
			return rooted && !foreign
		case f[0] == "pin" && len(f) == 8:
			at, err := strconv.ParseInt(f[4], 10, 64)
			if err != nil || !shasum.Valid(get(2)) || get(1) == "" || !local(get(3)) {
				return false
			}
			pins = append(pins, Pin{ID: get(1), Sum: get(2), File: get(3), At: time.Unix(at, 0).UTC(), Title: get(5),
				Paths: linetree.SplitList(f[6]), Workspaces: linetree.SplitList(f[7])})
		case f[0] == "block" && len(f) == 5 && len(pins) > 0:
			p := &pins[len(pins)-1]
			p.Blocks = append(p.Blocks, knowledge.Block{Pattern: get(1), On: get(2), Message: get(3), Paths: linetree.SplitList(f[4])})
		case f[0] == "check" && len(f) == 4 && len(pins) > 0 && pins[len(pins)-1].Check == nil:
			pins[len(pins)-1].Check = &knowledge.Check{Command: get(1), Message: get(2), Paths: linetree.SplitList(f[3])}
		default:
			return false
		}
		return true
	})
	switch {
	case foreign:
		return nil, ErrForeign
	case !ok || !rooted:
		return nil, ErrDamaged
	}
	return pins, nil
}

// local: a slash path that stays in its store.
func local(p string) bool {
	if p == "" || p[0] == '/' || strings.ContainsAny(p, "\\\x00:") {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// rootIn is the root that a file of pins says it is for.
func rootIn(s string) string {
	_, rest, _ := strings.Cut(s, "\n")
	line, _, _ := strings.Cut(rest, "\n")
	root, _ := strings.CutPrefix(line, "root\t")
	return linetree.Unescape(root)
}

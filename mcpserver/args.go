package mcpserver

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pathrule/workspace"
)

// args are the arguments of one call after the check: string, []string, int,
// bool, args or []args by field name.
type args map[string]any

func (a args) has(name string) bool      { _, ok := a[name]; return ok }
func (a args) str(name string) string    { s, _ := a[name].(string); return s }
func (a args) strs(name string) []string { s, _ := a[name].([]string); return s }
func (a args) flag(name string) bool     { b, _ := a[name].(bool); return b }
func (a args) obj(name string) args      { o, _ := a[name].(args); return o }
func (a args) objs(name string) []args   { o, _ := a[name].([]args); return o }
func (a args) num(name string, or int) int {
	if n, ok := a[name].(int); ok {
		return n
	}
	return or
}

// checkArgs takes what a client sent. Models bend types: a lone string stands
// for a list, "5" for 5 and "true" for true. Ids stay strings: a number would
// have been rounded on its way here. All faults are told at once.
func checkArgs(tool string, fields []field, raw any) (args, *fault) {
	in, ok := raw.(map[string]any)
	if !ok && raw != nil {
		return nil, invalid("arguments must be a JSON object").then("Call %s with named arguments: %s.", tool, names(fields))
	}
	out, faults := takeObject("", fields, in)
	if len(faults) == 0 {
		return out, nil
	}
	return nil, invalid("%s", strings.Join(faults, "; ")).then("%s takes: %s.", tool, names(fields))
}

func takeObject(at string, fields []field, in map[string]any) (args, []string) {
	out := args{}
	var faults []string
	for _, name := range sortedKeys(in) {
		f, ok := findField(fields, name)
		switch {
		case !ok:
			faults = append(faults, unknownArg(at, fields, name))
			continue
		case in[name] == nil: // null is "not given"
			continue
		case out.has(f.name):
			faults = append(faults, fmt.Sprintf("%q was given twice, once under another name", at+f.name))
			continue
		}
		v, bad := takeValue(at+f.name, f, in[name])
		faults = append(faults, bad...)
		if len(bad) == 0 {
			out[f.name] = v
		}
	}
	for _, f := range fields {
		if f.need && in[f.name] == nil && !out.has(f.name) {
			faults = append(faults, fmt.Sprintf("%q is missing", at+f.name))
		}
	}
	return out, faults
}

func takeValue(at string, f field, v any) (any, []string) {
	switch f.typ {
	case "string":
		s, ok := v.(string)
		if !ok {
			return nil, []string{fmt.Sprintf("%q must be a string", at)}
		}
		if words := slices.Concat(f.enum, f.choice); len(words) > 0 && !slices.Contains(words, s) {
			return nil, []string{fmt.Sprintf("%q must be one of %s%s", at, strings.Join(words, ", "), didYouMean(s, words))}
		}
		return s, nil
	case "strings":
		switch x := v.(type) {
		case string:
			return workspace.SplitPatterns(x), nil
		case []any:
			list := make([]string, 0, len(x))
			for _, e := range x {
				s, ok := e.(string)
				if !ok {
					return nil, []string{fmt.Sprintf("%q must be a list of strings", at)}
				}
				list = append(list, s)
			}
			return list, nil
		}
		return nil, []string{fmt.Sprintf("%q must be a list of strings", at)}
	case "integer":
		switch x := v.(type) {
		case float64:
			if x == math.Trunc(x) && math.Abs(x) < 1<<31 {
				return int(x), nil
			}
		case string:
			if n, err := strconv.Atoi(strings.TrimSpace(x)); err == nil {
				return n, nil
			}
		}
		return nil, []string{fmt.Sprintf("%q must be a whole number", at)}
	case "boolean":
		switch x := v.(type) {
		case bool:
			return x, nil
		case string:
			if b, err := strconv.ParseBool(strings.TrimSpace(x)); err == nil {
				return b, nil
			}
		}
		return nil, []string{fmt.Sprintf("%q must be true or false", at)}
	case "object":
		o, ok := v.(map[string]any)
		if !ok {
			return nil, []string{fmt.Sprintf("%q must be %s", at, objectOf(f))}
		}
		return tuple(takeObject(at+".", f.of, o))
	case "objects":
		list, ok := v.([]any)
		if o, one := v.(map[string]any); one {
			list, ok = []any{o}, true
		}
		if !ok {
			return nil, []string{fmt.Sprintf("%q must be a list, each %s", at, objectOf(f))}
		}
		var out []args
		var faults []string
		for i, e := range list {
			o, ok := e.(map[string]any)
			if !ok {
				faults = append(faults, fmt.Sprintf("%s[%d] must be %s", at, i, objectOf(f)))
				continue
			}
			x, bad := takeObject(fmt.Sprintf("%s[%d].", at, i), f.of, o)
			out, faults = append(out, x), append(faults, bad...)
		}
		return out, faults
	}
	return nil, []string{fmt.Sprintf("%q has no known type", at)}
}

// objectOf is "an object {pattern, message, paths?}".
func objectOf(f field) string {
	var names []string
	for _, x := range f.of {
		switch {
		case x.unseen:
		case x.need:
			names = append(names, x.name)
		default:
			names = append(names, x.name+"?")
		}
	}
	return "an object {" + strings.Join(names, ", ") + "}"
}

// tuple keeps a nil-free any out of a typed pair.
func tuple(a args, faults []string) (any, []string) { return a, faults }

func findField(fields []field, name string) (field, bool) {
	for _, f := range fields {
		if f.name == name || slices.Contains(f.also, name) {
			return f, true
		}
	}
	return field{}, false
}

func unknownArg(at string, fields []field, name string) string {
	var known []string
	for _, f := range fields {
		known = append(known, f.name)
	}
	return fmt.Sprintf("unknown argument %q%s", at+name, didYouMean(name, known))
}

// names lists the arguments, needed ones marked.
func names(fields []field) string {
	var list []string
	for _, f := range fields {
		if f.need {
			list = append(list, f.name+" (needed)")
		} else {
			list = append(list, f.name)
		}
	}
	if len(list) == 0 {
		return "no arguments"
	}
	return strings.Join(list, ", ")
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

package workspace

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pathrule/internal/regular"
	"pathrule/internal/sysenv"
)

// UserConfig is the user's own config file, <home>/config.yaml.
func UserConfig(dirs Dirs) string { return join(dirs.Home, "config.yaml") }

// WorkspaceConfig is the user's config file for one workspace,
// <home>/workspaces/<id>.yaml.
func WorkspaceConfig(dirs Dirs, id string) string { return join(dirs.Home, "workspaces", id+".yaml") }

// RepositoryConfig is the config file that travels with the knowledge.
func RepositoryConfig(ws *Workspace) string { return filepath.Join(ws.Store, "config.yaml") }

// settingsLoader merges sources from the weakest to the strongest.
type settingsLoader struct {
	s        Settings
	origins  map[string]Origin
	problems []Problem
}

func loadSettings(ws *Workspace, dirs Dirs, env sysenv.Env) (Settings, []Origin, []Problem) {
	l := settingsLoader{s: defaultSettings(), origins: map[string]Origin{}}
	l.file(UserConfig(dirs), "user", "")
	var chain []*Workspace
	for o := ws; o != nil; o = o.Outer {
		chain = append(chain, o)
	}
	slices.Reverse(chain) // the innermost workspace speaks last
	for _, o := range chain {
		source, root := "repository", o.Root
		if o.Private {
			// A private store is the user's own file, whatever folder it is for.
			source, root = "user", ""
		} else if _, ok := within(o.Root, o.Store); !ok {
			root = o.mainRoot()
		}
		l.file(RepositoryConfig(o), source, root)
	}
	for _, o := range chain {
		l.file(WorkspaceConfig(dirs, o.ID), "workspace", "")
	}
	l.environment(env)
	return l.s, l.listOrigins(), l.problems
}

// file merges one config file; root is the folder that its real path may not
// leave, "" for the user's own files.
func (l *settingsLoader) file(path, source, root string) {
	data, err := readConfig(path, root)
	if missing(err) {
		return
	}
	if err != nil {
		l.problems = append(l.problems, Problem{File: path, Msg: err.Error(), Remedy: "make it a plain file that you may read"})
		return
	}
	f := parseConfig(data)
	for _, p := range f.problems {
		p.File = path
		l.problems = append(l.problems, p)
	}
	for i := range f.items {
		it := &f.items[i]
		if it.value == valueNone {
			l.emptyKey(path, it, f.items)
			continue
		}
		l.apply(it.key, it.text, it.list, it.value == valueList, Origin{Key: it.key, Source: source, File: path, Line: it.line})
	}
}

// emptyKey reports a key without value and without nested keys that is no group
// of settings.
func (l *settingsLoader) emptyKey(path string, it *configItem, all []configItem) {
	for i := range all {
		if all[i].parent == it.key {
			return
		}
	}
	for _, key := range append(SettingKeys(), glossaryPrefix) {
		if key == it.key || strings.HasPrefix(key, it.key+".") {
			return
		}
	}
	if strings.HasPrefix(it.key, glossaryPrefix) {
		return
	}
	l.problems = append(l.problems, Problem{File: path, Line: it.line, Msg: fmt.Sprintf("unknown setting %q", it.key), Remedy: unknownRemedy(it.key)})
}

// readConfig reads a small file and refuses one whose real path leaves root.
func readConfig(path, root string) ([]byte, error) {
	lst, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if root != "" && lst.Mode()&os.ModeSymlink != 0 {
		if real, ok := realPath(path); !ok || !inside(root, real) {
			return nil, errors.New("its real path leaves the workspace, so it is not read")
		}
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, errors.New("is no regular file")
	}
	// One byte more than allowed, so that parseConfig sees that it is too much.
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	return b, plain(err)
}

// plain drops the path from an error that is told beside it.
func plain(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) && !missing(err) {
		return fmt.Errorf("cannot be read: %w", pe.Err)
	}
	return err
}

// apply takes one value over, or reports why not.
func (l *settingsLoader) apply(key, text string, list []string, isList bool, o Origin) {
	report := func(msg, remedy string) {
		l.problems = append(l.problems, Problem{File: o.File, Line: o.Line, Msg: msg, Remedy: remedy})
	}
	repo := o.Source == "repository"
	if repo && userOnly(key) {
		report(fmt.Sprintf("%q is the user's alone, so a repository's config.yaml cannot set it", key),
			fmt.Sprintf(`remove the line; to set it on this machine run "pathrule config set %s …"`, key))
		return
	}
	d := describe(key)
	if d == nil {
		report(fmt.Sprintf("unknown setting %q", key), unknownRemedy(key))
		return
	}
	value, words, err := d.parse(text, list, isList)
	if err != nil {
		report(err.Error(), "the line is ignored until it is mended")
		return
	}
	if term, ok := strings.CutPrefix(key, glossaryPrefix); ok {
		if l.s.Glossary == nil {
			l.s.Glossary = map[string][]string{}
		}
		l.s.Glossary[term] = words
	} else {
		if repo && d.lower && number(value) > number(d.get(&l.s)) {
			report(fmt.Sprintf("a repository may only lower %q; it stays %s", key, d.get(&l.s)), "remove the line, or set it on this machine")
			return
		}
		d.set(&l.s, value, words)
	}
	o.Value = value
	l.origins[key] = o
}

// environment merges PATHRULE_<KEY>, the key in upper case with "_" for ".".
func (l *settingsLoader) environment(env sysenv.Env) {
	for i := range settingTable {
		name := EnvName(settingTable[i].key)
		v := strings.TrimSpace(env.Get(name))
		if v == "" {
			continue
		}
		before := len(l.problems)
		l.apply(settingTable[i].key, v, nil, false, Origin{Key: settingTable[i].key, Source: "environment"})
		if len(l.problems) > before {
			p := &l.problems[before]
			p.Msg = name + ": " + p.Msg
			p.Remedy = "unset it or give it one of these values"
		}
	}
}

// EnvName is the environment variable of a key: PATHRULE_DELTA_ACKNOWLEDGE for
// delta.acknowledge.
func EnvName(key string) string {
	return "PATHRULE_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// listOrigins names where each setting came from, in documentation order, the
// glossary's terms sorted behind.
func (l *settingsLoader) listOrigins() []Origin {
	var out []Origin
	for i := range settingTable {
		d := &settingTable[i]
		o, ok := l.origins[d.key]
		if !ok {
			o = Origin{Key: d.key, Source: "default"}
		}
		o.Value = d.get(&l.s)
		out = append(out, o)
	}
	var terms []string
	for key := range l.origins {
		if strings.HasPrefix(key, glossaryPrefix) {
			terms = append(terms, key)
		}
	}
	slices.Sort(terms)
	for _, key := range terms {
		out = append(out, l.origins[key])
	}
	return out
}

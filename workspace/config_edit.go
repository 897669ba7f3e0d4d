package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/yamlquote"
)

// SetSetting writes one value into a config file and leaves every other byte,
// comments, order, line ends and BOM included, as it was. A file or folder below
// dirs.Home is made 0600 or 0700, any other 0644 or 0755. The error names what
// is wrong with the key or value, or the line of a file that cannot be
// understood; such a file is left untouched. Whether a repository may hold the
// key is asked with CheckSetting.
func SetSetting(dirs Dirs, file, key, value string) error {
	d := describe(key)
	if d == nil {
		return fmt.Errorf("unknown setting %q; %s", key, unknownRemedy(key))
	}
	if !utf8.ValidString(key) || !utf8.ValidString(value) || len(key) > maxKey {
		return fmt.Errorf("setting %.40q is not valid UTF-8 or longer than %d bytes", key, maxKey)
	}
	text, list, err := d.parse(value, nil, false)
	if err != nil {
		return err
	}
	if d.list {
		text = renderList(list)
	} else {
		text = renderScalar(text)
	}
	return editConfig(dirs, file, func(f *configFile) error { return f.set(key, text) })
}

// UnsetSetting removes one key from a config file, with its comment on the same
// line and nothing else. Removing what is not there is no error.
func UnsetSetting(dirs Dirs, file, key string) error {
	if _, err := os.Stat(file); missing(err) {
		return nil
	}
	return editConfig(dirs, file, func(f *configFile) error { return f.unset(key) })
}

func editConfig(dirs Dirs, file string, edit func(*configFile) error) error {
	if _, ok := within(nowhere(), file); ok {
		return errors.New("the home folder is unknown; set PATHRULE_HOME to an absolute path")
	}
	// Without a state folder the write is still whole, only not alone.
	if lock, err := filelock.Acquire(LockPath(dirs, "config"), 5*time.Second); err == nil {
		defer lock.Unlock()
	} else if errors.Is(err, filelock.ErrTimeout) {
		return fmt.Errorf("change %s: %w", file, err)
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("change settings: %w", err)
	}
	f := parseConfig(old)
	if len(f.problems) > 0 {
		p := f.problems[0]
		return fmt.Errorf("%s:%d: %s; %s (left as it was)", file, p.Line, p.Msg, p.Remedy)
	}
	if err := edit(&f); err != nil {
		return fmt.Errorf("change %s: %w", file, err)
	}
	out := []byte(strings.Join(f.lines, ""))
	if string(out) == string(old) {
		return nil
	}
	perm, dirPerm := os.FileMode(0o644), os.FileMode(0o755)
	if _, ok := within(filepath.Clean(dirs.Home), filepath.Clean(file)); ok && dirs.Home != "" {
		perm, dirPerm = 0o600, 0o700
	}
	return atomicfile.Write(file, out, perm, dirPerm)
}

// set replaces the value where the key stands, else adds a line: below the last
// key of the group that is there already, else a dotted key at the end.
func (f *configFile) set(key, value string) error {
	if it := f.item(key); it != nil {
		if it.value == valueNone && f.hasChildren(it.key) {
			return fmt.Errorf("%q holds other keys here", key)
		}
		f.replace(it, value)
		return nil
	}
	group, name := splitGroup(key)
	for i := range f.items {
		g := &f.items[i]
		if g.key != group || g.value != valueNone || !f.hasChildren(group) {
			continue
		}
		at := g.line
		for j := range f.items {
			if f.items[j].parent == group {
				at = max(at, f.lastLine(j))
			}
		}
		indent := g.children
		if indent <= g.indent {
			indent = g.indent + 2
		}
		f.insert(at, strings.Repeat(" ", indent)+renderScalar(name)+": "+value)
		return nil
	}
	f.insert(len(f.lines), dottedKey(group, name)+": "+value)
	return nil
}

func (f *configFile) unset(key string) error {
	it := f.item(key)
	if it == nil {
		return nil
	}
	if it.value == valueNone && f.hasChildren(key) {
		return fmt.Errorf("%q holds other keys; unset them one by one", key)
	}
	f.drop(it.line-1, it.last)
	return nil
}

func (f *configFile) item(key string) *configItem {
	for i := range f.items {
		if f.items[i].key == key && !(f.items[i].value == valueNone && f.hasChildren(key)) {
			return &f.items[i]
		}
	}
	for i := range f.items {
		if f.items[i].key == key {
			return &f.items[i]
		}
	}
	return nil
}

func (f *configFile) hasChildren(key string) bool {
	for i := range f.items {
		if f.items[i].parent == key {
			return true
		}
	}
	return false
}

// lastLine is the last line of an item and everything nested in it.
func (f *configFile) lastLine(i int) int {
	last := f.items[i].last
	for j := i + 1; j < len(f.items) && f.items[j].indent > f.items[i].indent; j++ {
		last = max(last, f.items[j].last)
	}
	return last
}

// replace puts value where the item's value stood; a block list becomes one line.
func (f *configFile) replace(it *configItem, value string) {
	line := f.lines[it.line-1]
	if it.from == it.to {
		value = " " + value
	}
	f.lines[it.line-1] = line[:it.from] + value + line[it.to:]
	f.drop(it.line, it.last)
}

// drop removes the lines from index from up to (without) index to, except
// comments that have a line of their own.
func (f *configFile) drop(from, to int) {
	out := f.lines[:from:from]
	for _, l := range f.lines[from:to] {
		if strings.HasPrefix(strings.TrimLeft(l, " "), "#") {
			out = append(out, l)
		}
	}
	f.lines = append(out, f.lines[to:]...)
}

// insert adds a line behind line number at, with the file's own line end.
func (f *configFile) insert(at int, text string) {
	eol := "\n"
	for _, l := range f.lines {
		if strings.HasSuffix(l, "\r\n") {
			eol = "\r\n"
			break
		}
	}
	if at > 0 && !strings.HasSuffix(f.lines[at-1], "\n") {
		f.lines[at-1] += eol
		// The file ended without a line end; it goes on doing so.
		if at == len(f.lines) {
			eol = ""
		}
	}
	f.lines = append(f.lines[:at:at], append([]string{text + eol}, f.lines[at:]...)...)
}

// splitGroup cuts a key at its first dot: "glossary", "node.js".
func splitGroup(key string) (group, name string) {
	group, name, ok := strings.Cut(key, ".")
	if !ok {
		return "", key
	}
	return group, name
}

func dottedKey(group, name string) string {
	if group == "" {
		return renderScalar(name)
	}
	if plainScalar(name) {
		return group + "." + name
	}
	return yamlquote.Double(group + "." + name)
}

// renderScalar writes a text plain where the reader takes it so, else quoted.
func renderScalar(s string) string {
	if plainScalar(s) {
		return s
	}
	return yamlquote.Double(s)
}

func renderList(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s
		if !plainScalar(s) || strings.ContainsAny(s, "{}[],") {
			out[i] = yamlquote.Double(s)
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func plainScalar(s string) bool {
	return plainFault(s) == "" && s == strings.TrimSpace(s) && !isNull(s) && s != "---" && s != "..." && s != "<<" &&
		len(s) <= maxKey && commentAt(s) < 0 && !strings.ContainsFunc(s, yamlquote.Odd)
}

package importer

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf8"

	"pathrule/internal/atomicfile"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/knowledge/store"
)

// dumpVersion counts the formats of an export.
// 1: entries with their files, sorted.
const dumpVersion = 1

// Names of an export's own file: the list beside Markdown files, and the one
// document that holds everything.
const (
	ManifestName = "pathrule-export.json"
	DumpName     = "pathrule-entries.json"
)

// Dump is all that a store holds, byte for byte. Two dumps of one store are the
// same bytes.
type Dump struct {
	Version int     `json:"pathrule_export"`
	Entries []Saved `json:"entries"`
	// Team is the text of team.md.
	Team string `json:"team,omitempty"`
}

// Saved is one entry of a dump.
type Saved struct {
	Kind  knowledge.Kind `json:"kind"`
	ID    string         `json:"id"`
	Text  Bytes          `json:"text"`
	Files []SavedFile    `json:"files,omitempty"`
}

// SavedFile is a further file of a skill.
type SavedFile struct {
	Path    string `json:"path"`
	Text    Bytes  `json:"text"`
	Program bool   `json:"program,omitempty"`
}

// Bytes are written as text where they are text, else as {"base64": …}.
type Bytes []byte

// MarshalJSON implements json.Marshaler.
func (b Bytes) MarshalJSON() ([]byte, error) {
	var v any = string(b)
	if !utf8.Valid(b) {
		v = map[string]string{"base64": base64.StdEncoding.EncodeToString(b)}
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(out.Bytes(), "\n"), err
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	var s string
	if err := json.Unmarshal(data, &s); err == nil {
		*b = Bytes(s)
		return nil
	}
	var v struct {
		Base64 []byte `json:"base64"`
	}
	err := json.Unmarshal(data, &v)
	*b = v.Base64
	return err
}

// Export reads everything that a store holds. Entries that cannot be parsed
// come along as they are; notes name files that stay behind.
func Export(s *store.Store) (d Dump, notes []string, err error) {
	d = Dump{Version: dumpVersion, Entries: []Saved{}}
	files, _, problems := knowledge.Walk(s.Dir())
	for _, p := range problems {
		if !p.Warning {
			notes = append(notes, p.File+": "+p.Msg)
		}
	}
	sort.Slice(files, func(i, j int) bool {
		a, b := files[i], files[j]
		if a.Kind != b.Kind {
			return a.Kind < b.Kind
		}
		return a.ID < b.ID
	})
	for _, f := range files {
		raw, err := os.ReadFile(filepath.Join(s.Dir(), filepath.FromSlash(f.File)))
		if err != nil {
			return d, notes, fmt.Errorf("export: %w", err)
		}
		e := Saved{Kind: f.Kind, ID: f.ID, Text: raw}
		if f.Kind == knowledge.Skill {
			list, problems, err := s.SkillFiles(f.ID)
			if err != nil {
				return d, notes, fmt.Errorf("export skill %s: %w", f.ID, err)
			}
			for _, p := range problems {
				notes = append(notes, p.File+": "+p.Msg)
			}
			for _, sf := range list {
				abs := filepath.Join(s.Dir(), filepath.FromSlash(path.Dir(f.File)), filepath.FromSlash(sf.Path))
				data, err := os.ReadFile(abs)
				if err != nil {
					return d, notes, fmt.Errorf("export: %w", err)
				}
				st, err := os.Stat(abs)
				e.Files = append(e.Files, SavedFile{sf.Path, data, err == nil && st.Mode()&0o111 != 0})
			}
		}
		d.Entries = append(d.Entries, e)
	}
	if team, err := regular.Read(filepath.Join(s.Dir(), "team.md")); err == nil {
		d.Team = string(team)
	}
	return d, notes, nil
}

// JSON is the dump as one document.
func (d Dump) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return b.Bytes(), err
}

// manifest lists the files of an export as Markdown.
type manifest struct {
	Version int            `json:"pathrule_export"`
	Files   []manifestFile `json:"files"`
}

type manifestFile struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Program bool   `json:"program,omitempty"`
}

func (d Dump) tree() (files map[string][]byte, programs map[string]bool) {
	files, programs = map[string][]byte{}, map[string]bool{}
	for _, e := range d.Entries {
		main := knowledge.FileOf(e.Kind, e.ID)
		files[main] = e.Text
		for _, f := range e.Files {
			name := path.Dir(main) + "/" + f.Path
			files[name], programs[name] = f.Text, f.Program
		}
	}
	if d.Team != "" {
		files["team.md"] = []byte(d.Team)
	}
	return files, programs
}

// WriteDir writes the dump as Markdown files and a list of them. dir must be
// empty, not there, or an export: then files that are no more are removed, as
// far as nobody changed them.
func (d Dump) WriteDir(dir string) error {
	before, err := readManifest(dir)
	if err != nil {
		return err
	}
	if before == nil {
		if list, err := os.ReadDir(dir); err == nil && len(list) > 0 {
			return &knowledge.RefusedError{Path: dir, Msg: "is not empty and holds no export", Remedy: "name a new folder"}
		}
	}
	files, programs := d.tree()
	m := manifest{Version: dumpVersion, Files: []manifestFile{}}
	for _, name := range sortedKeys(files) {
		perm := os.FileMode(0o644)
		if programs[name] {
			perm = 0o755
		}
		if err := atomicfile.Write(filepath.Join(dir, filepath.FromSlash(name)), files[name], perm, 0o755); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		m.Files = append(m.Files, manifestFile{name, hashOf(files[name]), programs[name]})
	}
	if before != nil {
		for _, f := range before.Files {
			p := filepath.Join(dir, filepath.FromSlash(f.Path))
			if _, still := files[f.Path]; still || !filepath.IsLocal(filepath.FromSlash(f.Path)) {
				continue
			}
			if b, err := os.ReadFile(p); err == nil && hashOf(b) == f.SHA256 {
				_ = os.Remove(p)
			}
		}
	}
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(dir, ManifestName), append(b, '\n'), 0o644, 0o755)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func readManifest(dir string) (*manifest, error) {
	b, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(b, &m); err != nil || m.Version == 0 {
		return nil, &knowledge.RefusedError{Path: filepath.Join(dir, ManifestName), Msg: "is no list of an export", Remedy: "name another folder"}
	}
	if m.Version > dumpVersion {
		return nil, newer(filepath.Join(dir, ManifestName), m.Version)
	}
	return &m, nil
}

func newer(file string, version int) error {
	return &knowledge.RefusedError{Path: file, Msg: fmt.Sprintf("was written by a newer pathrule (format %d)", version), Remedy: "update this program"}
}

// ReadDump reads an export: its folder, or the one document. ok is false when
// the path is none.
func ReadDump(at string) (d Dump, ok bool, err error) {
	st, err := os.Stat(at)
	if err != nil {
		return d, false, nil
	}
	if st.IsDir() {
		if m, err := readManifest(at); err != nil || m != nil {
			if err != nil {
				return d, true, err
			}
			d, err = readDir(at, m)
			return d, true, err
		}
		at = filepath.Join(at, DumpName)
	}
	if !strings.HasSuffix(at, ".json") {
		return d, false, nil
	}
	b, err := os.ReadFile(at)
	if err != nil || !bytes.Contains(b[:min(len(b), 200)], []byte(`"pathrule_export"`)) {
		return d, false, nil
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return d, true, fmt.Errorf("read the export %s: %w", at, err)
	}
	if d.Version > dumpVersion {
		return d, true, newer(at, d.Version)
	}
	return d, true, nil
}

// readDir reads the files that a list names; edited ones as they are now.
func readDir(dir string, m *manifest) (Dump, error) {
	d := Dump{Version: m.Version}
	index := map[string]int{}
	var rest []manifestFile
	read := func(name string) ([]byte, error) {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, &knowledge.RefusedError{Path: name, Msg: "leaves the export's folder", Remedy: "look who changed " + ManifestName}
		}
		p := filepath.Join(dir, filepath.FromSlash(name))
		if st, err := os.Lstat(p); err == nil && !st.Mode().IsRegular() {
			return nil, &knowledge.RefusedError{Path: p, Msg: "is no regular file", Remedy: "put the file itself there"}
		}
		return readMostOf(p)
	}
	for _, f := range m.Files {
		kind, id, ok := knowledge.Ident(f.Path)
		if !ok {
			rest = append(rest, f)
			continue
		}
		text, err := read(f.Path)
		if err != nil {
			return d, fmt.Errorf("read the export: %w", err)
		}
		if kind == knowledge.Skill {
			index[path.Dir(f.Path)] = len(d.Entries)
		}
		d.Entries = append(d.Entries, Saved{Kind: kind, ID: id, Text: text})
	}
	for _, f := range rest {
		text, err := read(f.Path)
		if err != nil {
			return d, fmt.Errorf("read the export: %w", err)
		}
		if f.Path == "team.md" {
			d.Team = string(text)
			continue
		}
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if i, ok := index[dir]; ok {
				e := &d.Entries[i]
				e.Files = append(e.Files, SavedFile{strings.TrimPrefix(f.Path, dir+"/"), text, f.Program})
				break
			}
		}
	}
	return d, nil
}

// PlanDump decides what becomes of an export's entries: each goes back to its
// own id. What stands there as it is stays, what differs is left alone unless
// it is to be overwritten.
func PlanDump(d Dump, s *store.Store, o Options) *Report {
	r := &Report{}
	for i := range d.Entries {
		e := &d.Entries[i]
		id := strings.TrimPrefix(e.ID, knowledge.PersonalPrefix)
		f := File{Path: knowledge.FileOf(e.Kind, id), Client: "export", Result: Imported}
		p, _, err := frontmatter.Parse(e.Text, e.Kind, id, f.Path)
		if err == nil && e.Kind.Dir() == "" {
			err = fmt.Errorf("unknown kind %q", e.Kind)
		}
		if err != nil {
			f.Result, f.Why = Skipped, err.Error()
			r.Files = append(r.Files, f)
			continue
		}
		u := Unit{Action: Create, Kind: e.Kind, ID: id, Title: p.Title, Paths: p.Paths, From: []string{f.Path}, KindWhy: "as exported", ScopeWhy: "as exported", Bytes: len(e.Text), Files: len(e.Files), raw: e.Text}
		if e.Kind == knowledge.Skill {
			u.files, u.programs = map[string][]byte{}, map[string]bool{}
			for _, sf := range e.Files {
				u.files[sf.Path], u.programs[sf.Path] = sf.Text, sf.Program
			}
		}
		if _, have, err := s.Read(e.Kind, id); err == nil || have != nil {
			u.version = knowledge.Version(have)
			switch {
			case bytes.Equal(have, e.Text) && sameFiles(s, id, u.files):
				u.Action = Unchanged
			case o.Overwrite:
				u.Action = Update
			default:
				u.Action = Edited
				f.Notes = append(f.Notes, "stands here in other words and was left alone (--overwrite replaces it)")
			}
		}
		f.Entries = []string{u.Key()}
		r.Files = append(r.Files, f)
		r.Units = append(r.Units, u)
	}
	if d.Team != "" {
		f := File{Path: "team.md", Client: "export", Result: Imported}
		switch have, err := os.ReadFile(filepath.Join(s.Dir(), "team.md")); {
		case err != nil:
			r.team = d.Team
		case string(have) != d.Team && o.Overwrite:
			r.team = d.Team
		case string(have) != d.Team:
			f.Result, f.Why = Skipped, "another team.md stands here (--overwrite replaces it)"
		}
		r.Files = append(r.Files, f)
	}
	return r
}

func sameFiles(s *store.Store, id string, files map[string][]byte) bool {
	for name, want := range files {
		if got, err := s.ReadSkillFile(id, name); err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}

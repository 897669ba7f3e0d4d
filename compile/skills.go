package compile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// What one skill may bring with it.
const (
	maxSkillFiles = 80
	maxSkillBytes = 1 << 20
	maxSkillFile  = 256 << 10

	maxSkillName        = 64   // characters
	maxSkillDescription = 1024 // characters
)

// skillFolders exports each skill as a folder of the Agent Skills format: a name
// that is its folder's, a description, its text and its other text files.
func (m *maker) skillFolders(entries []entry) {
	names := map[string]bool{}
	for i := range entries {
		if e := &entries[i]; e.rec.Kind == knowledge.Skill {
			m.skillFolder(e, names)
		}
	}
}

func (m *maker) skillFolder(e *entry, names map[string]bool) {
	name := skillName(e.rec.ID)
	if names[name] {
		name = strings.Trim(name[:min(len(name), maxSkillName-7)], "-") + "-" + short(e.rec.ID)
	}
	names[name] = true
	dir := m.t.dir + "/" + name
	files := m.files(e, dir)

	desc := e.rec.Description
	if desc == "" {
		desc = e.title
	}
	desc = plaintext.Line(desc, maxSkillDescription)
	if !e.scope.Whole() {
		where := " (for " + strings.Join(positive(e.rec.Paths), ", ") + ")"
		if utf8.RuneCountInString(desc)+utf8.RuneCountInString(where) <= maxSkillDescription {
			desc += where
		}
	}
	text := head(append([]string{"name: " + name, "description: " + quoteYAML(desc)}, kept(e.rec.File)...)...) +
		m.provenance() + "\n# " + e.title + "\n"
	_, body, _ := strings.Cut(e.body, "\n\n") // behind our heading and the id
	if body = strings.TrimSpace(body); body != "" {
		text += "\n" + body + "\n"
	}
	m.add(output{path: dir + "/SKILL.md", text: text})
	m.outputs = append(m.outputs, files...)
}

// skillName is lower-case letters, digits and single hyphens, at most 64.
func skillName(id string) string {
	id = strings.TrimPrefix(id, knowledge.PersonalPrefix)
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	out := b.String()
	if len(out) > maxSkillName {
		out = out[:maxSkillName]
	}
	out = strings.Trim(out, "-")
	// A name in another script leaves nothing, or less than tells it apart.
	if !ascii(id) {
		out = strings.Trim("skill-"+out, "-")
		out = out[:min(len(out), maxSkillName-7)] + "-" + short(id)
	}
	return out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// files is a skill's other files: regular text files, within the limits. A
// skill beyond them brings its text alone, since half a package breaks.
func (m *maker) files(e *entry, dir string) []output {
	src := filepath.Dir(e.rec.File)
	var files []output
	var skips []skipped
	total, count := 0, 1 // SKILL.md counts
	name := func(rel string) string { return "skills/" + e.rec.ID + "/" + rel }
	err := filepath.WalkDir(src, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, p)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir():
			if _, err := os.Lstat(filepath.Join(p, "SKILL.md")); err == nil || d.Name() == ".git" {
				return fs.SkipDir // a skill of its own
			}
			return nil
		case rel == "SKILL.md" || knowledge.Temporary(d.Name()) || strings.HasPrefix(d.Name(), "."):
			return nil
		case !d.Type().IsRegular():
			skips = append(skips, skipped{name(rel), "is no regular file"})
			return nil
		}
		count++
		if count > 4*maxSkillFiles {
			return fs.SkipAll
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if st.Size() > maxSkillFile {
			skips = append(skips, skipped{name(rel), "is larger than 256 KiB"})
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			skips = append(skips, skipped{name(rel), "is no text"})
			return nil
		}
		total += len(data)
		files = append(files, output{path: dir + "/" + rel, text: string(data), exec: st.Mode()&0o111 != 0})
		return nil
	})
	if err != nil {
		m.skips = append(m.skips, skipped{name(""), "its files cannot be read (" + err.Error() + "); only its text is exported"})
		return nil
	}
	if count > maxSkillFiles || total+len(e.body) > maxSkillBytes {
		m.skips = append(m.skips, skipped{name(""), fmt.Sprintf("has more than %d files or 1 MiB; only its text is exported", maxSkillFiles)})
		return nil
	}
	m.skips = append(m.skips, skips...)
	return files
}

// kept are the lines of the skill's own head that the format knows besides name
// and description. What grants tools is left to the person who installs the
// skill.
func kept(file string) []string {
	data, err := os.ReadFile(file)
	if err != nil || len(data) > maxSkillBytes {
		return nil
	}
	text := strings.TrimPrefix(strings.ReplaceAll(plaintext.Clean(string(data)), "\r\n", "\n"), byteOrderMark)
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil
	}
	front, _, ok := strings.Cut(rest, "\n---\n")
	if !ok {
		return nil
	}
	var out []string
	keep := false
	for line := range strings.SplitSeq(front, "\n") {
		if line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '#' && line[0] != '-' {
			key, _, _ := strings.Cut(line, ":")
			switch strings.TrimSpace(key) {
			case "license", "compatibility", "metadata":
				keep = true
			default:
				keep = false
			}
		}
		if keep {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return out
}

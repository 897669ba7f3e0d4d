package store

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"pathrule/knowledge"
	"pathrule/knowledge/frontmatter"
	"pathrule/workspace"
)

// Limits of a skill's further files.
const (
	MaxSkillFiles = 80
	MaxSkillFile  = 256 << 10 // bytes
	MaxSkillBytes = 1 << 20   // bytes, all together
)

func invalid(field, msg, remedy string) error {
	return &knowledge.InvalidError{Field: field, Msg: msg, Remedy: remedy}
}

// entry turns a draft into an entry and its file. The id is not chosen yet.
func (s *store) entry(d Draft) (knowledge.Entry, []byte, error) {
	e := knowledge.Entry{
		Kind: d.Kind, Title: tidy(d.Title), Description: tidy(d.Description), Paths: trimAll(d.Paths), Tags: trimAll(d.Tags),
		Related: trimAll(d.Related), Priority: d.Priority, Enforcement: d.Enforcement, Block: d.Block, Check: d.Check,
		Source: tidy(d.Source), Workspaces: trimAll(d.Workspaces), Created: s.time().Format("2006-01-02"),
	}
	if d.Kind.Dir() == "" {
		return e, nil, invalid("kind", "unknown kind \""+string(d.Kind)+"\"", "memory, rule or skill")
	}
	body := strings.Trim(strings.ReplaceAll(d.Body, "\r\n", "\n"), "\n")
	if strings.TrimSpace(body) == "" {
		return e, nil, invalid("body", "is empty", "say what the team should know")
	}
	e.Body = "\n" + strings.TrimRight(body, " \t\n") + "\n"
	if e.Title == "" {
		probe := knowledge.Entry{Kind: d.Kind}
		knowledge.Finish(&probe, []byte(e.Body), 0)
		e.Title = probe.Title
	}
	if e.Kind == knowledge.Skill && e.Description == "" {
		probe := knowledge.Entry{Title: e.Title, Body: e.Body}
		e.Description = probe.Line()
	}
	if err := s.valid(&e); err != nil {
		return e, nil, err
	}
	raw := frontmatter.Render(e)
	if len(d.Head) > 0 {
		at := len(raw) - len(e.Body) - len("---\n")
		raw = slices.Concat(raw[:at], d.Head, raw[at:])
	}
	if err := s.checkNew(raw, e.Kind, nil); err != nil {
		return e, nil, err
	}
	return e, raw, checkFiles(d)
}

// valid checks the values that somebody asked to write.
func (s *store) valid(e *knowledge.Entry) error {
	title := knowledge.TitleKey(e.Kind)
	switch n := utf8.RuneCountInString(e.Title); {
	case n == 0:
		return invalid(title, "is missing", "give it one, or begin the text with a \"# \" heading")
	case n > frontmatter.MaxTitle:
		return invalid(title, fmt.Sprintf("has %d characters", n), fmt.Sprintf("keep it within %d", frontmatter.MaxTitle))
	}
	if n := utf8.RuneCountInString(e.Description); n > frontmatter.MaxDescription {
		return invalid("description", fmt.Sprintf("has %d characters", n), fmt.Sprintf("keep it within %d", frontmatter.MaxDescription))
	}
	if n := len(e.Related); n > frontmatter.MaxRelated {
		return invalid("related", fmt.Sprintf("names %d entries", n), fmt.Sprintf("keep it within %d", frontmatter.MaxRelated))
	}
	if _, err := workspace.ParseScope(e.Paths); err != nil {
		return invalid("paths", err.Error(), "mend the pattern")
	}
	if e.Kind != knowledge.Rule {
		for key, set := range map[string]bool{"block": len(e.Block) > 0, "check": e.Check != nil, "enforcement": e.Enforcement != "", "priority": e.Priority != "" && e.Priority != knowledge.Medium} {
			if set {
				return invalid(key, "counts only in a rule", "leave it out, or write a rule")
			}
		}
	}
	switch e.Priority {
	case "", knowledge.High, knowledge.Medium, knowledge.Low:
	default:
		return invalid("priority", "unknown priority \""+string(e.Priority)+"\"", "write high, medium or low")
	}
	switch e.Enforcement {
	case "", knowledge.Advisory, knowledge.Strict:
	default:
		return invalid("enforcement", "unknown enforcement \""+e.Enforcement+"\"", "write advisory or strict")
	}
	if len(e.Workspaces) > 0 && s.prefix == "" {
		return invalid("workspaces", "counts only in the personal store", "leave it out")
	}
	return nil
}

// checkNew parses what is about to be written. Faults that the old file had
// already (old nil: none) are no reason to refuse.
func (s *store) checkNew(raw []byte, kind knowledge.Kind, old []byte) error {
	_, problems, err := frontmatter.Parse(raw, kind, "new", "new")
	var pe *knowledge.ParseError
	if errors.As(err, &pe) {
		return invalid(fieldOf(pe.Msg), pe.Msg, pe.Remedy)
	}
	var had []workspace.Problem
	if old != nil {
		_, had, _ = frontmatter.Parse(old, kind, "new", "new")
	}
	for _, p := range problems {
		if !p.Warning && !slices.ContainsFunc(had, func(h workspace.Problem) bool { return !h.Warning && h.Msg == p.Msg }) {
			return invalid(fieldOf(p.Msg), p.Msg, p.Remedy)
		}
	}
	return nil
}

// fieldOf guesses which field a message of the parser is about.
func fieldOf(msg string) string {
	for _, w := range []string{"pattern", "block", "check", "paths", "priority", "enforcement"} {
		if strings.Contains(msg, w) {
			if w == "pattern" {
				return "block"
			}
			return w
		}
	}
	return "body"
}

func tidy(s string) string { return strings.Join(strings.Fields(s), " ") }

func trimAll(list []string) []string {
	var out []string
	for _, s := range list {
		if s = tidy(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// checkFiles looks over a skill's further files.
func checkFiles(d Draft) error {
	if len(d.Files) == 0 {
		return nil
	}
	if d.Kind != knowledge.Skill {
		return invalid("files", "only a skill has files", "leave them out")
	}
	if len(d.Files) > MaxSkillFiles {
		return invalid("files", fmt.Sprintf("%d files", len(d.Files)), fmt.Sprintf("keep at most %d", MaxSkillFiles))
	}
	total := 0
	folded := map[string]string{}
	for _, name := range sortedKeys(d.Files) {
		if err := checkFileName(name); err != nil {
			return err
		}
		if other, twice := folded[strings.ToLower(name)]; twice {
			return invalid("files", "\""+name+"\" differs from \""+other+"\" only by upper and lower case", "rename one of the two")
		}
		folded[strings.ToLower(name)] = name
		n := len(d.Files[name])
		total += n
		if n > MaxSkillFile || total > MaxSkillBytes {
			return invalid("files", "\""+name+"\" is too large", "keep each within 256 KiB and all within 1 MiB")
		}
	}
	return nil
}

// checkFileName refuses names that leave the skill's folder or that some system
// cannot hold.
func checkFileName(name string) error {
	bad := func(msg string) error {
		return invalid("files", "\""+name+"\" "+msg, "give a path below the skill's folder, such as scripts/check.sh")
	}
	if name == "" || path.Clean(name) != name || path.IsAbs(name) || strings.ContainsAny(name, "\\:*?\"<>|\x00") {
		return bad("is no path below the skill's folder")
	}
	for _, seg := range strings.Split(name, "/") {
		if seg == ".." {
			return bad("leaves the skill's folder")
		}
		if strings.HasSuffix(seg, ".") || strings.HasSuffix(seg, " ") {
			return bad("is a name that Windows cannot hold")
		}
		stem, _, _ := strings.Cut(seg, ".")
		if stem != "" && knowledge.CheckID(stem) == nil && knowledge.CheckNewID(stem) != nil {
			return bad("is a name that Windows keeps for itself")
		}
	}
	if strings.EqualFold(path.Base(name), "SKILL.md") {
		return bad("is the name of a skill itself")
	}
	return nil
}

func sortedKeys(m map[string][]byte) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

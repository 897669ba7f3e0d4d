package importer

import (
	"fmt"
	"slices"
	"strings"

	"pathrule/workspace"
)

// dialect is how a client reads the patterns of a rule. Sources for each are
// the columns of workspace/testdata/globs.tsv and the notes above them.
type dialect struct {
	client string
	// split: a string holds several patterns, separated by commas.
	split bool
	// float: a pattern without a slash counts at any depth.
	float bool
	// deep: any pattern that is not rooted counts at any depth.
	deep bool
	// fold: upper and lower case are the same.
	fold bool
	// star: "*" alone is everything.
	star bool
	// bang is what "!pattern" does.
	bang bang
	// extended: @(a|b) and {a..c} have a meaning.
	extended bool
	// exact: a pattern also matches the path that reads exactly like it, and
	// "[!a]" is no negation (picomatch).
	exact bool
	// noDots: wildcards leave out names that begin with a dot.
	noDots bool
	// folders: a bare folder covers what lies in it.
	folders bool
	// rooted: a leading "/" is the root, and "./" is not understood.
	rooted bool
	// sure: what a leading "/" and "./" do is known.
	sure bool
}

type bang uint8

const (
	excludes bang = iota
	ignored       // it never matches anything
	inverts       // it matches everything else
)

var (
	cursorGlobs    = dialect{client: "Cursor", split: true, folders: true}
	copilotGlobs   = dialect{client: "VS Code", split: true, deep: true, fold: true, star: true, bang: ignored, sure: true}
	windsurfGlobs  = dialect{client: "Windsurf", split: true, float: true, star: true, folders: true}
	claudeGlobs    = dialect{client: "Claude Code", split: true, float: true, star: true, folders: true, rooted: true, sure: true}
	clineGlobs     = dialect{client: "Cline", bang: inverts, extended: true, exact: true, sure: true}
	continueGlobs  = dialect{client: "Continue", extended: true, noDots: true, sure: true}
	kiroGlobs      = dialect{client: "the client", split: true, float: true, star: true, folders: true}
	qwenGlobs      = dialect{client: "Qwen Code", split: true, float: true, star: true, folders: true}
	codebuddyGlobs = dialect{client: "CodeBuddy", split: true, float: true, star: true, folders: true}
)

// project is what translation asks about the files that are there.
type project struct {
	files []string
	// cut: there are more files than were looked at.
	cut bool
}

func (p *project) any(patterns ...string) bool {
	s, err := workspace.ParseScope(patterns)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(p.files, s.Covers)
}

func (p *project) folder(dir string) bool {
	return slices.ContainsFunc(p.files, func(f string) bool { return strings.HasPrefix(f, dir+"/") })
}

// translate brings the patterns of a rule that governs dir into ours: the same
// files of this project are covered. What cannot be said exactly is widened and
// noted; what is left out never matched anything, and is noted too.
func (d *dialect) translate(items []string, dir string, p *project) (paths, notes []string) {
	t := translator{dialect: d, dir: dir, project: p}
	var bangs []string
	positive := false
	for _, it := range items {
		it = strings.TrimSpace(strings.Trim(strings.TrimSpace(it), `"'`))
		switch {
		case it == "":
		case it[0] == '!' && !(d.extended && strings.HasPrefix(it, "!(")):
			bangs = append(bangs, strings.TrimSpace(it[1:]))
		default:
			positive = true
			t.item(it)
		}
	}
	t.bangs(bangs, positive)
	if t.whole {
		keep := under(dir)
		for _, e := range t.out {
			if e[0] == '!' {
				keep = append(keep, e)
			}
		}
		return keep, t.notes
	}
	if len(t.out) > 0 && !slices.ContainsFunc(t.out, func(s string) bool { return s[0] != '!' }) {
		t.out = append(under(dir), t.out...)
	}
	return t.out, t.notes
}

type translator struct {
	*dialect
	dir     string
	project *project
	out     []string
	notes   []string
	whole   bool
}

func (t *translator) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(t.notes, n) {
		t.notes = append(t.notes, n)
	}
}

func (t *translator) add(p string) {
	if !slices.Contains(t.out, p) {
		t.out = append(t.out, p)
	}
}

// bangs reads the exclusions, after the positive patterns.
func (t *translator) bangs(list []string, positive bool) {
	for _, b := range list {
		if b == "" {
			continue
		}
		switch {
		case t.bang == ignored && positive:
			t.note("%q does nothing in %s, which has no exclusions, and was left out", "!"+b, t.client)
			continue
		case t.bang == ignored:
			t.note("%q alone matches nothing in %s; here it is an exclusion", "!"+b, t.client)
		case t.bang == inverts && (positive || len(list) > 1):
			t.note("%q matches everything else in %s, so the rule counts everywhere", "!"+b, t.client)
			t.whole = true
			return
		}
		for _, q := range t.rewrite(b) {
			if q == "" {
				t.note("%q excludes everything and was left out", "!"+b)
				continue
			}
			q, ok := t.readable("!" + t.below(q))
			if !ok {
				t.note("%q cannot be read and was left out", "!"+b)
				continue
			}
			t.add(q)
		}
	}
}

// item adds one positive pattern.
func (t *translator) item(written string) {
	list := t.rewrite(written)
	for _, q := range list {
		if q == "" {
			if t.noDots {
				t.note("%q leaves out names that begin with a dot in %s; here they are covered", written, t.client)
			}
			t.whole = true
			return
		}
	}
	for i, q := range list {
		list[i] = t.below(q)
	}
	if !t.project.any(list...) {
		list = t.rescue(written, list)
	}
	if t.fold && !t.project.cut {
		list = t.folded(written, list)
	}
	if t.noDots && !t.project.cut && t.hidesDots(list) {
		t.note("%q leaves out names that begin with a dot in %s; here they are covered", written, t.client)
	}
	for _, q := range list {
		if q, ok := t.readable(q); ok {
			t.add(q)
			continue
		}
		t.note("%q cannot be read; widened to %s", written, shownScope(t.dir))
		t.whole = true
	}
}

// readable is a pattern as it can stand in an entry: what could be read alone
// may not be behind a folder, such as backslashes for slashes.
func (t *translator) readable(q string) (string, bool) {
	for _, try := range [...]string{q, strings.ReplaceAll(q, `\`, "/")} {
		if _, err := workspace.ParseScope([]string{try}); err == nil {
			return try, true
		}
	}
	return "", false
}

// rewrite is a pattern in our own words, before it is placed below the
// governed folder; "" is everything.
func (t *translator) rewrite(p string) []string {
	rooted := strings.HasPrefix(p, "/")
	q := strings.TrimLeft(p, "/")
	if rooted && t.sure && !t.rooted {
		t.note("%q begins with \"/\", with which %s matches nothing; read from the project's root", p, t.client)
	}
	if r, ok := strings.CutPrefix(q, "./"); ok {
		q, rooted = strings.TrimLeft(r, "/"), true
		if t.sure && !t.exact {
			t.note("%q begins with \"./\", with which %s matches nothing; read from the project's root", p, t.client)
		}
	}
	switch q {
	case "", ".", "**", "**/*", "**/**":
		return []string{""}
	case "*":
		if t.star {
			return []string{""}
		}
	}
	list := []string{q}
	if t.extended {
		list = unextend(q, func() { t.note("%q holds a group that cannot be said exactly; widened", p) })
	}
	var out []string
	for _, q := range list {
		if t.exact {
			q = plainBang(q)
		}
		if t.bang == ignored && strings.Contains(q, `\`) {
			t.note("%q holds a backslash, which %s takes for a separator; read as an escape", p, t.client)
		}
		_, err := workspace.ParseScope([]string{q})
		if err != nil {
			lit := literal(q)
			if _, e := workspace.ParseScope([]string{lit}); e != nil {
				wide := staticPart(q)
				if _, e := workspace.ParseScope([]string{wide}); e != nil {
					wide = ""
				}
				t.note("%q cannot be read (%v); widened to %s", p, err, shownScope(wide))
				out = append(out, wide)
				continue
			}
			if t.sure && !t.exact && !t.extended {
				t.note("%q has a bracket that %s cannot read; taken as the character", p, t.client)
			}
			q = lit
		}
		q = t.floated(q, rooted)
		out = append(out, q)
		if t.exact && strings.ContainsRune(q, '[') {
			if lit := literal(q); lit != q {
				out = append(out, lit)
			}
		}
		if bare := strings.TrimSuffix(q, "/"); !t.folders && !strings.ContainsAny(bare, `*?[]{}\`) && t.project.folder(bare) {
			t.note("%q names a folder, which %s compares with whole file names only; here it covers what lies in it", p, t.client)
		} else if bare, ok := strings.CutPrefix(bare, "**/"); ok && !t.folders && !strings.ContainsAny(bare, `*?[]{}\`) && t.project.any(q+"/**") {
			t.note("%q names a folder, which %s compares with whole file names only; here it covers what lies in it", p, t.client)
		}
	}
	return out
}

// floated puts "**/" in front where the client counts at any depth.
func (t *translator) floated(q string, rooted bool) string {
	if rooted || strings.HasPrefix(q, "**/") {
		return q
	}
	if t.deep {
		return t.anchored("**/" + q)
	}
	if t.float && !strings.Contains(strings.TrimSuffix(q, "/"), "/") {
		return "**/" + q
	}
	return q
}

// anchored drops the "**/" that VS Code puts in front of a path, as long as that
// covers the same files of this project: the path is what its author meant and
// what GitHub's own agents read, and it ranks as the folder that it names.
func (t *translator) anchored(q string) string {
	root, ok := strings.CutPrefix(q, "**/")
	first, _, deeper := strings.Cut(root, "/")
	if !t.deep || !ok || !deeper || strings.ContainsAny(first, `*?[]{}\`) || t.project.cut {
		return q
	}
	a, err := workspace.ParseScope([]string{root})
	if err != nil {
		return q
	}
	b, err := workspace.ParseScope([]string{q})
	if err != nil || slices.ContainsFunc(t.project.files, func(f string) bool { return a.Covers(f) != b.Covers(f) }) {
		return q
	}
	return root
}

// below places a pattern in the governed folder. Rules in a nested folder are
// sometimes written from the project's root all the same.
func (t *translator) below(q string) string {
	if t.dir == "" || q == "" {
		return q
	}
	in := escape(t.dir) + "/" + q
	if root := strings.TrimPrefix(q, "**/"); strings.HasPrefix(root, t.dir+"/") && !t.project.any(in) {
		t.note("%q is written from the project's root", root)
		return root
	}
	return in
}

// rescue reads a pattern that covers nothing here the way that its author may
// have meant, as far as that covers something.
func (t *translator) rescue(written string, list []string) []string {
	try := func(q, what string) []string {
		if q == written {
			return nil
		}
		if _, err := workspace.ParseScope([]string{q}); err != nil {
			return nil
		}
		q = t.below(t.floated(strings.TrimLeft(q, "/"), false))
		if !t.project.any(q) {
			return nil
		}
		t.note("%q covers nothing as %s reads it; %s, it covers files here", written, t.client, what)
		return append(list, q)
	}
	if strings.Contains(written, `\`) {
		if out := try(strings.ReplaceAll(written, `\`, "/"), "with \"/\" for \"\\\""); out != nil {
			return out[len(out)-1:]
		}
	}
	if strings.ContainsAny(written, "[") {
		if out := try(literal(written), "with its brackets taken as characters"); out != nil {
			return out
		}
	}
	return list
}

// folded adds what the pattern covers when case does not count.
func (t *translator) folded(written string, list []string) []string {
	s, err := workspace.ParseScope(list)
	if err != nil {
		return list
	}
	var lower []string
	for _, q := range list {
		lower = append(lower, strings.ToLower(q))
	}
	l, err := workspace.ParseScope(lower)
	if err != nil {
		return list
	}
	for _, f := range t.project.files {
		if !s.Covers(f) && l.Covers(strings.ToLower(f)) {
			t.note("%q: %s does not tell upper from lower case", written, t.client)
			for i, q := range list {
				list[i] = anyCase(q)
			}
			return list
		}
	}
	return list
}

// anyCase spells letters outside brackets and escapes as "[aA]".
func anyCase(q string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(q); i++ {
		c := q[i]
		switch {
		case c == '\\' && i+1 < len(q):
			b.WriteByte(c)
			i++
			b.WriteByte(q[i])
		case class:
			class = c != ']'
			b.WriteByte(c)
		case c == '[':
			class = true
			b.WriteByte(c)
		case c >= 'a' && c <= 'z':
			b.Write([]byte{'[', c, c - 32, ']'})
		case c >= 'A' && c <= 'Z':
			b.Write([]byte{'[', c + 32, c, ']'})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// hidesDots reports a file that is covered through a wildcard which the client
// does not let match it.
func (t *translator) hidesDots(list []string) bool {
	s, err := workspace.ParseScope(list)
	if err != nil {
		return false
	}
	for _, f := range t.project.files {
		if (strings.HasPrefix(f, ".") || strings.Contains(f, "/.")) && s.Covers(f) && !slices.ContainsFunc(list, func(q string) bool { return strings.HasPrefix(q, ".") || strings.Contains(q, "/.") }) {
			return true
		}
	}
	return false
}

// plainBang makes "[!a]" the class of "!" and "a".
func plainBang(q string) string {
	var b strings.Builder
	for i := 0; i < len(q); i++ {
		if strings.HasPrefix(q[i:], "[!") {
			if end := strings.IndexByte(q[i:], ']'); end > 2 {
				b.WriteString("[" + q[i+2:i+end] + "!]")
				i += end
				continue
			}
		}
		b.WriteByte(q[i])
	}
	return b.String()
}

// unextend spreads what only some matchers know: @(a|b), ?(a), ranges in
// braces. widened is told where a "*" takes the place of a group.
func unextend(q string, widened func()) []string {
	for i := 0; i+1 < len(q); i++ {
		if q[i] == '\\' {
			i++
			continue
		}
		if strings.IndexByte("@?*+!", q[i]) >= 0 && q[i+1] == '(' {
			end := strings.IndexByte(q[i:], ')')
			if end < 0 {
				break
			}
			inner := q[i+2 : i+end]
			alt := "*"
			switch {
			case strings.ContainsAny(inner, "(/"):
				widened()
			case q[i] == '@':
				alt = "{" + strings.ReplaceAll(inner, "|", ",") + "}"
			case q[i] == '?':
				alt = "{," + strings.ReplaceAll(inner, "|", ",") + "}"
			default:
				widened()
			}
			return unextend(q[:i]+alt+q[i+end+1:], widened)
		}
		if q[i] == '{' {
			end := strings.IndexByte(q[i:], '}')
			if end < 0 {
				break
			}
			lo, hi, ok := strings.Cut(q[i+1:i+end], "..")
			if !ok {
				continue
			}
			var alts []string
			switch {
			case len(lo) == 1 && len(hi) == 1 && lo[0] <= hi[0] && hi[0]-lo[0] < 64:
				for c := lo[0]; c <= hi[0]; c++ {
					alts = append(alts, string(rune(c)))
				}
			default:
				var a, b int
				if n, _ := fmt.Sscanf(lo+" "+hi, "%d %d", &a, &b); n == 2 && a <= b && b-a < 200 {
					for ; a <= b; a++ {
						alts = append(alts, fmt.Sprint(a))
					}
				}
			}
			if alts == nil {
				continue
			}
			return unextend(q[:i]+"{"+strings.Join(alts, ",")+"}"+q[i+end+1:], widened)
		}
	}
	return []string{q}
}

// literal keeps brackets and braces from being read as a pattern; wildcards
// stay.
func literal(q string) string {
	var b strings.Builder
	for i := 0; i < len(q); i++ {
		switch q[i] {
		case '\\':
			if i+1 < len(q) && q[i+1] != '/' {
				b.WriteByte('\\')
				i++
				b.WriteByte(q[i])
				continue
			}
			b.WriteString(`\\`)
			continue
		case '[', ']', '{', '}':
			b.WriteByte('\\')
		}
		b.WriteByte(q[i])
	}
	return b.String()
}

// staticPart is the folder before the first segment that is no plain name.
func staticPart(q string) string {
	var keep []string
	for _, s := range strings.Split(q, "/") {
		if s == "" || s == "." || s == ".." || strings.ContainsAny(s, `*?[]{}\()`) {
			break
		}
		keep = append(keep, s)
	}
	return strings.Join(keep, "/")
}

// under covers a folder and everything below; the root is the whole workspace.
func under(dir string) []string {
	if dir == "" {
		return nil
	}
	return []string{escape(dir)}
}

// escape keeps a folder's own brackets and stars from being read as a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `!`, `\!`).Replace(dir)
}

// widest joins the scopes of the places at which one text lies; the whole
// workspace swallows the others, and an exclusion holds only where every place
// has it.
func widest(scopes [][]string) []string {
	var out []string
	for i, s := range scopes {
		positive := false
		for _, p := range s {
			if strings.HasPrefix(p, "!") {
				continue
			}
			positive = true
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		if !positive {
			// The whole workspace; what every place leaves out stays out.
			var only []string
			for _, p := range s {
				if everywhere(scopes, i, p) {
					only = append(only, p)
				}
			}
			return only
		}
	}
	if len(scopes) > 0 {
		for _, p := range scopes[0] {
			if strings.HasPrefix(p, "!") && everywhere(scopes, 0, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func everywhere(scopes [][]string, except int, p string) bool {
	for i, s := range scopes {
		if i != except && !slices.Contains(s, p) {
			return false
		}
	}
	return true
}

// shownScope is a scope in a sentence.
func shownScope(paths ...string) string {
	if len(paths) == 0 || len(paths) == 1 && paths[0] == "" {
		return "the whole workspace"
	}
	return strings.Join(paths, ", ")
}

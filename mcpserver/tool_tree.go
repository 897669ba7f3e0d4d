package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/slice"
	"pathrule/workspace"
)

// At most this many lines of folders and of entries; a tree is for finding the
// way, not for reading everything.
const (
	treeFolders = 60
	treeEntries = 40
)

type treeData struct {
	Status string     `json:"status"`
	Text   string     `json:"text"`
	Items  []itemData `json:"items"`
	Next   string     `json:"next,omitempty"`
}

type kindCounts [3]int

func (k *kindCounts) add(kind knowledge.Kind) {
	if i := slices.Index(knowledge.Kinds, kind); i >= 0 {
		k[i]++
	}
}

// String is "3 memories, 1 rule".
func (k kindCounts) String() string {
	var parts []string
	for i, one := range []string{"memory", "rule", "skill"} {
		switch many := knowledge.Kinds[i].Dir(); {
		case k[i] == 1:
			parts = append(parts, "1 "+one)
		case k[i] > 1:
			parts = append(parts, fmt.Sprintf("%d %s", k[i], many))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// getTree shows where knowledge lies below a path and which entries govern it.
func (c *core) getTree(ctx context.Context, a call) (*result, error) {
	depth := a.num("depth", 2)
	if depth < 1 || depth > 10 {
		return nil, invalid("\"depth\" must be between 1 and 10")
	}
	var paths []string
	if at := strings.TrimSpace(a.str("path")); at != "" && at != "." && at != "/" {
		paths = []string{at}
	}
	p, f := c.place(ctx, a.str("cwd"), paths)
	if f == nil {
		f = p.needReads(c)
	}
	if f != nil {
		return nil, f
	}
	src, warming, done, err := c.view(p.ws).source(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	at := ""
	if len(p.paths) > 0 {
		at = p.paths[0]
	}
	tree, err := c.view(p.ws).treeOf(src, warming)
	if err != nil {
		return nil, fmt.Errorf("read the catalogue: %w", err)
	}
	total, folders, governing := tree.below(p, at, depth)
	if at != "" {
		res, err := src.Search(catalog.Query{Paths: []string{at}, Exhaustive: true})
		if err != nil {
			return nil, fmt.Errorf("look up %s: %w", at, err)
		}
		for _, cand := range res.Candidates {
			if cand.Fit != workspace.Outside && !p.withheld(cand.Record.Owner) {
				governing = append(governing, cand)
			}
		}
	}
	slices.SortStableFunc(governing, closest)

	data := treeData{Status: statusOK, Items: []itemData{}}
	var b strings.Builder
	b.WriteString(p.heading())
	fmt.Fprintf(&b, "Knowledge in this workspace: %s.\n", total)
	writeFolders(&b, folders)
	if at == "" {
		b.WriteString(rootHeading(governing))
	} else {
		fmt.Fprintf(&b, "Governing %s, closest first:\n", at)
	}
	for n, cand := range governing {
		if n == treeEntries {
			fmt.Fprintf(&b, "… %d more\n", len(governing)-n)
			break
		}
		i := listed(cand.Record)
		i.Line = ""
		data.Items = append(data.Items, i)
		b.WriteString(i.bullet())
	}
	if len(governing) == 0 {
		b.WriteString("- nothing\n")
	}
	data.Text = plaintext.Clean(b.String())
	if f := c.delivered(p, a.meta).told(nil, p.unseenIn(data.Text), slice.Tokens(data.Text)); f != nil {
		return nil, f
	}
	switch {
	case warming:
		data.Status = statusWarming
		data.Next = "The index is still being built; ask again in a few seconds for the rest."
	case len(data.Items) > 0:
		data.Next = fmt.Sprintf("Read one whole: %s(id=%q).", readTool(knowledge.Kind(data.Items[0].Kind)), data.Items[0].ID)
	case total == kindCounts{}:
		data.Next = "Nothing is on record yet."
	}
	return &result{joinNext(data.Text, data.Next), data}, nil
}

// treeCache is what a tree needs of every entry, kept for one generation.
type treeCache struct{ entries []treeEntry }

type treeEntry struct {
	kind  knowledge.Kind
	owner string
	dirs  []string        // folders and files that the scope names, in base coordinates
	whole *catalog.Record // for the whole project or, as **/*.sql does, for no folder by name; else nil
}

// treeOf reads the cache from the source once per generation.
func (v *view) treeOf(src catalog.Source, warming bool) (*treeCache, error) {
	v.mu.Lock()
	tree := v.tree
	v.mu.Unlock()
	if tree != nil && !warming {
		return tree, nil
	}
	tree = &treeCache{}
	err := src.All(func(r catalog.Record) bool {
		e := treeEntry{kind: r.Kind, owner: r.Owner}
		if scope, err := r.Scope(); err == nil {
			e.dirs = namedFolders(scope)
			if (scope.Whole() || len(e.dirs) == 0) && r.Prefix == "" {
				e.whole = &r
			}
		}
		tree.entries = append(tree.entries, e)
		return true
	})
	if err == nil && !warming {
		v.mu.Lock()
		v.tree = tree
		v.mu.Unlock()
	}
	return tree, err
}

// below counts what p may see, and lists for the root what speaks about the
// whole project.
func (t *treeCache) below(p *place, at string, depth int) (total kindCounts, folders map[string]*kindCounts, whole []catalog.Candidate) {
	folders = map[string]*kindCounts{}
	for _, e := range t.entries {
		if p.withheld(e.owner) {
			continue
		}
		total.add(e.kind)
		if e.whole != nil && at == "" {
			whole = append(whole, catalog.Candidate{Record: *e.whole})
		}
		for _, dir := range cutFolders(e.dirs, at, depth) {
			if folders[dir] == nil {
				folders[dir] = &kindCounts{}
			}
			folders[dir].add(e.kind)
		}
	}
	return total, folders, whole
}

// closest sorts by nearness, then rules before the rest, then by name.
func closest(a, b catalog.Candidate) int {
	if a.Fit != b.Fit {
		return int(b.Fit) - int(a.Fit)
	}
	if a.Depth != b.Depth {
		return b.Depth - a.Depth
	}
	return strings.Compare(a.Record.Key, b.Record.Key)
}

// namedFolders are the folders and files that a scope's patterns name.
func namedFolders(scope workspace.Scope) []string {
	var out []string
	for _, key := range scope.Keys() {
		if kind, dir, _ := strings.Cut(key, ":"); (kind == "d" || kind == "f") && dir != "" && !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// cutFolders are those below at, cut to depth levels.
func cutFolders(dirs []string, at string, depth int) []string {
	var out []string
	for _, dir := range dirs {
		rest := dir
		if at != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(dir, at+"/"); !ok {
				continue
			}
		}
		for n, i := 0, 0; i < len(rest); i++ {
			if rest[i] != '/' {
				continue
			}
			if n++; n == depth {
				dir = dir[:len(dir)-len(rest)+i]
				break
			}
		}
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

func topFolder(r catalog.Record) string {
	scope, err := r.Scope()
	if err != nil {
		return ""
	}
	dirs := cutFolders(namedFolders(scope), "", 1)
	if len(dirs) != 1 {
		return ""
	}
	return dirs[0]
}

// rootHeading says what the entries of the root's list have in common.
func rootHeading(governing []catalog.Candidate) string {
	for i := range governing {
		if scope, err := governing[i].Record.Scope(); err == nil && !scope.Whole() {
			return "For the whole project, or by pattern anywhere in it:\n"
		}
	}
	return "For the whole project:\n"
}

// writeFolders writes one line a folder, set in below the nearest folder above
// it that has a line of its own.
func writeFolders(b *strings.Builder, folders map[string]*kindCounts) {
	names := make([]string, 0, len(folders))
	for dir := range folders {
		names = append(names, dir)
	}
	// By segments: "a/b" comes before "a-b", right behind "a".
	slices.SortFunc(names, func(x, y string) int {
		return slices.Compare(strings.Split(x, "/"), strings.Split(y, "/"))
	})
	var above []string
	for n, dir := range names {
		if n == treeFolders {
			fmt.Fprintf(b, "… %d more folders; ask for one with path\n", len(names)-n)
			return
		}
		for len(above) > 0 && !strings.HasPrefix(dir, above[len(above)-1]+"/") {
			above = above[:len(above)-1]
		}
		fmt.Fprintf(b, "%s%s — %s\n", strings.Repeat("  ", len(above)), dir, folders[dir])
		above = append(above, dir)
	}
}

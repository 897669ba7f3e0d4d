package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pathrule/host"
	"pathrule/internal/head"
	"pathrule/internal/health"
	"pathrule/internal/regular"
	"pathrule/knowledge"
)

// startedByOthers are the places in a repository from which clients, editors
// and git start programs.
var startedByOthers = []string{
	".pathrule/hooks", ".claude/hooks", ".codex/hooks", ".cursor/hooks", ".gemini/extensions", ".qwen/extensions",
	".github/hooks", ".kiro/hooks", ".opencode/plugin", ".opencode/plugins", ".clinerules/hooks", ".devin/hooks",
	".husky", ".githooks", ".envrc", ".mise.toml", ".vscode/tasks.json",
}

// brought names what a repository brings for others to start. pathrule starts
// none of it; a person who is about to trust the repository wants to know.
func (c *check) brought() {
	root := c.ws.Root
	if file := filepath.Join(c.ws.Store, "hooks.json"); exists(file) {
		c.at(Note, file, 0, "hooks of this repository: none runs until you have looked at them and trusted them", "pathrule hooks list")
	}
	var found []string
	add := func(path string) {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && !contains(found, filepath.ToSlash(rel)) {
			found = append(found, filepath.ToSlash(rel))
		}
	}
	for _, h := range host.All() {
		if cf, ok := h.HookFile(host.Project, root, c.env); ok && startsPrograms(cf.Path) {
			add(cf.Path)
		}
		if cf, ok := h.MCPFile(host.Project, root, c.env); ok && startsPrograms(cf.Path) {
			add(cf.Path)
		}
	}
	for _, p := range startedByOthers {
		if full := filepath.Join(root, filepath.FromSlash(p)); exists(full) {
			add(full)
		}
	}
	if len(found) > 0 {
		c.add(Note, "this repository brings programs for clients, editors or git to start; pathrule starts none of them: "+strings.Join(found, ", "), "look at them before you trust it")
	}
}

func exists(p string) bool {
	_, err := os.Lstat(p)
	return err == nil
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// startsPrograms reports that a client's file names a command.
func startsPrograms(path string) bool {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > 1<<20 {
		return err == nil
	}
	b, err := os.ReadFile(path)
	return err == nil && (strings.Contains(string(b), `"command`) || strings.Contains(string(b), "command ="))
}

// disguised finds text that is made to look like something else: characters that
// show nothing or turn the direction, and lines that look like our fences. What
// is delivered has neither.
func (c *check) disguised(f *health.Facts, file string) {
	hidden, fences := f.Hidden, f.Fences
	switch {
	case hidden > 0 && fences > 0:
		c.at(Note, file, 0, fmt.Sprintf("holds %s and %s; neither reaches an assistant", count(hidden, "invisible character", "invisible characters"), count(fences, "line that looks like a fence of ours", "lines that look like fences of ours")), "")
	case hidden > 0:
		c.at(Note, file, 0, fmt.Sprintf("holds %s; none reaches an assistant", count(hidden, "invisible character", "invisible characters")), "")
	case fences > 0:
		c.at(Note, file, 0, fmt.Sprintf("holds %s; none reaches an assistant as one", count(fences, "line that looks like a fence of ours", "lines that look like fences of ours")), "")
	}
}

// teamFile names a team.md that is not read: a link out of the workspace would
// tell what lies elsewhere, a pipe would wait for ever.
func (c *check) teamFile() {
	file := filepath.Join(c.ws.Store, "team.md")
	if !exists(file) {
		return
	}
	real, err := filepath.EvalSymlinks(file)
	st, err2 := os.Stat(file)
	switch {
	case err != nil || err2 != nil:
		c.at(Bad, file, 0, "refused: the link leads nowhere", "take it out")
	case !knowledge.Inside(real, c.ws.Root, c.ws.Store):
		c.at(Bad, file, 0, "refused: the link leaves the workspace", "copy the file into the store")
	case !st.Mode().IsRegular():
		c.at(Bad, file, 0, "refused: it is no regular file", "take it out")
	default:
		b, _ := regular.Read(file)
		if f := head.Conflict(b); f.Msg != "" {
			c.at(Bad, file, f.Line, f.Msg+", so that no session is told it", f.Remedy)
		}
	}
}

package hookrunner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// manual is longer than one answer of Claude Code holds.
var manual = func() map[string]string {
	m := map[string]string{"tools/pack/main.go": "package main\n", "tools/pack/sha512_checksums.go": "package main\n", "ci/build.yml": "x\n"}
	long := strings.Repeat("About installers there is a lot to be said and all of it is dull. ", 200)
	m[".pathrule/memories/packaging.md"] = "---\ntitle: Packaging manual\npaths: [tools/pack]\n---\n# Packaging manual\n\nHow we build.\n\n" +
		"## Notarisation\n\nApple's notary rejects bundles with unsigned helpers; staple the ticket afterwards.\n\n" +
		"## Windows\n\n" + long + "\n\n## Checksums\n\nPublish the sha512 checksums beside each artifact.\n"
	for _, n := range []string{"alpha", "beta", "gamma", "signing"} {
		text := "Keep the " + n + " stage as it is. " + strings.Repeat("It was agreed on with everybody. ", 12)
		if n == "signing" {
			text = "Certificates come from the vault. " + strings.Repeat("It was agreed on with everybody. ", 12)
		}
		m[".pathrule/rules/"+n+".md"] = "---\ntitle: Pipeline " + n + "\npaths: [\"ci/**/*.yml\"]\n---\n" + text + "\n"
	}
	for i := range 20 {
		m[fmt.Sprintf(".pathrule/memories/other-%02d.md", i)] = fmt.Sprintf("---\ntitle: Other topic %d\npaths: [docs]\n---\nThe certificates of users are shown in colour %d.\n", i, i)
	}
	return m
}()

// DESIGN 5, 6: a long entry comes by its sections; what was told so is not the
// body, is not told twice, and other sections still come.
func TestSectionsOfALongEntryAreToldOnce(t *testing.T) {
	const notary = "the notary rejects our bundle because of unsigned helpers, what about the ticket?"
	w := newWorld(t, manual)
	w.live = true
	w.start("startup")
	first := w.prompt(notary)
	has(t, first, "1 of 4 sections: Packaging manual [memory:packaging]")
	has(t, first, "staple the ticket afterwards")
	if strings.Contains(first, "dull") {
		t.Errorf("a section that was not asked for:\n%s", first)
	}
	if got := w.prompt(notary); got != "" {
		t.Errorf("a quiet turn says %q", got)
	}
	touched := w.read("tools/pack/sha512_checksums.go")
	has(t, touched, "Publish the sha512 checksums")
	if strings.Contains(touched, "staple the ticket") {
		t.Errorf("the tool tells a section again:\n%s", touched)
	}
	if got := w.read("tools/pack/sha512_checksums.go"); got != "" {
		t.Errorf("the same file again: %q", got)
	}
	// A subagent begins with the sections that its parent works with, once.
	sub := []any{"agent_id", "a1", "agent_type", "Explore"}
	agent := w.ask("SubagentStart", sub...)
	has(t, agent, "2 of 4 sections: Packaging manual [memory:packaging]")
	has(t, agent, "staple the ticket afterwards")
	has(t, agent, "Publish the sha512 checksums")
	if strings.Contains(agent, "dull") {
		t.Errorf("a section that the parent was not told:\n%s", agent)
	}
	again := w.ask("PreToolUse", append([]any{"tool_name", "Read", "tool_input", map[string]any{"file_path": w.path("tools/pack/sha512_checksums.go")}}, sub...)...)
	if strings.Contains(again, "sha512 checksums beside") {
		t.Errorf("the subagent is told a section again:\n%s", again)
	}
	// The compaction knows nothing of sections.
	w.start("compact")
	has(t, w.prompt(notary), "staple the ticket afterwards")
}

// What a prompt touched on comes whole when a tool reaches its paths. The record
// of the session holds no word of the prompt.
func TestAPromptAndATouchedFileSpeakTogether(t *testing.T) {
	const whole = "everybody. It was agreed" // stands in bodies only
	const task = "the certificates on the agents expired yesterday, replace those of the vault"
	w := newWorld(t, manual)
	w.live = true
	w.start("startup")
	if got := w.prompt(task); strings.Contains(got, whole) {
		t.Fatalf("the prompt alone brings the body, which leaves nothing to see: %q", got)
	}
	got := w.read("ci/build.yml")
	has(t, got, "Certificates come from the vault.")
	if n := strings.Count(got, whole); n != 11 {
		t.Errorf("not the one body alone (%d):\n%s", n, got)
	}
	err := filepath.WalkDir(w.dirs().State, func(p string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		for _, word := range []string{"certificates", "expired", "vault", "yesterday"} {
			if strings.Contains(string(b), word) {
				t.Errorf("%s holds %q of the prompt", p, word)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}

	// A compaction does not end the work; a conversation that was cleared does.
	for source, goesOn := range map[string]bool{"compact": true, "clear": false} {
		w := newWorld(t, manual)
		w.live = true
		w.start("startup")
		w.prompt(task)
		if goesOn {
			w.ask("PreCompact", "trigger", "auto")
		}
		w.start(source)
		if got := w.read("ci/build.yml"); strings.Contains(got, whole) != goesOn {
			t.Errorf("after %s: %q", source, got)
		}
	}

	// Without the prompt the same file brings lines.
	w = newWorld(t, manual)
	w.live = true
	w.start("startup")
	if got := w.read("ci/build.yml"); strings.Contains(got, whole) || !strings.Contains(got, "Pipeline signing") {
		t.Errorf("without a task: %q", got)
	}
}

package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"pathrule/host"
)

// selfTest writes a memory in a throw-away workspace with a home of its own
// and looks whether the next hooks deliver it: the whole way from a write to a
// client, without touching anything of the person's.
func (c *check) selfTest(ctx context.Context) {
	if c.o.Quick || c.env.Executable == "" {
		return
	}
	dir, err := os.MkdirTemp("", "pathrule-doctor-")
	if err != nil {
		c.add(Note, "not run: "+err.Error(), "")
		return
	}
	defer os.RemoveAll(dir)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	project, file := filepath.Join(dir, "project"), filepath.Join(dir, "project", "src", "greeting.txt")
	if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
		err = os.WriteFile(file, []byte("hello\n"), 0o600)
	}
	if err != nil {
		c.add(Note, "not run: "+err.Error(), "")
		return
	}
	const said = "Greetings are reviewed by the lighthouse keeper"
	env := c.env.Apart(dir)
	step := func(stdin []byte, argv ...string) (string, time.Duration, error) {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdin = project, env, bytes.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		start := time.Now()
		out, err := cmd.Output()
		took := time.Since(start)
		if err != nil {
			err = fmt.Errorf("%s: %w %s", strings.Join(argv[1:], " "), err, short(stderr.Bytes()))
		}
		return string(out), took, err
	}
	self, hook := c.env.Executable, []string{c.env.Executable, "hook"}
	if p := HookProgram(c.env); p != "" {
		hook = []string{p}
	}
	for _, argv := range [][]string{
		{self, "init"},
		{self, "memory", "add", said, "--path", "src/greeting.txt"},
	} {
		if _, _, err := step(nil, argv...); err != nil {
			c.add(Bad, "self-test failed: "+err.Error(), "pathrule demo")
			c.next("pathrule demo")
			return
		}
	}
	sample, _ := host.ByName("claude-code") // the contract of a command without --host
	for _, e := range []struct {
		event string
		argv  []string
	}{
		{"UserPromptSubmit", []string{self, "hook"}},
		{"PreToolUse", hook},
	} {
		out, took, err := step(sample.Sample(host.Registration{Event: e.event}, "doctor-"+e.event, project, file), e.argv...)
		if err == nil && !strings.Contains(out, said) {
			err = fmt.Errorf("%s did not deliver a memory that was just written", e.event)
		}
		if err != nil {
			c.add(Bad, "self-test failed: "+err.Error(), "pathrule demo")
			c.next("pathrule demo")
			return
		}
		c.add(OK, fmt.Sprintf("a memory that was just written reached %s in %s", e.event, ms(took)), "")
	}
	c.answers(project, file, said, func(stdin []byte, argv ...string) (string, error) {
		out, _, err := step(stdin, argv...)
		return out, err
	})
}

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"pathrule/internal/sysenv"
)

// ErrNoEditor: neither VISUAL nor EDITOR is set and no known editor is there.
var ErrNoEditor = errors.New("no editor: set VISUAL or EDITOR")

// EditorOf finds the person's editor as a shell command line, as git does.
func EditorOf(env sysenv.Env) (string, error) {
	for _, v := range []string{"VISUAL", "EDITOR"} {
		if e := env.Get(v); e != "" {
			return e, nil
		}
	}
	for _, e := range []string{"sensible-editor", "nano", "vi", "notepad.exe"} {
		if _, err := exec.LookPath(e); err == nil {
			return e, nil
		}
	}
	return "", ErrNoEditor
}

// Edit opens the text in the person's editor and hands back what was saved,
// with the temp file that holds it. The caller removes the file once nothing
// can be lost any more.
func Edit(env sysenv.Env, name string, text []byte) (edited []byte, file string, err error) {
	editor, err := EditorOf(env)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "pathrule-edit-")
	if err != nil {
		return nil, "", fmt.Errorf("make temp folder: %w", err)
	}
	file = filepath.Join(dir, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, "", fmt.Errorf("write temp file: %w", err)
	}
	// The variable is a command line ("code --wait"), so a shell reads it; the
	// file name goes in as an argument and is never read by the shell.
	cmd := exec.Command("sh", "-c", editor+` "$@"`, editor, file)
	if env.GOOS == "windows" {
		// Without a shell to read quotes: a program that is there is taken whole,
		// anything else by words.
		words := []string{editor}
		if _, err := exec.LookPath(editor); err != nil {
			words = strings.Fields(editor)
		}
		cmd = exec.Command(words[0], append(words[1:], file)...)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = env.Stdin, env.Stderr, env.Stderr
	if IsTerminal(env.Stdout) {
		cmd.Stdout = env.Stdout
	}
	cmd.Env, cmd.Dir = env.Environ, env.Cwd
	if err := cmd.Run(); err != nil {
		return nil, file, fmt.Errorf("run editor %q: %w", editor, err)
	}
	edited, err = os.ReadFile(file)
	if err != nil {
		return nil, file, fmt.Errorf("read what the editor saved: %w", err)
	}
	return edited, file, nil
}

// DropEdit removes the temp file of an Edit together with its folder.
func DropEdit(file string) {
	if file != "" {
		_ = os.RemoveAll(filepath.Dir(file))
	}
}

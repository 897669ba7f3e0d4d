package main

import (
	"bytes"
	"io"
	"os"

	"pathrule/internal/cli"
	"pathrule/knowledge"
)

// readText is the text that a flag, an argument or stdin gives: "-" is stdin.
func (a *app) readText(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	b, err := a.readStdin()
	return string(b), err
}

// readStdin reads all of stdin, at most the size of an entry.
func (a *app) readStdin() ([]byte, error) {
	if a.env.Stdin == nil {
		return nil, nil
	}
	return limited(a.env.Stdin, "stdin")
}

func (a *app) readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limited(f, path)
}

func limited(r io.Reader, name string) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, knowledge.MaxFile+1))
	if err != nil {
		return nil, err
	}
	if len(b) > knowledge.MaxFile {
		return nil, cli.Fail("too_large", name+" is larger than 1 MiB, the most an entry may have", "split it, or keep the long part in a file and name its path")
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), nil
}

// piped reports that stdin carries data and no person sits at it.
func (a *app) piped() bool {
	if a.env.Stdin == nil || cli.IsTerminal(a.env.Stdin) {
		return false
	}
	f, ok := a.env.Stdin.(*os.File)
	if !ok {
		return true
	}
	st, err := f.Stat()
	return err == nil && (st.Mode()&os.ModeCharDevice) == 0
}

package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// CanAsk reports whether there is a person to ask: stdin and stderr are
// terminals and the answer is not meant for a script.
func (o *Out) CanAsk() bool {
	return !o.JSON && IsTerminal(o.env.Stdin) && IsTerminal(o.env.Stderr)
}

// Confirm asks a yes-or-no question on the terminal; an empty answer is def,
// the end of input is no.
func (o *Out) Confirm(question string, def bool) bool {
	choice := "[y/N]"
	if def {
		choice = "[Y/n]"
	}
	for range 3 {
		fmt.Fprintf(o.err, "%s %s ", question, choice)
		line, err := readLine(o.env.Stdin)
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true
		case "n", "no":
			return false
		case "":
			if err == nil {
				return def
			}
			fmt.Fprintln(o.err)
			return false
		}
		if err != nil {
			return false
		}
		fmt.Fprintln(o.err, "Please answer y or n.")
	}
	return false
}

// readLine reads byte by byte, so that nothing beyond the line is taken from
// whoever reads the stream next.
func readLine(r io.Reader) (string, error) {
	if r == nil {
		return "", io.EOF
	}
	if b, ok := r.(*bufio.Reader); ok {
		return b.ReadString('\n')
	}
	var b strings.Builder
	buf := make([]byte, 1)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			if buf[0] == '\n' {
				return b.String(), nil
			}
			b.WriteByte(buf[0])
		}
		if err != nil {
			return b.String(), err
		}
	}
}

// Choose asks for one of some words on the terminal; the first letter is
// enough. An empty or wrong answer is def.
func (o *Out) Choose(question string, words []string, def string) string {
	var shown []string
	for _, w := range words {
		shown = append(shown, "["+w[:1]+"]"+w[1:])
	}
	for range 3 {
		fmt.Fprintf(o.err, "%s %s ", question, strings.Join(shown, " "))
		line, err := readLine(o.env.Stdin)
		line = strings.ToLower(strings.TrimSpace(line))
		for _, w := range words {
			if line == w || line == w[:1] {
				return w
			}
		}
		if line == "" || err != nil {
			if err != nil {
				fmt.Fprintln(o.err)
			}
			return def
		}
		fmt.Fprintln(o.err, "Please answer with one of these words, or its first letter.")
	}
	return def
}

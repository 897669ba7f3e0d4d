package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"pathrule/internal/sysenv"
)

// Out is where a command prints. Data goes to stdout; warnings, hints, progress
// and questions go to stderr, so that a pipe carries data only.
type Out struct {
	JSON     bool
	Color    bool // on stdout
	ErrColor bool // on stderr
	// TTY: stdout is a terminal, so columns may be cut to its width.
	TTY bool
	// Width is that terminal's width, 0 when unknown or no terminal.
	Width int

	out, err io.Writer
	env      sysenv.Env
	warnings []string
}

// NewOut looks at the streams and the environment once. Colour needs a
// terminal and is never used under NO_COLOR, TERM=dumb or noColor.
func NewOut(env sysenv.Env, json, noColor bool) *Out {
	o := &Out{JSON: json, out: env.Stdout, err: env.Stderr, env: env}
	if o.out == nil {
		o.out = io.Discard
	}
	if o.err == nil {
		o.err = io.Discard
	}
	allowed := !noColor && env.Get("NO_COLOR") == "" && env.Get("TERM") != "dumb" && !json
	o.TTY = IsTerminal(env.Stdout)
	o.Color = allowed && o.TTY
	o.ErrColor = allowed && IsTerminal(env.Stderr)
	if o.TTY {
		if f, ok := env.Stdout.(*os.File); ok {
			if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
				o.Width = w
			}
		}
	}
	return o
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && term.IsTerminal(int(f.Fd()))
}

// Printf prints to stdout, unless the answer is JSON.
func (o *Out) Printf(format string, args ...any) {
	if !o.JSON {
		fmt.Fprintf(o.out, format, args...)
	}
}

// Println prints one line to stdout, unless the answer is JSON.
func (o *Out) Println(parts ...string) {
	if !o.JSON {
		fmt.Fprintln(o.out, strings.Join(parts, " "))
	}
}

// Raw writes to stdout whatever the mode.
func (o *Out) Raw(b []byte) error {
	_, err := o.out.Write(b)
	return err
}

// Warn says on stderr what the user should know although the command went
// on; in JSON the text is kept for data.warnings.
func (o *Out) Warn(format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	o.warnings = append(o.warnings, msg)
	if !o.JSON {
		fmt.Fprintf(o.err, "%s %s\n", o.paint(o.ErrColor, yellow, "pathrule: warning:"), msg)
	}
}

// Hint adds what to do, on stderr.
func (o *Out) Hint(format string, args ...any) {
	if !o.JSON {
		fmt.Fprintf(o.err, "%s %s\n", o.paint(o.ErrColor, cyan, "pathrule: hint:"), fmt.Sprintf(format, args...))
	}
}

// Warnings are all warnings so far, never nil.
func (o *Out) Warnings() []string { return append([]string{}, o.warnings...) }

// Fail prints a failure: one line that says what went wrong, one per remedy;
// in JSON the error envelope on stdout.
func (o *Out) Fail(command string, f *Failure) {
	if o.JSON {
		_ = writeJSON(o.out, envelope{SchemaVersion: SchemaVersion, Command: command, Error: bodyOf(f)})
		return
	}
	fmt.Fprintf(o.err, "%s %s\n", o.paint(o.ErrColor, red, "pathrule: error:"), f.Msg)
	for _, h := range f.Hints {
		o.Hint("%s", h)
	}
}

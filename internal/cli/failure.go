// Package cli is how the command line speaks: one way to print, to ask, to
// colour, to draw a table or a diff, to answer a script in JSON, and to fail.
// It knows nothing of knowledge or clients.
package cli

// Exit codes of pathrule (docs/cli.md).
const (
	ExitOK       = 0 // also a search without a hit
	ExitFailed   = 1 // conflict, not found, refused
	ExitUsage    = 2 // the command line was wrong
	ExitFindings = 3 // doctor, compile --check: it worked, and found something
)

// Failure is an error as a person reads it: what went wrong, what to do about
// it, a code for scripts and the exit code.
type Failure struct {
	Code  string // snake_case and stable: "not_found", "conflict", "usage", ...
	Exit  int    // 0 reads as ExitFailed
	Msg   string // lower case, no full stop
	Hints []string
	// Err is the cause, for errors.Is; nil is fine.
	Err error
}

func (f *Failure) Error() string { return f.Msg }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Err }

// ExitCode is Exit, or ExitFailed where none was set.
func (f *Failure) ExitCode() int {
	if f.Exit == 0 {
		return ExitFailed
	}
	return f.Exit
}

// Fail is a failure with exit code 1.
func Fail(code, msg string, hints ...string) *Failure {
	return &Failure{Code: code, Exit: ExitFailed, Msg: msg, Hints: hints}
}

// Usage is a failure of the command line itself.
func Usage(msg string, hints ...string) *Failure {
	return &Failure{Code: "usage", Exit: ExitUsage, Msg: msg, Hints: hints}
}

// Findings ends a command that did its work and found something: the report
// was already printed, so nothing more is said; only the exit code speaks.
type Findings struct{ N int }

func (f Findings) Error() string { return "there are findings" }

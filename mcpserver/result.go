package mcpserver

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// Codes of a fault: what a model can tell apart and mend. They stand in the
// result's "code"; docs/mcp.md explains each.
const (
	codeInvalid   = "invalid_args"
	codeNotFound  = "not_found"
	codeConflict  = "conflict"
	codeDuplicate = "duplicate"
	codeRefused   = "refused"
	codeDenied    = "permission_denied"
	codeDisabled  = "disabled"
	codeNoSpace   = "no_workspace"
	codeInternal  = "internal"
)

// Statuses of a result.
const (
	statusOK       = "ok"
	statusWarming  = "warming"        // only a part is indexed yet
	statusApproval = "needs_approval" // stored; strict, block and check wait for a person
	statusProposed = "proposed"       // waits in the inbox, not stored
	statusError    = "error"
)

// result is what a tool answers. Some hosts show their model the text alone,
// others the structured part alone, so each holds the whole answer.
type result struct {
	text string
	data any // a struct with a "status" key
}

// fault is an answer that the model can mend: what is wrong and the next step.
type fault struct {
	code, msg, next string
	current         string   // the version that stands, for a conflict
	nearest         []string // ids
}

func (f *fault) Error() string { return f.code + ": " + f.msg }

func newFault(code, format string, a ...any) *fault {
	return &fault{code: code, msg: fmt.Sprintf(format, a...)}
}

func invalid(format string, a ...any) *fault { return newFault(codeInvalid, format, a...) }

// then sets the next step, a whole sentence.
func (f *fault) then(format string, a ...any) *fault {
	f.next = fmt.Sprintf(format, a...)
	return f
}

// faultData is the structured part of a fault.
type faultData struct {
	Status  string   `json:"status"`
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Next    string   `json:"next,omitempty"`
	Current string   `json:"current_version,omitempty"`
	Nearest []string `json:"nearest,omitempty"`
}

func (f *fault) answer() *mcp.CallToolResult {
	text := f.code + ": " + f.msg
	if f.next != "" {
		if !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, ".") {
			text += "."
		}
		text += " " + f.next
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(plaintext.Clean(text))},
		StructuredContent: faultData{statusError, f.code, plaintext.Clean(f.msg), f.next, f.current, f.nearest},
		IsError:           true,
	}
}

func (r *result) answer() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		Content:           []mcp.Content{mcp.NewTextContent(r.text)},
		StructuredContent: r.data,
	}
}

// faultOf turns an error of the store into a code and a next step.
func faultOf(err error, kind knowledge.Kind) *fault {
	var (
		f         *fault
		missing   *knowledge.NotFoundError
		ambiguous *knowledge.AmbiguousError
		conflict  *knowledge.ConflictError
		duplicate *knowledge.DuplicateError
		bad       *knowledge.InvalidError
		parse     *knowledge.ParseError
		refused   *knowledge.RefusedError
	)
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &missing):
		f = newFault(codeNotFound, "%s", missing.Error()).then("Search by topic with search_knowledge.")
		if len(missing.Nearest) > 0 {
			f.then("Search by topic with search_knowledge if none fits.")
			if k, _, ok := strings.Cut(missing.Nearest[0], ":"); ok && kind != "" && k != string(kind) {
				f.then("A %s is read with read_%s. Search by topic with search_knowledge if none fits.", k, k)
			}
		}
		f.nearest = missing.Nearest
		return f
	case errors.As(err, &ambiguous):
		f = invalid("%s", ambiguous.Error()).then("Name the kind: %s.", strings.Join(ambiguous.Keys, " or "))
		f.nearest = ambiguous.Keys
		return f
	case errors.As(err, &conflict):
		f = newFault(codeConflict, "%s", conflict.Error())
		f.current = conflict.Current
		if conflict.Current == "" {
			return f.then("Restore it with restore_entry, or write it anew.")
		}
		return f.then("Read it again with %s, then repeat the change with that expected_version.", readTool(kind))
	case errors.As(err, &duplicate):
		f = newFault(codeDuplicate, "%s", duplicate.Error())
		f.nearest = []string{string(duplicate.Kind) + ":" + duplicate.ID}
		return f.then("Read it with %s and extend it with %s, or give another title or id; allow_duplicate=true keeps both.", readTool(duplicate.Kind), updateTool(duplicate.Kind))
	case errors.As(err, &bad):
		field := bad.Field
		if field == "body" { // the argument's name
			field = "content"
		}
		return invalid("%s: %s", field, bad.Msg).then("%s", sentence(bad.Remedy))
	case errors.As(err, &parse):
		return invalid("%s", parse.Error()).then("%s", sentence(parse.Remedy))
	case errors.As(err, &refused):
		return newFault(codeRefused, "%s", refused.Error()).then("%s", sentence(refused.Remedy))
	case errors.Is(err, knowledge.ErrReadOnly):
		return newFault(codeDenied, "%s", err.Error()).then("The folder cannot be written; ask the user, and go on without saving.")
	case errors.Is(err, knowledge.ErrNotFound):
		return newFault(codeNotFound, "%s", err.Error()).then("Search by topic with search_knowledge.")
	}
	return newFault(codeInternal, "%s", err.Error()).then("Go on without it; \"pathrule doctor\" tells more.")
}

// sentence makes a remedy, lower case without a full stop, one.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	r := []rune(s)
	if r[0] >= 'a' && r[0] <= 'z' {
		r[0] -= 'a' - 'A'
	}
	s = string(r)
	if last := r[len(r)-1]; last == '.' || last == '?' || last == '!' {
		return s
	}
	return s + "."
}

func readTool(k knowledge.Kind) string   { return "read_" + string(kindOr(k)) }
func updateTool(k knowledge.Kind) string { return "update_" + string(kindOr(k)) }

func kindOr(k knowledge.Kind) knowledge.Kind {
	if k == "" {
		return knowledge.Memory
	}
	return k
}

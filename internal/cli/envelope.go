package cli

import (
	"encoding/json"
	"io"
)

// SchemaVersion of every JSON answer. It changes only when a field changes its
// meaning or goes away; new fields do not change it.
const SchemaVersion = 1

type envelope struct {
	SchemaVersion int        `json:"schema_version"`
	OK            bool       `json:"ok"`
	Command       string     `json:"command"`
	Data          any        `json:"data,omitempty"`
	Error         *errorBody `json:"error,omitempty"`
}

type errorBody struct {
	Code    string   `json:"code"`
	Message string   `json:"message"`
	Remedy  []string `json:"remedy"`
}

// Data writes the answer of a command as JSON.
func (o *Out) Data(command string, data any) error {
	return writeJSON(o.out, envelope{SchemaVersion: SchemaVersion, OK: true, Command: command, Data: data})
}

// DataFailed writes the answer of a command that failed with something to
// show: a plan that was not carried out, or only in part.
func (o *Out) DataFailed(command string, data any, f *Failure) error {
	return writeJSON(o.out, envelope{SchemaVersion: SchemaVersion, Command: command, Data: data, Error: bodyOf(f)})
}

func bodyOf(f *Failure) *errorBody {
	return &errorBody{Code: f.Code, Message: f.Msg, Remedy: append([]string{}, f.Hints...)}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

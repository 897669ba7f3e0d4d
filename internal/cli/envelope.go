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

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

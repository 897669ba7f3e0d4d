package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pathrule/index/catalog"
	"pathrule/internal/regular"
	"pathrule/knowledge"
	"pathrule/workspace"
)

// parsed is one file read, analysed and ready for both doors.
type parsed struct {
	state *fileState
	item  *catalog.Item // nil: no entry
	doc   *document
}

// parse reads a file into an entry. item is nil when there is none: the file
// cannot be read, or a personal entry does not join this workspace.
func (w *writer) parse(a *analyser, f *fileState, data []byte) parsed {
	p := parsed{state: f}
	f.indexed, f.plain, f.problem = false, false, nil
	full := filepath.Join(w.roots[f.root].Store, filepath.FromSlash(f.file))
	if f.size > knowledge.MaxFile {
		f.problem = &workspace.Problem{File: w.show(f), Msg: fmt.Sprintf("is larger than %d KiB", knowledge.MaxFile>>10), Remedy: "split it"}
		return p
	}
	if data == nil {
		f.checked = w.now().UnixMilli()
		var err error
		if data, err = regular.Read(full); err != nil {
			f.problem = &workspace.Problem{File: w.show(f), Msg: "cannot be read: " + cause(err), Remedy: "mend its rights"}
			return p
		}
		f.hash = knowledge.Version(data)
	}
	root := w.roots[f.root]
	e, quiet, err := knowledge.ParseLinesQuiet(data, f.kind, f.id, f.file)
	if errors.Is(err, knowledge.ErrBeyond) {
		e, quiet, err = w.eng.Parse(data, f.kind, f.id, f.file)
	}
	if err == nil {
		f.plain = quiet && e.Block == nil && e.Check == nil && !e.Waits()
		var scope workspace.Scope
		if scope, err = e.Scope(root.Prefix); err == nil {
			if root.Owner == catalog.Personal && !e.InWorkspace(w.ws, w.env.UserHome) {
				return p
			}
			p.item = &catalog.Item{Record: record(&e, f, root, full), Keys: scope.Keys()}
			if err = p.item.Complete(); err == nil {
				p.doc, f.lengths = a.entry(&e, p.item.Keys)
				return p
			}
			p.item = nil
		}
	}
	f.plain = false
	f.problem = w.problem(f, err)
	return p
}

func (w *writer) show(f *fileState) string {
	sc := scanner{ws: w.ws, roots: w.roots}
	return sc.show(f.root, f.file)
}

func (w *writer) problem(f *fileState, err error) *workspace.Problem {
	p := &workspace.Problem{File: w.show(f), Msg: err.Error(), Remedy: "mend the file, or run \"pathrule doctor\""}
	var pe *knowledge.ParseError
	if errors.As(err, &pe) {
		p.Line, p.Msg = pe.Line, pe.Msg
		if pe.Remedy != "" {
			p.Remedy = pe.Remedy
		}
	}
	return p
}

func cause(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func record(e *knowledge.Entry, f *fileState, root catalog.Root, full string) catalog.Record {
	return catalog.Record{
		Kind: e.Kind, ID: e.ID, Key: root.Owner + "/" + e.Key(), Owner: root.Owner, Prefix: root.Prefix,
		Title: e.Title, Line: e.Line(), Description: e.Description,
		Paths: e.Paths, Tags: e.Tags, Related: e.Related,
		Priority: e.Priority, Enforcement: e.Effective(),
		Hash: f.hash, File: full, Size: f.size, ModTime: f.mtime,
		BodyOffset: e.BodyOffset, BodyBytes: len(knowledge.Strip(e.Body)),
	}
}

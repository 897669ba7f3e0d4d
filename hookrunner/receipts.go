package hookrunner

import (
	"bytes"
	"path/filepath"

	"pathrule/guard"
	"pathrule/guard/pending"
	"pathrule/guard/runs"
)

// takeReceipts keeps the results of checks that ran in a sandbox, which could
// write none themselves: text is a tool's output, in whatever JSON, or the end of
// the conversation. One that does not fit the files as they are says so.
func (r *runner) takeReceipts(b *book, log pending.Log, text []byte, try func(error)) {
	if !bytes.Contains(text, []byte("pathrule-receipt ")) {
		return
	}
	receipts := pending.Receipts(text)
	if len(receipts) == 0 {
		return
	}
	for _, rule := range guard.Checks(b.rules(b.p.ws)) {
		name := rule.CheckName()
		of := 0
		files := map[string]string{}
		for i := len(receipts) - 1; i >= 0; i-- {
			c := receipts[i]
			if !c.Of(name) {
				continue
			}
			if of++; of == 1 {
				for _, p := range pending.Waiting(r.dirs.State, b.p.key, name) {
					files[p] = pending.StateOf(filepath.Join(b.p.base, filepath.FromSlash(p)))
				}
			}
			res := &pending.Result{In: b.p.key, Check: name, Sum: rule.Sum, Exit: c.Exit, At: c.At, Files: files}
			if !c.Confirms(r.dirs.State, res) {
				continue
			}
			if last := pending.LastResult(r.dirs.State, b.p.key, name); last == nil || !last.At.After(c.At) {
				try(res.Save(r.dirs.State))
				if c.Exit != 0 {
					try(log.Failed(name, runs.Failed))
				}
			}
			of = -1
			break
		}
		if of > 0 {
			try(log.Failed(name, runs.Moved))
		}
	}
}

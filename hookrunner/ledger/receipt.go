package ledger

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Receipt says when a host last fired an event in a workspace.
type Receipt struct {
	Host      string
	Event     string // as the host spells it
	Workspace string // Root of the workspace
	At        time.Time
}

// Stamp notes that host fired event just now: the time of one empty file.
func (s Store) Stamp(host, event, workspace string) error {
	if s.Dir == "" {
		return errNoState
	}
	path := filepath.Join(s.Dir, seenDir, safe(host, 32)+sep+safe(event, 64)+sep+safe(workspace, 32))
	now := s.now()
	err := os.Chtimes(path, now, now)
	if !os.IsNotExist(err) {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if os.IsNotExist(err) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		f, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return err
	}
	f.Close()
	return os.Chtimes(path, now, now)
}

// Seen lists the receipts of a workspace ("": of all), sorted by host, event
// and workspace.
func (s Store) Seen(workspace string) []Receipt {
	var list []Receipt
	for _, f := range s.list(seenDir) {
		p := strings.Split(f.name, sep)
		if len(p) == 3 && (workspace == "" || p[2] == safe(workspace, 32)) {
			list = append(list, Receipt{Host: p[0], Event: p[1], Workspace: p[2], At: f.mod})
		}
	}
	slices.SortFunc(list, func(a, b Receipt) int {
		return strings.Compare(a.Host+sep+a.Event+sep+a.Workspace, b.Host+sep+b.Event+sep+b.Workspace)
	})
	return list
}

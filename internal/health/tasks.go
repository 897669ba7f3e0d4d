package health

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
	"pathrule/internal/filelock"
	"pathrule/internal/regular"
	"pathrule/knowledge"
)

// Status is where a finding stands. Applied and superseded are not kept: a
// finding whose entry was mended or removed is simply found no more.
type Status string

// The states.
const (
	Pending   Status = "pending"
	Claimed   Status = "claimed"   // somebody is at work on it
	Dismissed Status = "dismissed" // a person looked, and it is fine as it is
)

// Flagged is a finding that somebody asked for: what an entry says may not hold.
const Flagged Kind = "flagged"

// Reasons are why an entry is flagged.
var Reasons = []string{"drift", "contradicts-code", "duplicate", "too-narrow", "unclear"}

const (
	// claimFor is how long a claim holds.
	claimFor = 24 * time.Hour
	// dismissFor is how long what a person dismissed stays quiet while the entry
	// is not changed.
	dismissFor = 180 * 24 * time.Hour
	maxTasks   = 1000
	maxReason  = 500 // bytes
)

// Errors of the tasks' operations.
var (
	ErrNoFinding = errors.New("there is no such finding")
	ErrAmbiguous = errors.New("more than one finding begins so")
)

// ClaimedError says who is at work on a finding.
type ClaimedError struct {
	By string
	At time.Time
}

func (e *ClaimedError) Error() string { return "it is claimed by " + e.By }

// task is what is kept of one finding.
type task struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	By     string `json:"by"`
	At     int64  `json:"at"` // unix seconds
	// Entry is "kind:id" and Version its version then; a changed entry ends a
	// flag and a dismissal.
	Entry   string `json:"entry,omitempty"`
	Version string `json:"version,omitempty"`
	// Flag is why the entry was flagged, with a reason in words; "" for a finding
	// that was found.
	Flag   string `json:"flag,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// Tasks is the file of what was claimed, dismissed and flagged in a workspace:
// on this machine alone, beside the sessions' records.
type Tasks struct {
	path string
	now  func() time.Time
}

// TasksOf is the file of one workspace below a state folder.
func TasksOf(state, workspace string, now func() time.Time) Tasks {
	return Tasks{filepath.Join(state, "review", workspace+".json"), now}
}

func (t Tasks) read() ([]task, error) {
	b, err := os.ReadFile(t.path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var d struct {
		Format int    `json:"format"`
		Tasks  []task `json:"tasks"`
	}
	if err := json.Unmarshal(b, &d); err != nil {
		return nil, fmt.Errorf("read %s: %w", t.path, err)
	}
	if d.Format != 1 {
		return nil, fmt.Errorf("read %s: it is of another version", t.path)
	}
	return d.Tasks, nil
}

// change rewrites the file under its lock.
func (t Tasks) change(f func([]task) ([]task, error)) error {
	lock, err := filelock.Acquire(t.path+".lock", time.Second)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	all, err := t.read()
	if err != nil {
		return err
	}
	now := t.now()
	all = slices.DeleteFunc(all, func(k task) bool { return now.Sub(time.Unix(k.At, 0)) > dismissFor })
	if all, err = f(all); err != nil {
		return err
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].At < all[j].At })
	if len(all) > maxTasks {
		all = all[len(all)-maxTasks:]
	}
	if len(all) == 0 {
		if err := os.Remove(t.path); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	b, err := json.Marshal(map[string]any{"format": 1, "tasks": all})
	if err != nil {
		return err
	}
	return atomicfile.Write(t.path, append(b, '\n'), 0o600, 0o700)
}

// id names a finding as long as it is about the same thing.
func (f *Finding) id() string {
	place := ""
	if f.Entry == "" {
		place = f.File
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{string(f.Kind), f.Entry, f.Other, place, f.about}, "\n")))
	return hex.EncodeToString(sum[:4])
}

// Apply names the findings, adds what was flagged and says where each stands.
// entries are those that findings may be about; a flag on one that was changed
// or removed since is done.
func (t Tasks) Apply(found []Finding, entries []knowledge.Entry, file func(knowledge.Entry) string) ([]Finding, error) {
	all, err := t.read()
	if err != nil {
		return found, err
	}
	at := map[string]*knowledge.Entry{}
	for i := range entries {
		at[name(&entries[i])] = &entries[i]
	}
	byID := map[string]task{}
	var flagged []Finding
	for _, k := range all {
		e := at[k.Entry]
		if k.Entry != "" && (e == nil || k.Version != "" && e.Version != k.Version) {
			continue // applied, or superseded
		}
		if k.Flag == "" {
			byID[k.ID] = k
			continue
		}
		f := Finding{ID: k.ID, Kind: Flagged, Entry: k.Entry, Why: "was flagged by " + k.By + " as " + strings.ReplaceAll(k.Flag, "-", " "), Remedy: edit(e)}
		if k.Reason != "" {
			f.Why += ": " + k.Reason
		}
		if file != nil {
			f.File = file(*e)
		}
		flagged = append(flagged, f)
	}
	out := append(flagged, found...)
	now := t.now()
	for i := range out {
		f := &out[i]
		if f.ID == "" {
			f.ID = f.id()
		}
		f.Status = Pending
		k, ok := byID[f.ID]
		if !ok {
			continue
		}
		age := now.Sub(time.Unix(k.At, 0))
		switch {
		case k.Status == Claimed && age < claimFor:
			f.Status, f.By, f.Since = Claimed, k.By, k.At
		case k.Status == Dismissed && age < dismissFor:
			f.Status, f.By, f.Since = Dismissed, k.By, k.At
		}
	}
	return out, nil
}

// pick is the finding whose id begins with ref.
func pick(found []Finding, ref string) (*Finding, error) {
	hit := -1
	for i := range found {
		if len(ref) >= 2 && strings.HasPrefix(found[i].ID, ref) {
			if hit >= 0 {
				return nil, ErrAmbiguous
			}
			hit = i
		}
	}
	if hit < 0 {
		return nil, ErrNoFinding
	}
	return &found[hit], nil
}

// Set claims, releases (Pending) or dismisses a finding for somebody. A claim of
// another is a *ClaimedError while it holds, for claims only.
func (t Tasks) Set(found []Finding, ref string, to Status, by string) (Finding, error) {
	f, err := pick(found, ref)
	if err != nil {
		return Finding{}, err
	}
	err = t.change(func(all []task) ([]task, error) {
		var rest []task
		for _, k := range all {
			if k.ID == f.ID && k.Flag != "" && to == Dismissed {
				continue // rejected: nothing is left of it
			}
			if k.ID != f.ID || k.Flag != "" {
				rest = append(rest, k)
				continue
			}
			if to == Claimed && k.Status == Claimed && k.By != by && t.now().Sub(time.Unix(k.At, 0)) < claimFor {
				return nil, &ClaimedError{k.By, time.Unix(k.At, 0)}
			}
		}
		if to == Pending || to == Dismissed && f.Kind == Flagged {
			return rest, nil
		}
		k := task{ID: f.ID, Status: to, By: by, At: t.now().Unix(), Entry: f.Entry}
		if f.Entry != "" {
			raw, err := regular.Read(f.File)
			if err != nil {
				return nil, err
			}
			k.Version = knowledge.Version(raw)
		}
		return append(rest, k), nil
	})
	f.Status, f.By, f.Since = to, by, t.now().Unix()
	return *f, err
}

// Flag asks for an entry to be looked at. The same flag by the same one is one.
func (t Tasks) Flag(e knowledge.Entry, why, reason, by string) (id string, err error) {
	if !slices.Contains(Reasons, why) {
		return "", fmt.Errorf("unknown reason %q; one of %s", why, strings.Join(Reasons, ", "))
	}
	reason = strings.Join(strings.Fields(reason), " ")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	f := Finding{Kind: Flagged, Entry: name(&e), about: why + "\n" + by}
	id = f.id()
	return id, t.change(func(all []task) ([]task, error) {
		all = slices.DeleteFunc(all, func(k task) bool { return k.ID == id })
		return append(all, task{ID: id, Status: Pending, By: by, At: t.now().Unix(), Entry: name(&e), Version: e.Version, Flag: why, Reason: reason}), nil
	})
}

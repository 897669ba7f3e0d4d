// Package observe turns the conversation of a session that ended into a
// proposal that waits for a person. It runs only when a person calls it, knows
// no model, writes no knowledge, and keeps less than it reads: what people and
// assistants said to each other, without tool calls and their output, without
// what looks like a secret, without lines that read like orders to a model,
// without absolute paths.
package observe

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"pathrule/internal/plaintext"
	"pathrule/knowledge"
	"pathrule/knowledge/inbox"
	"pathrule/knowledge/store"
)

// Limits of one run.
const (
	MaxTranscript = 5 << 20 // bytes of one conversation's file

	DefaultChars  = 20_000 // characters kept of one conversation
	LargestChars  = 100_000
	DefaultFiles  = 100 // conversations of one run
	LargestFiles  = 1_000
	MaxWaiting    = 100 // observations that may wait in one inbox
	maxTurn       = 4_000
	titleChars    = 80
	writerPrefix  = "session:"
	minKeptLetter = 20 // characters; less is no conversation
)

// Session is a session that ended.
type Session struct {
	Host, ID, Transcript string
	At                   time.Time
}

// Options of Look. The zero value keeps DefaultChars and knows no folder.
type Options struct {
	Chars int
	// Root is the workspace's folder, Home the user's: paths below the one become
	// relative, below the other they begin with "~".
	Root, Home string
}

// Observation is what is kept of one session.
type Observation struct {
	Proposal inbox.Proposal
	Trace    Trace
}

// ErrNothing: the file holds no conversation that could be kept.
var ErrNothing = errors.New("no conversation that could be kept")

// Is reports a proposal that came from a conversation.
func Is(p inbox.Proposal) bool { return strings.HasPrefix(p.By, writerPrefix) }

// Look reads one conversation. Every error but ErrNothing names why the file is
// not read, without its path.
func Look(s Session, o Options) (Observation, error) {
	var out Observation
	raw, err := readTranscript(s.Transcript)
	if err != nil {
		return out, err
	}
	sum := sha256.Sum256(raw)
	tr := Trace{Format: traceFormat, ID: hex.EncodeToString(sum[:6]), Host: s.Host, Session: s.ID,
		EndedAt: s.At.UTC().Format(time.RFC3339), SHA256: hex.EncodeToString(sum[:]), Bytes: len(raw)}
	c := cleaner{root: o.Root, home: o.Home}
	turns := conversation(raw)
	most := o.Chars
	if most <= 0 {
		most = DefaultChars
	}
	body, kept, title := digest(turns, most, func(s string) string { return strings.TrimSpace(cut(c.clean(s), maxTurn)) })
	tr.Turns, tr.Kept, tr.Chars, tr.Redacted, tr.Removed = len(turns), kept, len([]rune(body)), c.redacted, c.removed
	out.Trace = tr
	if len([]rune(body)) < minKeptLetter {
		return out, ErrNothing
	}
	day := s.At.UTC().Format("2006-01-02")
	by := writerPrefix + s.Host
	out.Proposal = inbox.Proposal{
		By: by, Action: inbox.Create, Kind: knowledge.Memory, AllowDuplicate: true,
		Draft: &store.Draft{Kind: knowledge.Memory, Title: plaintext.Line("Session of "+day+": "+title, titleChars), Body: body, Source: by},
	}
	return out, nil
}

// digest joins the turns, what was asked as a quotation, newest first to be
// kept and oldest first to be read. Only those that may be kept are cleaned.
func digest(turns []turn, most int, clean func(string) string) (body string, kept int, title string) {
	var parts []string
	room := most
	for i := len(turns) - 1; i >= 0; i-- {
		t := turns[i]
		if t.text = clean(t.text); t.text == "" {
			continue
		}
		text := t.text
		if t.person {
			text = "> " + strings.ReplaceAll(text, "\n", "\n> ")
		}
		n := len([]rune(text)) + 2
		if n > room {
			break
		}
		room -= n
		parts = append(parts, text)
		kept++
		if t.person {
			title = t.text
		}
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	if title == "" && len(parts) > 0 {
		title = parts[0]
	}
	return strings.Join(parts, "\n\n"), kept, title
}

// cut keeps the beginning of a long text, to a character.
func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + " …"
		}
		n++
	}
	return s
}

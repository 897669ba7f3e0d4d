package hookrunner

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	maxLog     = 256 << 10 // bytes; one older file of the same size is kept
	maxLogLine = 300
)

// log adds one line to <home>/logs/hook.log: time, host, event, what failed.
// Never a prompt or a tool's text. Where it cannot be written it is lost.
func (r *runner) log(msg string) {
	if r.mute || r.dirs.Home == "" {
		return
	}
	msg = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, msg)
	if len(msg) > maxLogLine {
		msg = strings.ToValidUTF8(msg[:maxLogLine], "") + "…"
	}
	label := "- -"
	if l := r.label.Load(); l != nil {
		label = *l
	}
	now := time.Now
	if r.env.Now != nil {
		now = r.env.Now
	}
	line := now().UTC().Format("2006-01-02T15:04:05.000Z") + " " + label + " " + msg + "\n"
	path := filepath.Join(r.dirs.Logs(), "hook.log")
	if st, err := os.Stat(path); err == nil && st.Size() > maxLog {
		_ = os.Rename(path, path+".1")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if os.IsNotExist(err) {
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
			return
		}
		f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return
	}
	_, _ = f.WriteString(line)
	f.Close()
}

// setLabel names host and event for what is logged from here on.
func (r *runner) setLabel(host, event string) {
	word := func(s string) string {
		if s = strings.Join(strings.Fields(s), "_"); s == "" || len(s) > 64 {
			return "-"
		}
		return s
	}
	l := word(host) + " " + word(event)
	r.label.Store(&l)
}

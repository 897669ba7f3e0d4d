package hookrunner

import (
	"testing"

	"pathrule/internal/sysenv"
)

func TestParseArgsReadsHostAndAssignments(t *testing.T) {
	base := sysenv.Env{Vars: func(n string) string { return map[string]string{"A": "a", "PATHRULE_HOME": "/old"}[n] }, Environ: []string{"A=a", "PATHRULE_HOME=/old"}}
	for name, tc := range map[string]struct {
		args       []string
		host, home string
		event      string
	}{
		"no word":                    {nil, "", "/old", ""},
		"a host":                     {[]string{"--host", "codex"}, "codex", "/old", ""},
		"a host in one word":         {[]string{"--host=codex"}, "codex", "/old", ""},
		"a home with = and blanks":   {[]string{"--env", "PATHRULE_HOME=/a b=c", "--host", "codex"}, "codex", "/a b=c", ""},
		"a home in one word":         {[]string{"--env=PATHRULE_HOME=/x", "--host=claude"}, "claude", "/x", ""},
		"a stray word":               {[]string{"--host", "codex", "now"}, "unknown flag now", "/old", ""},
		"a flag that we do not have": {[]string{"--evnt=Stop"}, "unknown flag --evnt=Stop", "/old", ""},
		"a host without a name":      {[]string{"--host"}, "no value for --host", "/old", ""},
		"an event":                   {[]string{"--host", "copilot", "--event", "sessionStart"}, "copilot", "/old", "sessionStart"},
		"an event in one word":       {[]string{"--event=Stop"}, "", "/old", "Stop"},
		"an event without a name":    {[]string{"--host=copilot", "--event"}, "no value for --event", "/old", ""},
		"no assignment":              {[]string{"--env", "PATHRULE_HOME"}, "no assignment after --env: PATHRULE_HOME", "/old", ""},
	} {
		t.Run(name, func(t *testing.T) {
			o, env := ParseArgs(tc.args, base)
			if o.Host != tc.host || o.Event != tc.event || env.Get("PATHRULE_HOME") != tc.home || env.Get("A") != "a" {
				t.Errorf("host %q, event %q, home %q, A %q", o.Host, o.Event, env.Get("PATHRULE_HOME"), env.Get("A"))
			}
		})
	}
	_, env := ParseArgs([]string{"--env", "PATHRULE_HOME=/x"}, base)
	if len(env.Environ) != 2 || env.Environ[1] != "PATHRULE_HOME=/x" || len(base.Environ) != 2 || base.Environ[1] != "PATHRULE_HOME=/old" {
		t.Errorf("a program we hand over to would see %q (ours was %q)", env.Environ, base.Environ)
	}
}

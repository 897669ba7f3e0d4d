package setup

import (
	"context"
	"time"

	"pathrule/internal/sysenv"
)

// Trust is what is known of Codex's trust in our hooks.
type Trust struct {
	// Source is "codex app-server" when Codex itself was asked, else
	// "config.toml", which tells only whether a hash is recorded.
	Source string
	Hooks  []TrustedHook // ours only, in file order
	// Project is "trusted", "untrusted" or "unknown" for the folder asked about.
	Project  string
	Warnings []string // Codex's own, about its hook files
}

// TrustedHook is one hook of ours as Codex sees it.
type TrustedHook struct {
	File    string
	Event   string // as in the hook file
	Command string
	// Status is trusted, untrusted, modified, managed or disabled when Codex was
	// asked; recorded or not-recorded from the file.
	Status string
}

// Trusted reports whether every hook of ours would run.
func (t Trust) Trusted() bool {
	for _, h := range t.Hooks {
		if h.Status != "trusted" && h.Status != "managed" && h.Status != "recorded" {
			return false
		}
	}
	return len(t.Hooks) > 0
}

// CodexTrust asks "codex app-server" (hooks/list) about the project root ("":
// outside of one) when codex is on PATH, for at most 5 s, and ends it with its
// children; else it reads [hooks.state] of Codex's config.toml. An error comes
// with what the file tells. It changes no configuration and is for the CLI
// only: no hook calls it.
func CodexTrust(ctx context.Context, root string, env sysenv.Env) (Trust, error) {
	return codexTrust(ctx, root, env)
}

// Outcome is one run of a registered command.
type Outcome struct {
	Stdout, Stderr []byte // at most 64 KiB each
	Exit           int    // -1 when it could not start or was ended
	Took           time.Duration
	TimedOut       bool
}

// RunRegistered runs a registration as its client would (same argv or shell
// line, same extra environment), with event on stdin and cwd as working
// directory, until limit.
func RunRegistered(ctx context.Context, in Installed, event []byte, cwd string, limit time.Duration, env sysenv.Env) (Outcome, error) {
	return runRegistered(ctx, in, event, cwd, limit, env)
}

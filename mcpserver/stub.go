package mcpserver

import (
	"context"

	"pathrule/internal/sysenv"
)

func serve(ctx context.Context, o Options, env sysenv.Env) error { return nil }

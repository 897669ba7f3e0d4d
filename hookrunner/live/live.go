// Package live gives the hook runner an index that is brought up to date
// first. It is apart from hookrunner so that pathrule-hook does not link bleve.
package live

import (
	"context"
	"time"

	"pathrule/index"
	"pathrule/index/catalog"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// What one event may apply: the rest waits for the next event.
const (
	maxFiles = 300   // changed files
	window   = 1_000 // files compared beside all folders
)

// Refresh is hookrunner.Options.Refresh. A refresh that fails or runs out of
// time still leaves the last generation to answer from.
func Refresh(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, d time.Duration) (catalog.Source, func() error, error) {
	_, refreshErr := index.Refresh(ctx, ws, env, index.Limits{Files: maxFiles, Time: d, Window: window})
	x, err := index.Open(ws, env)
	if err != nil && refreshErr == nil && ctx.Err() == nil {
		// Damaged: a refresh without limits sees that and builds anew.
		if _, refreshErr = index.Refresh(ctx, ws, env, index.Limits{}); refreshErr == nil {
			x, err = index.Open(ws, env)
		}
	}
	if err != nil {
		if refreshErr != nil {
			err = refreshErr
		}
		return nil, nil, err
	}
	return x, x.Close, nil
}

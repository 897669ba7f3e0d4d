// Package quick gives the hook runner an index to read, and tells when it has
// to be written first, which another program does: so pathrule-prompt links
// neither bleve's scorch, whose tables cost two milliseconds at every start,
// nor YAML.
package quick

import (
	"context"
	"errors"
	"time"

	"pathrule/index/catalog"
	"pathrule/index/core"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// window is how many files are compared beside all folders.
const window = 1_000

// Index is one event's index: asked first whether it is current, then opened.
type Index struct {
	id string // workspace of x
	x  *core.Index
}

// Current is hookrunner.Options.Current. An index that does not open is not
// current either: whoever writes mends it.
func (q *Index) Current(ctx context.Context, ws *workspace.Workspace, env sysenv.Env, d time.Duration) bool {
	_, err := core.Refresh(ctx, ws, env, core.Limits{Time: d, Window: window}, nil)
	if errors.Is(err, core.ErrReadOnly) {
		return false
	}
	x, err := core.Open(ws, env)
	if err != nil {
		return false
	}
	q.id, q.x = ws.ID, x
	return true
}

// Open is hookrunner.Options.Refresh after Current.
func (q *Index) Open(_ context.Context, ws *workspace.Workspace, env sysenv.Env, _ time.Duration) (catalog.Source, func() error, error) {
	x := q.x
	if x == nil || q.id != ws.ID {
		var err error
		if x, err = core.Open(ws, env); err != nil {
			return nil, nil, err
		}
	}
	q.x = nil
	return x, x.Close, nil
}

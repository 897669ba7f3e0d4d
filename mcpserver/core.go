package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"pathrule/internal/plaintext"
	"pathrule/internal/sysenv"
	"pathrule/workspace"
)

// Instructions are all that some hosts show of a server at first, so they must
// be of use alone; at most 500 characters.
const (
	instructRead = "Team knowledge tied to project paths: memories (facts, decisions), rules (constraints), skills (procedures). " +
		"Trust what hooks already gave you; do not ask again. Before searching or editing in a place you do not know, call get_context(prompt, paths). " +
		"Find a topic with search_knowledge, read one entry with read_*."
	instructWrite = " If code contradicts an entry, the code wins: fix the entry with update_*. Save lasting decisions and gotchas with write_memory, not in private notes."
)

// core is the server behind one connection.
type core struct {
	o    Options
	env  sysenv.Env
	dirs workspace.Dirs
	log  *log.Logger
	sess *session
	sdk  *server.MCPServer

	tools []*tool
	roots roots
	given *given

	// life ends with the connection; background work hangs on it.
	life  context.Context
	tasks sync.WaitGroup
	// ending closes the door behind the last task: none begins while the end of
	// all is waited for.
	door   sync.Mutex
	ending bool

	mu    sync.Mutex
	views map[string]*view // by workspace id
}

func newCore(ctx context.Context, o Options, env sysenv.Env, lg *log.Logger) *core {
	if env.Now == nil {
		env.Now = time.Now
	}
	c := &core{
		o: o, env: env, dirs: workspace.DirsOf(env), log: lg, sess: newSession(),
		given: newGiven(), life: ctx,
		views: map[string]*view{},
	}
	hooks := &server.Hooks{}
	c.hookResources(hooks)
	c.hookPrompts(hooks)
	instructions := instructRead
	if !o.ReadOnly {
		instructions += instructWrite
	}
	c.sdk = server.NewMCPServer("pathrule", o.Version,
		server.WithTitle("Pathrule"),
		server.WithInstructions(instructions),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, true),
		server.WithPromptCapabilities(true),
		server.WithHooks(hooks),
	)
	for _, t := range allTools() {
		if o.ReadOnly && !t.reads {
			continue
		}
		c.tools = append(c.tools, t)
		c.sdk.AddTool(t.forSDK(), c.handler(t))
	}
	c.addTemplates()
	c.addEvents()
	c.addPrompt()
	c.sdk.AddNotificationHandler("notifications/initialized", func(ctx context.Context, _ mcp.JSONRPCNotification) {
		c.sess.handshaken()
		if c.sess.GetClientCapabilities().Roots != nil {
			c.roots.ask(c.life, c.sess)
		}
		c.background(c.warm)
	})
	c.sdk.AddNotificationHandler(mcp.MethodNotificationRootsListChanged, func(ctx context.Context, _ mcp.JSONRPCNotification) {
		c.roots.ask(c.life, c.sess)
	})
	return c
}

// handler checks the arguments, runs the tool and turns every error into an
// answer that the model can act on.
func (c *core) handler(t *tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		a, bad := checkArgs(t.name, t.in, req.Params.Arguments)
		if bad != nil {
			return bad.answer(), nil
		}
		asked := call{a, req.Params.Meta}
		return c.hooked(ctx, t, asked, func() *mcp.CallToolResult {
			r, err := t.run(c, ctx, asked)
			if err != nil {
				var f *fault
				if !errors.As(err, &f) {
					f = faultOf(err, "")
				}
				if f.code == codeInternal {
					c.log.Printf("%s: %v", t.name, err)
				}
				return f.answer()
			}
			return r.answer()
		}), nil
	}
}

// unknownTool says why there is no such tool and which one may be meant.
func (c *core) unknownTool(name string) string {
	var known []string
	for _, t := range c.tools {
		if t.name == name {
			return ""
		}
		known = append(known, t.name)
	}
	for _, t := range allTools() {
		if t.name == name {
			return fmt.Sprintf("no tool %q: this server runs with --read-only", name)
		}
	}
	return fmt.Sprintf("no tool %q%s", plaintext.Line(name, 80), didYouMean(name, known))
}

// background runs work that ends with the connection; false where that has
// ended already.
func (c *core) background(work func(context.Context)) bool {
	c.door.Lock()
	defer c.door.Unlock()
	if c.ending {
		return false
	}
	c.tasks.Go(func() {
		defer func() {
			if r := recover(); r != nil {
				c.log.Printf("panic in the background: %v", r)
			}
		}()
		work(c.life)
	})
	return true
}

// end lets no further task begin.
func (c *core) end() {
	c.door.Lock()
	defer c.door.Unlock()
	c.ending = true
}

// warm prepares the default workspace, so that the first call finds it ready.
func (c *core) warm(ctx context.Context) {
	p, f := c.place(ctx, "", nil)
	if f != nil {
		return
	}
	c.view(p.ws).prepare()
}

// close releases what the views hold.
func (c *core) close() {
	c.mu.Lock()
	views := c.views
	c.views = map[string]*view{}
	c.mu.Unlock()
	for _, v := range views {
		v.close()
	}
}

// by names the writer in the history.
func (c *core) by() string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '-'
	}, c.sess.GetClientInfo().Name)
	if name == "" {
		return "mcp"
	}
	return "mcp:" + name[:min(len(name), 64)]
}

// relative takes this machine's folders out of a text for the model.
func (c *core) relative(p *place, text string) string {
	var cut []string
	for w := p.ws; w != nil; w = w.Outer {
		cut = append(cut, w.Root, w.Store)
	}
	cut = append(cut, c.dirs.Home, c.env.UserHome)
	slices.SortFunc(cut, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range cut {
		if len(dir) > 1 {
			text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
			text = strings.ReplaceAll(text, dir, ".")
		}
	}
	return text
}

// leaveAfter is how long a build in the background may go on after the client
// left. One that is cut off leaves only what the next one sweeps.
var leaveAfter = time.Second

func serve(ctx context.Context, o Options, env sysenv.Env) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out, restore := guardStdout(env)
	defer restore()
	lg := newLog(env.Stderr)
	c := newCore(ctx, o, env, lg)
	stop := watchParent(ctx, func() { cancel(errParent) })
	defer stop()

	conn := newConn(c.sdk, c.sess, out, lg)
	conn.unknown = c.unknownTool
	err := conn.run(ctx, env.Stdin)
	cancel(nil)
	c.end()
	waitFor(&c.tasks, leaveAfter, nil)
	c.close()
	switch {
	case err == nil, errors.Is(err, errParent), errors.Is(err, os.ErrClosed), isBrokenPipe(err), errors.Is(err, context.Canceled):
		return nil
	}
	return err
}

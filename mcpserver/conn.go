package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// drain is how long requests that came before EOF may still be answered.
var drain = 5 * time.Second

// errParent ends a server whose client died without closing the pipe.
var errParent = errors.New("the client is gone")

// conn is one client on one pair of streams. We read the stream ourselves and
// hand each message to the SDK: its own stdio loop keeps one session for the
// whole process and rounds large ids.
type conn struct {
	sdk  *server.MCPServer
	sess *session
	log  *log.Logger
	// unknown says what is wrong with the name of a tool, "" when it is ours. The
	// SDK only says that it is not.
	unknown func(tool string) string

	// queue holds what touches knowledge, answered one after the other: a client
	// that writes and then reads without waiting reads what it wrote.
	queue chan job

	mu       sync.Mutex
	inflight map[string]context.CancelFunc // by raw id
	cancelld map[string]bool
	seq      int

	outMu  sync.Mutex
	out    io.Writer
	broken chan struct{} // closed at the first failed write
	outErr error
}

type job struct {
	ctx context.Context
	f   frame
	id  string
}

func newConn(sdk *server.MCPServer, sess *session, out io.Writer, lg *log.Logger) *conn {
	c := &conn{
		sdk: sdk, sess: sess, log: lg, out: out,
		queue:    make(chan job, 1024),
		inflight: map[string]context.CancelFunc{},
		cancelld: map[string]bool{},
		broken:   make(chan struct{}),
	}
	sess.send = c.write
	return c
}

// run answers messages until the input ends (nil), the context ends, or the
// client stops reading.
func (c *conn) run(ctx context.Context, in io.Reader) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work, stopWork := context.WithCancel(c.sdk.WithContext(ctx, c.sess))
	defer stopWork()

	var busy sync.WaitGroup
	busy.Go(func() { c.answerQueue() })
	var streams sync.WaitGroup
	streams.Go(func() { c.sess.pump(work) })

	frames := make(chan incoming)
	go readFrames(ctx, in, frames)

	err := c.loop(ctx, work, frames, &streams)
	close(c.queue)
	if err == nil && !waitFor(&busy, drain, c.broken) {
		c.log.Printf("input ended with requests still open after %s; leaving", drain)
	}
	stopWork()
	// The answers' own time limits are over now; give them a moment to unwind so
	// that nothing writes after we returned.
	waitFor(&busy, time.Second, nil)
	waitFor(&streams, time.Second, nil)
	return err
}

func (c *conn) loop(ctx, work context.Context, frames <-chan incoming, streams *sync.WaitGroup) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-c.broken:
			return c.outErr
		case in := <-frames:
			switch {
			case in.err == io.EOF:
				return nil
			case in.err != nil:
				return fmt.Errorf("read stdin: %w", in.err)
			case in.bad != nil:
				c.write(failure(in.bad.id, in.bad.code, in.bad.msg))
			case !c.take(work, in.f, streams):
				return context.Cause(ctx)
			}
		}
	}
}

// take starts one message; false when the connection ends.
func (c *conn) take(ctx context.Context, f frame, streams *sync.WaitGroup) bool {
	switch {
	case f.method == "":
		c.sess.answered(f)
		return true
	case f.id == nil:
		c.notified(ctx, f)
		return true
	}
	ctx, id := c.begin(ctx, f)
	j := job{ctx, f, id}
	switch mcp.MCPMethod(f.method) {
	case mcp.MethodToolsCall, mcp.MethodResourcesList, mcp.MethodResourcesRead, mcp.MethodPromptsList, mcp.MethodPromptsGet:
		select {
		case c.queue <- j:
		case <-ctx.Done():
			return false
		}
	case mcp.MethodSubscriptionsListen:
		c.sess.streaming(f.id)
		streams.Go(func() { c.answer(j) })
	default:
		c.answer(j)
	}
	return true
}

func (c *conn) answerQueue() {
	for j := range c.queue {
		c.answer(j)
	}
}

// begin makes the request cancellable and gives it an id that the SDK keeps.
func (c *conn) begin(ctx context.Context, f frame) (context.Context, string) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seq++
	c.inflight[string(f.id)] = cancel
	return ctx, fmt.Sprintf("pathrule/%d", c.seq)
}

// answer runs one request to its end. A panic is our fault and costs only this
// request; a cancelled request gets no answer.
func (c *conn) answer(j job) {
	out := c.handle(j)
	c.mu.Lock()
	key := string(j.f.id)
	quiet := c.cancelld[key]
	delete(c.cancelld, key)
	if cancel := c.inflight[key]; cancel != nil {
		cancel()
		delete(c.inflight, key)
	}
	c.mu.Unlock()
	if !quiet {
		c.write(out)
	}
}

func (c *conn) handle(j job) (out []byte) {
	defer func() {
		if r := recover(); r != nil {
			c.log.Printf("panic in %s: %v", j.f.method, r)
			out = failure(j.f.id, mcp.INTERNAL_ERROR, "internal error; the server goes on")
		}
	}()
	if j.f.method == string(mcp.MethodToolsCall) && c.unknown != nil {
		var p struct{ Name string }
		if json.Unmarshal(j.f.params, &p) == nil {
			if wrong := c.unknown(p.Name); wrong != "" {
				return failure(j.f.id, mcp.INVALID_PARAMS, wrong)
			}
		}
	}
	ctx := withCode(j.ctx)
	msg := c.sdk.HandleMessage(ctx, j.f.forSDK(j.id))
	if e, ok := msg.(mcp.JSONRPCError); ok {
		e.Error.Code = codeOf(ctx, e.Error.Code)
		msg = e
	}
	out = response(j.f.id, msg)
	if j.f.method == string(mcp.MethodSubscriptionsListen) {
		// The one result that repeats the request's id.
		out = bytes.ReplaceAll(out, []byte(strconv.Quote(j.id)), j.f.id)
	}
	return out
}

// notified handles what needs no answer.
func (c *conn) notified(ctx context.Context, f frame) {
	if f.method == string(mcp.MethodNotificationCancelled) {
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(f.params, &p) != nil {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if cancel := c.inflight[string(p.ID)]; cancel != nil {
			c.cancelld[string(p.ID)] = true
			cancel()
		}
		return
	}
	c.sdk.HandleMessage(ctx, f.forSDK(""))
}

// write puts one frame out. The first failure ends the connection: whoever
// cannot be answered is gone.
func (c *conn) write(line []byte) {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	if c.outErr != nil {
		return
	}
	if _, err := c.out.Write(line); err != nil {
		c.outErr = fmt.Errorf("write stdout: %w", err)
		close(c.broken)
	}
}

// incoming is one message, a broken one, or the end of the stream.
type incoming struct {
	f   frame
	bad *frameError
	err error
}

func readFrames(ctx context.Context, in io.Reader, out chan<- incoming) {
	lines := newLineReader(in, maxFrame)
	for {
		var i incoming
		line, err := lines.next()
		switch {
		case err == errTooLong:
			i.bad = &frameError{code: mcp.INVALID_REQUEST, msg: err.Error()}
		case err != nil:
			i.err = err
		case len(line) == 0:
			continue
		default:
			i.f, i.bad = parseFrame(line)
		}
		select {
		case out <- i:
		case <-ctx.Done():
			return
		}
		if i.err != nil {
			return
		}
	}
}

// waitFor waits for wg at most d, or until stop closes.
func waitFor(wg *sync.WaitGroup, d time.Duration, stop <-chan struct{}) bool {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-stop:
		return false
	case <-t.C:
		return false
	}
}

// codeKey carries the JSON-RPC code that a resource or prompt handler wants: the
// SDK reports every handler error as an internal one.
type codeKey struct{}

func withCode(ctx context.Context) context.Context {
	return context.WithValue(ctx, codeKey{}, new(int))
}

func setCode(ctx context.Context, code int) {
	if p, ok := ctx.Value(codeKey{}).(*int); ok {
		*p = code
	}
}

func codeOf(ctx context.Context, otherwise int) int {
	if p, ok := ctx.Value(codeKey{}).(*int); ok && *p != 0 {
		return *p
	}
	return otherwise
}

package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"

	"github.com/mark3labs/mcp-go/mcp"

	"pathrule/internal/sysenv"
)

// Call runs one tool without a connection, for a user hook: name with a JSON
// object as its arguments, in the workspace that o names. The answer is the
// structured one as JSON, or its text; what a tool refuses is an error.
func Call(ctx context.Context, o Options, env sysenv.Env, name, input string) (string, error) {
	var args map[string]any
	if err := json.Unmarshal([]byte(input), &args); err != nil {
		return "", fmt.Errorf("call %s: %w", name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := newCore(ctx, o, env, log.New(io.Discard, "", 0))
	defer c.close()
	for _, t := range c.tools {
		if t.name != name {
			continue
		}
		var req mcp.CallToolRequest
		req.Params.Name, req.Params.Arguments = name, args
		res, err := c.handler(t)(ctx, req)
		if err != nil {
			return "", fmt.Errorf("call %s: %w", name, err)
		}
		text := ""
		for _, part := range res.Content {
			if t, ok := part.(mcp.TextContent); ok {
				text += t.Text
			}
		}
		if res.IsError {
			return "", fmt.Errorf("call %s: %s", name, text)
		}
		if res.StructuredContent != nil {
			if b, err := json.Marshal(res.StructuredContent); err == nil {
				text = string(b)
			}
		}
		return text, nil
	}
	return "", fmt.Errorf("call %s: %s", name, c.unknownTool(name))
}

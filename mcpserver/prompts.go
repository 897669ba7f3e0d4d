package mcpserver

import (
	"context"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// skillPrompt is the one prompt that the SDK knows; the hooks below stand every
// skill in its place, read at the moment of asking.
const (
	skillPrompt = "skill"
	skillArg    = "\x00id"
)

func (c *core) hookPrompts(h *server.Hooks) {
	h.AddAfterListPrompts(func(ctx context.Context, _ any, req *mcp.ListPromptsRequest, res *mcp.ListPromptsResult) {
		records, next := c.page(ctx, string(req.Params.Cursor), knowledge.Skill)
		res.Prompts = []mcp.Prompt{}
		for _, r := range records {
			res.Prompts = append(res.Prompts, mcp.Prompt{
				Name: r.ID, Title: plaintext.Line(r.Title, 200), Description: plaintext.Line(r.Description, 300),
			})
		}
		res.NextCursor = mcp.Cursor(next)
	})
	h.AddBeforeGetPrompt(func(_ context.Context, _ any, req *mcp.GetPromptRequest) {
		if req.Params.Arguments == nil {
			req.Params.Arguments = map[string]string{}
		}
		req.Params.Arguments[skillArg] = req.Params.Name
		req.Params.Name = skillPrompt
	})
}

func (c *core) addPrompt() {
	c.sdk.AddPrompt(mcp.NewPrompt(skillPrompt), func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		id := req.Params.Arguments[skillArg]
		r, err := c.readEntry(ctx, knowledge.Skill, call{args{"id": id}, req.Params.Meta})
		if err != nil {
			var f *fault
			if errors.As(err, &f) && f.code != codeInternal {
				setCode(ctx, mcp.INVALID_PARAMS)
				return nil, errors.New(f.msg)
			}
			return nil, err
		}
		title := ""
		if d, ok := r.data.(readData); ok {
			title = d.Title
		}
		return &mcp.GetPromptResult{
			Description: title,
			Messages:    []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.text)}},
		}, nil
	})
}

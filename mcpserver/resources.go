package mcpserver

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"pathrule/index/catalog"
	"pathrule/internal/plaintext"
	"pathrule/knowledge"
)

// pageSize is how many resources or prompts one list answer holds.
const pageSize = 200

// eventsResource is the catalogue of events that hooks of one's own can be for.
var eventsResource = mcp.NewResource(uriScheme+"hooks/events", "hook-events", mcp.WithMIMEType("application/json"),
	mcp.WithResourceDescription("Events that a person's own hooks can be for, and what each can do on which client"))

// addEvents serves Options.Events.
func (c *core) addEvents() {
	if c.o.Events == nil {
		return
	}
	c.sdk.AddResource(eventsResource, func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		data, err := c.o.Events()
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: eventsResource.MIMEType, Text: string(data)}}, nil
	})
}

// uriScheme begins the URI of every entry: pathrule://memory/<id>.
const uriScheme = "pathrule://"

// hookResources fills resources/list from the catalogue at the moment of asking:
// registering every entry with the SDK would keep a second list of them. It also
// lets a URI be written with any letters, where the SDK's templates want them
// percent-encoded.
func (c *core) hookResources(h *server.Hooks) {
	h.AddAfterListResources(func(ctx context.Context, _ any, req *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
		// The SDK would list what is registered with every page.
		res.Resources = []mcp.Resource{}
		if c.o.Events != nil && req.Params.Cursor == "" {
			res.Resources = append(res.Resources, eventsResource)
		}
		records, next := c.page(ctx, string(req.Params.Cursor), "")
		for _, r := range records {
			res.Resources = append(res.Resources, mcp.Resource{
				URI: entryURI(r.Kind, r.ID), Name: r.ID, Title: plaintext.Line(r.Title, 200),
				Description: plaintext.Line(r.Line, 200), MIMEType: "text/markdown",
			})
		}
		res.NextCursor = mcp.Cursor(next)
	})
	h.AddBeforeReadResource(func(_ context.Context, _ any, req *mcp.ReadResourceRequest) {
		if kind, id, ok := parseURI(req.Params.URI); ok {
			req.Params.URI = entryURI(kind, id)
		}
	})
}

func (c *core) addTemplates() {
	for _, k := range knowledge.Kinds {
		t := mcp.NewResourceTemplate(uriScheme+string(k)+"/{+id}", string(k),
			mcp.WithTemplateDescription("One "+string(k)+" by its id"), mcp.WithTemplateMIMEType("text/markdown"))
		c.sdk.AddResourceTemplate(t, c.readResource)
	}
}

// readResource answers one entry's title and text.
func (c *core) readResource(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	kind, id, ok := parseURI(req.Params.URI)
	if !ok {
		return nil, missingResource(ctx, errors.New("no such entry: "+req.Params.URI))
	}
	r, err := c.readEntry(ctx, kind, call{args{"id": id}, req.Params.Meta})
	if err != nil {
		var f *fault
		if errors.As(err, &f) && f.code == codeNotFound {
			return nil, missingResource(ctx, errors.New(f.msg))
		}
		return nil, err
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "text/markdown", Text: r.text}}, nil
}

// missingResource makes the SDK report the code that the protocol has for it;
// its newest version uses the common one for bad arguments.
func missingResource(ctx context.Context, err error) error {
	code := mcp.RESOURCE_NOT_FOUND
	if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
		code = mcp.INVALID_PARAMS
	}
	setCode(ctx, code)
	return err
}

// page is one page of the catalogue, kind "" for all, and the cursor of the
// next. Nothing is listed where the user turned reading off.
func (c *core) page(ctx context.Context, cursor string, kind knowledge.Kind) ([]catalog.Record, string) {
	p, f := c.place(ctx, "", nil)
	if f == nil {
		f = p.needReads(c)
	}
	if f != nil {
		return nil, ""
	}
	src, _, done, err := c.view(p.ws).source(ctx)
	if err != nil {
		c.log.Printf("list entries: %v", err)
		return nil, ""
	}
	defer done()
	after := ""
	if raw, err := base64.StdEncoding.DecodeString(cursor); err == nil {
		after = string(raw)
	}
	var out []catalog.Record
	more := false
	err = src.All(func(r catalog.Record) bool {
		if kind != "" && r.Kind != kind || p.withheld(r.Owner) || after != "" && position(r) <= after {
			return true
		}
		if more = len(out) == pageSize; more {
			return false
		}
		out = append(out, r)
		return true
	})
	if err != nil {
		c.log.Printf("list entries: %v", err)
	}
	if !more {
		return out, ""
	}
	return out, base64.StdEncoding.EncodeToString([]byte(position(out[len(out)-1])))
}

// position orders records as a Source does: by kind, then id.
func position(r catalog.Record) string { return string(r.Kind) + "\x00" + r.ID }

// entryURI is an entry's URI; a segment's letters beyond ASCII are
// percent-encoded.
func entryURI(kind knowledge.Kind, id string) string {
	parts := strings.Split(id, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return uriScheme + string(kind) + "/" + strings.Join(parts, "/")
}

func parseURI(uri string) (knowledge.Kind, string, bool) {
	rest, ok := strings.CutPrefix(uri, uriScheme)
	kind, id, found := strings.Cut(rest, "/")
	if !ok || !found || !slices.Contains(kindNames, kind) {
		return "", "", false
	}
	id, err := url.PathUnescape(id)
	if err != nil || knowledge.CheckID(strings.TrimPrefix(id, knowledge.PersonalPrefix)) != nil {
		return "", "", false
	}
	return knowledge.Kind(kind), id, true
}

package mcpserver

import (
	"context"
	"fmt"
	"path/filepath"

	"pathrule/index/catalog"
)

type pingData struct {
	Status    string `json:"status"`
	Version   string `json:"version"`
	Workspace string `json:"workspace"`
	Index     string `json:"index"`
	Next      string `json:"next,omitempty"`
}

// ping tells what this server is and sees. It reads one small file and never
// builds anything.
func (c *core) ping(ctx context.Context, a call) (*result, error) {
	data := pingData{Status: statusOK, Version: c.o.Version, Workspace: "none", Index: "missing"}
	p, f := c.place(ctx, "", nil)
	if f != nil {
		data.Next = f.next
	} else {
		data.Workspace = filepath.Base(p.ws.Root)
		ptr, err := catalog.ReadPointer(c.dirs.Cache(p.ws.ID), catalog.Versions())
		if err == nil {
			data.Index = fmt.Sprintf("%d entries", ptr.Entries)
		}
	}
	return &result{fmt.Sprintf("pathrule %s · workspace %s · index %s", data.Version, data.Workspace, data.Index), data}, nil
}

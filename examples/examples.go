// Package examples carries the demo's workspace inside the program, so that
// "pathrule demo" works without a checkout.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed all:shop
var files embed.FS

// Shop is a small monorepo with the knowledge of the team that keeps it.
func Shop() fs.FS {
	sub, err := fs.Sub(files, "shop")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

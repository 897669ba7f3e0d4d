// Package depkeep holds dependencies until their first use; deleted before release.
package depkeep

import (
	_ "github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/snowballstem/english"
	_ "github.com/blevesearch/snowballstem/russian"
	_ "github.com/bmatcuk/doublestar/v4"
	_ "github.com/cespare/xxhash/v2"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/mark3labs/mcp-go/server"
	_ "github.com/pelletier/go-toml/v2"
	_ "github.com/pelletier/go-toml/v2/unstable"
	_ "github.com/pmezard/go-difflib/difflib"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/sabhiram/go-gitignore"
	_ "github.com/spf13/cobra"
	_ "github.com/tailscale/hujson"
	_ "go.uber.org/goleak"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/term"
	_ "golang.org/x/text/unicode/norm"
	_ "golang.org/x/text/width"
)

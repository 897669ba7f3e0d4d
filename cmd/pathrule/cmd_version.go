package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionData is what the program knows of itself.
type versionData struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// buildVersion reads what the Go linker recorded.
func buildVersion() versionData {
	v := versionData{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	bi, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if bi.Main.Version != "" && bi.Main.Version != "(devel)" {
		v.Version = bi.Main.Version
	}
	for _, s := range bi.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "show the version of this program",
		Long:    "Shows the version, the revision it was built from, the Go version and the platform.",
		Example: "  pathrule version\n  pathrule version --json",
		Args:    cobra.NoArgs,
		RunE:    func(*cobra.Command, []string) error { return runVersion(a) },
	}
}

func runVersion(a *app) error {
	v := buildVersion()
	return a.answer(v, func() {
		a.out.Printf("pathrule %s", v.Version)
		if v.Revision != "" {
			rev := v.Revision[:min(12, len(v.Revision))]
			if v.Modified {
				rev += ", modified"
			}
			a.out.Printf(" (%s)", rev)
		}
		a.out.Printf(" %s %s\n", v.Go, v.Platform)
	})
}

// Command vulncheck runs govulncheck against the Go vulnerability database as
// the module golang.org/x/vulndb ships it, so that no other service is asked.
// It reports everything and fails only on findings outside the standard
// library (those are mended by a newer Go, not by a change here).
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck: error:", err)
		os.Exit(1)
	}
}

func run() error {
	src, err := vulndb()
	if err != nil {
		// No module proxy, no check: say so rather than fail a build for it.
		fmt.Println("vulncheck: skipped, the database module cannot be had:", err)
		return nil
	}
	db, err := os.MkdirTemp("", "vulndb-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(db)
	if err := layOut(filepath.Join(src, "data", "osv"), db); err != nil {
		return fmt.Errorf("lay out database: %w", err)
	}
	cmd := exec.Command("go", "tool", "-modfile=tools/go.mod", "govulncheck", "-format", "json", "-db", "file://"+filepath.ToSlash(db), "./...")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run govulncheck: %w", err)
	}
	return judge(&out)
}

// vulndb downloads the newest database module and returns its folder.
func vulndb() (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", "golang.org/x/vulndb@latest").Output()
	var m struct{ Dir, Error string }
	if e := json.Unmarshal(out, &m); e == nil && m.Error != "" {
		return "", errors.New(m.Error)
	}
	if err != nil {
		return "", err
	}
	return m.Dir, nil
}

type osv struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Aliases  []string  `json:"aliases"`
	Affected []struct {
		Package struct{ Name string } `json:"package"`
		Ranges  []struct {
			Events []struct{ Fixed string } `json:"events"`
		} `json:"ranges"`
	} `json:"affected"`
}

type indexVuln struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
	Fixed    string    `json:"fixed,omitempty"`
}

type indexModule struct {
	Path  string      `json:"path"`
	Vulns []indexVuln `json:"vulns"`
}

// layOut turns the module's flat OSV files into the layout that govulncheck
// reads (go.dev/security/vuln/database, "API").
func layOut(src, dst string) error {
	for _, d := range []string{"index", "ID"} {
		if err := os.MkdirAll(filepath.Join(dst, d), 0o755); err != nil {
			return err
		}
	}
	files, err := filepath.Glob(filepath.Join(src, "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no reports below %s: %w", src, err)
	}
	slices.Sort(files)
	modules := map[string]*indexModule{}
	var newest time.Time
	type entry struct {
		ID       string    `json:"id"`
		Modified time.Time `json:"modified"`
		Aliases  []string  `json:"aliases,omitempty"`
	}
	var vulns []entry
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		var o osv
		if err := json.Unmarshal(b, &o); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(f), err)
		}
		if err := os.WriteFile(filepath.Join(dst, "ID", o.ID+".json"), b, 0o644); err != nil {
			return err
		}
		if o.Modified.After(newest) {
			newest = o.Modified
		}
		vulns = append(vulns, entry{o.ID, o.Modified, o.Aliases})
		for _, a := range o.Affected {
			m := modules[a.Package.Name]
			if m == nil {
				m = &indexModule{Path: a.Package.Name}
				modules[a.Package.Name] = m
			}
			fixed := ""
			for _, r := range a.Ranges {
				for _, e := range r.Events {
					if e.Fixed != "" {
						fixed = e.Fixed
					}
				}
			}
			m.Vulns = append(m.Vulns, indexVuln{o.ID, o.Modified, fixed})
		}
	}
	list := make([]*indexModule, 0, len(modules))
	for _, m := range modules {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b *indexModule) int { return strings.Compare(a.Path, b.Path) })
	for name, v := range map[string]any{"db": map[string]time.Time{"modified": newest}, "modules": list, "vulns": vulns} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dst, "index", name+".json"), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// judge reads govulncheck's stream: a finding counts when our code calls into
// the affected function.
func judge(r io.Reader) error {
	type frame struct{ Module, Package, Function string }
	type row struct {
		id, module, fixed string
		called            bool
	}
	found := map[string]row{}
	for dec := json.NewDecoder(r); ; {
		var msg struct {
			Finding *struct {
				OSV   string  `json:"osv"`
				Fixed string  `json:"fixed_version"`
				Trace []frame `json:"trace"`
			} `json:"finding"`
		}
		if err := dec.Decode(&msg); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("read report: %w", err)
		}
		if f := msg.Finding; f != nil && len(f.Trace) > 0 {
			called := f.Trace[0].Function != "" || found[f.OSV].called
			found[f.OSV] = row{f.OSV, f.Trace[0].Module, f.Fixed, called}
		}
	}
	var ours []string
	for _, id := range slices.Sorted(maps.Keys(found)) {
		f := found[id]
		fmt.Printf("%s in %s (reached: %v, fixed in %q)\n", f.id, f.module, f.called, f.fixed)
		if f.called && f.module != "stdlib" {
			ours = append(ours, id)
		}
	}
	if len(ours) > 0 {
		return fmt.Errorf("findings that our code reaches: %s", strings.Join(ours, ", "))
	}
	fmt.Println("vulncheck: nothing outside the standard library is reached")
	return nil
}

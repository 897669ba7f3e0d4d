package pathrule_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

// allowed is who may import whom; arrows point down only. internal/* tools are
// open to all and import nothing of ours but other internal/* tools.
var allowed = map[string][]string{
	"workspace":             {},
	"index/terms":           {},
	"knowledge":             {"workspace", "index/terms"},
	"knowledge/frontmatter": {"knowledge", "workspace"},
	"knowledge/store":       {"knowledge", "knowledge/frontmatter", "workspace", "index/terms"},
	"knowledge/inbox":       {"knowledge", "knowledge/store", "workspace"},
	"knowledge/observe":     {"knowledge", "knowledge/inbox", "knowledge/store", "workspace"},
	"host":                  {"workspace"},
	"index/catalog":         {"knowledge", "workspace", "index/terms"},
	"index/history":         {"index/terms"},
	"index/core":            {"index/catalog", "index/history", "index/terms", "knowledge", "workspace"},
	"index":                 {"index/catalog", "index/core", "index/history", "knowledge", "knowledge/frontmatter", "workspace"},
	"slice":                 {"index/catalog", "index/terms", "knowledge", "workspace"},
	"hookrunner/ledger":     {"slice", "workspace"},
	"hookrunner/queue":      {},
	"hookrunner/activity":   {},
	"guard/approval":        {"knowledge", "workspace"},
	"guard/runs":            {},
	"guard/pending":         {"guard/runs"},
	"guard":                 {"guard/approval", "guard/pending", "host", "knowledge", "workspace"},
	"guard/match":           {},
	"guard/pack":            {"guard", "host", "workspace"},
	"guard/hookfile":        {"workspace"},
	"guard/userhooks":       {"guard/hookfile", "guard/match", "host", "workspace"},
	"hookrunner":            {"hookrunner/ledger", "hookrunner/queue", "hookrunner/activity", "guard", "guard/pack", "guard/approval", "guard/hookfile", "guard/pending", "guard/runs", "host", "slice", "index/catalog", "knowledge", "workspace"},
	"importer":              {"knowledge", "knowledge/frontmatter", "knowledge/store", "workspace"},
	"compile":               {"host", "slice", "index/catalog", "knowledge", "workspace"},
	"setup":                 {"guard/approval", "guard/hookfile", "setup/jsonedit", "setup/tomledit", "host", "workspace"},
	"setup/jsonedit":        {},
	"setup/tomledit":        {},
	"mcpserver":             {"index", "index/catalog", "slice", "knowledge", "knowledge/store", "knowledge/inbox", "workspace", "hookrunner/activity", "hookrunner/ledger", "host", "guard/hookfile"},
	"hookrunner/live":       {"index", "index/catalog", "workspace"},
	"hookrunner/quick":      {"index/core", "index/catalog", "workspace"},
	"eval":                  {"eval/fastify", "index/terms", "knowledge", "knowledge/frontmatter"}, // drives the programs, not the packages; counts words as they do
	"eval/fastify":          {},
	"cmd/pathrule-hook":     {"hookrunner"},
	"cmd/pathrule-prompt":   {"hookrunner", "hookrunner/quick", "guard/match"},
}

// heavy libraries and the only packages that may import them directly.
var heavy = map[string][]string{
	"github.com/blevesearch/bleve": {"index", "index/core"},
	"github.com/mark3labs/mcp-go":  {"mcpserver"},
	"github.com/spf13/cobra":       {"cmd/pathrule"},
	"go.yaml.in/yaml":              {"knowledge/frontmatter"},
}

// P88: no vectors and no key of anybody's in the hot path, since nothing there can
// reach a network. barred is what the built hook must not link: each costs every tool call of
// every session.
var barred = []string{
	"github.com/blevesearch/bleve", "github.com/mark3labs/mcp-go", "github.com/spf13/cobra",
	"go.yaml.in/yaml", "gopkg.in/yaml", "net/http", "encoding/xml", "text/template", "go.etcd.io/bbolt",
	"regexp", // 14 KB of tables at init; an event that needs a pattern tested is handed over
}

type pkg struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("go list does not run here: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestImportsPointDownOnly(t *testing.T) {
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, "pathrule/")
		may, known := allowed[name]
		free := name == "pathrule" || strings.HasPrefix(name, "internal/bench") || strings.HasPrefix(name, "internal/corpus") || strings.HasPrefix(name, "cmd/pathrule/") ||
			strings.HasPrefix(name, "e2e") || name == "cmd/pathrule" || name == "internal/cli" || name == "internal/doctor" || name == "internal/docgen" || name == "internal/wordshare" || name == "internal/health" || strings.HasPrefix(name, "examples")
		if !known && !free && !strings.HasPrefix(name, "internal/") {
			t.Errorf("package %s has no row in the table of allowed imports", name)
			continue
		}
		for _, imp := range p.Imports {
			for lib, only := range heavy {
				if strings.HasPrefix(imp, lib) && !slices.Contains(only, name) && !free {
					t.Errorf("%s imports %s, which only %v may", name, imp, only)
				}
			}
			ours, ok := strings.CutPrefix(imp, "pathrule/")
			if !ok || free || strings.HasPrefix(ours, "internal/") {
				continue
			}
			if !slices.Contains(may, ours) {
				t.Errorf("%s imports %s, which the table does not allow", name, ours)
			}
		}
	}
}

func TestPromptLinksNothingThatWritesAnIndex(t *testing.T) {
	for _, p := range list(t, "./cmd/pathrule-prompt") {
		for _, dep := range p.Deps {
			for _, b := range []string{"github.com/blevesearch/bleve/v2/index/scorch", "github.com/mark3labs/mcp-go", "github.com/spf13/cobra", "go.yaml.in/yaml", "net/http"} {
				if dep == b || strings.HasPrefix(dep, b+"/") {
					t.Errorf("pathrule-prompt links %s", dep)
				}
			}
		}
	}
}

// Rows: A8.
func TestHookLinksNothingHeavy(t *testing.T) {
	for _, p := range list(t, "./cmd/pathrule-hook") {
		for _, dep := range p.Deps {
			for _, b := range barred {
				if dep == b || strings.HasPrefix(dep, b+"/") {
					t.Errorf("pathrule-hook links %s", dep)
				}
			}
		}
	}
}

var update = flag.Bool("update", false, "re-record testdata/hook-init.txt")

// TestHookInitCostIsRecorded compares what package initialisation allocates in
// the built hook with a recorded figure. Allocations do not flake as
// milliseconds do; the figure is re-recorded with -update when Go changes.
func TestHookInitCostIsRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	exe := filepath.Join(t.TempDir(), "hook")
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", exe, "./cmd/pathrule-hook").CombinedOutput(); err != nil {
		t.Skipf("go build does not run here: %v\n%s", err, out)
	}
	cmd := exec.Command(exe, "--host", "claude-code")
	home := t.TempDir()
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+home, "USERPROFILE="+home, "PATHRULE_DISABLE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	bytesTotal, allocs := 0, 0
	var worst []string
	re := regexp.MustCompile(`^init (\S+) @.*, (\d+) bytes, (\d+) allocs`)
	for line := range strings.Lines(stderr.String()) {
		m := re.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		b, _ := strconv.Atoi(m[2])
		n, _ := strconv.Atoi(m[3])
		bytesTotal, allocs = bytesTotal+b, allocs+n
		if b > 4096 {
			worst = append(worst, m[1]+" "+m[2]+" bytes")
		}
	}
	if allocs == 0 {
		t.Fatalf("no init trace on stderr: %q", stderr.String())
	}
	sort.Strings(worst)
	file := filepath.Join("testdata", "hook-init.txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		text := runtime.Version() + "\n" + strconv.Itoa(bytesTotal) + " bytes\n"
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; record it with: go test . -run HookInit -update", err)
	}
	lines := strings.Split(string(b), "\n")
	if lines[0] != runtime.Version() || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("recorded with %s on linux/amd64, this is %s on %s/%s", lines[0], runtime.Version(), runtime.GOOS, runtime.GOARCH)
	}
	recorded, err := strconv.Atoi(strings.Fields(lines[1])[0])
	if err != nil {
		t.Fatal(err)
	}
	if bytesTotal > recorded+recorded/10+512 {
		t.Errorf("package initialisation allocates %d bytes, recorded %d; heavy: %v", bytesTotal, recorded, worst)
	}
}

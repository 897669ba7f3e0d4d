package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const (
	hostsVar    = "PATHRULE_E2E_HOSTS"
	onlyVar     = "PATHRULE_E2E_ONLY"     // host ids with blanks between; the others are skipped
	programsVar = "PATHRULE_E2E_PROGRAMS" // our own programs, built already
	isolatedVar = "PATHRULE_E2E_ISOLATED" // set in the child that has a network of its own
)

// canaries are words that stand in one entry each.
const (
	teamCanary   = "QUILL-TEAM-7351"
	memoryCanary = "QUILL-MEMORY-2264"
	ruleCanary   = "QUILL-RULE-9178"
	skillCanary  = "QUILL-SKILL-4417"
	mcpCanary    = "QUILL-MCP-5506"
)

const (
	firstPrompt  = "Please fix the rounding of the invoice total in billing."
	secondPrompt = "Please fix the rounding of the invoice total in billing once more."
	skillPrompt  = "Now follow ::close-month for it."
	invoice      = "services/billing/src/invoice.js"
)

// runLimit is how long a client may take for one turn; then it and all that it
// started are ended.
const runLimit = 3 * time.Minute

// machine is a home of its own with a project, our programs and a model.
type machine struct {
	t               *testing.T
	home, root, bin string
	env             []string
	model           *model
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the clients are driven on Unix only")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: filepath.Join(dir, "home"), bin: programs(t, dir), model: newModel(t)}
	m.root = filepath.Join(m.home, "shop")
	tmp := filepath.Join(dir, "tmp")
	if err := os.MkdirAll(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	dead := "http://127.0.0.1:9"
	m.env = []string{
		"HOME=" + m.home, "PATH=" + m.bin + ":/usr/local/bin:/usr/bin:/bin", "TMPDIR=" + tmp, "TERM=dumb", "LANG=C.UTF-8", "NO_COLOR=1",
		"HTTP_PROXY=" + dead, "HTTPS_PROXY=" + dead, "ALL_PROXY=" + dead, "http_proxy=" + dead, "https_proxy=" + dead,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost", "DO_NOT_TRACK=1",
	}
	m.write(invoice, "export function total(lines) {\n  return lines.reduce((n, l) => n + l.price, 0);\n}\n")
	m.write("services/billing/package.json", "{ \"name\": \"billing\" }\n")
	m.write("README.md", "# shop\n")
	m.repository()
	return m
}

// TestMain builds our programs once and runs the tests in a network of their
// own, where the machine allows it.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv(hostsVar) == "" || runtime.GOOS == "windows" {
		return m.Run()
	}
	if os.Getenv(isolatedVar) != "" {
		if err := loopbackUp(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e: set loopback up:", err)
			return 1
		}
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "pathrule-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "pathrule/cmd/pathrule", "pathrule/cmd/pathrule-hook", "pathrule/cmd/pathrule-prompt")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "e2e: go build: %v\n%s", err, out)
		return 1
	}
	os.Setenv(programsVar, dir)
	code, err := inNamespace()
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e: without a network namespace, only closed proxies keep the clients from the network:", err)
		return m.Run()
	}
	return code
}

// programs puts our programs into a folder of the machine's own, with a blank
// in its name.
func programs(t *testing.T, dir string) string {
	t.Helper()
	dir = filepath.Join(dir, "my bin")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pathrule", "pathrule-hook", "pathrule-prompt"} {
		from, to := filepath.Join(os.Getenv(programsVar), name), filepath.Join(dir, name)
		if os.Link(from, to) == nil {
			continue
		}
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, b, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.root, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// repository makes the project an empty git repository, by which some clients
// find its root. It needs no git.
func (m *machine) repository() {
	m.t.Helper()
	m.write(".git/HEAD", "ref: refs/heads/main\n")
	m.write(".git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
	for _, dir := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(m.root, ".git", dir), 0o755); err != nil {
			m.t.Fatal(err)
		}
	}
}

// exec runs a program in dir and returns its exit code with both outputs.
// Nothing that it started outlives it.
func (m *machine) exec(dir string, env []string, argv ...string) (code int, stdout, stderr string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(append([]string(nil), m.env...), env...)
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		m.t.Fatalf("%s: %v", argv[0], err)
	}
	_ = endGroup(cmd)
	endStrays(m.home)
	if ctx.Err() != nil {
		m.t.Fatalf("%s did not end within %s\nstdout: %s\nstderr: %s\nnot for the model: %q", argv[0], runLimit, clip(out.String()), clip(errs.String()), m.model.unanswered())
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// pathrule runs one of our commands, which must succeed.
func (m *machine) pathrule(args ...string) string {
	m.t.Helper()
	code, out, errs := m.exec(m.root, nil, append([]string{filepath.Join(m.bin, "pathrule")}, args...)...)
	if code != 0 {
		m.t.Fatalf("pathrule %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// knowledge writes the entries whose words the tests look for.
func (m *machine) knowledge() {
	m.t.Helper()
	m.pathrule("init", "--yes")
	m.write(".pathrule/team.md", "Speak of "+teamCanary+" when asked for the team.\n")
	m.pathrule("memory", "add", "--title", "Rounding of invoice totals", "--path", "services/billing", memoryCanary+": the invoice total is rounded once, after the sum, in billing.")
	m.pathrule("memory", "add", "--title", "Web sessions", "--path", "apps/web", mcpCanary+": sessions of the web app are kept in signed cookies.")
	m.pathrule("skill", "add", "--title", "close-month", "--description", "Closes the books of a month.", "First lock the month. "+skillCanary+": then print the journal.")
	m.pathrule("rule", "add", "--title", "Integer cents", "--path", invoice, ruleCanary+": amounts are integer cents.")
}

// arrives holds one request against what must and must not stand in it.
func (m *machine) arrives(what string, r request, has, hasNot []string) {
	m.t.Helper()
	for _, c := range has {
		if n := r.count(c); n != 1 {
			m.t.Errorf("%s: %s reached the model %d times, want once: %q", what, c, n, r.texts(c))
		}
	}
	for _, c := range hasNot {
		if got := r.texts(c); len(got) > 0 {
			m.t.Errorf("%s: %s reached the model: %q", what, c, got)
		}
	}
}

// turn is the requests of the last turn, of which there must be n.
func (m *machine) turn(n int, stdout, stderr string) []request {
	m.t.Helper()
	got := m.model.requests()
	if len(got) != n {
		m.t.Fatalf("the client sent %d requests, want %d\nstdout: %s\nstderr: %s\nnot for the model: %q", len(got), n, clip(stdout), clip(stderr), m.model.unanswered())
	}
	return got
}

func clip(s string) string {
	if len(s) > 4000 {
		return s[:2000] + "\n…\n" + s[len(s)-2000:]
	}
	return s
}

// doctor is "pathrule doctor --json" as text lines about clients.
func (m *machine) doctor() string {
	m.t.Helper()
	code, out, errs := m.exec(m.root, nil, filepath.Join(m.bin, "pathrule"), "doctor", "--json")
	if code != 0 && code != 3 {
		m.t.Fatalf("pathrule doctor: exit %d\n%s%s", code, out, errs)
	}
	var v struct {
		Data struct {
			Lines []struct {
				Section string `json:"section"`
				Level   string `json:"level"`
				Text    string `json:"text"`
			} `json:"lines"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		m.t.Fatalf("pathrule doctor --json: %v\n%s", err, out)
	}
	var b strings.Builder
	for _, l := range v.Data.Lines {
		fmt.Fprintf(&b, "%s %s: %s\n", l.Section, l.Level, l.Text)
	}
	return b.String()
}

package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pathrule/slice"
)

func TestAClaimLastsItsTime(t *testing.T) {
	const ttl = 10 * time.Second
	s, now := newStore(t)
	claim := func(id string) bool {
		t.Helper()
		ok, err := s.Claim(id, ttl)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !claim("a") || claim("a") || !claim("b") {
		t.Fatal("one process per id")
	}
	now.t = now.t.Add(9900 * time.Millisecond)
	if claim("a") {
		t.Error("claimed again after 9.9 s")
	}
	now.t = now.t.Add(200 * time.Millisecond)
	if !claim("a") || claim("a") {
		t.Error("not claimed exactly once after 10.1 s")
	}
}

func TestAClaimThatCannotBeWrittenIsOurs(t *testing.T) {
	s := Store{Dir: filepath.Join(t.TempDir(), "file")}
	if err := os.WriteFile(s.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Claim("a", time.Second); !ok || err == nil {
		t.Errorf("%t, %v", ok, err)
	}
}

// A relative folder would lie in whatever project the process runs in.
func TestWithoutAFolderNothingIsWritten(t *testing.T) {
	t.Chdir(t.TempDir())
	var s Store
	l, fresh, err := s.Open(key)
	if !fresh || err == nil {
		t.Errorf("fresh %t, %v", fresh, err)
	}
	if _, err := l.Record([]Sent{item("a", "1", slice.Body)}); err == nil {
		t.Error("recorded")
	}
	if ok, err := s.Claim("a", time.Second); !ok || err == nil {
		t.Errorf("claim %t, %v", ok, err)
	}
	if s.Once("a") || s.Stamp("h", "e", "w") == nil || s.Drop(key) == nil || s.IsNewest(key) || s.Seen("") != nil || s.Prune() != nil {
		t.Error("not nothing")
	}
	s.DropAgents(key)
	if entries, _ := os.ReadDir("."); len(entries) != 0 {
		t.Errorf("made %v", entries)
	}
}

func TestOneOfManyClaims(t *testing.T) {
	s, now := newStore(t)
	for round := range 3 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		won := 0
		for range 30 {
			wg.Go(func() {
				if ok, err := s.Claim("a", 10*time.Second); err != nil {
					t.Error(err)
				} else if ok {
					mu.Lock()
					won++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if won != 1 {
			t.Errorf("round %d: %d claims", round, won)
		}
		now.t = now.t.Add(11 * time.Second)
	}
}

func TestPruneKeepsTheNewest(t *testing.T) {
	s, now := newStore(t)
	touch := func(k Key, age time.Duration) string {
		record(t, open(t, s, k), item("a", "1", slice.Body))
		at := now.t.Add(-age)
		os.Chtimes(s.path(k), at, at)
		return s.path(k)
	}
	old := touch(Key{Host: "h", Workspace: "w", Session: "old"}, MaxAge+time.Minute)
	var sessions, agents []string
	for i := range MaxSessions + 5 {
		sessions = append(sessions, touch(Key{Host: "h", Workspace: "w", Session: fmt.Sprintf("s%d", i)}, time.Duration(i)*time.Minute))
	}
	for i := range MaxSubagents + 5 {
		// All newer than any session: they must push none out.
		agents = append(agents, touch(Key{Host: "h", Workspace: "w", Session: "s0", Agent: fmt.Sprintf("a%d", i)}, time.Duration(i)*time.Millisecond))
	}
	s.Claim("x", time.Second)
	claims, _ := filepath.Glob(filepath.Join(s.Dir, claimsDir, "*"))
	for _, c := range claims {
		at := time.Now().Add(-2 * time.Minute)
		os.Chtimes(c, at, at)
	}
	s.Claim("y", time.Second)
	if err := s.Prune(); err != nil {
		t.Fatal(err)
	}
	exists := func(p string) bool { _, err := os.Stat(p); return err == nil }
	if exists(old) {
		t.Error("a record of more than 7 days stays")
	}
	for i, p := range sessions {
		if exists(p) != (i < MaxSessions) {
			t.Errorf("session %d: exists %t", i, exists(p))
		}
	}
	for i, p := range agents {
		if exists(p) != (i < MaxSubagents) {
			t.Errorf("subagent %d: exists %t", i, exists(p))
		}
	}
	if claims, _ := os.ReadDir(filepath.Join(s.Dir, claimsDir)); len(claims) != 1 || s.claimed("x") || !s.claimed("y") {
		t.Errorf("%d claims stay", len(claims))
	}
}

// claimed reports that a claim stands, without making one.
func (s Store) claimed(id string) bool {
	sum := sha256.Sum256([]byte(id))
	_, err := os.Stat(filepath.Join(s.Dir, claimsDir, hex.EncodeToString(sum[:16])))
	return err == nil
}

func TestTheNewestSession(t *testing.T) {
	s, now := newStore(t)
	first, second, agent, elsewhere := key, key, key, key
	second.Session, agent.Agent, elsewhere.Workspace = "s2", "a1", "ffff"
	if s.IsNewest(first) {
		t.Error("a session without a record")
	}
	for i, k := range []Key{first, second, agent, elsewhere} {
		record(t, open(t, s, k), item("a", "1", slice.Body))
		at := now.t.Add(time.Duration(i) * time.Second)
		os.Chtimes(s.path(k), at, at)
	}
	if s.IsNewest(first) || !s.IsNewest(second) || !s.IsNewest(elsewhere) {
		t.Errorf("first %t, second %t, elsewhere %t", s.IsNewest(first), s.IsNewest(second), s.IsNewest(elsewhere))
	}
}

func TestReceiptsSayWhatFired(t *testing.T) {
	s, now := newStore(t)
	now.t = time.Unix(1796000000, 0)
	for _, r := range [][3]string{{"codex", "SessionStart", "w1"}, {"claude-code", "PreToolUse", "w1"}, {"codex", "Stop", "w2"}} {
		if err := s.Stamp(r[0], r[1], r[2]); err != nil {
			t.Fatal(err)
		}
	}
	now.t = now.t.Add(time.Minute)
	s.Stamp("codex", "SessionStart", "w1")
	want := []Receipt{
		{"claude-code", "PreToolUse", "w1", time.Unix(1796000000, 0)},
		{"codex", "SessionStart", "w1", time.Unix(1796000060, 0)},
	}
	if d := cmp.Diff(want, s.Seen("w1")); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if n := len(s.Seen("")); n != 3 {
		t.Errorf("%d receipts in all", n)
	}
}

// TestMain lets the test binary be one of many hook processes.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LEDGER_TEST_DIR"); dir != "" {
		os.Exit(child(dir, os.Getenv("LEDGER_TEST_ITEMS")))
	}
	os.Exit(m.Run())
}

// child opens the session, waits until all of them stand ready, and records
// its items one by one; it prints what it won.
func child(dir, list string) int {
	s := Store{Dir: dir}
	l, _, err := s.Open(key)
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	os.Stdin.Read(make([]byte, 1))
	for _, k := range strings.Split(list, ",") {
		won, err := l.Record([]Sent{{Key: k, Hash: "1", Form: slice.Body}})
		if err != nil {
			fmt.Println("timeout", k)
			continue
		}
		for _, w := range won {
			fmt.Println("won", w.Key)
		}
	}
	return 0
}

// T6: of sixty processes that all want to tell the same things, one tells each,
// none is lost, and nobody waits long.
func TestSixtyProcessesOnOneSession(t *testing.T) {
	if testing.Short() {
		t.Skip("starts sixty processes")
	}
	const processes = 60
	dir := t.TempDir()
	var items []string
	for i := range 20 {
		items = append(items, "w/memory:m"+strconv.Itoa(i))
	}
	var wg sync.WaitGroup
	out := make([]string, processes)
	gate, open1, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for i := range processes {
		own := append([]string{"own:" + strconv.Itoa(i)}, items...)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "LEDGER_TEST_DIR="+dir, "LEDGER_TEST_ITEMS="+strings.Join(own, ","))
		cmd.Stdin = gate
		wg.Go(func() {
			b, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("process %d: %v", i, err)
			}
			out[i] = string(b)
		})
	}
	open1.Write(make([]byte, processes))
	open1.Close()
	wg.Wait()
	gate.Close()
	told, timeouts := map[string]int{}, map[string]int{}
	for _, o := range out {
		for ln := range strings.Lines(o) {
			verb, k, _ := strings.Cut(strings.TrimSpace(ln), " ")
			switch verb {
			case "won":
				told[k]++
			case "timeout":
				timeouts[k]++
			default:
				t.Errorf("a process says %q", ln)
			}
		}
	}
	l, _, err := Store{Dir: dir}.Open(key)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{}, items...)
	for i := range processes {
		want = append(want, "own:"+strconv.Itoa(i))
	}
	for _, k := range want {
		if told[k] > 1 {
			t.Errorf("%s was told %d times", k, told[k])
		}
		// Under a loaded machine a process may give up on the lock; then it told
		// nothing and recorded nothing.
		if told[k] == 0 && timeouts[k] == 0 {
			t.Errorf("%s is lost", k)
		}
		if (told[k] == 1) != (l.Has(k, "1") == slice.Body) {
			t.Errorf("%s: told %d times, recorded as %v", k, told[k], l.Has(k, "1"))
		}
	}
	raw, err := os.ReadFile(Store{Dir: dir}.path(key))
	if err != nil {
		t.Fatal(err)
	}
	for ln := range strings.Lines(string(raw)) {
		if _, ok := parseLine(strings.TrimSuffix(ln, "\n")); !ok || !strings.HasSuffix(ln, "\n") {
			t.Errorf("partial line %q", ln)
		}
	}
}

package filelock

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Run as a helper, the test binary takes the lock, says so and waits for its
// end of input.
func TestMain(m *testing.M) {
	if path := os.Getenv("FILELOCK_HOLD"); path != "" {
		if _, err := Acquire(path, -1); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Stdout.WriteString("held\n")
		bufio.NewReader(os.Stdin).ReadString(0)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func hold(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FILELOCK_HOLD="+path)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "held\n" {
		t.Fatalf("helper said %q", line)
	}
	return cmd
}

func TestALockExcludesAnotherProcessAndDiesWithIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b.lock")
	cmd := hold(t, path)
	if _, err := Acquire(path, 0); !errors.Is(err, ErrTimeout) {
		t.Fatalf("while another process holds it: %v", err)
	}
	if _, err := Acquire(path, 5*time.Millisecond); !errors.Is(err, ErrTimeout) {
		t.Fatalf("after waiting: %v", err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	l, err := Acquire(path, 5*time.Second)
	if err != nil {
		t.Fatalf("after it was killed: %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Error(err)
	}
}

func TestALockExcludesTheSameProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "l")
	l, err := Acquire(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(path, 0); !errors.Is(err, ErrTimeout) {
		t.Fatalf("second: %v", err)
	}
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := Acquire(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	again.Unlock()
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the file is gone, so two processes could hold two: %v", err)
	}
}

// Everybody gets the lock in the end, and nobody's work is lost.
func TestWritersTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counter")
	const writers, turns = 8, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range turns {
				l, err := Acquire(path, -1)
				if err != nil {
					t.Error(err)
					return
				}
				b, _ := os.ReadFile(path)
				n, _ := strconv.Atoi(strings.TrimSpace(string(b)))
				l.File().WriteAt([]byte(strconv.Itoa(n+1)), 0)
				l.Unlock()
			}
		})
	}
	wg.Wait()
	if b, _ := os.ReadFile(path); string(b) != strconv.Itoa(writers*turns) {
		t.Errorf("counted %s", b)
	}
}

func TestLocksAreTheOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits on Windows")
	}
	path := filepath.Join(t.TempDir(), "d", "l")
	l, err := Acquire(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Unlock()
	for p, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if st, _ := os.Stat(p); st.Mode().Perm() != want {
			t.Errorf("%s: %v", p, st.Mode())
		}
	}
}

func TestAPlaceThatCannotHoldALockIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	os.WriteFile(file, nil, 0o600)
	if _, err := Acquire(filepath.Join(file, "l"), -1); err == nil || errors.Is(err, ErrTimeout) {
		t.Errorf("got %v", err)
	}
}

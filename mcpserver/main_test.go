package mcpserver

import (
	"flag"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite the golden files and the tables in docs/")

func TestMain(m *testing.M) {
	unhurried()
	serveIfAsked()
	flag.Parse()
	// bleve starts goroutines at import.
	ignore := goleak.IgnoreCurrent()
	code := m.Run()
	if code == 0 {
		if err := goleak.Find(ignore); err != nil {
			println(err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

// unhurried gives everything that a call waits for a minute: what is answered
// must not depend on how busy the machine of the tests is. What goes on in the
// background is waited for too, since temporary folders go after each test.
func unhurried() {
	for _, d := range []*time.Duration{&leaveAfter, &drain, &rootsWait, &warmWait, &scanTime, &callLimits.Time} {
		*d = time.Minute
	}
}

// golden compares got with a file below testdata, or rewrites it with -update.
// A missing file fails, so that CI cannot make one.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(dirOf(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run \"go test ./mcpserver -update\" and look at the difference", err)
	}
	if diff := diffText(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run \"go test ./mcpserver -update\"\n%s", path, diff)
	}
}

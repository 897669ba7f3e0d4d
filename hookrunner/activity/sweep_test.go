package activity

import (
	"os"
	"testing"
	"time"
)

// Issue 4, 6: the log of every workspace ages.
func TestSweepAgesEveryLog(t *testing.T) {
	state := t.TempDir()
	if n, err := Sweep(state, time.Now()); n != 0 || err != nil {
		t.Errorf("nothing there: %d, %v", n, err)
	}
	now := time.Unix(1_900_000_000, 0)
	ago := func(d time.Duration) int64 { return now.Add(-d).Unix() }
	const day = 24 * time.Hour
	mixed, old := Of(state, "mixed"), Of(state, "old")
	if err := mixed.Append([]Record{touch(ago(100*day), "edit", "a"), told(ago(100*day), "ws/memory:kept"), told(ago(400*day), "ws/memory:gone"), touch(ago(day), "edit", "b")}); err != nil {
		t.Fatal(err)
	}
	if err := old.Append([]Record{touch(ago(100*day), "edit", "a")}); err != nil {
		t.Fatal(err)
	}
	n, err := Sweep(state, now)
	if n != 3 || err != nil {
		t.Errorf("%d went, %v", n, err)
	}
	recs, _ := mixed.Read()
	if len(recs) != 3 || recs[1].What != "ws/memory:kept" || recs[2].What != "b" {
		t.Errorf("left: %+v", recs)
	}
	if _, err := os.Stat(old.Path); !os.IsNotExist(err) {
		t.Errorf("an empty log stays: %v", err)
	}
}

func TestTailReadsTheEndByWholeLines(t *testing.T) {
	l := Of(t.TempDir(), "ws")
	if recs, err := l.Tail(100); recs != nil || err != nil {
		t.Errorf("nothing there: %v, %v", recs, err)
	}
	for i := range int64(50) {
		if err := l.Append([]Record{touch(100+i, "edit", "src/a.go")}); err != nil {
			t.Fatal(err)
		}
	}
	recs, err := l.Tail(100)
	if err != nil || len(recs) < 2 || len(recs) > 5 || recs[len(recs)-1].At != 149 {
		t.Errorf("%d records, %v", len(recs), err)
	}
	if recs, _ := l.Tail(1 << 20); len(recs) != 51 {
		t.Errorf("all of it: %d records", len(recs))
	}
}

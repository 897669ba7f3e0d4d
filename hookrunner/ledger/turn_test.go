package ledger

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pathrule/internal/filelock"
)

func TestATurnIsTakenByOneAndToldToTheNext(t *testing.T) {
	s, now := newStore(t)
	take := func(id string) *Turn {
		t.Helper()
		turn, err := s.Turn(id, 10*time.Second, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	first := take("e")
	if first.Known || first.Waited {
		t.Errorf("%+v", first)
	}
	if _, err := s.Turn("e", 10*time.Second, 0); !errors.Is(err, filelock.ErrTimeout) {
		t.Errorf("a second one while the first has it: %v", err)
	}
	other := take("f") // another event waits for nobody
	other.End()
	done := make(chan *Turn)
	go func() {
		turn, _ := s.Turn("e", 10*time.Second, 5*time.Second)
		done <- turn
	}()
	if err := first.Say("deny\nbecause\nof that"); err != nil {
		t.Fatal(err)
	}
	first.End()
	second := <-done
	if second == nil || !second.Known || second.Said != "deny\nbecause\nof that" {
		t.Fatalf("%+v", second)
	}
	second.Say("short")
	second.End()
	third := take("e")
	if third.Said != "short" || third.Waited {
		t.Errorf("%+v", third)
	}
	third.Say(strings.Repeat("é", maxSaid))
	third.End()
	if fourth := take("e"); len(fourth.Said) > maxSaid || !strings.HasPrefix(fourth.Said, "éé") {
		t.Errorf("%d bytes", len(fourth.Said))
	} else {
		fourth.End()
	}
	// Who died without a word leaves nothing, and what was said long ago is another event's.
	now.t = now.t.Add(11 * time.Second)
	if late := take("e"); late.Known {
		t.Errorf("%+v", late)
	} else {
		late.End()
	}
	g := take("g")
	g.End()
	if again := take("g"); again.Known {
		t.Errorf("%+v", again)
	} else {
		again.End()
	}
	if _, err := (Store{}).Turn("e", time.Second, 0); err == nil {
		t.Error("a turn without a folder for it")
	}
}

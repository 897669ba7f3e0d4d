package slice

import (
	"fmt"
	"strings"
	"testing"

	"pathrule/knowledge"
)

// A long text mentions most words of its trade: it answers where they stand
// together.
func TestWordsScatteredOverALongTextAreNoAnswer(t *testing.T) {
	filler := strings.Repeat("The visit went on in the next room and everybody was friendly to us all day. ", 14)
	for name, c := range map[string]struct {
		body string
		want Form
	}{
		"together": {filler + "The scanner drops the voucher when the drawer is open. " + filler + filler, Body},
		"apart":    {"They like the scanner. " + filler + "One lost a voucher. " + filler + "The drawer squeaks. " + filler, Card},
	} {
		t.Run(name, func(t *testing.T) {
			f := filled(entry{kind: knowledge.Memory, id: "visit", title: "What we saw in Lyon", body: c.body})
			p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "the voucher is dropped by the scanner with an open drawer"})
			if got := formOf(p, "visit"); got > c.want || c.want == Body && got < Body {
				t.Errorf("told as %v, want %v\n%s", got, c.want, p.Text)
			}
		})
	}
}

// The folders of a path in hand bring what is filed there; that its text holds
// their names as well says nothing about the task.
func TestTheFoldersOfAPathAreNoWordsOfTheTask(t *testing.T) {
	entries := []entry{
		{kind: knowledge.Rule, id: "style", title: "Style of the core library", body: "Classes of the core are final.\n", paths: []string{"core"}},
		{kind: knowledge.Memory, id: "merge", title: "Merged points keep their order", body: "Planner and replay depend on it.\n", paths: []string{"core"}},
	}
	f := filled(entries...)
	f.files = []string{"core/trajectory/merge_points.cpp"}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "core/trajectory/merge_points.cpp looks useless, delete it", Exists: f.exists})
	if got := formOf(p, "style"); got != Card {
		t.Errorf("a rule that shares the folder's name alone is told as %v, want a line\n%s", got, p.Text)
	}
	if got := formOf(p, "merge"); got != Body {
		t.Errorf("a note on what the file is called is told as %v, want its body\n%s", got, p.Text)
	}
}

// Of a prompt that tells a story the answer holds a small part; it is told whole
// where that part is no coincidence, and nobody asked for something by a name
// that no entry holds.
func TestAnAnswerToPartOfAStoryIsToldWhole(t *testing.T) {
	note := entry{kind: knowledge.Memory, id: "wrist", title: "Joints spin near a singularity", body: "Near the wrist singularity the joints of the arm spin a full turn.\n"}
	for prompt, want := range map[string]Form{
		"on monday the arm spins its joints while the crane, the weather mast, the payroll export and the tile viewer look fine":            Body,
		"which distributor supplies joints that spin for an arm beside the crane, the weather mast, the payroll export and the tile viewer": Card,
	} {
		p := mustMake(t, In{Channel: Prompt, Source: filled(note), Prompt: prompt})
		if got := formOf(p, "wrist"); got > want || want == Body && got != Body {
			t.Errorf("%s: told as %v, want %v\n%s", prompt, got, want, p.Text)
		}
	}
}

// A folder that is named brings lines of what is filed there, and whole what its
// words ask for: it is no file that somebody wrote a note on.
func TestAFolderThatIsNamedIsNoFileInHand(t *testing.T) {
	f := filled(
		entry{kind: knowledge.Memory, id: "dst", title: "Night shifts and the clock change", body: strings.Repeat("Appointments on the last Sunday of October are stored twice. ", 8), paths: []string{"services/notify"}},
		entry{kind: knowledge.Memory, id: "sms", title: "Texts are split at 160 letters", body: strings.Repeat("The provider bills every part of a message. ", 8), paths: []string{"services/notify"}},
	)
	f.files = []string{"services/notify/sender.go"}
	for prompt, want := range map[string]struct{ dst, sms Form }{
		"draw a class diagram of services/notify":                       {Card, Card},
		"why is a message from services/notify billed in several parts": {Card, Body},
	} {
		p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt, Exists: f.exists})
		if got := (struct{ dst, sms Form }{formOf(p, "dst"), formOf(p, "sms")}); got != want {
			t.Errorf("%s: %v, want %v\n%s", prompt, got, want, p.Text)
		}
	}
}

// A typo that breaks an ending hides the word from the analyser: the words are
// compared as they are written too.
func TestATypoThatChangesTheStemIsForgiven(t *testing.T) {
	for prompt, want := range map[string]Form{
		"crahs of the servres by night":     Body, // "crah" and "servr", without their endings
		"the crayons of the serfs by night": None,
	} {
		f := filled(entry{kind: knowledge.Memory, id: "crash", title: "A crash of the servers", body: "Every night they come back by themselves.\n"})
		p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: prompt})
		if got := formOf(p, "crash"); got != want {
			t.Errorf("%s: told as %v, want %v\n%s", prompt, got, want, p.Text)
		}
	}
}

// A high rule of a path in hand is told whole where the path says a part of what is
// asked: half a constraint can say the opposite of it.
func TestAHighRuleOfANamedPathIsToldWhole(t *testing.T) {
	note := strings.Repeat("Amounts in billing are whole numbers of cents from the database to the browser. ", 6)
	f := filled(
		entry{kind: knowledge.Rule, id: "cents", title: "Money is a whole number", body: note, paths: []string{"services/billing"}, priority: "high"},
		entry{kind: knowledge.Rule, id: "names", title: "Names are in English", body: strings.Repeat("A charge has an English name, as all things have here. ", 8), paths: []string{"services/billing"}},
	)
	f.files = []string{"services/billing/charge.ts"}
	p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "make services/billing/charge.ts safe", Exists: f.exists})
	if formOf(p, "cents") != Body || formOf(p, "names") == None {
		t.Errorf("cents %v, names %v\n%s", formOf(p, "cents"), formOf(p, "names"), p.Text)
	}
}

// In a script without spaces a short question is often one long word and half of
// another. Two pairs of letters from different words are no such word.
func TestAQuestionOfOneLongWordIsAnswered(t *testing.T) {
	entries := []entry{{kind: knowledge.Memory, id: "配送日計算", title: "配送日は倉庫の締め時間で決まる", body: "十五時までの注文は当日に出荷する。配送日は営業日で数える。\n"}}
	for i := range 40 {
		entries = append(entries, entry{kind: knowledge.Memory, id: fmt.Sprintf("other-%d", i), title: fmt.Sprintf("Note %d on the printer", i), body: "The printer of the desk is slow on Mondays.\n"})
	}
	for prompt, want := range map[string]Form{
		"配送日はどうやって決まりますか": Body,
		"営業時間は誰が決めたのか":    Card,
	} {
		p := mustMake(t, In{Channel: Prompt, Source: filled(entries...), Prompt: prompt})
		if got := formOf(p, "配送日計算"); got != want {
			t.Errorf("%s: told as %v, want %v\n%s", prompt, got, want, p.Text)
		}
	}
}

// Of the many passages of a long text one agrees with a prompt by chance; the same
// words in a note that says little else are an answer.
func TestALongTextAmongNotesNeedsMoreThanOneOfThem(t *testing.T) {
	filler := strings.Repeat("The visit went on in the next room and everybody was friendly to us all day. ", 40)
	said := "The scanner drops the voucher at closing. "
	for name, c := range map[string]struct {
		body string
		want Form
	}{
		"note":      {said, Body},
		"long text": {filler + said + filler, Card},
	} {
		t.Run(name, func(t *testing.T) {
			f := filled(entry{kind: knowledge.Memory, id: "visit", title: "What we saw in Lyon", body: c.body})
			p := mustMake(t, In{Channel: Prompt, Source: f, Prompt: "the scanner ate a voucher, order one at closing"})
			if got := formOf(p, "visit"); got != c.want {
				t.Errorf("told as %v, want %v\n%s", got, c.want, p.Text)
			}
		})
	}
}

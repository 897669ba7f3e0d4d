package doctor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pathrule/host"
	"pathrule/setup"
)

type inst = setup.Installed

// What each client's own contract makes of a text passes; the same text in
// another client's envelope, or with a word around it, does not (T11).
func TestAnswersAreHeldToTheClientsEnvelope(t *testing.T) {
	const said = "Greetings are reviewed"
	for _, h := range host.All() {
		for _, r := range host.Standing(h.Registrations()) {
			if !r.Speaks {
				continue
			}
			sample := h.Sample(r, "s", "/proj", "/proj/a.txt")
			ev, err := decode(h, r, sample)
			if err != nil {
				t.Errorf("%s %s: %v", h.ID(), r.Event, err)
				continue
			}
			right := string(h.Encode(ev, host.Reply{Context: "Notes: \"" + said + "\"\nand <more>"}))
			if right == "" {
				continue // answered, but not to this sample
			}
			if err := envelope(h, r, sample, right, said); err != nil {
				t.Errorf("%s %s: %v", h.ID(), r.Event, err)
			}
			if err := envelope(h, r, sample, "", said); err != nil {
				t.Errorf("%s %s: silence is refused: %v", h.ID(), r.Event, err)
			}
			if !strings.HasPrefix(right, "{") {
				continue // plain text has no envelope
			}
			for name, wrong := range map[string]string{
				"a member more":     `{"pathrule":true,` + right[1:],
				"another's members": `{"outputOfAnother":{"context":"` + said + `"}}`,
				"a line in front":   "starting\n" + right,
				"without the text":  `{}`,
			} {
				if envelope(h, r, sample, wrong, said) == nil {
					t.Errorf("%s %s: %s passes: %s", h.ID(), r.Event, name, wrong)
				}
			}
		}
	}
}

func TestTheTrialCarriesNoHomeOfThePersons(t *testing.T) {
	got := bare([]string{"/x/pathrule-hook", "--host", "copilot", "--env", "PATHRULE_HOME=/home/me", "--env=PATHRULE_STATE_DIR=/s", "--event", "preToolUse", "--event=x"})
	if diff := cmp.Diff([]string{"/x/pathrule-hook", "--host", "copilot"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryProblemOfAnEntryHasItsRemedy(t *testing.T) {
	h, _ := host.ByName("claude-code")
	for name, tc := range map[string]struct {
		i            inst
		remedy, next string
	}{
		"stale":             {inst{Command: "x", Problem: "the program /gone is missing or cannot be run"}, "pathrule repair", "pathrule repair"},
		"missing":           {inst{Problem: `not registered; run "pathrule setup claude-code"`}, "pathrule repair", "pathrule repair"},
		"malformed":         {inst{Problem: "is not valid JSON (x)"}, "mend the file, then: pathrule repair", "pathrule doctor, when /f is mended"},
		"another product's": {inst{Command: "x", Problem: `mcpServers.pathrule runs "npx", not this program; rename or remove that entry`}, "", "pathrule doctor, when /f is mended"},
		"edited by hand":    {inst{Own: true, Command: "x", Problem: `the file was edited since setup made it; run "pathrule setup x --force"`}, "", "pathrule doctor, when /f is mended"},
		"switched off":      {inst{Command: "x", Problem: "hooks are switched off: disableAllHooks is true in /f:1"}, "set it in the file named, when the hooks are to run", "pathrule doctor, when /f is mended"},
		"of one folder":     {inst{Command: "x", Folder: "/p", Problem: "the program /gone is missing or cannot be run"}, "take it out in /p by the client's own means; our entry for all folders stays", "pathrule doctor, when /f is mended"},
	} {
		tc.i.Path = "/f"
		if remedy, next := remedyOf(h, tc.i); remedy != tc.remedy || next != tc.next {
			t.Errorf("%s: remedy %q, next %q", name, remedy, next)
		}
	}
}

package userhooks

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// docs/hooks.md names every key of the file, of a command's input and of its
// answer.
func TestThePageNamesEveryKey(t *testing.T) {
	b, err := os.ReadFile("../../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	keys := slices.Concat(topKeys, defaultKeys, hookKeys, answerKeys)
	for _, k := range actionKeys {
		keys = append(keys, k...)
	}
	for _, k := range keys {
		if !strings.Contains(page, "`"+k+"`") && !strings.Contains(page, `"`+k+`"`) && !strings.Contains(page, "."+k+"`") {
			t.Errorf("docs/hooks.md does not name %s", k)
		}
	}
}

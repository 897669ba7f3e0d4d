package index_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// childVar names what a re-run of the test program does instead of testing:
// several behaviours need real processes.
const childVar = "PATHRULE_INDEX_TEST_CHILD"

func TestMain(m *testing.M) {
	if what := os.Getenv(childVar); what != "" {
		if err := child(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

package hookrunner_test

import (
	"os"
	"testing"

	"pathrule/hookrunner"
)

func TestMain(m *testing.M) {
	hookrunner.Unhurried()
	os.Exit(m.Run())
}

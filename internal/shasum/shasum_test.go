package shasum

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestOnlyAWholeLowerCaseSumIsValid(t *testing.T) {
	sum := sha256.Sum256([]byte("x"))
	whole := hex.EncodeToString(sum[:])
	for s, want := range map[string]bool{whole: true, whole[1:]: false, whole + "0": false, strings.ToUpper(whole): false, "g" + whole[1:]: false, "": false} {
		if Valid(s) != want {
			t.Errorf("%q: %t", s, !want)
		}
	}
}

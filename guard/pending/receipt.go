package pending

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pathrule/internal/atomicfile"
)

// A receipt is one line of "check run" for a run whose result cannot be kept,
// because the client's sandbox lets its shell write in the workspace alone. The
// hook, which runs outside of it, finds the line in the tool's output and keeps
// the result:
//
//	pathrule-receipt CHECK EXIT SECONDS MAC
//
// MAC is keyed with a secret of this machine and covers what a Result says, the
// state of every file among it. So no text that merely looks so counts, and a
// line that is shown again counts for the same files as they were, which is what
// a kept result does, too.

const (
	receiptMark = "pathrule-receipt "
	keyName     = "key"
	keySize     = 32
	maxReceipts = 16
)

// KeepKey keeps a new secret of 32 bytes where there is none that can be used.
// Making one is for the caller, since hooks do not link what it takes.
func KeepKey(state string, made []byte) error {
	if state == "" {
		return nil
	}
	if _, err := key(state); err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errKey) {
		return err
	}
	return atomicfile.Write(filepath.Join(state, dirName, keyName), []byte(hex.EncodeToString(made)), 0o600, 0o700)
}

var errKey = errors.New("the key of receipts is damaged")

func key(state string) ([]byte, error) {
	if state == "" {
		return nil, fs.ErrNotExist
	}
	raw, err := os.ReadFile(filepath.Join(state, dirName, keyName))
	if err != nil {
		return nil, err
	}
	k, err := hex.DecodeString(string(raw))
	if err != nil || len(k) != keySize {
		return nil, errKey
	}
	return k, nil
}

// Receipt is the line for a result. An error says that this machine has no
// secret, or that it cannot be read here.
func (r *Result) Receipt(state string) (string, error) {
	k, err := key(state)
	if err != nil {
		return "", err
	}
	return receiptMark + r.Check.short() + " " + strconv.Itoa(r.Exit) + " " + strconv.FormatInt(r.At.Unix(), 10) + " " + hex.EncodeToString(r.mac(k)), nil
}

func (c Check) short() string {
	sum := sha256.Sum256([]byte(c.key()))
	return hex.EncodeToString(sum[:8])
}

// mac is H(key, H(key, fields)), each field with its length in front.
func (r *Result) mac(key []byte) []byte {
	h := sha256.New()
	h.Write(key)
	field := func(s string) {
		h.Write(strconv.AppendInt(nil, int64(len(s)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(s))
	}
	for _, s := range []string{r.In, r.Check.key(), r.Sum, strconv.Itoa(r.Exit), strconv.FormatInt(r.At.Unix(), 10)} {
		field(s)
	}
	paths := make([]string, 0, len(r.Files))
	for p := range r.Files {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		field(p)
		field(r.Files[p])
	}
	sum := sha256.Sum256(h.Sum(slices.Clone(key)))
	return sum[:]
}

// Receipt is a line as it was read: nothing of it is known to be true.
type Receipt struct {
	check, mac string
	Exit       int
	At         time.Time
}

// Receipts are the lines in a text of any kind, a client's JSON among them, the
// newest last and at most 16.
func Receipts(text []byte) []Receipt {
	var out []Receipt
	for {
		i := bytes.Index(text, []byte(receiptMark))
		if i < 0 {
			break
		}
		text = text[i+len(receiptMark):]
		line := text[:min(len(text), 160)]
		if end := bytes.IndexFunc(line, func(r rune) bool {
			return r != ' ' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'f')
		}); end >= 0 {
			line = line[:end]
		}
		f := strings.Fields(string(line))
		if len(f) < 4 || len(f[0]) != 16 || len(f[3]) != 64 {
			continue
		}
		exit, err1 := strconv.Atoi(f[1])
		at, err2 := strconv.ParseInt(f[2], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		out = append(out, Receipt{check: f[0], Exit: exit, At: time.Unix(at, 0).UTC(), mac: f[3]})
	}
	return out[max(0, len(out)-maxReceipts):]
}

// Of reports that the receipt says to be of a check.
func (c Receipt) Of(check Check) bool { return c.check == check.short() }

// Confirms reports that this machine gave the receipt for exactly this result.
func (c Receipt) Confirms(state string, r *Result) bool {
	k, err := key(state)
	if err != nil || c.Exit != r.Exit || !c.At.Equal(r.At) || !c.Of(r.Check) {
		return false
	}
	return c.mac == hex.EncodeToString(r.mac(k))
}

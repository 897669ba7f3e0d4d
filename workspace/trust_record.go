package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pathrule/internal/atomicfile"
	"pathrule/internal/sysenv"
)

// A record of trust is a file <home>/trust/<kind>-<SHA-256 of kind and root>
// that repeats the root; both must agree, so that a renamed or copied record
// grants nothing.
const (
	trustOwn    = "own"    // this workspace
	trustParent = "parent" // every workspace at or below this folder
)

func trustFile(dirs Dirs, kind, root string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + root))
	return join(dirs.Home, "trust", kind+"-"+hex.EncodeToString(sum[:]))
}

func trustText(kind, root string) string { return kind + "\n" + root + "\n" }

func trusted(dirs Dirs, kind, root string) bool {
	b, err := os.ReadFile(trustFile(dirs, kind, root))
	return err == nil && string(b) == trustText(kind, root)
}

func owned(ws *Workspace, dirs Dirs) bool {
	if ws == nil || dirs.Home == "" {
		return false
	}
	if ws.Private || underHome(ws.Store, dirs) {
		return true
	}
	if st, err := os.Stat(join(dirs.Home, "trust")); err != nil || !st.IsDir() {
		return false
	}
	if rootTrusted(dirs, ws.Root) {
		return true
	}
	// A linked worktree is the same project as its main checkout.
	main := ws.mainRoot()
	return main != "" && rootTrusted(dirs, main)
}

func rootTrusted(dirs Dirs, root string) bool {
	return trusted(dirs, trustOwn, root) || parentTrusted(dirs, root)
}

func parentTrusted(dirs Dirs, root string) bool {
	for dir := root; ; {
		if trusted(dirs, trustParent, dir) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

func underHome(store string, dirs Dirs) bool {
	rel, ok := within(dirs.Home, store)
	return ok && rel != ""
}

func own(ws *Workspace, dirs Dirs, parent bool, _ sysenv.Env) error {
	if dirs.Home == "" {
		return errors.New("record trust: the home folder is unknown; set PATHRULE_HOME to an absolute path")
	}
	kind := trustOwn
	if parent {
		kind = trustParent
	}
	if strings.ContainsAny(ws.Root, "\n\r") {
		return fmt.Errorf("record trust: %q holds a line break", ws.Root)
	}
	if trusted(dirs, kind, ws.Root) {
		return nil
	}
	if err := atomicfile.Write(trustFile(dirs, kind, ws.Root), []byte(trustText(kind, ws.Root)), 0o600, 0o700); err != nil {
		return fmt.Errorf("record trust: %w", err)
	}
	return nil
}

func disown(ws *Workspace, dirs Dirs) error {
	if dirs.Home == "" {
		return nil
	}
	for _, kind := range []string{trustOwn, trustParent} {
		if err := os.Remove(trustFile(dirs, kind, ws.Root)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("take trust back: %w", err)
		}
	}
	return nil
}

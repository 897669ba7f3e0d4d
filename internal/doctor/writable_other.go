//go:build !unix

package doctor

import "os"

// writable reads the attribute alone; rights by list are only known by writing.
func writable(dir string) bool {
	st, err := os.Stat(dir)
	return err == nil && st.Mode().Perm()&0o200 != 0
}

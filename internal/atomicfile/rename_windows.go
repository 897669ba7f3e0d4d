package atomicfile

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// rename tries for a moment: while a reader or a virus scanner has the old file
// open, Windows refuses to replace it.
func rename(from, to string) error {
	var err error
	for pause := time.Millisecond; pause < 200*time.Millisecond; pause *= 2 {
		err = os.Rename(from, to)
		if !errors.Is(err, windows.ERROR_ACCESS_DENIED) && !errors.Is(err, windows.ERROR_SHARING_VIOLATION) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

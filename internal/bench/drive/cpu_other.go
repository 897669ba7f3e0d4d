//go:build !linux

package drive

import "time"

// CPU is the processor time that the running server has taken so far, 0 where it
// cannot be told.
func (s *Server) CPU() time.Duration { return 0 }

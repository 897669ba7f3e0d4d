package drive

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// MS is a duration in milliseconds.
func MS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Quantile is the p-th percentile of values, 0 for none.
func Quantile(values []float64, p int) float64 {
	s := slices.Sorted(slices.Values(values))
	if len(s) == 0 {
		return 0
	}
	return s[min(len(s)-1, len(s)*p/100)]
}

// BuildTemp builds the programs into a temporary folder; the caller removes it
// with the function returned.
func BuildTemp() (Programs, func(), error) {
	dir, err := os.MkdirTemp("", "pathrule-bin-")
	if err != nil {
		return Programs{}, nil, fmt.Errorf("build programs: %w", err)
	}
	p, err := Build(dir)
	if err != nil {
		os.RemoveAll(dir)
		return p, nil, err
	}
	return p, func() { os.RemoveAll(dir) }, nil
}

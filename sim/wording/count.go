package wording

import (
	"fmt"
	"time"
)

// Count returns a number with a noun: "1 place", "2 places". The plural of the noun has an s.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Milliseconds returns a time as logs show it, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

package wording

import "fmt"

// Count returns a number with a noun: "1 place", "2 places". The plural of the noun has an s.
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

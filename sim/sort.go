package sim

import (
	"cmp"
	"strings"
)

// SortKey is a property to sort a list by.
type SortKey struct {
	By         string
	Descending bool
	IgnoreCase bool // whether texts are compared without regard to case
}

// compareTexts compares two texts as the key says.
func (k SortKey) compareTexts(a, b string) int {
	if k.IgnoreCase {
		a, b = strings.ToLower(a), strings.ToLower(b)
	}
	return cmp.Compare(a, b)
}

// comparison compares rows by keys, the most significant one first.
func comparison[R any](keys []SortKey, compare func(k SortKey, a, b R) int) func(a, b R) int {
	return func(a, b R) int {
		for _, k := range keys {
			c := compare(k, a, b)
			if k.Descending {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
}

// pageOf returns size rows from a position on.
func pageOf[R any](rows []R, position, size int) []R {
	position = min(position, len(rows))
	return rows[position:min(position+size, len(rows))]
}

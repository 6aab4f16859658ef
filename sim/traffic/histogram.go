package traffic

import (
	"slices"
	"sync/atomic"
	"time"
)

// A histogram counts durations in microseconds by buckets. Up to 10 µs each duration has its own. From there on the buckets of
// a power of ten are such that the upper bound of one is at most a tenth more than any duration in it: 10 of 1 up to 20, 15 of
// 2 up to 50, 10 of 5 up to 100, and so on up to 100 seconds. The last one has what took even longer.
type histogram [buckets]atomic.Uint32

const (
	exact     = 10 // buckets of one duration each, from 0
	perPower  = 35 // buckets of a power of ten
	powers    = 7  // of ten, from 10 µs
	buckets   = exact + powers*perPower + 1
	unbounded = buckets - 1 // the last bucket
)

// bounds are the largest durations of all buckets but the last.
var bounds = newBounds()

func newBounds() (all [unbounded]int64) {
	at := 0
	add := func(bound int64) { all[at] = bound; at++ }
	for bound := range int64(exact) {
		add(bound)
	}
	unit := int64(1)
	for range powers {
		from := 10 * unit
		for _, part := range []struct{ count, width int64 }{{10, unit}, {15, 2 * unit}, {10, 5 * unit}} {
			for range part.count {
				from += part.width
				add(from - 1)
			}
		}
		unit *= 10
	}
	return all
}

// bucketOf returns the index of the bucket of a duration.
func bucketOf(micros int64) int {
	if micros < exact {
		return int(micros)
	}
	i, _ := slices.BinarySearch(bounds[:], micros)
	return i
}

// below returns the duration that so many of 100 took at most: the upper bound of its bucket, but no more than the longest.
func (h *histogram) below(percent int, longest time.Duration) time.Duration {
	var counts [buckets]uint32
	all := uint64(0)
	for i := range h {
		counts[i] = h[i].Load()
		all += uint64(counts[i])
	}
	wanted, passed := (all*uint64(percent)+99)/100, uint64(0)
	for i, count := range counts[:unbounded] {
		if passed += uint64(count); passed >= wanted {
			return min(time.Duration(bounds[i])*time.Microsecond, longest)
		}
	}
	return longest
}

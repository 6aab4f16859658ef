package memlimit

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// KeepRoom lets the heap grow by so many bytes between two garbage collections, or to twice its size where that is more. By
// itself, the Go runtime collects a heap that has doubled: a small one many times a second under load, each time with all that
// the journals hold. A limit of the memory holds all the same, because the runtime collects earlier near it. The returned
// function goes back to what was in force.
func KeepRoom(bytes int64) (stop func()) {
	k := &keeper{room: bytes, percent: doubled}
	before := debug.SetGCPercent(doubled)
	k.collected(struct{}{})
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.stopped = true
		debug.SetGCPercent(before)
	}
}

// doubled is the growth in percent after which the Go runtime collects by itself.
const doubled = 100

// keeper sets the growth anew after each collection, by what that has found in use.
type keeper struct {
	room int64

	mu      sync.Mutex
	percent int // in force
	stopped bool
}

// collected is called after each collection.
func (k *keeper) collected(struct{}) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stopped {
		return
	}
	if wanted := k.growth(live()); wanted != k.percent {
		k.percent = wanted
		debug.SetGCPercent(wanted)
	}
	runtime.AddCleanup(&witness{k}, k.collected, struct{}{})
}

// witness is an object that nothing uses, so that the next collection finds it. It has a pointer, because small objects without
// one share their memory.
type witness struct{ _ *keeper }

// leastHeap is the heap below which the Go runtime doesn't collect at a growth of 100 percent; in proportion at another one.
const leastHeap = 4 * mib

// growth returns by how many percent a heap may grow. It has steps, so that it stays the same while the heap is about the same.
func (k *keeper) growth(live int64) int {
	return max(doubled, int(k.room*5/max(live, leastHeap))*20)
}

// live returns how many bytes of the heap the last collection has found in use.
func live() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

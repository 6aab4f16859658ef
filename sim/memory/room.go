// Package memory bounds what a simulator holds of what others send. A [Room] is a share of the memory with one limit in
// bytes. Whoever is going to hold something takes its bytes first, and is refused if they aren't left.
package memory

import (
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"sync/atomic"
)

// withoutLimit is the memory that is counted on in a process without a memory limit (choice).
const withoutLimit = 4 << 30

// Limit returns the memory limit of the process in bytes, or 4 GiB without a limit.
func Limit() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit
	}
	return withoutLimit
}

// ErrNoRoom is the error of bytes that aren't left.
var ErrNoRoom = errors.New("there is no room")

// Room is a number of bytes that can be taken. It is safe for use by many goroutines.
type Room struct {
	above *Room // the bytes are taken from it, too; or nil
	limit int64
	taken atomic.Int64
}

// NewRoom returns an empty room of so many bytes.
func NewRoom(limit int64) *Room { return &Room{limit: limit} }

// Half returns a room in this one with half of its bytes. So one user of a room leaves half of it to the others.
func (r *Room) Half() *Room { return &Room{above: r, limit: r.limit / 2} }

// Take takes bytes. If they aren't left, it changes nothing and fails with ErrNoRoom.
func (r *Room) Take(bytes int64) error {
	for taken := r.taken.Load(); ; taken = r.taken.Load() {
		if bytes > r.limit-taken {
			return fmt.Errorf("%w for %s: %s of %s are taken", ErrNoRoom, Size(bytes), Size(taken), Size(r.limit))
		}
		if r.taken.CompareAndSwap(taken, taken+bytes) {
			break
		}
	}
	if r.above == nil {
		return nil
	}
	err := r.above.Take(bytes)
	if err != nil {
		r.taken.Add(-bytes)
	}
	return err
}

// Give gives bytes back.
func (r *Room) Give(bytes int64) { r.Adjust(-bytes) }

// Adjust counts by how much something that is held has grown or, below 0, shrunk. It may exceed the limit.
func (r *Room) Adjust(growth int64) {
	for ; r != nil; r = r.above {
		r.taken.Add(growth)
	}
}

// Left returns how many bytes can be taken. It is below 0 if Adjust has exceeded the limit.
func (r *Room) Left() int64 {
	left := r.limit - r.taken.Load()
	if r.above != nil {
		left = min(left, r.above.Left())
	}
	return left
}

// Size returns a number of bytes for people.
func Size(bytes int64) string {
	switch {
	case bytes >= 10<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 10<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Lease is what one request holds of a room until its end. It is for one goroutine at a time, and is not
// copied once it holds something.
type Lease struct {
	room *Room
	held int64
}

// Lease returns a lease of nothing. A nil room is without a limit.
func (r *Room) Lease() Lease { return Lease{room: r} }

// Take takes more bytes. It fails with ErrNoRoom.
func (l *Lease) Take(bytes int64) error {
	if l.room == nil {
		return nil
	}
	if err := l.room.Take(bytes); err != nil {
		return err
	}
	l.held += bytes
	return nil
}

// Give gives bytes back.
func (l *Lease) Give(bytes int64) {
	if l.room != nil {
		l.room.Give(bytes)
		l.held -= bytes
	}
}

// Release gives back all bytes.
func (l *Lease) Release() { l.Give(l.held) }

// Body returns a body that takes room while it is read: its weight for each byte. A slow client holds no more than it
// has sent. Reading fails with ErrNoRoom.
func (l *Lease) Body(body io.ReadCloser, weight int64) io.ReadCloser {
	return leasedBody{body, l, weight}
}

type leasedBody struct {
	io.ReadCloser
	lease  *Lease
	weight int64
}

// Read implements io.Reader.
func (b leasedBody) Read(p []byte) (n int, err error) {
	n, err = b.ReadCloser.Read(p)
	if full := b.lease.Take(int64(n) * b.weight); full != nil {
		return 0, full
	}
	return n, err
}

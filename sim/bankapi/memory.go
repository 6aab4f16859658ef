package bankapi

import (
	"context"
	"runtime/debug"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	// maxBodies is how many bytes all large bodies that are being read have together, or an eighth of the memory limit
	// if that is less (choice). It is at least minBodies, so that one body of any kind has room. A body of up to
	// smallBody takes no share. A larger one waits for bodyWait.
	maxBodies = 64 << 20
	minBodies = maxBody * multipartWeight
	smallBody = 4 << 10
	bodyWait  = 10 * time.Second

	// multipartWeight is about how much more memory reading a multipart body takes than another one.
	multipartWeight = 8

	// largeAnswer is the size above which an answer is written in pieces of this size, and needs room (choice).
	largeAnswer = 64 << 10
)

// memory bounds the bytes that all requests together hold: clients that send or read slowly would fill it otherwise.
type memory struct {
	bodies  *semaphore.Weighted // that are being read and decoded
	delayed *semaphore.Weighted // that wait for the end of a fault's delay
	answers *semaphore.Weighted // large ones that are being written, or nil for no bound
}

func newMemory(answers *semaphore.Weighted) memory {
	room := max(minBodies, min(debug.SetMemoryLimit(-1)/8, maxBodies))
	return memory{bodies: semaphore.NewWeighted(room), delayed: semaphore.NewWeighted(room), answers: answers}
}

// lease returns a lease of nothing for one request.
func (m *memory) lease() *memoryLease { return &memoryLease{memory: m} }

// memoryLease is the share of the memory that one request holds.
type memoryLease struct {
	memory *memory
	length int64 // of a large body, or 0
	weight int64 // that decoding it takes
	held   struct{ body, delayed, answer int64 }
}

// takeBodyOf takes the room for a body that is going to be read. It refuses the request if there is no room in time.
func (l *memoryLease) takeBodyOf(ctx context.Context, length, weight int64) error {
	if length <= smallBody {
		return nil
	}
	l.length, l.weight = length, weight
	err := l.takeBody(ctx)
	if err != nil {
		l.length = 0 // the body is not read
	}
	return err
}

// shrinkBody gives back the room that a body doesn't need. The length of some bodies is known only after they are read.
func (l *memoryLease) shrinkBody(length, weight int64) {
	if l.length == 0 || length >= l.length {
		return
	}
	if length <= smallBody {
		length, weight = 0, 0
	}
	l.memory.bodies.Release(l.held.body - weight)
	l.length, l.weight, l.held.body = length, weight, weight
}

// takeBody takes the room that decoding the body needs, in place of the room that it took in a delay.
func (l *memoryLease) takeBody(ctx context.Context) error {
	if l.length == 0 {
		return nil
	}
	l.releaseBody()
	ctx, cancel := context.WithTimeout(ctx, bodyWait)
	defer cancel()
	if l.memory.bodies.Acquire(ctx, l.weight) != nil {
		return sim.Refuse(contract.Overloaded,
			"too many large bodies are being read, and there was no room for this one within %s: send it again later",
			bodyWait)
	}
	l.held.body = l.weight
	return nil
}

// delayBody gives back the room for decoding the body while a fault delays the request, so that requests to other
// sandboxes don't wait for it. It refuses the request if too many large bodies are delayed.
func (l *memoryLease) delayBody() error {
	l.releaseBody()
	if l.length > 0 && !l.memory.delayed.TryAcquire(l.length) {
		return sim.Refuse(contract.Overloaded,
			"faults delay too many requests with large bodies, and there is no room for this one: send it again later")
	}
	l.held.delayed = l.length
	return nil
}

// releaseBody gives back the room of the body.
func (l *memoryLease) releaseBody() {
	if l.held.body > 0 {
		l.memory.bodies.Release(l.held.body)
	}
	if l.held.delayed > 0 {
		l.memory.delayed.Release(l.held.delayed)
	}
	l.held.body, l.held.delayed = 0, 0
}

// takeAnswer takes the room that an answer needs until it is written, in place of the room that an earlier attempt has
// taken. It reports whether there is room. Only a large answer needs any.
func (l *memoryLease) takeAnswer(size int) bool {
	l.releaseAnswer()
	if size <= largeAnswer || l.memory.answers == nil {
		return true
	}
	if !l.memory.answers.TryAcquire(int64(size)) {
		return false
	}
	l.held.answer = int64(size)
	return true
}

func (l *memoryLease) releaseAnswer() {
	if l.held.answer > 0 {
		l.memory.answers.Release(l.held.answer)
	}
	l.held.answer = 0
}

func (l *memoryLease) release() {
	l.releaseBody()
	l.releaseAnswer()
}

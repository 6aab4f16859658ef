package fault_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/fault"
)

func TestBroken(t *testing.T) {
	var b fault.Broken
	now := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	first, second := new(int), new(int)
	assert.True(t, b.Empty())
	_, ok := b.RetryOf(7, second, now)
	assert.False(t, ok)

	ended := b.Add(fault.Breakage{Request: 7, Connection: first, Fault: "f", Kind: fault.Hang, Exchange: "3"})
	assert.False(t, b.Empty())
	was, ok := b.RetryOf(7, second, now.Add(time.Hour))
	assert.True(t, ok, "a hang that goes on: the client may have given it up")
	assert.Equal(t, "3", was.Exchange)
	_, ok = b.RetryOf(7, first, now)
	assert.False(t, ok, "on the same connection")
	_, ok = b.RetryOf(8, second, now)
	assert.False(t, ok, "another request")

	ended(now)
	_, ok = b.RetryOf(7, second, now.Add(fault.RetryWindow))
	assert.True(t, ok)
	_, ok = b.RetryOf(7, second, now.Add(fault.RetryWindow+1))
	assert.False(t, ok, "too late")
	assert.True(t, b.Empty(), "and forgotten")
}

// However many requests break at a time, the latest are remembered, and no more of them.
func TestBrokenIsBounded(t *testing.T) {
	var b fault.Broken
	now := time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)
	const count = 1000
	for request := range uint64(count) {
		b.Add(fault.Breakage{Request: request, Connection: 1})(now)
	}
	remembered := 0
	for request := range uint64(count) {
		if _, ok := b.RetryOf(request, 2, now); ok {
			remembered++
		}
	}
	assert.Equal(t, 64, remembered)
	_, ok := b.RetryOf(count-1, 2, now)
	assert.True(t, ok)
}

func TestKindsThatBreakTheConnection(t *testing.T) {
	for _, kind := range fault.Kinds {
		breaks := kind != fault.Malformed && kind != fault.Trickle
		assert.Equal(t, breaks, kind.Breaks("GET"), kind)
		assert.Equal(t, breaks && kind != fault.Truncate, kind.Breaks("HEAD"), kind)
	}
}

package memory_test

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/memory"
)

func TestRoom(t *testing.T) {
	room := memory.NewRoom(100)
	one, other := room.Half(), room.Half()
	require.NoError(t, one.Take(50))
	assert.EqualError(t, one.Take(1), "there is no room for 1 bytes: 50 bytes of 50 bytes are taken")
	require.NoError(t, other.Take(50), "one half leaves the other")
	assert.ErrorIs(t, room.Take(1), memory.ErrNoRoom)
	one.Give(10)
	assert.EqualValues(t, 10, one.Left())
	assert.EqualValues(t, 10, room.Left())
	room.Adjust(30)
	assert.EqualValues(t, -20, one.Left())
	assert.ErrorIs(t, one.Take(1), memory.ErrNoRoom)
	room.Adjust(-30)
	assert.EqualValues(t, 10, one.Left(), "what has no room takes nothing")
}

func TestLease(t *testing.T) {
	room := memory.NewRoom(10)
	lease := room.Lease()
	read, err := io.ReadAll(lease.Body(io.NopCloser(strings.NewReader("01234")), 2))
	require.NoError(t, err)
	assert.Equal(t, "01234", string(read))
	_, err = io.ReadAll(lease.Body(io.NopCloser(strings.NewReader("x")), 1))
	require.ErrorIs(t, err, memory.ErrNoRoom)
	lease.Release()
	assert.EqualValues(t, 10, room.Left())
}

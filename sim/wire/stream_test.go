package wire_test

import (
	"bufio"
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// A stream writes what Encode would return for the whole.
func TestAStreamEncodesAsAWhole(t *testing.T) {
	t.Parallel()
	type head struct {
		Name string `json:"name"`
	}
	for _, elements := range [][]string{nil, {"<a>"}, {"\u2028", "\x80", "b"}} {
		var b bytes.Buffer
		s := wire.Stream{Writer: bufio.NewWriter(&b)}
		s.Open(head{"\u2029<&>"})
		s.Text(`,"of":`)
		wire.Array(s, slices.Values(elements), func(e string) { s.Value(e) })
		s.Text("}")
		require.NoError(t, s.Flush())
		whole, err := wire.Encode(struct {
			head
			Of []string `json:"of"`
		}{head{"\u2029<&>"}, append([]string{}, elements...)})
		require.NoError(t, err)
		assert.Equal(t, string(whole), b.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestAStreamEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	s := wire.Stream{Writer: bufio.NewWriterSize(broken{}, 16)}
	written := 0
	wire.Array(s, slices.Values([]int{1, 2, 3}), func(int) {
		written++
		s.Text("more than the buffer holds")
	})
	assert.Equal(t, 1, written)
	assert.EqualError(t, s.Flush(), "broken")
}

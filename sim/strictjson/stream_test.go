package strictjson_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// A writer writes what Encode would return for the whole.
func TestWriterWritesTheWhole(t *testing.T) {
	t.Parallel()
	type head struct {
		Name string `json:"name"`
	}
	for _, elements := range [][]string{nil, {"<a>"}, {"\u2028", "\x80", "b"}} {
		var b bytes.Buffer
		w := strictjson.NewWriter(&b)
		w.Object(func() {
			w.Members(head{"\u2029<&>"})
			strictjson.WriteList(w, "of", slices.Values(elements), func(e string) { w.Value(e) })
		})
		whole, err := strictjson.Encode(struct {
			head
			Of []string `json:"of"`
		}{head{"\u2029<&>"}, append([]string{}, elements...)})
		require.NoError(t, err)
		assert.Equal(t, string(whole)+"\n", b.String())
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

// A writer whose reader is gone makes no further elements.
func TestWriterEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	w := strictjson.NewWriter(broken{})
	written := 0
	strictjson.WriteList(w, "of", slices.Values(make([]int, 1000)), func(int) {
		written++
		w.Value(strings.Repeat("x", 10_000))
	})
	assert.Less(t, written, 20)
}

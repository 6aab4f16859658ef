package bankapi_test

import (
	"bufio"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// HEAD answers as GET does, whatever that is, without the body. It leaves the connection to the next request.
func TestHead(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	conn := b.Dial()
	in := bufio.NewReader(conn)
	for _, call := range []simtest.Call{
		listGroups, listGroups.WithToken("nope"), listGroups.At("/nope"), updateUser.WithBody(""), // which has no GET
	} {
		answer := func(method string) (*http.Response, int) {
			request := call.WithMethod(method).Request(b)
			require.NoError(t, request.Write(conn))
			res, err := http.ReadResponse(in, request)
			require.NoError(t, err, "the answer to HEAD ends where its headers end")
			body, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			for _, own := range []string{"Banksim-Exchange", "Date"} {
				res.Header.Del(own)
			}
			return res, len(body)
		}
		got, _ := answer(http.MethodHead)
		assert.Equal(t, http.MethodHead, b.Last().Request.Method)
		assert.Empty(t, b.Last().Response.Body)
		want, size := answer(http.MethodGet)
		assert.Equal(t, want.StatusCode, got.StatusCode, call)
		assert.Equal(t, want.Header, got.Header, call)
		assert.EqualValues(t, size, got.ContentLength, call)
	}
}

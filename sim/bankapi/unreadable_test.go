package bankapi_test

import (
	"bufio"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// A request that can't be read is answered before the interface sees it, and ends its connection.
func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for request, status := range map[string]int{
		"GET " + b.BasePath() + simtest.GroupsPath + "/%zz HTTP/1.1\r\nHost: bank\r\n\r\n":         400,
		"GET " + b.BasePath() + simtest.GroupsPath + " HTTP/1.1\r\nHost: bank\r\nno colon\r\n\r\n": 400,
		"hello\r\n\r\n":                                                    400,
		"GET / HTTP/2.0\r\nHost: bank\r\n\r\n":                             505,
		"GET / HTTP/1.1\r\nHost: bank\r\nExpect: x\r\n\r\n":                417,
		"POST / HTTP/1.1\r\nHost: bank\r\nTransfer-Encoding: gzip\r\n\r\n": 501,
		"GET " + b.BasePath() + simtest.GroupsPath + " HTTP/1.1\r\nHost: bank\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n": 431,
	} {
		conn := b.Dial()
		go func() { _, _ = io.WriteString(conn, request) }() // it may not be read to its end
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		assert.Equal(t, status, res.StatusCode, "%.60q", request)
		if status != 417 { // which has no body
			assert.Contains(t, res.Header.Get("Content-Type"), "text/plain", "%.60q", request)
		}
		assert.True(t, res.Close, "%.60q", request)
	}
	assert.Zero(t, b.Journal().Last(), "the journal has none of them")
}

// A query parameter that can't be read is as good as none, and so is an empty header, but for an empty Authorization.
func TestWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for query, unread := range map[string]bool{"sort=%zz": true, "sort=x;y": true, "sort=": false} {
		res := listGroups.WithQuery(query).Send(b)
		assert.Equal(t, 200, res.StatusCode, query)
		assert.Equal(t, unread, slices.Contains(b.ExchangeOf(res).Decision.Entries, "everywhere.unknown-parameters"), query)
	}
	assert.Contains(t, getDisclosures.At(simtest.DisclosuresPath+"%zz").Send(b).Body, `"UXESTMT_11010"`)

	assert.Equal(t, 200, listGroups.With("institutionId", "").Send(b).StatusCode)
	empty := listGroups.With("authorization", "").Send(b)
	assert.Equal(t, 401, empty.StatusCode)
	assert.Contains(t, getDisclosures.With("authorization", "").Send(b).Body, `"UXESTMT_10012"`)
}

// Of a header that is given twice the first value counts; two headers Authorization are as good as a malformed one.
func TestRepeatedHeaders(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	second := listGroups.With("institutionId", "05523").Adding("institutionId", "02688").Send(b)
	assert.Contains(t, second.Body, `"totalElements":0`)
	for operation, call := range simtest.Calls {
		if call.Header.Get("authorization") == "" {
			call = call.WithToken("demo-token")
		}
		res := call.Adding("authorization", call.Header.Get("authorization")).Send(b)
		assert.Equal(t, 401, res.StatusCode, operation)
		assert.NotEmpty(t, b.ExchangeOf(res).Lints, operation)
	}
}

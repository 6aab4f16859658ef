package bankapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// byHeadAndGet sends a call by HEAD and, on the same connection, by GET, and returns what came of each.
func byHeadAndGet(t *testing.T, b *simtest.Bank, call simtest.Call) (head, get simtest.Answer) {
	t.Helper()
	conn := b.Dial()
	in := bufio.NewReader(conn)
	var answers []simtest.Answer
	for _, method := range []string{http.MethodHead, http.MethodGet} {
		request := call.WithMethod(method).Request(b)
		require.NoError(t, request.Write(conn))
		res, err := http.ReadResponse(in, request)
		require.NoError(t, err, "the answer to HEAD ends where its headers end")
		body, err := io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		res.Header.Del("Banksim-Exchange")
		res.Header.Del("Date")
		answers = append(answers, simtest.Answer{Response: res, Body: string(body)})
	}
	return answers[0], answers[1]
}

// HEAD answers as GET does, whatever that is, without the body.
func TestHead(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail)
	for name, call := range map[string]simtest.Call{
		"a list":         listGroups.At(simtest.GroupsPath + "?size=2"),
		"disclosures":    getDisclosures,
		"a refusal":      listGroups.WithToken("nope"),
		"a server error": listGroups.At(simtest.GroupsPath + "?sort=x"),
		"no path":        listGroups.At("/nope"),
		"no GET":         updateUser.WithBody(""),
	} {
		got, want := byHeadAndGet(t, b, call)
		assert.Equal(t, want.StatusCode, got.StatusCode, name)
		assert.Equal(t, want.Header, got.Header, name)
		assert.EqualValues(t, len(want.Body), got.ContentLength, name)
		assert.NotEmpty(t, want.Body, name)
	}

	res := listGroups.WithMethod(http.MethodHead).Send(b)
	x := b.ExchangeOf(res)
	assert.Equal(t, "HEAD", x.Request.Method)
	assert.Equal(t, "groups.list", x.Operation)
	assert.Empty(t, x.Response.Body)
	assert.Equal(t, []string{fmt.Sprint(res.ContentLength)}, x.Response.Headers["Content-Length"])

	put := updateUser.WithMethod(http.MethodHead).WithBody("").Send(b)
	assert.Equal(t, 405, put.StatusCode, "HEAD is where GET is")
	assert.Equal(t, "PUT", put.Header.Get("Allow"))
}

func TestHeadUsesATransactionID(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {groups: {transactionIdReuse: reject}}\n")
	assert.Equal(t, 200, listGroups.WithMethod(http.MethodHead).Send(b).StatusCode)
	assert.Equal(t, 400, listGroups.Send(b).StatusCode)
}

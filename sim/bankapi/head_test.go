package bankapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
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
		"a refusal":      getDisclosures.Without("correlationid"),
		"a wrong token":  listGroups.WithToken("nope"),
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

// A fault of the operation fires for HEAD, too. Damage to a body shows in the headers alone.
func TestHeadUnderFaults(t *testing.T) {
	t.Parallel()
	for _, then := range []string{
		"{status: 500}", "{connection: truncate}", "{connection: malformed}", "{connection: {dribble: {bytes: 100, every: 1ms}}}", "{delay: 1ms}",
	} {
		b := simtest.NewBank(t, simtest.WithFaults("- {name: f, operation: groups.list, when: {first: 1}, then: "+then+"}\n"))
		damaged, whole := byHeadAndGet(t, b, listGroups)
		x, ok := b.Journal().Get("1")
		require.True(t, ok)
		assert.Equal(t, []string{"f"}, x.Fault.Fired, then)
		assert.Equal(t, damaged.StatusCode, x.Response.Status, then)
		assert.Empty(t, x.Response.Body, then)
		switch {
		case strings.Contains(then, "status"):
			assert.Equal(t, 500, damaged.StatusCode)
		case strings.Contains(then, "malformed"):
			assert.EqualValues(t, len(whole.Body)-1, damaged.ContentLength, "of the body that GET would have been sent")
		default:
			assert.EqualValues(t, len(whole.Body), damaged.ContentLength, then)
		}
	}
	for _, kind := range []string{"reset", "close", "hang: 1ms", "garbage"} {
		b := faulty(t, "{connection: "+map[bool]string{true: "{" + kind + "}", false: kind}[strings.Contains(kind, ":")]+"}")
		_, err := listGroups.WithMethod(http.MethodHead).Try(b)
		assert.Error(t, err, kind)
	}
	garbage := read(t, faulty(t, "{connection: garbage}"), listGroups.WithMethod(http.MethodHead))
	assert.Contains(t, garbage.all(), "HTTP/1.1 200 OK\r\n")
	assert.Empty(t, garbage.body())
}

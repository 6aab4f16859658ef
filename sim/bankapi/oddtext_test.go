package bankapi_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// Whatever bytes a request has, it is answered with valid UTF-8, and is in the journal, which can be read.
func TestOddTextIsAnswered(t *testing.T) {
	t.Parallel()
	b := simtest.NewBank(t, simtest.FrozenRetail+"behavior: {faultHeader: true}\n")
	const odd = "a\x80\xff"
	requests := map[string]simtest.Call{
		"no operation's path": listGroups.At("/%80"),
		"a nearly known path": listGroups.At(simtest.GroupsPath + "%80"),
		"a message":           listGroups.With("Banksim-Fault", "status=500; message=\x80"),
		"a code":              listGroups.With("Banksim-Fault", "status=500; code=\x80"),
		"a key":               listGroups.With("Banksim-Fault", "st\x80tus=500"),
		"a status":            listGroups.With("Banksim-Fault", "status=\x80"),
		"a phase":             listGroups.With("Banksim-Fault", "status=500; phase=\x80"),
		"a sort property":     listGroups.WithQuery("sort=%80"),
		"an account":          getDisclosures.At(strings.Replace(simtest.DisclosuresPath, "acc-1001-checking", "%80%ff", 1) + "1001"),
	}
	for operation, call := range simtest.Calls {
		for name := range call.Header {
			requests[operation+" with header "+name] = call.With(name, odd)
		}
		for _, name := range []string{"institutionId", "userid", "fiid", "accept", "x-forwarded-host"} {
			requests[operation+" with header "+name] = call.With(name, odd)
		}
		requests[operation+" with a parameter"] = call.WithQuery("%80=%ff")
		requests[operation+" with a user"] = call.At(strings.Replace(call.Path, "hostUserId=1001", "hostUserId=%80", 1))
		requests[operation+" with a body"] = call.WithBody(strings.Replace(call.Body, `":"`, "\":\"\x80", 1))
		requests[operation+" with a form"] = call.WithForm("grant_type=password&username=%80&password=%ff&%80=1")
		requests[operation+" with the form of another"] = call.WithForm("grant_type=refresh_token&refresh_token=%80&token=\x80")
	}
	for name, call := range requests {
		res := call.Send(b)
		assert.True(t, utf8.ValidString(res.Body), "%s: %q", name, res.Body)
		x := b.ExchangeOf(res)
		assert.Equal(t, res.StatusCode, x.Response.Status, name)
		assert.NotEqual(t, "internal-fault", x.Decision.Rule, name)
		assert.True(t, utf8.ValidString(simtest.JSON(x)), name)
		assert.True(t, utf8.ValidString(x.Decision.Message), name)
	}
	for _, path := range []string{"/journal", "/journal.har", "/state", "/diff"} {
		body := b.ControlSandbox(200, "GET "+path, "").Body
		assert.True(t, utf8.ValidString(body), path)
	}
	assert.NotContains(t, b.Control(200, "GET /metrics", "").Body, "\x80")
	assert.Len(t, b.Journal().Page(journal.Query{}).Exchanges, len(requests))
}

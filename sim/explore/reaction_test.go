package explore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/explore"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// made returns the exchanges of calls, each written as an operation, what it asks for and the id of the request, as in
// "groups.list a 1". A "!" follows the one for which the fault fired.
func made(calls ...string) []journal.Exchange {
	var exchanges []journal.Exchange
	for _, call := range calls {
		words := strings.Fields(call)
		x := journal.Exchange{Operation: words[0], Dialect: "document", Response: journal.Response{Status: 200},
			Request: journal.Request{Path: "/" + words[1], Headers: journal.Header("transactionId:" + words[2] + "\n")}}
		if len(words) == 4 {
			x.Fault, x.Response.Status = &journal.Fault{
				Fired:      []string{"explore-1"},
				AnsweredBy: "explore-1",
				Connection: "reset",
			}, 0
		}
		exchanges = append(exchanges, x)
	}
	return exchanges
}

func TestReactions(t *testing.T) {
	for name, test := range map[string]struct {
		undisturbed, run []string
		ended            explore.Ended
		want             explore.Reaction
	}{
		"no more calls": {[]string{"groups.list a 1", "jobs.list b 2"}, []string{"groups.list a 1 !"}, explore.Passed,
			explore.GaveUp},
		"the next one": {[]string{"groups.list a 1", "jobs.list b 2"}, []string{"groups.list a 1 !", "jobs.list b 2"},
			explore.Passed, explore.WentOn},
		"the one after the next": {[]string{"groups.list a 1", "jobs.list b 2", "jobs.get c 3"},
			[]string{"groups.list a 1 !", "jobs.get c 3"}, explore.Passed, explore.Compensated},
		"another one": {[]string{"groups.list a 1", "jobs.list b 2"}, []string{"groups.list a 1 !",
			"groups.delete c 3"},
			explore.Passed, explore.Compensated},
		"the same, same id": {[]string{"groups.list a 1", "jobs.list b 2"},
			[]string{"groups.list a 1 !", "groups.list a 1", "jobs.list b 2"}, explore.Passed, explore.RetriedSameID},
		"the same, another id": {[]string{"groups.list a 1"}, []string{"groups.list a 1 !", "groups.list a 2"},
			explore.Failed,
			explore.RetriedNewID},
		"the same, after a login": {[]string{"groups.list a 1", "jobs.list b 2"},
			[]string{"groups.list a 1 !", "tokens.issue t 2", "groups.list a 3"}, explore.Passed, explore.RetriedNewID},
		"the same, later": {[]string{"groups.list a 1", "jobs.list b 2"},
			[]string{"groups.list a 1 !", "jobs.list b 2", "groups.list a 3"}, explore.Passed, explore.WentOn},
		"asks for something else": {[]string{"groups.list a 1"}, []string{"groups.list a 1 !", "groups.list b 2"},
			explore.Passed,
			explore.Compensated},
		"asks twice in any case": {[]string{"groups.list a 1", "groups.list a 2"},
			[]string{"groups.list a 1 !", "groups.list a 2"},
			explore.Passed, explore.WentOn},
		"with the id of the one that failed": {[]string{"groups.list a 1", "groups.list a 2"},
			[]string{"groups.list a 1 !", "groups.list a 1"},
			explore.Passed, explore.RetriedSameID},
		"didn't fire": {[]string{"groups.list a 1"}, []string{"groups.list a 1"}, explore.Passed,
			explore.NotReached},
		"hung": {[]string{"groups.list a 1"}, []string{"groups.list a 1 !"}, explore.Hung,
			explore.HungAfterwards},
		"hung in any case": {[]string{"groups.list a 1"}, []string{"groups.list a 1"}, explore.Hung,
			explore.HungAfterwards},
	} {
		passed := explore.Observation{Ended: explore.Passed, Exchanges: made(test.undisturbed...)}
		e, err := explore.New(explore.Options{}, passed, passed)
		require.NoError(t, err)
		got := e.Done(e.Next()[0], explore.Observation{Ended: test.ended, Exchanges: made(test.run...)})
		assert.Equal(t, test.want, got.Reaction, name)
	}
}

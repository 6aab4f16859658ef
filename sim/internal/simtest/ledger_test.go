package simtest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// checkLedger finds decisions that cite nothing, something else, or not enough.
func TestCheckLedgerFindsWhatIsMissing(t *testing.T) {
	t.Parallel()
	uses := func(op *contract.Operation, more ...*contract.Entry) (all []string) {
		for _, e := range append(more, op.Uses...) {
			all = append(all, e.ID)
		}
		return all
	}
	list, create := contract.GroupsList, contract.GroupsCreate
	listed := uses(list, contract.GroupsAuth, contract.GroupsListOrder, contract.GroupsListDefaultSize)
	accepted := func(op *contract.Operation, entries ...string) journal.Exchange {
		return journal.Exchange{ID: "1", Operation: op.Name, Dialect: string(sim.DialectDocument), Decision: journal.Decision{Outcome: journal.Accepted, Rule: op.Name, Entries: entries}}
	}
	refused := func(operation, rule string, entries ...string) journal.Exchange {
		return journal.Exchange{ID: "1", Operation: operation, Dialect: string(sim.DialectDocument), Decision: journal.Decision{Outcome: journal.Refused, Rule: rule, Entries: entries}}
	}
	for name, test := range map[string]struct {
		call     Call
		exchange journal.Exchange
		want     string // of the error; empty: none
	}{
		"as it should be":          {ListGroups, accepted(list, listed...), ""},
		"not in the journal":       {ListGroups.WithMethod(http.MethodHead), journal.Exchange{}, ""},
		"no entry":                 {ListGroups, accepted(list), "no entry"},
		"an unknown entry":         {ListGroups, accepted(list, slices.Concat(listed, []string{"groups.list.nope"})...), "groups.list.nope"},
		"another operation's":      {ListGroups, accepted(list, slices.Concat(listed, []string{contract.GroupsCreateStatus.ID})...), "not about groups.list"},
		"not all that it uses":     {ListGroups, accepted(list, listed[:3]...), "accepted without"},
		"HEAD":                     {ListGroups.WithMethod(http.MethodHead), accepted(list, listed...), ""},
		"no unknown parameter":     {ListGroups.WithQuery("limit=5"), accepted(list, listed...), "everywhere.unknown-parameters"},
		"no repeated parameter":    {ListGroups.WithQuery("page=0&page=1"), accepted(list, listed...), "everywhere.repeated-parameter"},
		"no sorting by a member":   {ListGroups.WithQuery("sort=noOfParticipants,desc"), accepted(list, listed...), "groups.list.sort-members"},
		"no missing description":   {CreateGroup.WithBody(`{"groupName":"A"}`), accepted(create, uses(create)...), "groups.create.no-description"},
		"no several tokens":        {RevokeTokens.WithBody(`{"token":"a","refresh_token":"b"}`), accepted(contract.TokensRevoke, uses(contract.TokensRevoke)...), "revoke.several-tokens"},
		"several tokens in a form": {RevokeTokens.WithForm("token=a&refresh_token=b"), accepted(contract.TokensRevoke, uses(contract.TokensRevoke)...), "revoke.several-tokens"},

		"a refusal":                {ListGroups, refused(list.Name, "request-id-missing", "groups.transaction-id", "groups.error-body"), ""},
		"by another entry":         {ListGroups, refused(list.Name, "request-id-missing", "groups.auth", "groups.error-body"), "groups.transaction-id"},
		"by no rule":               {ListGroups, refused(list.Name, "whim", "groups.auth"), "no rule whim"},
		"a strict refusal":         {ListGroups, refused(list.Name, "strict", "groups.auth", "everywhere.strict"), ""},
		"a strict one, of nothing": {ListGroups, refused(list.Name, "strict", "everywhere.strict"), "everywhere.strict"},
		"no operation":             {ListGroups.At("/nope"), refused("", "path-unknown", "everywhere.unknown-path", "groups.error-body"), ""},
		"no operation, no reason":  {ListGroups.At("/nope"), refused("", "path-unknown", "groups.error-body"), "everywhere.unknown-path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request, err := http.NewRequestWithContext(t.Context(), test.call.Method, "http://bank.example"+test.call.Path, strings.NewReader(test.call.Body))
			require.NoError(t, err)
			request.Header = test.call.Header
			if err := checkLedger(request, test.exchange); test.want != "" {
				assert.ErrorContains(t, err, test.want)
			} else {
				assert.NoError(t, err)
			}
		})
	}
}

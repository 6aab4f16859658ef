package server_test

import (
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/server"
)

const strictRetail = frozenRetail + "behavior: {strict: true}\n"

const formType = "application/x-www-form-urlencoded"

// What rests on a choice alone is answered with 501, in the shape of its family and with the entry's id, and changes
// nothing. Its firmer form is answered as ever.
func TestStrictRefusesWhatRestsOnAChoice(t *testing.T) {
	withToken := createGroup.with("authorization", "Bearer demo-token")
	firmRevocation := revokeToken
	for name, test := range map[string]struct {
		attempt
		entry string
		firm  attempt
	}{
		"a group without credentials": {createGroup, "groups.auth", withToken},
		"a list without credentials":  {listGroups, "groups.auth", listGroups.with("authorization", "Bearer demo-token")},
		"an unknown member":           {withToken.saying(`{"groupName":"A","x":1}`), "everywhere.unknown-members", withToken.saying(`{"groupName":"A"}`)},
		"an unknown member of a form": {issueTokens.with("content-type", formType).saying("grant_type=client_credentials&x=1"), "everywhere.unknown-members",
			issueTokens.with("content-type", formType).saying("grant_type=client_credentials")},
		"a null member":            {withToken.saying(`{"groupName":"A","groupDescription":null}`), "everywhere.null-members", withToken.saying(`{"groupName":"A"}`)},
		"a JSON token request":     {issueTokens, "tokens.issue.json-body", issueTokens.with("content-type", formType).saying("grant_type=client_credentials")},
		"a revocation by password": {revokeToken.saying(`{"grant_type":"password","username":"avery","password":"demo"}`), "revoke.by-credentials", firmRevocation},
		"a bare token":             {createAlert.with("authorization", "demo-token"), "alerts.bare-token", createAlert},
		"a refusal by choice":      {createAlert.without("fiid"), "alerts.headers", createAlert},
		"an ambiguous body":        {withToken.saying(`{"groupName":"A","groupName":"B"}`), "everywhere.ambiguous-json", withToken},
		"a parameter twice":        {getDisclosures.at(checkingURL + "1001&hostUserId=1002"), "everywhere.repeated-parameter", getDisclosures},
		"another user's token":     {updateUser.with("authorization", "Bearer avery-token").at(allURL + "1004"), "estatements.other-user", updateUser},
	} {
		t.Run(name, func(t *testing.T) {
			b := startBank(t, strictRetail)
			before := b.state()
			res := test.send(b)
			assert.Equal(t, 501, res.StatusCode, res.body)
			assert.Contains(t, res.body, `"BANKSIM_STRICT"`)
			assert.Contains(t, res.body, test.entry)
			assert.Equal(t, before, b.state(), "nothing has changed")
			x := exchangeOf(t, b, res)
			assert.Equal(t, []string{test.entry, "everywhere.strict"}, x.Decision.Entries[:2])
			assert.Equal(t, "choice", x.Decision.Basis)
			assert.Less(t, test.firm.send(b).StatusCode, 300)
		})
	}
}

func TestStrictAllowsATransactionIDOnce(t *testing.T) {
	b := startBank(t, strictRetail)
	list := listGroups.with("authorization", "Bearer demo-token")
	assert.Equal(t, 200, list.send(b).StatusCode)
	again := list.send(b)
	assert.Equal(t, 501, again.StatusCode)
	assert.Contains(t, again.body, "groups.transaction-id-reuse")
	assert.Equal(t, 200, list.with("transactionId", "t-2").send(b).StatusCode)
}

// The refusals that a source names, and those that no operation has, are as ever.
func TestStrictLeavesTheRest(t *testing.T) {
	b := startBank(t, strictRetail)
	assert.Equal(t, "UXESTMT_88889", errorCode(t, updateUser.at(allURL+"1002").send(b)))
	assert.Equal(t, "CMN_90004", errorCode(t, revokeToken.without("authorization").send(b)))
	assert.Equal(t, 404, b.service(http.MethodGet, "/nope", "").StatusCode)
	assert.Equal(t, 405, b.service(http.MethodPatch, groupsURL, "").StatusCode)
}

func TestStrictForAllSandboxes(t *testing.T) {
	sc, err := scenario.Parse("test.yaml", []byte(frozenRetail))
	require.NoError(t, err)
	b := serveBank(t, server.Config{
		Sandboxes: sandbox.NewRegistry(sandbox.Config{Scenario: sc}),
		Strict:    true,
		Log:       slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	require.Equal(t, 201, b.control(http.MethodPost, "/v1/sandboxes", `{"name":"other","scenario":"empty"}`).StatusCode)
	for _, prefix := range []string{"", "/sandboxes/other"} {
		assert.Equal(t, 501, listGroups.at(prefix+groupsURL).send(b).StatusCode)
	}
}

func TestLedgerOverTheControlAPI(t *testing.T) {
	b := startBank(t, frozenRetail)
	get := func(query string) []contract.Entry {
		res := b.control(http.MethodGet, "/v1/ledger"+query, "")
		require.Equal(t, 200, res.StatusCode, res.body)
		var ledger struct {
			Entries []contract.Entry `json:"entries"`
		}
		require.NoError(t, json.Unmarshal([]byte(res.body), &ledger, json.RejectUnknownMembers(true)))
		return ledger.Entries
	}
	assert.Len(t, get(""), len(contract.Ledger()))
	some := get("?operation=groups.list&basis=choice")
	require.NotEmpty(t, some)
	for _, e := range some {
		assert.True(t, e.Concerns("groups.list"))
		assert.Equal(t, contract.Choice, e.Basis)
	}
	for _, wrong := range []string{"?operation=groups", "?basis=guess", "?ledger=1"} {
		assert.Equal(t, 400, b.control(http.MethodGet, "/v1/ledger"+wrong, "").StatusCode, wrong)
	}
}

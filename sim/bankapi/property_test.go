package bankapi_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// propertySeed decides which requests are generated.
const propertySeed = 20261121

// properties hold for every answer, after the lists of well-known API testers. The client of a bank checks three more
// for every exchange: the contract has the status, content type, headers and body, nothing else is accepted, and the
// journal's decision cites entries of the ledger that exist, concern the operation, and answer what the request asks.
var properties = []struct {
	name  string
	check func(p *prober)
}{
	{"valid input is accepted", (*prober).acceptsValid},
	{"how it is asked is in the ledger", (*prober).acceptsOdd},
	{"wrong input is refused", (*prober).refusesWrong},
	{"a required header is required", (*prober).requiresHeaders},
	{"another method is refused", (*prober).refusesMethods},
	{"credentials are looked at", (*prober).looksAtCredentials},
	{"what is revoked doesn't work", (*prober).forgetsRevoked},
	{"what failed leaves nothing", (*prober).leaksNothing},
	{"what is another's stays another's", (*prober).keepsApart},
	{"a group is imported into, and goes with all that it has", (*prober).importsAndDeletes},
	{"an id is only an id", (*prober).withstandsTricks},
	{"whatever comes, it is answered", (*prober).withstandsAnything},
}

// propertyRequests is how many requests the property test generates.
var propertyRequests = flag.Int("requests", 4_000, "how many requests TestProperties generates")

// prober sends generated requests to one bank.
type prober struct {
	generator
	*simtest.Bank
	t    *testing.T
	sent int
}

func TestProperties(t *testing.T) {
	t.Parallel()
	for i, property := range properties {
		t.Run(property.name, func(t *testing.T) {
			t.Parallel()
			p := &prober{generator{rand.New(rand.NewPCG(propertySeed, uint64(i)))}, simtest.NewBank(t, simtest.FrozenRetail), t, 0}
			for round := 0; p.sent < *propertyRequests/len(properties); round++ {
				if round%20 == 0 {
					p.Sandbox.Reset(context.Background(), "") // so that pages stay small
				}
				property.check(p)
				if t.Failed() {
					t.Fatalf("in round %d of seed %d, after %d requests", round, propertySeed, p.sent)
				}
			}
			t.Logf("%d requests", p.sent)
		})
	}
}

// try sends a request. No answer is a redirect or, unless the request asks for it, a server error.
func (p *prober) try(a simtest.Call) simtest.Answer {
	p.t.Helper()
	p.sent++
	res := a.Send(p.Bank)
	asked := strings.Contains(a.Path, "sort=") && (strings.Contains(res.Body, `"2001"`) || a.Method == http.MethodHead)
	// a disclosure that can't be deleted
	asked = asked || res.StatusCode == http.StatusNotImplemented && strings.Contains(res.Body, `"DSC_10003"`)
	assert.True(p.t, res.StatusCode < 500 || asked, "%s: %d %s", a, res.StatusCode, res.Body)
	assert.False(p.t, res.StatusCode >= 300 && res.StatusCode < 400, "%s is redirected", a)
	return res
}

// refused sends a request that must be refused, with one of some statuses, and change nothing.
func (p *prober) refused(a simtest.Call, why string, statuses ...int) simtest.Answer {
	p.t.Helper()
	before := p.World()
	res := p.try(a)
	if assert.GreaterOrEqual(p.t, res.StatusCode, 400, "%s: %s", why, a) && len(statuses) > 0 {
		assert.Contains(p.t, statuses, res.StatusCode, "%s: %s", why, a)
	}
	assert.True(p.t, before.Equal(p.World()), "%s, and something has changed: %s", why, a)
	return res
}

// accepted sends a request that must be accepted.
func (p *prober) accepted(a simtest.Call) simtest.Answer {
	p.t.Helper()
	res := p.try(a)
	assert.Less(p.t, res.StatusCode, 300, "%s: %s", a, res.Body)
	return res
}

// operation returns an operation, but for the update of a disclosure: the user of the requests has none that it could
// update; and for the revocation of the public dialect, which accepts a token once, and others need it.
func (p *prober) operation() *contract.Operation {
	for {
		op := one(p.generator, contract.AllOperations()...)
		if documented(op) != contract.DisclosuresUpdateUser && (documented(op) != contract.TokensRevoke || !op.FormOnly) {
			return op
		}
	}
}

// writing returns an operation with a body.
func (p *prober) writing() *contract.Operation {
	for {
		if op := p.operation(); op.Request != nil {
			return op
		}
	}
}

func (p *prober) acceptsValid() {
	op := p.operation()
	p.accepted(p.valid(op))
	p.repeatable(op)
}

func (p *prober) acceptsOdd() {
	op := p.operation()
	p.accepted(p.oddly(op))
	p.repeatable(op)
}

// repeatable returns to the start where an operation can't be called again.
func (p *prober) repeatable(op *contract.Operation) {
	switch documented(op) {
	case contract.GroupsDelete, contract.GroupsUploadParticipants, contract.AlertsDeletePreference, contract.DisclosuresDeleteUser:
		p.Sandbox.Reset(context.Background(), "")
	}
}

func (p *prober) refusesWrong() {
	p.refused(p.wrong(p.writing()), "the body is wrong", 400, 415)
}

func (p *prober) requiresHeaders() {
	op := p.operation()
	a := p.valid(op)
	for _, parameter := range op.Parameters {
		switch {
		case parameter.Required && parameter.In == "header":
			p.refused(a.Without(parameter.Name), "header "+parameter.Name+" is missing", 400)
			p.refused(a.With(parameter.Name, ""), "header "+parameter.Name+" is empty", 400)
		case documented(op) == contract.TokensIssue && parameter.Name == "institutionId":
			p.refused(a.Without(parameter.Name), "only a refresh needs no institution", 400)
		case parameter.Required && parameter.In == "query":
			path, _, _ := strings.Cut(a.Path, "?")
			p.refused(a.At(path), "parameter "+parameter.Name+" is missing", 400)
		}
	}
}

func (p *prober) refusesMethods() {
	op := p.operation()
	a := p.valid(op)
	var allowed []string
	for _, other := range contract.AllOperations() {
		if other.Path == op.Path {
			allowed = append(allowed, other.Method)
			if other.Method == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	slices.Sort(allowed)
	a.Method = one(p.generator, methods...)
	if slices.Contains(allowed, a.Method) {
		return
	}
	if a.Body == "" && a.Method == http.MethodPost {
		a.Body = "{}"
	}
	res := p.refused(a, "the path has no such method", 405)
	assert.Equal(p.t, strings.Join(allowed, ", "), res.Header.Get("Allow"), op.Path)
}

func (p *prober) looksAtCredentials() {
	op := p.operation()
	a := p.valid(op)
	wrong := one(p.generator, "Bearer nope", "Bearer", "Bearer ", "Basic", "Basic ***", simtest.BasicWrong, "Digest x",
		"Bearer demo-token x", "Bearer demo-token,",
		"Bearer demo-refresh", "Bearer DEMO-TOKEN", "Bearer "+strings.Repeat("x", 5000), "Negotiate", "demo-token demo-token")
	refusal, withoutAny := 401, 401
	switch {
	case op.Family == contract.Public().Operation(contract.EstatementsGetDisclosures.Name).Family:
		refusal, withoutAny = 400, 400
	case documented(op).Family == contract.TokensCreateCode.Family:
		refusal = 400
	}
	p.refused(a.With("authorization", wrong), "the credentials are wrong", refusal)
	switch op.Security {
	case contract.Basic:
		p.refused(a.Without("authorization"), "there are no credentials", 401)
		p.refused(a.With("authorization", simtest.BasicSecond), "the client is another institution's", 401, 403)
	case contract.Bearer:
		p.refused(a.Without("authorization"), "there are no credentials", withoutAny)
		if documented(op).Family == contract.GroupsList.Family {
			return // another institution has no groups
		}
		if !slices.Contains(op.Refuses, sim.InstitutionUnknown) && !slices.Contains(op.Refuses, sim.UserUnknown) {
			return // it is about the token's institution, whichever that is
		}
		status := http.StatusNotFound
		switch documented(op).Family {
		case contract.AlertsCreatePreference.Family, contract.DisclosuresListUser.Family:
			status = http.StatusBadRequest
		case contract.TokensCreateCode.Family:
			status = http.StatusForbidden
		}
		p.refused(a.WithToken("second-token"), "the token is another institution's", status)
	}
}

func (p *prober) forgetsRevoked() {
	tokens := simtest.Decode[map[string]string](p.t, p.accepted(issueTokens))
	uses := []*contract.Operation{contract.EstatementsGetDisclosures, contract.EstatementsUpdateUser, contract.GroupsList,
		contract.AlertsCreatePreference}
	use := one(p.generator, uses...)
	p.accepted(p.valid(use).WithToken(tokens["access_token"]))
	if p.IntN(2) == 0 { // the older access token stays valid, and is revoked with the others
		renewed := simtest.Decode[map[string]string](p.t,
			p.accepted(issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens["refresh_token"]))))
		p.refused(issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens["refresh_token"])),
			"the refresh token is used up", 400)
		p.accepted(p.valid(use).WithToken(tokens["access_token"]))
		tokens["refresh_token"] = renewed["refresh_token"]
	}
	p.accepted(revokeTokens.WithBody(one(p.generator, fmt.Sprintf(`{"refresh_token":%q}`, tokens["refresh_token"]),
		fmt.Sprintf(`{"token":%q}`, tokens["access_token"]),
		`{"grant_type":"password","username":"avery","password":"demo"}`)))
	for _, op := range uses {
		p.refused(p.valid(op).WithToken(tokens["access_token"]), "the token is revoked", 401)
	}
	p.refused(issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens["refresh_token"])),
		"the grant is revoked", 400)
	p.Sandbox.Reset(context.Background(), "") // the password may have revoked avery-token, too
}

// names returns the names of all groups that the caller of a listing sees.
func (p *prober) names(list simtest.Call) []string {
	res := p.accepted(list.WithQuery("size=2000"))
	var page struct {
		Content []struct {
			GroupName string `json:"groupName"`
		} `json:"content"`
	}
	require.NoError(p.t, json.Unmarshal([]byte(res.Body), &page))
	all := []string{}
	for _, group := range page.Content {
		all = append(all, group.GroupName)
	}
	return all
}

func (p *prober) leaksNothing() {
	before := p.names(listGroups)
	a := p.valid(contract.GroupsCreate)
	var body map[string]any
	require.NoError(p.t, json.Unmarshal([]byte(a.Body), &body))
	name := body["groupName"].(string)
	body["groupDescription"] = strings.Repeat(one(p.generator, "x", "é", "🙂"), 451)
	p.refused(a.WithBody(simtest.JSON(body)), "the description is too long", 400)
	p.refused(a.WithBody(fmt.Sprintf(`{"groupName":%q}`, one(p.generator, before...))), "the name is taken", 400)
	p.refused(a.WithToken("nope"), "the token is unknown", 401)
	assert.Equal(p.t, before, p.names(listGroups), "what failed is not listed")
	p.accepted(a) // the name is still free
	assert.Equal(p.t, append(before, name), p.names(listGroups))
	p.refused(a, "the name is taken now", 400)
}

func (p *prober) keepsApart() {
	avery := p.valid(contract.EstatementsUpdateAccount).WithToken("avery-token")
	for _, op := range (fault.Operations{"estatements.*"}).All() {
		a := p.valid(op).WithToken("avery-token")
		p.refused(a.At(strings.Replace(a.Path, "hostUserId=1001", "hostUserId="+one(p.generator, "1002", "1004", "2001", "9999"), 1)),
			"the token is bound to 1001", 403)
	}
	p.refused(avery.WithBody(`{"activateEstatement":true,"accountId":"acc-1004-checking"}`), "the account is another user's", 400)
	p.refused(p.valid(contract.AlertsCreatePreference).WithToken("avery-token").With("userid", "1004"), "the token is bound to 1001", 400)
	theirs := p.accepted(getDisclosures.At(strings.Replace(simtest.DisclosuresPath, "acc-1001-checking",
		one(p.generator, "acc-1004-checking", "acc-2001-checking"), 1) + "1001"))
	assert.Equal(p.t, `{"institutionUserDisclosures":[]}`, theirs.Body, "another user's account is not found")

	a := p.valid(contract.GroupsCreate).WithToken("second-token")
	before := p.names(listGroups)
	p.accepted(a)
	assert.Equal(p.t, before, p.names(listGroups.WithToken("demo-token")), "another institution's group is not listed")
	p.accepted(a.WithToken("demo-token")) // nor is its name taken
	p.refused(revokeTokens.WithBody(`{"token":"second-token"}`), "the token is another client's", 400)
}

package bankapi_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
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
	{"valid input is accepted, however it is asked", (*prober).acceptsValid},
	{"wrong input is refused", (*prober).refusesWrong},
	{"a required header is required", (*prober).requiresHeaders},
	{"another method is refused", (*prober).refusesMethods},
	{"credentials are looked at", (*prober).looksAtCredentials},
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
			draw := rand.New(rand.NewPCG(propertySeed, uint64(i)))
			p := &prober{generator{draw}, simtest.NewBank(t, simtest.FrozenRetail), t, 0}
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

// try sends a request. No answer is a redirect or a server error.
func (p *prober) try(a simtest.Call) simtest.Answer {
	p.t.Helper()
	p.sent++
	res := a.Send(p.Bank)
	assert.Less(p.t, res.StatusCode, 500, "%s: %s", a, res.Body)
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
		if documented(op) != contract.DisclosuresUpdateUser &&
			(documented(op) != contract.TokensRevoke || !op.FormOnly) {
			return op
		}
	}
}

func (p *prober) acceptsValid() {
	op := p.operation()
	p.accepted(p.oddly(op))
	switch documented(op) { // these can't be called again
	case contract.GroupsDelete,
		contract.GroupsUploadParticipants,
		contract.AlertsDeletePreference,
		contract.DisclosuresDeleteUser:
		p.Sandbox.Reset(context.Background(), "")
	}
}

func (p *prober) refusesWrong() {
	if op := p.operation(); op.Request != nil && op.Multipart == nil && !op.FormOnly {
		p.refused(p.wrong(op), "the body is wrong", 400, 415)
	}
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
	a.Method = one(p.generator, http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		http.MethodPatch,
		http.MethodOptions, "TRACE", "get")
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
	wrong := one(p.generator,
		"Bearer nope", "Bearer", "Basic ***", simtest.BasicWrong, "Digest x", "Bearer demo-token x",
		"Bearer demo-token,", "Bearer demo-refresh", "Bearer DEMO-TOKEN", "demo-token demo-token")
	refusal, withoutAny := 401, 401
	switch {
	case op.Family == contract.Public().Operation(contract.EstatementsGetDisclosures.Name).Family:
		refusal, withoutAny = 400, 400
	case documented(op).Family == contract.TokensCreateCode.Family:
		refusal = 400
	}
	p.refused(a.With("authorization", wrong), "the credentials are wrong", refusal)
	if given := a.Header.Get("authorization"); given != "" {
		p.refused(a.Adding("authorization", given), "there are two credentials, though each is accepted", refusal)
	}
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

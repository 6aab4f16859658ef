package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// propertySeed decides which requests are generated.
const propertySeed = 20261121

// properties are what holds of every answer, after the lists of well-known testers of APIs. That status, content type,
// headers and body are the contract's, and that nothing is accepted that the contract doesn't have, holds of every
// exchange already: see contractTransport.
var properties = []struct {
	name  string
	check func(p *prober)
}{
	{"valid input is accepted", (*prober).acceptsValid},
	{"wrong input is refused", (*prober).refusesWrong},
	{"a required header is required", (*prober).requiresHeaders},
	{"another method is refused", (*prober).refusesMethods},
	{"credentials are looked at", (*prober).looksAtCredentials},
	{"what is revoked doesn't work", (*prober).forgetsRevoked},
	{"what failed leaves nothing", (*prober).leaksNothing},
	{"what is another's stays another's", (*prober).keepsApart},
	{"an id is only an id", (*prober).withstandsTricks},
	{"whatever comes, it is answered", (*prober).withstandsAnything},
}

// prober sends generated requests to one simulator.
type prober struct {
	generator
	*bank
	sent int
}

func TestProperties(t *testing.T) {
	p := &prober{generator{rand.New(rand.NewPCG(propertySeed, 0))}, startBank(t, frozenRetail), 0}
	for round := 0; p.sent < propertyRequests; round++ {
		if round%200 == 0 {
			p.bank.sandbox.Reset() // so that pages stay small
		}
		property := properties[round%len(properties)]
		property.check(p)
		if t.Failed() {
			t.Fatalf("in round %d (%q) of seed %d, after %d requests", round, property.name, propertySeed, p.sent)
		}
	}
	t.Logf("%d requests", p.sent)
}

// try sends a request. No answer is a redirect, or a fault of the server's, unless the request asks for one.
func (p *prober) try(a attempt) answer {
	p.t.Helper()
	p.sent++
	res := a.send(p.bank)
	asked := strings.Contains(a.path, "sort=") && strings.Contains(res.body, `"2001"`)
	assert.True(p.t, res.StatusCode < 500 || asked, "%s %.300s %v %.300s: %d %s", a.method, a.path, a.headers, a.body, res.StatusCode, res.body)
	assert.False(p.t, res.StatusCode >= 300 && res.StatusCode < 400, "%s %.300s is redirected", a.method, a.path)
	return res
}

// refused sends a request that has to be refused, with one of some statuses, and to change nothing.
func (p *prober) refused(a attempt, why string, statuses ...int) answer {
	p.t.Helper()
	before := p.bank.sandbox.Now().World
	res := p.try(a)
	if assert.GreaterOrEqual(p.t, res.StatusCode, 400, "%s: %s %.300s %v %.300s", why, a.method, a.path, a.headers, a.body) && len(statuses) > 0 {
		assert.Contains(p.t, statuses, res.StatusCode, "%s: %s %.300s %v %.300s", why, a.method, a.path, a.headers, a.body)
	}
	assert.True(p.t, before.Equal(p.bank.sandbox.Now().World), "%s, and something has changed: %s %.300s %v %.300s", why, a.method, a.path, a.headers, a.body)
	return res
}

// accepted sends a request that has to be accepted.
func (p *prober) accepted(a attempt) answer {
	p.t.Helper()
	res := p.try(a)
	assert.Less(p.t, res.StatusCode, 300, "%s %.300s %v %.300s: %s", a.method, a.path, a.headers, a.body, res.body)
	return res
}

func (p *prober) operation() string { return one(p.generator, contract.Operations...).Name }

// writing returns an operation with a body.
func (p *prober) writing() string {
	for {
		if name := p.operation(); routeOf(name).Operation.RequestBody != nil {
			return name
		}
	}
}

func (p *prober) acceptsValid() {
	p.accepted(p.valid(p.operation()))
}

func (p *prober) refusesWrong() {
	p.refused(p.wrong(p.writing()), "the body is wrong", 400, 415)
}

func (p *prober) requiresHeaders() {
	operation := p.operation()
	a := p.valid(operation)
	for _, parameter := range routeOf(operation).Operation.Parameters {
		if parameter.Value.Required && parameter.Value.In == "header" {
			p.refused(a.without(parameter.Value.Name), "header "+parameter.Value.Name+" is missing", 400)
			p.refused(a.with(parameter.Value.Name, ""), "header "+parameter.Value.Name+" is empty", 400)
		}
		if parameter.Value.Required && parameter.Value.In == "query" {
			path, _, _ := strings.Cut(a.path, "?")
			p.refused(a.at(path), "parameter "+parameter.Value.Name+" is missing", 400)
		}
	}
}

func (p *prober) refusesMethods() {
	a := p.valid(p.operation())
	path, _, _ := strings.Cut(a.path, "?")
	var allowed []string
	for _, route := range contractRoutes() {
		if route.pattern.MatchString(path) {
			allowed = append(allowed, route.Method)
		}
	}
	slices.Sort(allowed)
	a.method = one(p.generator, methods...)
	if slices.Contains(allowed, a.method) {
		return
	}
	if a.body == "" && a.method == http.MethodPost {
		a.body = "{}"
	}
	res := p.refused(a, "the path has no such method", 405)
	assert.Equal(p.t, strings.Join(allowed, ", "), res.Header.Get("Allow"), path)
}

func (p *prober) looksAtCredentials() {
	operation := p.operation()
	a := p.valid(operation)
	wrong := one(p.generator, "Bearer nope", "Bearer", "Bearer ", "Basic", "Basic ***", basicWrong, "Digest x", "Bearer demo-token x", "Bearer demo-token,",
		"Bearer demo-refresh", "Bearer DEMO-TOKEN", "Bearer "+strings.Repeat("x", 5000), "Negotiate", "demo-token demo-token")
	p.refused(a.with("authorization", wrong), "the credentials are wrong", 401)
	if !strings.HasPrefix(operation, "groups.") {
		p.refused(a.without("authorization"), "there are no credentials", 401)
	}
	switch {
	case strings.HasPrefix(operation, "tokens."):
		p.refused(a.with("authorization", basicSecond), "the client is another institution's", 401, 403)
	case strings.HasPrefix(operation, "estatements."):
		p.refused(a.with("authorization", "Bearer second-token"), "the token is another institution's", 404)
	case strings.HasPrefix(operation, "alerts."):
		p.refused(a.with("authorization", "Bearer second-token"), "the token is another institution's", 400)
	}
}

func (p *prober) forgetsRevoked() {
	tokens := decode[issued](p.t, p.accepted(issueTokens))
	bearer := "Bearer " + tokens.AccessToken
	uses := []string{"estatements.getDisclosures", "estatements.updateUser", "groups.list", "alerts.createPreference"}
	use := one(p.generator, uses...)
	p.accepted(p.valid(use).with("authorization", bearer))
	if p.IntN(2) == 0 { // an access token that was issued before lives on, and dies with the others
		renewed := decode[issued](p.t, p.accepted(issueTokens.saying(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens.RefreshToken))))
		p.refused(issueTokens.saying(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens.RefreshToken)), "the refresh token is used up", 400)
		p.accepted(p.valid(use).with("authorization", bearer))
		tokens.RefreshToken = renewed.RefreshToken
	}
	p.accepted(revokeToken.saying(one(p.generator, fmt.Sprintf(`{"refresh_token":%q}`, tokens.RefreshToken), fmt.Sprintf(`{"token":%q}`, tokens.AccessToken),
		`{"grant_type":"password","username":"avery","password":"demo"}`)))
	for _, operation := range uses {
		p.refused(p.valid(operation).with("authorization", bearer), "the token is revoked", 401)
	}
	p.refused(issueTokens.saying(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%q}`, tokens.RefreshToken)), "the grant is revoked", 400)
	p.bank.sandbox.Reset() // the password may have revoked avery-token, too
}

// names returns the names of all groups that a caller sees.
func (p *prober) names(headers ...string) []string {
	list := listGroups.at(groupsURL + "?size=2000")
	list.headers = append(slices.Clone(list.headers), headers...)
	res := p.accepted(list)
	var page struct {
		Content []struct {
			GroupName string `json:"groupName"`
		} `json:"content"`
	}
	require.NoError(p.t, json.Unmarshal([]byte(res.body), &page))
	all := []string{}
	for _, group := range page.Content {
		all = append(all, group.GroupName)
	}
	return all
}

func (p *prober) leaksNothing() {
	before := p.names()
	a := p.valid("groups.create")
	var body map[string]any
	require.NoError(p.t, json.Unmarshal([]byte(a.body), &body))
	name := body["groupName"].(string)
	body["groupDescription"] = strings.Repeat(one(p.generator, "x", "é", "🙂"), 451)
	long, err := json.Marshal(body)
	require.NoError(p.t, err)
	p.refused(a.saying(string(long)), "the description is too long", 400)
	p.refused(a.saying(fmt.Sprintf(`{"groupName":%q}`, one(p.generator, before...))), "the name is taken", 400)
	p.refused(a.with("authorization", "Bearer nope"), "the token is unknown", 401)
	assert.Equal(p.t, before, p.names(), "what failed is not listed")
	p.accepted(a) // the name is still free
	assert.Equal(p.t, append(before, name), p.names())
	p.refused(a, "the name is taken now", 400)
}

func (p *prober) keepsApart() {
	avery := p.valid("estatements.updateAccount").with("authorization", "Bearer avery-token")
	for _, operation := range []string{"estatements.getDisclosures", "estatements.updateAccount", "estatements.updateUser"} {
		a := p.valid(operation).with("authorization", "Bearer avery-token")
		p.refused(a.at(strings.Replace(a.path, "hostUserId=1001", "hostUserId="+one(p.generator, "1002", "1004", "2001", "9999"), 1)), "the token is bound to 1001", 403)
	}
	p.refused(avery.saying(`{"activateEstatement":true,"accountId":"acc-1004-checking"}`), "the account is another user's", 400)
	p.refused(p.valid("alerts.createPreference").with("authorization", "Bearer avery-token").with("userid", "1004"), "the token is bound to 1001", 400)
	theirs := p.accepted(getDisclosures.at(strings.Replace(checkingURL, "acc-1001-checking", one(p.generator, "acc-1004-checking", "acc-2001-checking"), 1) + "1001"))
	assert.Equal(p.t, `{"institutionUserDisclosures":[]}`, theirs.body, "another user's account is as good as none")

	a := p.valid("groups.create").with("authorization", "Bearer second-token")
	before := p.names()
	p.accepted(a)
	assert.Equal(p.t, before, p.names("authorization: Bearer demo-token"), "another institution's group is not listed")
	p.accepted(a.with("authorization", "Bearer demo-token")) // nor is its name taken
	p.refused(revokeToken.saying(`{"token":"second-token"}`), "the token is another client's", 400)
}

func (p *prober) withstandsTricks() {
	id := p.trick()
	account := getDisclosures.at(strings.Replace(checkingURL, "acc-1001-checking", p.escape(id), 1) + "1001")
	switch res := p.try(account); res.StatusCode {
	case http.StatusOK:
		assert.Equal(p.t, `{"institutionUserDisclosures":[]}`, res.body, "an id that no account has: %q", id)
	default:
		assert.Contains(p.t, []int{400, 404, 431}, res.StatusCode, "%q: %s", id, res.body)
	}
	user := p.escape(id)
	p.refused(getDisclosures.at(checkingURL+user), "no user has such an id", 400, 404)
	p.refused(updateUser.at(allURL+user), "no user has such an id", 400, 404)
	quoted, err := json.Marshal(strings.ToValidUTF8(id, "?"))
	require.NoError(p.t, err)
	p.refused(updateAccount.saying(fmt.Sprintf(`{"activateEstatement":true,"accountId":%s}`, quoted)), "no account has such an id", 400)
	p.refused(issueTokens.saying(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%s}`, quoted)), "no token has such a text", 400)
	p.refused(issueTokens.saying(fmt.Sprintf(`{"grant_type":"password","username":%s,"password":"demo"}`, quoted)), "no user has such a name", 400, 401)
	if header := strings.TrimSpace(id); header != "1001" && !strings.ContainsFunc(header, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		p.refused(createAlert.with("userid", header), "no user has such an id", 400)
		p.refused(createAlert.with("fiid", header), "no institution has such an id", 400)
		p.refused(getDisclosures.with("authorization", "Bearer "+header), "no token has such a text", 401)
		if header != "" {
			p.refused(listGroups.with("institutionId", header), "no institution has such an id", 400)
		}
	}
}

// withstandsAnything sends a valid request with several parts of it exchanged for something else.
func (p *prober) withstandsAnything() {
	a := p.valid(p.operation())
	for range 1 + p.IntN(4) {
		switch p.IntN(7) {
		case 0:
			a.body = p.text(2000)
		case 1:
			other := p.valid(p.writing())
			a = a.saying(other.body)
		case 2:
			a = a.with(one(p.generator, "accept", "content-type", "authorization", "institutionId", "transactionId", "correlationid", "fiid", "userid", "x-any"),
				one(p.generator, "", "x", "*/*", "02688", "Bearer demo-token", basicDemo, "application/x-www-form-urlencoded", strings.Repeat("y", 4000)))
		case 3:
			a.method = one(p.generator, methods...)
		case 4:
			a.path += one(p.generator, "/", "//", "/..", "/.", "?", "&hostUserId=1001", "?sort="+p.escape(p.text(30)), "?size=-1&page=x", "?page=99999999999999999999", "%20")
		case 5:
			if len(a.body) > 0 {
				at := p.IntN(len(a.body))
				a.body = a.body[:at] + string(rune(p.IntN(256))) + a.body[at+1:]
			}
		case 6:
			a.path = strings.Replace(a.path, one(p.generator, "v1", "v2", "v3", "groups", "oauth2"), one(p.generator, "v0", "v9", "V1", "%76", ""), 1)
		}
	}
	p.try(a)
	p.bank.sandbox.Reset() // it may have revoked the tokens that others need
}

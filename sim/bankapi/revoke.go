package bankapi

import (
	"cmp"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// revocation describes the effect of a request for its evidence.
type revocation struct {
	request       sim.TokenRequest
	found         bool // whether there was something to revoke
	ofAccessToken bool
	body          *contract.Object // of the answer, or nil
}

// revokeToken is section 4.4: a DELETE with a body.
func revokeToken(c *call) (answer, error) {
	client, err := c.readClientRequest()
	if err != nil {
		return answer{}, err
	}
	named, known := c.World.Token(cmp.Or(client.RefreshToken, client.Token))
	grant, err := c.World.Revoke(c.policy, client.institutionID, client.sharedKey, client.TokenRequest, c.Now)
	if err != nil {
		return answer{}, err
	}
	shape := c.documented.Body
	about := revocation{client.TokenRequest, grant.Revoked, known && !named.Refresh, shape}
	if shape == nil {
		return c.emptyAnswer(about), nil
	}
	return c.answer(blank(shape, c.revoked(grant)), about), nil
}

var revokeEvidence = []condition{
	{contract.TokensBasicEncoded, facts.hasEncodedKeys},
	{contract.RevokeFormBody, isForm},
	{contract.RevokeByRefreshToken, when(func(r revocation) bool { return r.request.RefreshToken != "" })},
	{contract.RevokeByToken, when(func(r revocation) bool {
		return r.request.RefreshToken == "" && r.request.Token != ""
	})},
	{contract.RevokeByCredentials, when(func(r revocation) bool {
		return r.request.RefreshToken == "" && r.request.Token == ""
	})},
	{contract.RevokeSeveralTokens, when(revocation.namesSeveral)},
	{contract.RevokeUnknownToken, when(func(r revocation) bool { return !r.found })},
	{contract.RevokeAccessToken, when(func(r revocation) bool { return r.found && r.ofAccessToken })},
	{contract.RevokeCascade, when(func(r revocation) bool { return r.found && !r.ofAccessToken })},
	{contract.RevokeContent, answersRevocation(contract.TokenResponse)},
	{contract.RevokeAuthenticationResult, answersRevocation(contract.AuthenticationResult)},
	{contract.RevokeMessage, answersRevocation(contract.RevokedMessage)},
	{contract.TokensNoStore, when(func(r revocation) bool { return r.body != nil })},
}

// answersRevocation holds if the answer has a body.
func answersRevocation(body *contract.Object) func(facts) bool {
	return when(func(r revocation) bool { return r.body == body })
}

// namesSeveral reports whether a request names several tokens. Only one of them counts.
func (r revocation) namesSeveral() bool {
	q := r.request
	byCredentials := q.GrantType == sim.GrantClientCredentials ||
		q.GrantType == sim.GrantPassword && q.Username != "" && q.Password != ""
	return q.RefreshToken != "" && q.Token != "" || byCredentials && q.RefreshToken+q.Token != ""
}

// revoked returns the texts of the answer about a revoked grant, by the names of the members. None of the tokens in it
// works any more.
func (c *call) revoked(grant *sim.Grant) map[string]string {
	username := ""
	if user, ok := c.World.User(grant.InstitutionID, grant.HostUserID); ok {
		username = user.Username
	}
	return map[string]string{
		"expires_in":               "0",
		"di_fiid":                  grant.InstitutionID,
		"di_ficustomer":            grant.HostUserID,
		"access_token":             grant.AccessToken,
		"refresh_token":            grant.RefreshToken,
		"refresh_token_expires_in": "0",

		"userId":                grant.HostUserID,
		"institutionCustomerId": grant.HostUserID,
		"userName":              username,
		"institutionId":         grant.InstitutionID,
		"clientId":              grant.SharedKey,

		"message": "the token is revoked",
	}
}

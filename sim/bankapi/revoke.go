package bankapi

import (
	"cmp"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// tokenResponse is the resource of section 2.4.
type tokenResponse struct {
	ExpiresIn        string `json:"expires_in"`
	FIID             string `json:"di_fiid"`
	FICustomer       string `json:"di_ficustomer"`
	AccessToken      string `json:"access_token"`
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn string `json:"refresh_token_expires_in"`
}

// revokeToken is section 4.4: a DELETE with a body.
func revokeToken(c *call) (reply, error) {
	institutionID, sharedKey, request, err := c.clientRequest()
	if err != nil {
		return reply{}, err
	}
	named, known := c.World.Token(cmp.Or(request.RefreshToken, request.Token))
	revoked, err := c.World.Revoke(institutionID, sharedKey, request)
	if err != nil {
		return reply{}, err
	}
	c.citeRevocation(request, revoked, known && !named.Refresh)
	return c.revocationReply(revoked), nil
}

// citeRevocation notes what a revocation rests on, of an access token or of anything else.
func (c *call) citeRevocation(request sim.TokenRequest, revoked *sim.Grant, ofAccessToken bool) {
	if c.mediaType() == mediaForm {
		c.restsOn(c.Form)
	}
	switch {
	case request.RefreshToken != "":
		c.restsOn(contract.RevokeByRefreshToken)
	case request.Token != "":
		c.restsOn(contract.RevokeByToken)
	default:
		c.restsOn(contract.RevokeByCredentials)
	}
	if namesSeveral(request) {
		c.restsOn(contract.RevokeSeveralTokens)
	}
	switch {
	case !revoked.Revoked:
		c.restsOn(contract.RevokeUnknownToken)
	case ofAccessToken:
		c.restsOn(contract.RevokeAccessToken)
	default:
		c.restsOn(contract.RevokeCascade)
	}
}

// namesSeveral reports whether a revocation names a grant in several ways, of which one counts.
func namesSeveral(r sim.TokenRequest) bool {
	ways := 0
	for _, named := range []bool{
		r.RefreshToken != "", r.Token != "",
		r.GrantType == sim.GrantClientCredentials || r.GrantType == sim.GrantPassword && r.Username != "" && r.Password != "",
	} {
		if named {
			ways++
		}
	}
	return ways > 1
}

// revocationReply describes a revoked grant. None of the tokens in it works any more.
func (c *call) revocationReply(revoked *sim.Grant) reply {
	switch c.answer().Body {
	case contract.TokenResponse:
		c.restsOn(contract.RevokeContent)
		c.restsOn(contract.TokensNoStore)
		return c.reply(newTokenResponse(revoked))
	case contract.AuthenticationResult:
		c.restsOn(contract.RevokeAuthenticationResult)
		c.restsOn(contract.TokensNoStore)
		return c.jsonReply(newAuthenticationResult(c.World, revoked))
	}
	return c.emptyReply()
}

func newTokenResponse(revoked *sim.Grant) tokenResponse {
	return tokenResponse{
		ExpiresIn:        "0",
		FIID:             revoked.InstitutionID,
		FICustomer:       revoked.HostUserID,
		AccessToken:      revoked.AccessToken,
		RefreshToken:     revoked.RefreshToken,
		RefreshExpiresIn: "0",
	}
}

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
func revokeToken(x *exchange, request clientRequest) (reply, error) {
	named, known := x.at.World.Token(cmp.Or(request.RefreshToken, request.Token))
	revoked, err := x.at.World.Revoke(request.institutionID, request.sharedKey, request.TokenRequest)
	if err != nil {
		return reply{}, err
	}
	x.citeRevocation(request.TokenRequest, revoked, known && !named.Refresh)
	return x.revocationReply(revoked), nil
}

// citeRevocation notes what a revocation rests on, of an access token or of anything else.
func (x *exchange) citeRevocation(request sim.TokenRequest, revoked *sim.Grant, ofAccessToken bool) {
	if x.mediaType() == mediaForm {
		x.restsOn(x.op.Form)
	}
	switch {
	case request.RefreshToken != "":
		x.restsOn(contract.RevokeByRefreshToken)
	case request.Token != "":
		x.restsOn(contract.RevokeByToken)
	default:
		x.restsOn(contract.RevokeByCredentials)
	}
	byCredentials := request.GrantType == sim.GrantClientCredentials ||
		request.GrantType == sim.GrantPassword && request.Username != "" && request.Password != ""
	if request.RefreshToken != "" && request.Token != "" || byCredentials && request.RefreshToken+request.Token != "" {
		x.restsOn(contract.RevokeSeveralTokens) // of which one counts
	}
	switch {
	case !revoked.Revoked:
		x.restsOn(contract.RevokeUnknownToken)
	case ofAccessToken:
		x.restsOn(contract.RevokeAccessToken)
	default:
		x.restsOn(contract.RevokeCascade)
	}
}

// revocationReply describes a revoked grant. None of the tokens in it works any more.
func (x *exchange) revocationReply(revoked *sim.Grant) reply {
	switch x.answer().Body {
	case contract.TokenResponse:
		x.restsOn(contract.RevokeContent, contract.TokensNoStore)
		return x.answerWith(tokenResponse{
			ExpiresIn:        "0",
			FIID:             revoked.InstitutionID,
			FICustomer:       revoked.HostUserID,
			AccessToken:      revoked.AccessToken,
			RefreshToken:     revoked.RefreshToken,
			RefreshExpiresIn: "0",
		})
	case contract.AuthenticationResult:
		x.restsOn(contract.RevokeAuthenticationResult, contract.TokensNoStore)
		return x.jsonReply(newAuthenticationResult(x.at.World, revoked))
	}
	return x.emptyReply()
}

package bankapi

import (
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
	revoked, err := c.World.Revoke(institutionID, sharedKey, request)
	if err != nil {
		return reply{}, err
	}
	c.citeRevocation(request, revoked)
	return c.revocationReply(revoked), nil
}

// citeRevocation notes what a revocation rests on.
func (c *call) citeRevocation(request sim.TokenRequest, revoked *sim.Grant) {
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
	if revoked.Revoked {
		c.restsOn(contract.RevokeCascade)
	} else {
		c.restsOn(contract.RevokeUnknownToken)
	}
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

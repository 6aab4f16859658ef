package bankapi

import (
	"cmp"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// revokeToken is section 4.4: a DELETE with a body.
func revokeToken(x *exchange, request clientRequest) (reply, error) {
	named, known := x.at.World.Token(cmp.Or(request.RefreshToken, request.Token))
	revoked, err := x.at.World.Revoke(x.behavior, request.institutionID, request.sharedKey, request.TokenRequest)
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

// revocationReply describes a revoked grant. None of the tokens in it works any more. Of an authenticationResult it has what the shape has
// room for, the value that the interface's document shows of each enumeration, and nothing else.
func (x *exchange) revocationReply(revoked *sim.Grant) reply {
	shape := x.answer().Body
	if shape == nil {
		return x.emptyReply()
	}
	about := contract.RevokeContent
	if shape == contract.AuthenticationResult {
		about = contract.RevokeAuthenticationResult
	}
	x.restsOn(about, contract.TokensNoStore)
	username := ""
	if user, ok := x.at.World.User(revoked.InstitutionID, revoked.HostUserID); ok {
		username = user.Username
	}
	return x.jsonReply(appendBlank(nil, shape, map[string]string{
		"expires_in":               "0",
		"di_fiid":                  revoked.InstitutionID,
		"di_ficustomer":            revoked.HostUserID,
		"access_token":             revoked.AccessToken,
		"refresh_token":            revoked.RefreshToken,
		"refresh_token_expires_in": "0",

		"userId":                revoked.HostUserID,
		"institutionCustomerId": revoked.HostUserID,
		"userName":              username,
		"institutionId":         revoked.InstitutionID,
		"clientId":              revoked.SharedKey,
	}))
}

// appendBlank appends an object with all its members: texts that are given by name, and what is blank for the others.
func appendBlank(b []byte, o *contract.Object, given map[string]string) []byte {
	b = append(b, '{')
	for i, m := range o.Members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(wire.AppendString(b, m.Name), ':')
		switch t := m.Type; {
		case t.JSON == "array":
			b = append(b, "[]"...)
		case t.Object != nil:
			b = appendBlank(b, t.Object, nil)
		case t.JSON == "boolean":
			b = strconv.AppendBool(b, false)
		case t.JSON == "integer":
			b = append(b, '0')
		case len(t.Enum) > 0:
			b = wire.AppendString(b, t.Enum[0])
		default:
			b = wire.AppendString(b, given[m.Name])
		}
	}
	return append(b, '}')
}

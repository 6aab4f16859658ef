package bankapi

import (
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// institutionHeader is the header that names the institution of a client's request.
const institutionHeader = "institutionId"

// institutionID returns the numeric header institutionId, once the request has the header that identifies it.
func (x *exchange) institutionID() (string, error) {
	id := x.header(institutionHeader)
	if id == "" {
		return "", sim.Refuse(contract.InstitutionMissing, "header institutionId is missing")
	}
	if strings.Trim(id, "0123456789") != "" {
		return "", sim.Refuse(contract.InstitutionMissing, "header institutionId must be digits only")
	}
	return id, x.requireRequestID()
}

// bearer authenticates the caller by its bearer token (RFC 6750 2.1).
func (x *exchange) bearer() (sim.Caller, error) {
	if len(x.request.Header.Values("Authorization")) == 0 {
		return sim.Caller{}, sim.Refuse(contract.TokenMissing, "header Authorization is missing")
	}
	token := x.accessToken()
	if !isToken(token) {
		return sim.Caller{}, sim.Refuse(contract.TokenMalformed, "header Authorization must be Bearer, a space and an access token")
	}
	return x.at.World.Authenticate(token, x.at.Now)
}

// accessToken returns the text of the request's bearer token; empty: it has none.
func (x *exchange) accessToken() string {
	scheme, token, _ := strings.Cut(x.authorization(), " ")
	if !strings.EqualFold(scheme, bearerScheme) {
		return ""
	}
	return token
}

const bearerScheme = "Bearer"

// authorization returns the Authorization header. Several are none that is well-formed.
func (x *exchange) authorization() string {
	return strings.Join(x.request.Header.Values("Authorization"), ", ")
}

// isToken reports whether text can be an access token: not empty, no separators.
func isToken(text string) bool { return text != "" && !strings.ContainsAny(text, " \t,") }

// optionalBearer authenticates the caller where it has credentials, or must have.
func (x *exchange) optionalBearer(presence sim.Presence) (sim.Caller, error) {
	if presence == sim.Optional && len(x.request.Header.Values("Authorization")) == 0 {
		return sim.Caller{}, nil
	}
	return x.bearer()
}

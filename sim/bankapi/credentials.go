package bankapi

import (
	"net/url"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// institutionHeader is the header that names the institution of a client's request.
const institutionHeader = "institutionId"

// institutionID returns the numeric header institutionId, once the request has the header that identifies it.
func (c *call) institutionID() (string, error) {
	id := c.header(institutionHeader)
	if id == "" {
		return "", sim.Refuse(contract.InstitutionMissing, "header institutionId is missing")
	}
	if strings.Trim(id, "0123456789") != "" {
		return "", sim.Refuse(contract.InstitutionMissing, "header institutionId must be digits only")
	}
	return id, c.requireRequestID()
}

// bearer authenticates the caller by its bearer token (RFC 6750 2.1).
func (c *call) bearer() (sim.Caller, error) {
	if len(c.Header.Values("Authorization")) == 0 {
		return sim.Caller{}, sim.Refuse(contract.TokenMissing, "header Authorization is missing")
	}
	token := c.accessToken()
	if !isToken(token) {
		return sim.Caller{}, sim.Refuse(contract.TokenMalformed,
			"header Authorization must be Bearer, a space and an access token")
	}
	return c.world.Authenticate(token, c.now)
}

// isToken reports whether text can be an access token: not empty, no separators.
func isToken(text string) bool { return text != "" && !strings.ContainsAny(text, " \t,") }

// optionalBearer authenticates the caller where it has credentials, or must have.
func (c *call) optionalBearer(presence sim.Presence) (sim.Caller, error) {
	if presence == sim.Optional && len(c.Header.Values("Authorization")) == 0 {
		return sim.Caller{}, nil
	}
	return c.bearer()
}

// identifiedBearer authenticates the caller of a request that has the header that identifies it.
func (c *call) identifiedBearer() (sim.Caller, error) {
	caller, err := c.bearer()
	if err != nil {
		return caller, err
	}
	return caller, c.requireRequestID()
}

// client authenticates a client by its Basic credentials (RFC 7617). RFC 6749 2.3.1 wants the keys form-encoded first,
// and many clients don't do that: both readings are taken, the plain one first.
func (c *call) client() (sharedKey, secretKey string, err error) {
	sharedKey, secretKey, ok := c.BasicAuth()
	if !ok || len(c.Header.Values("Authorization")) > 1 {
		return "", "", sim.Refuse(sim.ClientUnknown,
			"header Authorization must be Basic with the shared key and the secret key")
	}
	if err = c.world.AuthenticateClient(sharedKey, secretKey); err == nil {
		return sharedKey, secretKey, nil
	}
	shared, secret, ok := formDecoded(sharedKey, secretKey)
	if ok && c.world.AuthenticateClient(shared, secret) == nil {
		return shared, secret, nil
	}
	return "", "", err
}

// formDecoded returns keys that were form-encoded. It is false if they were not.
func formDecoded(sharedKey, secretKey string) (shared, secret string, ok bool) {
	shared, sharedErr := url.QueryUnescape(sharedKey)
	secret, secretErr := url.QueryUnescape(secretKey)
	return shared, secret, sharedErr == nil && secretErr == nil && (shared != sharedKey || secret != secretKey)
}

// hasEncodedKeys reports whether the keys of a client count only after they are decoded.
func (c *call) hasEncodedKeys() bool {
	sharedKey, secretKey, ok := c.BasicAuth()
	if !ok || c.world.AuthenticateClient(sharedKey, secretKey) == nil {
		return false
	}
	shared, secret, ok := formDecoded(sharedKey, secretKey)
	return ok && c.world.AuthenticateClient(shared, secret) == nil
}

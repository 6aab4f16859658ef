package bankapi

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

// revocations is the family of the revocation: its errors are those of section 7.1, with the published codes.
var revocations = family{
	prefix:    "/digitalbanking/oauth2/v1/revoke",
	requestID: "transactionId",
	challenge: basicChallenge,
	refusals: map[sim.Code]refusal{
		sim.ClientUnknown:          {http.StatusUnauthorized, "CMN_90004", "revoke.unknown-client"},
		sim.ClientNotOfInstitution: {http.StatusUnauthorized, "CMN_90004", "revoke.other-institution"},
		sim.UserCredentialsWrong:   {http.StatusUnauthorized, "CMN_90004", "revoke.wrong-user"},
		institutionMissing:         {http.StatusBadRequest, "CMN_90005", "revoke.institution-id"},
		requestIDMissing:           {http.StatusBadRequest, "CMN_90008", "revoke.transaction-id"},
		mediaTypeUnknown:           {http.StatusBadRequest, "CMN_90010", "revoke.content-type"},
		bodyMalformed:              {http.StatusBadRequest, "CMN_90011", "revoke.malformed-body"},
		memberMistyped:             {http.StatusBadRequest, "CMN_90011", "revoke.malformed-body"},
		sim.GrantUnnamed:           {http.StatusBadRequest, "CMN_90011", "revoke.nothing-named"},
		sim.RefreshTokenInvalid:    {http.StatusBadRequest, "CMN_90016", "revoke.other-client"},
		sim.RevocationOfNothing:    {http.StatusBadRequest, "CMN_90016", "revoke.unknown-token"},
		internalFault:              {http.StatusInternalServerError, "CMN_90000", "revoke.internal-fault"},
	},
	faults: map[int]sim.Code{
		http.StatusBadRequest:          bodyMalformed,
		http.StatusUnauthorized:        sim.ClientUnknown,
		http.StatusInternalServerError: internalFault,
	},
	shape: []string{"revoke.error-body", "revoke.error-values"},
	body:  revocationErrorBody,
}

// revocationError is the error body of section 7.1.
type revocationError struct {
	StatusMessage string    `json:"statusMessage"`
	ErrorInfo     errorInfo `json:"errorInfo"`
}

type errorInfo struct {
	ErrorType    string `json:"errorType"` // USER_ERROR, or SYSTEM_ERROR for a fault of the service (published)
	ErrorCode    string `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
}

func revocationErrorBody(r refusal, message string) any {
	errorType := "USER_ERROR"
	if r.status >= http.StatusInternalServerError {
		errorType = "SYSTEM_ERROR"
	}
	return revocationError{message, errorInfo{errorType, r.code, message}}
}

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
	keys, err := c.client()
	if err != nil {
		return reply{}, err
	}
	institutionID, err := c.institution(keys)
	if err != nil {
		return reply{}, err
	}
	request, err := c.tokenRequest()
	if err != nil {
		return reply{}, err
	}
	revoked, err := c.World.Revoke(institutionID, keys.shared, request)
	if err != nil {
		return reply{}, err
	}
	c.leanOnRevocation(request, revoked)
	return c.revocationReply(revoked), nil
}

// leanOnRevocation notes what a revocation rests on.
func (c *call) leanOnRevocation(request sim.TokenRequest, revoked *sim.Grant) {
	if c.mediaType() == mediaForm {
		c.lean("revoke.form-body")
	}
	switch {
	case request.RefreshToken != "":
		c.use("revoke.by-refresh-token")
	case request.Token != "":
		c.lean("revoke.by-token")
	default:
		c.lean("revoke.by-credentials")
	}
	if revoked.Revoked {
		c.use("revoke.cascade")
	} else {
		c.lean("revoke.unknown-token")
	}
}

// revocationReply describes a revoked grant. None of the tokens in it works any more.
func (c *call) revocationReply(revoked *sim.Grant) reply {
	var body any
	switch c.behavior().Tokens.RevokeResponse {
	case sim.RevokeEmpty:
		return emptyReply(http.StatusOK)
	case sim.RevokeNoContent:
		return emptyReply(http.StatusNoContent)
	case sim.RevokeAuthenticationResult:
		body = newAuthenticationResult(c.World, revoked)
		c.use("revoke.authentication-result")
	default:
		body = newTokenResponse(revoked)
		c.use("revoke.content")
	}
	c.use("tokens.no-store")
	rep := jsonReply(http.StatusOK, body)
	rep.notStored()
	return rep
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

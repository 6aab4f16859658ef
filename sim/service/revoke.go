package service

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
		sim.ClientUnknown:          {http.StatusUnauthorized, "CMN_90004", sim.BasisDocument},
		sim.ClientNotOfInstitution: {http.StatusUnauthorized, "CMN_90004", sim.BasisConvention},
		sim.UserCredentialsWrong:   {http.StatusUnauthorized, "CMN_90004", sim.BasisChoice},
		institutionMissing:         {http.StatusBadRequest, "CMN_90005", sim.BasisDocument},
		requestIDMissing:           {http.StatusBadRequest, "CMN_90008", sim.BasisDocument},
		mediaTypeUnknown:           {http.StatusBadRequest, "CMN_90010", sim.BasisDocument},
		bodyMalformed:              {http.StatusBadRequest, "CMN_90011", sim.BasisDocument},
		memberMistyped:             {http.StatusBadRequest, "CMN_90011", sim.BasisDocument},
		sim.GrantUnnamed:           {http.StatusBadRequest, "CMN_90011", sim.BasisConvention},
		sim.RefreshTokenInvalid:    {http.StatusBadRequest, "CMN_90016", sim.BasisConvention},
		internalFault:              {http.StatusInternalServerError, "CMN_90000", sim.BasisDocument},
	},
	faults: map[int]sim.Code{
		http.StatusBadRequest:          bodyMalformed,
		http.StatusUnauthorized:        sim.ClientUnknown,
		http.StatusInternalServerError: internalFault,
	},
	body: revocationErrorBody,
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
	return revocationReply(c.behavior().Tokens.RevokeResponse, c.World, revoked), nil
}

// revocationReply describes a revoked grant. None of the tokens in it works any more.
func revocationReply(shape sim.RevokeResponse, w *sim.World, revoked *sim.Grant) reply {
	var body any
	switch shape {
	case sim.RevokeEmpty:
		return emptyReply(http.StatusOK)
	case sim.RevokeNoContent:
		return emptyReply(http.StatusNoContent)
	case sim.RevokeAuthenticationResult:
		body = newAuthenticationResult(w, revoked)
	default:
		body = newTokenResponse(revoked)
	}
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

package bankapi

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

const basicChallenge = `Basic realm="banksim", charset="UTF-8"`

// tokens is the family of the token operation, which the interface document leaves open (published).
var tokens = family{
	prefix:    "/digitalbanking/oauth2",
	requestID: "transactionId",
	challenge: basicChallenge,
	refusals: map[sim.Code]refusal{
		sim.ClientUnknown:          {http.StatusUnauthorized, "CMN_90004", "tokens.issue.unknown-client"},
		sim.ClientNotOfInstitution: {http.StatusForbidden, "CMN_90006", "tokens.issue.other-institution"},
		institutionMissing:         {http.StatusBadRequest, "CMN_90005", "tokens.issue.institution-id"},
		requestIDMissing:           {http.StatusBadRequest, "CMN_90008", "tokens.issue.transaction-id"},
		bodyMalformed:              {http.StatusBadRequest, "CMN_90011", "tokens.issue.body"},
		memberMistyped:             {http.StatusBadRequest, "CMN_90011", "tokens.issue.body"},
		sim.GrantTypeUnknown:       {http.StatusBadRequest, "CMN_90007", "tokens.issue.grant-type"},
		sim.UsernameMissing:        {http.StatusBadRequest, "CMN_90013", "tokens.issue.user-name"},
		sim.PasswordMissing:        {http.StatusBadRequest, "CMN_90014", "tokens.issue.user-name"},
		sim.UserCredentialsWrong:   {http.StatusUnauthorized, "CMN_90015", "tokens.issue.wrong-user"},
		sim.RefreshTokenInvalid:    {http.StatusBadRequest, "CMN_90016", "tokens.issue.refresh-token"},
		internalFault:              {http.StatusInternalServerError, "CMN_90000", "tokens.issue.internal-fault"},
	},
	faults: map[int]sim.Code{
		http.StatusBadRequest:          bodyMalformed,
		http.StatusUnauthorized:        sim.ClientUnknown,
		http.StatusForbidden:           sim.ClientNotOfInstitution,
		http.StatusInternalServerError: internalFault,
	},
	shape: []string{"tokens.issue.error-body"},
	body:  codeMessageBody,
}

// tokenRequest is the body of section 2.3, with the member by which RFC 7009 names a token to revoke.
type tokenRequest struct {
	GrantType    *string `json:"grant_type"`
	Username     *string `json:"username"`
	Password     *string `json:"password"`
	Scopes       *string `json:"scopes"`
	RefreshToken *string `json:"refresh_token"`
	Token        *string `json:"token"`
}

// tokenMembers are the members that a form may have: those of a JSON body, and the hint that RFC 7009 2.1 lets a server
// ignore.
var tokenMembers = []string{"grant_type", "username", "password", "scopes", "refresh_token", "token", "token_type_hint"}

// tokenRequest reads the body, JSON or form-urlencoded.
func (c *call) tokenRequest() (sim.TokenRequest, error) {
	switch c.mediaType() {
	case mediaJSON:
	case mediaForm:
		form, err := c.decodeForm()
		for name := range form {
			if !slices.Contains(tokenMembers, name) {
				c.lean("everywhere.unknown-members")
				break
			}
		}
		return sim.TokenRequest{
			GrantType:    form.Get("grant_type"),
			Username:     form.Get("username"),
			Password:     form.Get("password"),
			Scopes:       form.Get("scopes"),
			RefreshToken: form.Get("refresh_token"),
			Token:        form.Get("token"),
		}, err
	default:
		return sim.TokenRequest{}, sim.Refuse(mediaTypeUnknown, "header Content-Type must be %s or %s", mediaJSON, mediaForm)
	}
	var body tokenRequest
	err := c.decodeJSON(&body)
	return sim.TokenRequest{
		GrantType:    orEmpty(body.GrantType),
		Username:     orEmpty(body.Username),
		Password:     orEmpty(body.Password),
		Scopes:       orEmpty(body.Scopes),
		RefreshToken: orEmpty(body.RefreshToken),
		Token:        orEmpty(body.Token),
	}, err
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// issuedTokens is the answer to a token request: the members of section 2.4 and token_type (RFC 6749 5.1).
type issuedTokens struct {
	TokenType    string `json:"token_type"`
	AccessToken  string `json:"access_token"`
	ExpiresIn    string `json:"expires_in"` // seconds
	FIID         string `json:"di_fiid"`
	*refreshable        // nil for client_credentials (published)
}

// refreshable are the members of an answer that comes with a refresh token.
type refreshable struct {
	FICustomer       string `json:"di_ficustomer"` // empty: the tokens are bound to no user
	RefreshToken     string `json:"refresh_token"`
	RefreshExpiresIn string `json:"refresh_token_expires_in"` // seconds
}

// issueTokens issues tokens by one of three grants (RFC 6749 4.3, 4.4 and 6).
func issueTokens(c *call) (reply, error) {
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
	if c.mediaType() == mediaJSON {
		c.lean("tokens.issue.json-body")
	}
	grant, err := c.World.IssueTokens(institutionID, keys.shared, request, c.Now)
	if err != nil {
		return reply{}, err
	}
	answer := issuedTokens{
		TokenType:   "Bearer",
		AccessToken: grant.AccessToken,
		ExpiresIn:   seconds(c.behavior().Tokens.AccessLifetime),
		FIID:        grant.InstitutionID,
	}
	if grant.RefreshToken != "" {
		answer.refreshable = &refreshable{grant.HostUserID, grant.RefreshToken, seconds(c.behavior().Tokens.RefreshLifetime)}
		c.use("tokens.issue.customer")
		c.use("tokens.issue.refresh-lifetime")
	} else {
		c.use("tokens.issue.client-credentials")
	}
	if request.GrantType == sim.GrantRefreshToken {
		c.use("tokens.issue.refresh")
	}
	rep := jsonReply(http.StatusOK, answer)
	rep.notStored()
	return rep, nil
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

package bankapi

import (
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// tokenRequest is the body of section 2.3, with the member by which RFC 7009 names a token to revoke.
type tokenRequest struct {
	GrantType    *string `json:"grant_type"`
	Username     *string `json:"username"`
	Password     *string `json:"password"`
	Scopes       *string `json:"scopes"`
	RefreshToken *string `json:"refresh_token"`
	Token        *string `json:"token"`
}

// tokenTypeHint is a member of forms that RFC 7009 2.1 lets a server ignore.
const tokenTypeHint = "token_type_hint"

// tokenRequest reads the body, JSON or form-urlencoded.
func (c *call) tokenRequest() (sim.TokenRequest, error) {
	switch media := c.mediaType(); {
	case media == mediaForm:
		return c.tokenForm()
	case c.FormOnly:
		return sim.TokenRequest{}, sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s", mediaForm)
	case media != mediaJSON:
		return sim.TokenRequest{}, sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s or %s", mediaJSON, mediaForm)
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

// tokenForm reads a body that is form-urlencoded.
func (c *call) tokenForm() (sim.TokenRequest, error) {
	form, err := c.decodeForm()
	ignored := false
	for name := range form {
		if _, known := c.Request.Member(name); !known {
			form.Del(name)
			ignored = ignored || name != tokenTypeHint
		}
	}
	if ignored {
		c.restsOn(contract.EverywhereUnknownMembers)
	}
	return sim.TokenRequest{
		GrantType:    form.Get("grant_type"),
		Username:     form.Get("username"),
		Password:     form.Get("password"),
		Scopes:       form.Get("scopes"),
		RefreshToken: form.Get("refresh_token"),
		Token:        form.Get("token"),
		Code:         form.Get("code"),
	}, err
}

// requireToken refuses a request of the grant refresh_token that has none, where the operation says so.
func (c *call) requireToken(r sim.TokenRequest) error {
	if r.GrantType == sim.GrantRefreshToken && r.RefreshToken == "" && slices.Contains(c.Refuses, contract.MemberMissing) {
		return sim.Refuse(contract.MemberMissing, "refresh_token is missing")
	}
	return nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// issuedTokens is the answer to a token request: the members of section 2.4 and token_type (RFC 6749 5.1). The public dialect
// has no member whose name begins with di.
type issuedTokens struct {
	TokenType    string  `json:"token_type"`
	AccessToken  string  `json:"access_token"`
	ExpiresIn    string  `json:"expires_in"` // seconds
	FIID         *string `json:"di_fiid,omitzero"`
	*refreshable         // nil for client_credentials (published)
}

// refreshable are the members of an answer that comes with a refresh token.
type refreshable struct {
	FICustomer       *string `json:"di_ficustomer,omitzero"` // empty: the tokens are bound to no user
	RefreshToken     string  `json:"refresh_token"`
	RefreshExpiresIn string  `json:"refresh_token_expires_in"` // seconds
}

// clientRequest returns the request of a client, with its institution and shared key, once the client is let in.
func (c *call) clientRequest() (institutionID, sharedKey string, request sim.TokenRequest, err error) {
	keys, err := c.client()
	if err != nil {
		return "", "", sim.TokenRequest{}, err
	}
	switch {
	case !c.takesHeader(institutionHeader):
		institutionID, request, err = c.ownTokenRequest(keys)
	case c.header(institutionHeader) == "" && c.Name == contract.TokensIssue.Name:
		institutionID, request, err = c.refreshRequest(keys)
	default:
		if institutionID, err = c.institution(keys); err != nil {
			return "", "", sim.TokenRequest{}, err
		}
		if request, err = c.tokenRequest(); err == nil {
			err = c.requireToken(request)
		}
	}
	return institutionID, keys.shared, request, err
}

// ownTokenRequest returns a request to an operation without the header institutionId, and the institution of the token that
// it names.
func (c *call) ownTokenRequest(keys clientKeys) (institutionID string, request sim.TokenRequest, err error) {
	if err := c.requireRequestID(); err != nil {
		return "", request, err
	}
	request, err = c.tokenRequest()
	return c.World.RevocationInstitution(keys.shared, keys.secret, request.Token), request, err
}

// refreshRequest returns a request without the header institutionId, which only the grant refresh_token may leave out
// (published), and the institution of its refresh token. A body that can't be read has no such grant. In the public dialect
// the grant authorization_code may leave it out, too: its code is of no institution, since there are none.
func (c *call) refreshRequest(keys clientKeys) (institutionID string, request sim.TokenRequest, err error) {
	request, unreadable := c.tokenRequest()
	byCode := request.GrantType == sim.GrantAuthorizationCode && c.Request.Has("code")
	if unreadable != nil || request.GrantType != sim.GrantRefreshToken && !byCode {
		return "", request, sim.Refuse(contract.InstitutionMissing, "header institutionId is missing")
	}
	if err := c.requireRequestID(); err != nil {
		return "", request, err
	}
	if err := c.requireToken(request); err != nil {
		return "", request, err
	}
	c.restsOn(contract.TokensIssueInstitutionID)
	if byCode {
		return "", request, nil
	}
	institutionID, err = c.World.RefreshInstitution(keys.shared, keys.secret, request.RefreshToken)
	return institutionID, request, err
}

// issueTokens issues tokens by one of three grants (RFC 6749 4.3, 4.4 and 6).
func issueTokens(c *call) (reply, error) {
	institutionID, sharedKey, request, err := c.clientRequest()
	if err != nil {
		return reply{}, err
	}
	if c.mediaType() == mediaJSON {
		c.restsOn(c.JSON)
	}
	short := contract.ShortOfLifetime.In(c.Dialect)
	grant, err := c.World.IssueTokens(institutionID, sharedKey, request, c.Now)
	if err != nil {
		return reply{}, err
	}
	answer := issuedTokens{
		TokenType:   "Bearer",
		AccessToken: grant.AccessToken,
		ExpiresIn:   seconds(c.behavior().Tokens.AccessLifetime - short),
	}
	if c.answer().Body.Has("di_fiid") {
		answer.FIID = &grant.InstitutionID
	}
	if grant.RefreshToken != "" {
		answer.refreshable = &refreshable{RefreshToken: grant.RefreshToken, RefreshExpiresIn: seconds(c.behavior().Tokens.RefreshLifetime - short)}
		if c.answer().Body.Has("di_ficustomer") {
			answer.FICustomer = &grant.HostUserID
		}
		c.restsOn(contract.TokensIssueCustomer)
		c.restsOn(contract.TokensIssueRefreshLifetime)
	} else {
		c.restsOn(contract.TokensIssueClientCredentials)
	}
	if request.GrantType == sim.GrantRefreshToken {
		c.restsOn(contract.TokensIssueRefresh)
		c.restsOn(contract.TokensIssueRotation)
	}
	return c.reply(answer), nil
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

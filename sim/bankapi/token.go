package bankapi

import (
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// tokenBody is the body of section 2.3, with the member token of RFC 7009, and code of the grant authorization_code.
type tokenBody struct {
	GrantType    string `json:"grant_type"`
	Username     string `json:"username"`
	Password     string `json:"password"`
	Scopes       string `json:"scopes"`
	RefreshToken string `json:"refresh_token"`
	Token        string `json:"token"`
	Code         string `json:"code"`
}

// tokenRequest reads the body, JSON or form-urlencoded.
func (c *call) tokenRequest() (sim.TokenRequest, error) {
	wanted := []string{mediaJSON, mediaForm}
	if c.op.FormOnly {
		wanted = wanted[1:]
	}
	if err := c.requireMedia(wanted...); err != nil {
		return sim.TokenRequest{}, err
	}
	if c.media == mediaJSON {
		var body tokenBody
		err := c.decodeJSON(&body)
		return sim.TokenRequest(body), err
	}
	form, err := c.form()
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

// issuedTokens is the answer to a token request: the members of section 2.4 and token_type (RFC 6749 5.1). The public
// dialect has no member whose name begins with di.
type issuedTokens struct {
	TokenType    string  `json:"token_type"`
	AccessToken  string  `json:"access_token"`
	ExpiresIn    string  `json:"expires_in"` // seconds
	FIID         *string `json:"di_fiid,omitzero"`
	*refreshable         // or nil if there is no refresh token
	IDToken      string  `json:"id_token,omitzero"`
}

// refreshable are the members of an answer that comes with a refresh token.
type refreshable struct {
	FICustomer   *string `json:"di_ficustomer,omitzero"` // empty if the tokens are bound to no user
	RefreshToken string  `json:"refresh_token"`
	// RefreshExpiresIn are seconds. The grant of a code doesn't say them (published).
	RefreshExpiresIn string `json:"refresh_token_expires_in,omitzero"`
}

// clientRequest is a request about tokens by an authenticated client.
type clientRequest struct {
	sim.TokenRequest
	institutionID, sharedKey string
}

// readClientRequest authenticates the client, and reads what the operations on tokens share.
func (c *call) readClientRequest() (client clientRequest, err error) {
	shared, secret, _, err := c.client()
	if err != nil {
		return client, err
	}
	client.sharedKey = shared
	holder := "" // the token or code whose institution counts for a client without the header
	switch {
	case !c.takesHeader(institutionHeader):
		if err = c.requireRequestID(); err == nil {
			client.TokenRequest, err = c.tokenRequest()
		}
		holder = client.Token
	case c.namesNoInstitution():
		client.TokenRequest, holder, err = c.refreshRequest()
	default:
		if client.institutionID, err = c.institutionID(); err == nil {
			err = c.World.AuthorizeClient(client.institutionID, shared, secret)
		}
		if err == nil {
			client.TokenRequest, err = c.tokenRequest()
		}
	}
	mustHaveToken := client.GrantType == sim.GrantRefreshToken && slices.Contains(c.op.Refuses, contract.MemberMissing)
	switch {
	case err != nil:
	case mustHaveToken && client.RefreshToken == "":
		err = sim.Refuse(contract.MemberMissing, "refresh_token is missing")
	case client.institutionID == "":
		client.institutionID = c.World.HolderInstitution(shared, secret, holder)
	}
	return client, err
}

// namesNoInstitution reports whether a request for tokens lacks the header institutionId.
func (c *call) namesNoInstitution() bool {
	return c.header(institutionHeader) == "" && c.op.Name == contract.TokensIssue.Name
}

// refreshRequest returns a request without the header institutionId, and its token or code. The grants
// refresh_token and authorization_code may leave the header out (published). An unknown token or code has no
// institution, and is refused later. A body that can't be read has no such grant.
func (c *call) refreshRequest() (tokens sim.TokenRequest, holder string, err error) {
	tokens, unreadable := c.tokenRequest()
	byCode := tokens.GrantType == sim.GrantAuthorizationCode
	if unreadable != nil || tokens.GrantType != sim.GrantRefreshToken && !byCode {
		return tokens, "", sim.Refuse(contract.InstitutionMissing, "header institutionId is missing")
	}
	if holder = tokens.RefreshToken; byCode {
		holder = tokens.Code
	}
	return tokens, holder, c.requireRequestID()
}

// issued describes issued tokens for the evidence.
type issued struct {
	grantType string
	hasScopes bool // whether the client lists the scopes of its tokens
	isAgain   bool // whether they were issued before
	issuedTokens
}

// issueTokens issues tokens by one of four grants (RFC 6749 4.1, 4.3, 4.4 and 6).
func issueTokens(c *call) (answer, error) {
	client, err := c.readClientRequest()
	if err != nil {
		return answer{}, err
	}
	named, known := c.World.Token(client.RefreshToken)
	grant, err := c.World.IssueTokens(c.policy, client.institutionID, client.sharedKey, client.TokenRequest, c.Now)
	if err != nil {
		return answer{}, err
	}
	tokens := c.newTokens(grant)
	if client.GrantType == sim.GrantAuthorizationCode {
		if tokens.refreshable != nil {
			tokens.RefreshExpiresIn = ""
		}
		if tokens.IDToken, err = sandbox.IDToken(c.World, grant, c.Now); err != nil {
			return answer{}, err
		}
	}
	hasScopes := c.World.ListsScopes(grant.InstitutionID, grant.SharedKey)
	isAgain := client.GrantType == sim.GrantRefreshToken && known && named.Used != nil
	return c.answer(tokens, issued{client.GrantType, hasScopes, isAgain, tokens}), nil
}

// newTokens returns the answer with the tokens of a grant.
func (c *call) newTokens(grant *sim.Grant) issuedTokens {
	short := time.Duration(contract.In(c.op.Dialect).ShortOfLifetime) * time.Second
	left := func(text string) string {
		token, known := c.World.Token(text)
		if !known {
			return seconds(0)
		}
		return seconds(max(token.ExpiresAt.Sub(c.Now)-short, 0))
	}
	tokens := issuedTokens{
		TokenType:   "Bearer",
		AccessToken: grant.AccessToken,
		ExpiresIn:   left(grant.AccessToken),
	}
	if c.documented.Body.Has("di_fiid") {
		tokens.FIID = &grant.InstitutionID
	}
	if grant.RefreshToken != "" {
		tokens.refreshable = &refreshable{RefreshToken: grant.RefreshToken,
			RefreshExpiresIn: left(grant.RefreshToken)}
		if c.documented.Body.Has("di_ficustomer") {
			tokens.FICustomer = &grant.HostUserID
		}
	}
	return tokens
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

// byGrant holds if tokens were issued by a grant.
func byGrant(grantType string) func(facts) bool {
	return when(func(i issued) bool { return i.grantType == grantType })
}

var issueEvidence = []condition{
	{contract.TokensBasicEncoded, facts.hasEncodedKeys},
	{contract.TokensIssueInstitutionID, facts.namesNoInstitution},
	{contract.TokensIssueJSONBody, func(f facts) bool { return f.media == mediaJSON }},
	{contract.TokensIssueCustomer, when(func(i issued) bool { return i.refreshable != nil })},
	{contract.TokensIssueRefreshLifetime, when(func(i issued) bool { return i.refreshable != nil })},
	{contract.TokensIssueScopes, when(func(i issued) bool { return i.hasScopes })},
	{contract.TokensIssueClientCredentials, byGrant(sim.GrantClientCredentials)},
	{contract.TokensIssueRefresh, byGrant(sim.GrantRefreshToken)},
	{contract.TokensIssueRotation, byGrant(sim.GrantRefreshToken)},
	{contract.TokensIssueRefreshGrace, when(func(i issued) bool { return i.isAgain })},
	{contract.TokensIssueAuthorizationCode, byGrant(sim.GrantAuthorizationCode)},
	{contract.TokensIssueIDToken, when(func(i issued) bool { return i.IDToken != "" })},
}

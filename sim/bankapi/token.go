package bankapi

import (
	"slices"
	"strconv"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
)

// tokenRequest is the body of section 2.3, with the member by which RFC 7009 names a token to revoke.
type tokenRequest struct {
	GrantType    string `json:"grant_type"`
	Username     string `json:"username"`
	Password     string `json:"password"`
	Scopes       string `json:"scopes"`
	RefreshToken string `json:"refresh_token"`
	Token        string `json:"token"`
	Code         string `json:"-"` // of forms alone
}

// tokenRequest reads the body, JSON or form-urlencoded.
func (x *exchange) tokenRequest() (sim.TokenRequest, error) {
	switch media := x.mediaType(); {
	case media == mediaForm:
		return x.tokenForm()
	case x.op.FormOnly:
		return sim.TokenRequest{}, sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s", mediaForm)
	case media != mediaJSON:
		return sim.TokenRequest{}, sim.Refuse(contract.MediaTypeUnknown, "header Content-Type must be %s or %s", mediaJSON, mediaForm)
	}
	var body tokenRequest
	err := x.decodeJSON(&body)
	return sim.TokenRequest(body), err
}

// tokenForm reads a body that is form-urlencoded.
func (x *exchange) tokenForm() (sim.TokenRequest, error) {
	form, err := x.form()
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

// issuedTokens is the answer to a token request: the members of section 2.4 and token_type (RFC 6749 5.1). The public dialect
// has no member whose name begins with di.
type issuedTokens struct {
	TokenType    string  `json:"token_type"`
	AccessToken  string  `json:"access_token"`
	ExpiresIn    string  `json:"expires_in"` // seconds
	FIID         *string `json:"di_fiid,omitzero"`
	*refreshable         // nil: there is no refresh token
	IDToken      string  `json:"id_token,omitzero"`
}

// refreshable are the members of an answer that comes with a refresh token.
type refreshable struct {
	FICustomer       *string `json:"di_ficustomer,omitzero"` // empty: the tokens are bound to no user
	RefreshToken     string  `json:"refresh_token"`
	RefreshExpiresIn string  `json:"refresh_token_expires_in,omitzero"` // seconds; the grant of a code doesn't say (published)
}

// clientRequest is a request about tokens of a client that is let in.
type clientRequest struct {
	sim.TokenRequest
	institutionID, sharedKey string
}

// clientRequest reads what the operations on tokens share: the client authenticates by its Basic credentials (RFC 7617).
func (x *exchange) clientRequest() (request clientRequest, err error) {
	shared, secret, ok := x.request.BasicAuth()
	if !ok || len(x.request.Header.Values("Authorization")) > 1 {
		return request, sim.Refuse(sim.ClientUnknown, "header Authorization must be Basic with the shared key and the secret key")
	}
	if err := x.at.World.AuthenticateClient(shared, secret); err != nil {
		return request, err
	}
	request.sharedKey = shared
	named := "" // the token or code whose institution is that of a request without the header
	switch {
	case !x.takesHeader(institutionHeader):
		if err = x.requireRequestID(); err == nil {
			request.TokenRequest, err = x.tokenRequest()
		}
		named = request.Token
	case x.header(institutionHeader) == "" && x.op.Name == contract.TokensIssue.Name:
		request.TokenRequest, named, err = x.refreshRequest()
	default:
		if request.institutionID, err = x.institutionID(); err == nil {
			err = x.at.World.AuthorizeClient(request.institutionID, shared, secret)
		}
		if err == nil {
			request.TokenRequest, err = x.tokenRequest()
		}
	}
	mustHaveToken := request.GrantType == sim.GrantRefreshToken && slices.Contains(x.op.Refuses, contract.MemberMissing)
	switch {
	case err != nil:
	case mustHaveToken && request.RefreshToken == "":
		err = sim.Refuse(contract.MemberMissing, "refresh_token is missing")
	case request.institutionID == "":
		request.institutionID = x.at.World.HolderInstitution(shared, secret, named)
	}
	return request, err
}

// refreshRequest returns a request without the header institutionId, which the grant refresh_token may leave out, and in the public
// dialect authorization_code (published), and its token or code: an unknown one has no institution, and is refused later. A body that
// can't be read has no such grant.
func (x *exchange) refreshRequest() (request sim.TokenRequest, named string, err error) {
	request, unreadable := x.tokenRequest()
	byCode := request.GrantType == sim.GrantAuthorizationCode && x.op.Request.Has("code")
	if unreadable != nil || request.GrantType != sim.GrantRefreshToken && !byCode {
		return request, "", sim.Refuse(contract.InstitutionMissing, "header institutionId is missing")
	}
	x.restsOn(contract.TokensIssueInstitutionID)
	if named = request.RefreshToken; byCode {
		named = request.Code
	}
	return request, named, x.requireRequestID()
}

// issueTokens issues tokens by one of four grants (RFC 6749 4.1, 4.3, 4.4 and 6).
func issueTokens(x *exchange, request clientRequest) (reply, error) {
	if x.mediaType() == mediaJSON {
		x.restsOn(x.op.JSON)
	}
	short := time.Duration(contract.In(x.op.Dialect).ShortOfLifetime) * time.Second
	grant, err := x.at.World.IssueTokens(x.behavior, request.institutionID, request.sharedKey, request.TokenRequest, x.at.Now)
	if err != nil {
		return reply{}, err
	}
	answer := issuedTokens{
		TokenType:   "Bearer",
		AccessToken: grant.AccessToken,
		ExpiresIn:   seconds(x.behavior.Tokens.AccessLifetime - short),
	}
	if x.answer().Body.Has("di_fiid") {
		answer.FIID = &grant.InstitutionID
	}
	if grant.RefreshToken != "" {
		answer.refreshable = &refreshable{RefreshToken: grant.RefreshToken,
			RefreshExpiresIn: seconds(x.behavior.Tokens.RefreshLifetime - short)}
		if x.answer().Body.Has("di_ficustomer") {
			answer.FICustomer = &grant.HostUserID
		}
		x.restsOn(contract.TokensIssueCustomer, contract.TokensIssueRefreshLifetime)
	}
	switch request.GrantType {
	case sim.GrantClientCredentials:
		x.restsOn(contract.TokensIssueClientCredentials)
	case sim.GrantRefreshToken:
		x.restsOn(contract.TokensIssueRefresh, contract.TokensIssueRotation)
	case sim.GrantAuthorizationCode:
		x.restsOn(contract.TokensIssueAuthorizationCode)
		if answer.refreshable != nil {
			answer.RefreshExpiresIn = ""
		}
		if answer.IDToken, err = sandbox.IDToken(x.at.World, grant, x.at.Now); err != nil {
			return reply{}, err
		}
		if answer.IDToken != "" {
			x.restsOn(contract.TokensIssueIDToken)
		}
	}
	return x.answerWith(answer), nil
}

func seconds(d time.Duration) string { return strconv.FormatInt(int64(d/time.Second), 10) }

package contract

import (
	"net/http"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// tokens is the family of the operation that issues tokens, which the interface's document leaves open (published).
var tokens = &Family{
	Parts:     []Part{{"tokens", "Tokens", "Access and refresh tokens of clients and users."}},
	Prefix:    oauthPath,
	RequestID: "transactionId",
	Challenge: basicChallenge,
	Refusals: []Refusal{
		{sim.ClientUnknown, 401, credentialsRefused, TokensIssueUnknownClient},
		{sim.ClientNotOfInstitution, 403, permissionMissing, TokensIssueOtherInstitution},
		{InstitutionMissing, 400, institutionUnacceptable, TokensIssueInstitutionID},
		{RequestIDMissing, 400, requestIDUnacceptable, TokensIssueTransactionID},
		{BodyMalformed, 400, requestUnacceptable, TokensIssueBody},
		{MemberMistyped, 400, requestUnacceptable, TokensIssueBody},
		{sim.GrantTypeUnknown, 400, grantTypeUnknown, TokensIssueGrantType},
		{sim.UsernameMissing, 400, usernameMalformed, TokensIssueUserName},
		{sim.PasswordMissing, 400, passwordMalformed, TokensIssueUserName},
		{sim.UserCredentialsWrong, 401, loginRefused, TokensIssueWrongUser},
		{sim.RefreshTokenInvalid, 400, tokenUnusable, TokensIssueRefreshToken},
		{InternalFault, 500, serviceFault, TokensIssueInternalFault},
	},
	Injected: map[int]sim.Code{
		400: BodyMalformed,
		401: sim.ClientUnknown,
		403: sim.ClientNotOfInstitution,
		500: InternalFault,
	},
	Others:     append(slices.Clone(othersOfTokens), other(400, tokenNotCreated, "the token could not be created")),
	ErrorBody:  codeMessage(TokensIssueErrorBody),
	ErrorRests: []*Entry{TokensIssueErrorBody},
	Public: &Family{
		RequestIDs: TokensIssueTransactionID,
		Refusals: []Refusal{
			{RequestIDMalformed, 400, requestIDUnacceptable, TokensIssueTransactionID},
			{MediaTypeUnknown, 400, headerUnacceptable, TokensIssueJSONBody},
			{MemberMissing, 400, requestUnacceptable, TokensIssueRefreshToken},
			{sim.AuthorizationCodeInvalid, 400, tokenUnusable, TokensIssueAuthorizationCode},
		},
	},
}

const (
	oauthPath = "/digitalbanking/oauth2"
	tokenPath = oauthPath + "/v1/token"
)

// refusesClients are the rules that refuse requests with a client's credentials.
var refusesClients = slices.Concat(refusesBodies, []sim.Code{
	sim.ClientUnknown, InstitutionMissing, RequestIDMissing, sim.ClientNotOfInstitution, MediaTypeUnknown,
})

// refusesJSONBodies are the rules that refuse bodies in JSON alone.
var refusesJSONBodies = []sim.Code{BodyAmbiguous, MemberMistyped}

// TokensIssue is the operation that section 5 leaves open.
var TokensIssue = &Operation{
	Name: "tokens.issue", Method: http.MethodPost, Path: tokenPath,
	Summary:    "Issue tokens",
	About:      "Issues an access token to a client, for itself, for a user with username and password, or for a refresh token, which then stops working.",
	Family:     tokens,
	Rests:      []*Entry{TokensIssueOperation},
	Security:   Basic,
	Parameters: []Parameter{institutionOfGrant, transactionID.resting(TokensIssueOperation)},
	Request:    tokenRequest(required),
	JSON:       TokensIssueJSONBody,
	Form:       TokensIssueOperation,
	Changes:    true,
	NoStore:    true,
	Answers:    []Answer{{Status: 200, About: "The tokens.", Body: issuedTokens, Members: TokensIssueAnswer}},
	Errors:     []int{400, 401, 403, 500},
	Refuses: slices.Concat(refusesClients, []sim.Code{
		sim.GrantTypeUnknown, sim.UsernameMissing, sim.PasswordMissing, sim.UserCredentialsWrong, sim.RefreshTokenInvalid,
	}),
	Public: &Variant{
		ID: "createAccessTokenV2",
		Request: sent(
			member("grant_type", text("client_credentials, password, refresh_token or authorization_code."), required),
			member("username", text("Of the grant password.")),
			member("password", text("Of the grant password."), secret),
			member("scopes", text("No effect.")),
			member("refresh_token", text("Of the grant refresh_token."), secret),
			member("code", text("Of the grant authorization_code."), secret, rests(TokensIssueAuthorizationCode)),
		),
		FormOnly: true,
		Answers:  []Answer{{Status: 200, About: "The tokens.", Body: issuedInPublic, Members: TokensIssueAnswer}},
		Without:  refusesJSONBodies,
		With:     []sim.Code{MemberMissing, sim.AuthorizationCodeInvalid},
	},
	Uses: []*Entry{
		TokensIssueOperation, TokensBasic, TokensIssueAnswer, TokensIssueTokenType, TokensIssueAccessLifetime, TokensIssueText,
		TokensNoStore, EverywhereRequestID,
	},
}

var (
	transactionID      = inHeader("transactionId", "Identifies the request; a new one for each.", true)
	numericInstitution = Parameter{Name: "institutionId", In: "header", Required: true, About: "The institution.", Type: pattern("", digits)}
	institutionOfGrant = Parameter{Name: numericInstitution.Name, In: "header", About: "The institution: required, but for the grant refresh_token.",
		Type: numericInstitution.Type, Rests: []*Entry{TokensIssueOperation, TokensIssueInstitutionID}}
)

// tokenRequest is the body of both token operations (section 2.3), with the member by which RFC 7009 names a token.
func tokenRequest(grantType ...option) *Object {
	return sent(
		member("grant_type", text("client_credentials, password or refresh_token."), grantType...),
		member("username", text("")),
		member("password", text(""), secret),
		member("scopes", text("No effect.")),
		member("refresh_token", text(""), secret),
		member("token", text("The access or refresh token to revoke."), secret, rests(RevokeByToken)),
	)
}

// issuedTokens is the answer to a request for tokens: the token response of section 2.4, and its type (RFC 6749 5.1).
var issuedTokens = answered("IssuedTokens",
	member("token_type", oneOf("Bearer"), same, rests(TokensIssueTokenType), written(TokensIssueTokenType)),
	member("access_token", text(""), secret),
	member("expires_in", pattern("Seconds.", digits)),
	member("di_fiid", text("The institution's id."), same),
	member("di_ficustomer", text("The user's hostUserId; empty: none."), optional),
	member("refresh_token", text(""), secret, optional),
	member("refresh_token_expires_in", pattern("Seconds.", digits), optional),
)

// issuedInPublic is that answer in the public dialect.
var issuedInPublic = answered("PublicIssuedTokens",
	member("token_type", oneOf("Bearer"), same, rests(TokensIssueTokenType), written(TokensIssueTokenType)),
	member("access_token", text(""), secret),
	member("expires_in", pattern("Seconds.", digits)),
	member("refresh_token", text(""), secret, optional),
	member("refresh_token_expires_in", pattern("Seconds.", digits), optional),
)

// ShortOfLifetime is how much less than the lifetime of a token the answer says that it has left.
var ShortOfLifetime = InDialect[time.Duration]{Public: time.Second}

var (
	onIssue  = []string{"tokens.issue"}
	onRevoke = []string{"tokens.revoke"}
	onTokens = []string{"tokens.issue", "tokens.revoke"}
)

// The entries about issuing tokens, and about tokens as such.
var (
	TokensIssueOperation = entry(Entry{
		ID: "tokens.issue.operation", Operations: onIssue,
		Question: "Which operation issues tokens?",
		Answer: "POST " + tokenPath + " with the headers institutionId and transactionId and a form-urlencoded body with " +
			"grant_type client_credentials, password or refresh_token; 200.",
		Basis: Published, Source: "public API description; section 5 leaves it open",
		Public: saying("POST "+barePath(tokenPath)+" with the headers transactionId and, but for two of the grants, institutionId, and a form-urlencoded body with "+
			"grant_type client_credentials, password, refresh_token or authorization_code; 200.", Published, published),
	})
	TokensIssueJSONBody = entry(Entry{
		ID: "tokens.issue.json-body", Operations: onIssue,
		Question: "May the body be JSON?",
		Answer:   "Yes, with the members of the revocation's.",
		Basis:    Choice, Source: "ours, after section 2.3",
		Permits: true,
		Public:  saying("No, it is a form: {refused} to another content type, or to none.", Published, published),
	})
	TokensIssueAnswer = entry(Entry{
		ID: "tokens.issue.answer", Operations: onIssue,
		Question: "What does the answer hold?",
		Answer:   "The six members of the token response, all of them strings.",
		Basis:    Document, Source: "section 2.4",
		Public: saying("access_token, expires_in and token_type, and with a refresh token refresh_token and refresh_token_expires_in, all of them strings.",
			Published, published),
	})
	TokensIssueTokenType = entry(Entry{
		ID: "tokens.issue.token-type", Operations: onIssue,
		Question: "How does the answer give the type of the token?",
		Answer:   "token_type is Bearer.",
		Basis:    Convention, Source: "RFC 6749 5.1",
		Public: saying("token_type is Bearer.", Published, published),
	})
	TokensIssueClientCredentials = entry(Entry{
		ID: "tokens.issue.client-credentials", Operations: onIssue,
		Question: "What does the grant client_credentials answer?",
		Answer:   "No refresh token: refresh_token, refresh_token_expires_in and di_ficustomer are left out.",
		Basis:    Published, Source: published,
	})
	TokensIssueCustomer = entry(Entry{
		ID: "tokens.issue.customer", Operations: onIssue,
		Question: "What is di_ficustomer?",
		Answer:   "The hostUserId of the user; empty where the tokens are bound to none.",
		Basis:    Choice, Source: ours,
		Public: saying("There is no such member, and no di_fiid.", Published, published),
	})
	TokensIssueRefresh = entry(Entry{
		ID: "tokens.issue.refresh", Operations: onIssue,
		Question: "What does the grant refresh_token answer?",
		Answer:   "It comes with a new refresh token.",
		Basis:    Published, Source: published,
	})
	TokensIssueRotation = entry(Entry{
		ID: "tokens.issue.rotation", Operations: onIssue,
		Question: "Which tokens stop working when a refresh token is used?",
		Answer:   "The refresh token itself. Access tokens that were issued before keep working.",
		Basis:    Choice, Source: "ours; RFC 6749 6 allows it",
	})
	TokensIssueAccessLifetime = entry(Entry{
		ID: "tokens.issue.access-lifetime", Operations: onIssue,
		Question: "How long does an access token work?",
		Answer:   "24 hours, on the sandbox's clock; expires_in has the seconds.",
		Basis:    Published, Source: published,
		Switch: lifetime("tokens.accessLifetime", "How long an access token works.", func(b *sim.Behavior) *time.Duration { return &b.Tokens.AccessLifetime },
			Alternative{"<duration>", "That long.", Choice}),
		Public: saying("24 hours or what the scenario says, on the sandbox's clock; expires_in has the seconds less one.", Published, publishedExamples),
	})
	TokensIssueRefreshLifetime = entry(Entry{
		ID: "tokens.issue.refresh-lifetime", Operations: onIssue,
		Question: "How long does a refresh token work?",
		Answer:   "180 days, on the sandbox's clock; refresh_token_expires_in has the seconds.",
		Basis:    Published, Source: published,
		Switch: lifetime("tokens.refreshLifetime", "How long a refresh token works.", func(b *sim.Behavior) *time.Duration { return &b.Tokens.RefreshLifetime },
			Alternative{"<duration>", "That long.", Choice}),
		Public: saying("180 days or what the scenario says, on the sandbox's clock; refresh_token_expires_in has the seconds less one.",
			Published, publishedExamples),
	})
	TokensIssueText = entry(Entry{
		ID: "tokens.issue.text", Operations: onIssue,
		Question: "What do tokens look like?",
		Answer:   "Opaque: 28 (access) or 32 (refresh) letters and digits, drawn from the sandbox's seed.",
		Basis:    Published, Source: published,
	})
	TokensForgotten = entry(Entry{
		ID: "tokens.forgotten", Operations: onTokens,
		Question: "How long does the bank remember tokens that no longer work?",
		Answer: "Beyond 1,000 tokens of callers, those that expired more than 24 hours ago, on the sandbox's clock, are forgotten, the oldest first; beyond 1,000 " +
			"revoked grants, the oldest with their tokens. A forgotten token is an unknown one. Those of the scenario are always remembered.",
		Basis: Choice, Source: ours,
		Unshown: "it takes days, or more than 1,000 exchanges",
	})
	TokensNoStore = entry(Entry{
		ID: "tokens.no-store", Operations: onTokens,
		Question: "How are answers with tokens kept out of caches?",
		Answer:   "Cache-Control: no-store, Pragma: no-cache.",
		Basis:    Convention, Source: "RFC 6749 5.1",
	})
	TokensBasic = entry(Entry{
		ID: "tokens.basic", Operations: onTokens,
		Question: "How does a client authenticate?",
		Answer:   "By the header Authorization: Basic, with shared key and secret key.",
		Basis:    Document, Source: "section 5",
	})
	TokensIssueUnknownClient = entry(Entry{
		ID: "tokens.issue.unknown-client", Operations: onIssue,
		Question: "What is answered to a client that is unknown, or has no credentials?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
	})
	TokensIssueOtherInstitution = entry(Entry{
		ID: "tokens.issue.other-institution", Operations: onIssue,
		Question: "What is answered to a client that is not registered with the institution of the header?",
		Answer:   "{refused}.",
		Basis:    Choice, Source: "ours; the code is published",
	})
	TokensIssueInstitutionID = entry(Entry{
		ID: "tokens.issue.institution-id", Operations: onIssue,
		Question: "What is answered where the header institutionId is missing, or not digits?",
		Answer:   "{refused}; the grant refresh_token needs none: the institution is that of the refresh token.",
		Basis:    Published, Source: published,
		Permits: true,
		Public: saying("{refused}; the grants refresh_token and authorization_code need none: the institution is that of the refresh token, or of the code.",
			Published, "public API description, its request collections for authorization_code"),
	})
	TokensIssueTransactionID = entry(Entry{
		ID: "tokens.issue.transaction-id", Operations: onIssue,
		Question: "What is answered where the header transactionId is missing?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
		Public: saying("{request-id-missing}, and the same to one that is no UUID.", Published, published),
	})
	TokensIssueBody = entry(Entry{
		ID: "tokens.issue.body", Operations: onIssue,
		Question: "What is answered to a body that can't be read, or has a member of another type?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
	})
	TokensIssueGrantType = entry(Entry{
		ID: "tokens.issue.grant-type", Operations: onIssue,
		Question: "What is answered where grant_type is missing or unknown?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
	})
	TokensIssueUserName = entry(Entry{
		ID: "tokens.issue.user-name", Operations: onIssue,
		Question: "What is answered where username or password is missing?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
	})
	TokensIssueWrongUser = entry(Entry{
		ID: "tokens.issue.wrong-user", Operations: onIssue,
		Question: "What is answered where no active user has this username and password?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
	})
	TokensIssueRefreshToken = entry(Entry{
		ID: "tokens.issue.refresh-token", Operations: onIssue,
		Question: "What is answered to a refresh token that is missing, unknown, used, revoked, expired or another client's?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
		Public: saying("{member-missing} where it is missing, else {refresh-token-invalid}.", Published,
			"public API description; the code for a missing one is that of an earlier version"),
	})
	TokensIssueAuthorizationCode = entry(Entry{
		ID: "tokens.issue.authorization-code", Operations: onIssue,
		Question: "What is answered to the grant authorization_code?",
		Answer:   "The same as to a grant_type that is unknown: section 2.3 has no member for a code.",
		Basis:    Choice, Source: "ours; section 2.3 has no such member",
		Public: saying("The grant is known, but the bank issues no codes: each is unknown, {refused}. So is one that is missing.", Choice,
			"ours; the grant and the code of the error are published"),
	})
	TokensIssueInternalFault = entry(Entry{
		ID: "tokens.issue.internal-fault", Operations: onIssue,
		Question: "What is answered to an unexpected fault?",
		Answer:   "{refused}.",
		Basis:    Published, Source: published,
		Unshown: "no request is known that makes the simulator fail",
	})
	TokensIssueErrorBody = entry(Entry{
		ID: "tokens.issue.error-body", Operations: onIssue,
		Question: "What does an error look like?",
		Answer:   "{code string, message string}; the message is in the simulator's own words.",
		Basis:    Published, Source: published,
	})
)

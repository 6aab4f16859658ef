package contract

import (
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// tokens is the family of the operation that issues tokens (published). The interface's document leaves it open.
var tokens = newFamily(Family{
	Parts:    []Part{{"tokens", "Tokens", "Access and refresh tokens of clients and users."}},
	Prefix:   oauthPath,
	Security: Basic,
	Refusals: []Refusal{
		{sim.ClientUnknown, 401, credentialsRefused, TokensIssueUnknownClient},
		{sim.ClientNotOfInstitution, 403, permissionMissing, TokensIssueOtherInstitution},
		{InstitutionMissing, 400, institutionUnacceptable, TokensIssueInstitutionID},
		{RequestIDMissing, 400, requestIDUnacceptable, TokensIssueTransactionID},
		{BodyMalformed, 400, requestUnacceptable, TokensIssueBody},
		{sim.TextTooLong, 400, requestUnacceptable, TokensIssueBody},
		{sim.GrantTypeUnknown, 400, grantTypeUnknown, TokensIssueGrantType},
		{sim.ScopesNotAllowed, 400, scopesRefused, TokensIssueScopes},
		{sim.UsernameMissing, 400, usernameMalformed, TokensIssueUserName},
		{sim.PasswordMissing, 400, passwordMalformed, TokensIssueUserName},
		{sim.UserCredentialsWrong, 401, loginRefused, TokensIssueWrongUser},
		{sim.RefreshTokenInvalid, 400, tokenUnusable, TokensIssueRefreshToken},
		{sim.AuthorizationCodeInvalid, 400, tokenUnusable, TokensIssueAuthorizationCode},
		{InternalFault, 500, serviceFault, EverywhereOtherCodes},
	},
	Injected: map[int]sim.Code{400: BodyMalformed, 401: sim.ClientUnknown},
	Others:   othersOfTokens.and(faultOnly(400, tokenNotCreated, "the token could not be created")),
	Messages: map[sim.Code]string{
		sim.ClientNotOfInstitution: "the client has no permission for the request",
		sim.GrantTypeUnknown:       "grant_type is missing or not acceptable",
		sim.UsernameMissing:        "username is missing or not acceptable",
		sim.PasswordMissing:        "password is missing or not acceptable",
		sim.UserCredentialsWrong:   "no active user has this username and password",
	},
	ErrorCites: []*Entry{TokensIssueErrorBody},
	Public: &PublicFamily{Refusals: []Refusal{
		{RequestIDMalformed, 400, requestIDUnacceptable, TokensIssueTransactionID},
		{MediaTypeUnknown, 400, headerUnacceptable, TokensIssueJSONBody},
		{MemberMissing, 400, requestUnacceptable, TokensIssueRefreshToken},
	}},
})

const (
	oauthPath = "/digitalbanking/oauth2"
	tokenPath = oauthPath + "/v1/token"
)

// refusesClients are the rules that refuse requests with a client's credentials.
var refusesClients = refusesBodies.and(
	sim.ClientUnknown, InstitutionMissing, RequestIDMissing, sim.ClientNotOfInstitution, MediaTypeUnknown,
)

// refusesGrants are the rules that refuse requests for tokens.
var refusesGrants = list[sim.Code]{
	sim.TextTooLong, sim.GrantTypeUnknown, sim.ScopesNotAllowed, sim.UsernameMissing, sim.PasswordMissing,
	sim.UserCredentialsWrong, sim.UserLocked, sim.RefreshTokenInvalid, sim.AuthorizationCodeInvalid,
}

// Members of requests for tokens.
var (
	grantType = member("grant_type", oneOf(sim.GrantClientCredentials, sim.GrantPassword, sim.GrantRefreshToken,
		sim.GrantAuthorizationCode), required)
	grantedScopes = member("scopes", textType("Separated by commas or spaces. Default: all of the client's."),
		cites(TokensIssueScopes))
	redeemedCode = member("code", textType("Of the grant authorization_code."), secret,
		cites(TokensIssueAuthorizationCode))
)

// TokensIssue issues tokens. Section 5 leaves the operation open.
var TokensIssue = tokens.operation(Operation{
	Name: "tokens.issue", Method: http.MethodPost, Path: tokenPath,
	PublishedID: "createAccessTokenV2",
	Summary:     "Issue tokens",
	About: "Issues an access token to a client, for itself, for a user with username and password, or for a refresh " +
		"token or an authorization code, which then stops working.",
	Parameters: []Parameter{institutionOfGrant, transactionID.resting(TokensIssueOperation)},
	Request:    tokenRequest(grantType, "Ignored: only a revocation reads it.").with(grantedScopes).with(redeemedCode),
	JSON:       TokensIssueJSONBody,
	Form:       TokensIssueOperation,
	Changes:    true,
	NoStore:    true,
	Answers:    []Answer{{Status: 200, About: "The tokens.", Body: issuedTokens, Members: TokensIssueAnswer}},
	Refuses:    refusesClients.and(refusesGrants...),
	Public: &PublicForm{
		Request: sent(grantType, member("username", textType("Of the grant password.")),
			member("password", textType("Of the grant password."), secret), grantedScopes,
			member("refresh_token", textType("Of the grant refresh_token."), secret), redeemedCode),
		FormOnly: true,
		Answers:  []Answer{{Status: 200, About: "The tokens.", Body: issuedInPublic, Members: TokensIssueAnswer}},
		Refuses:  except(refusesClients, BodyAmbiguous, MemberMistyped).and(refusesGrants...).and(MemberMissing),
	},
	Uses: []*Entry{
		TokensIssueOperation, TokensBasic, TokensIssueAnswer, TokensIssueTokenType, TokensIssueAccessLifetime,
		TokensIssueText, TokensNoStore, EverywhereRequestID,
	},
})

var (
	transactionID      = inHeader("transactionId", "Identifies the request; a new one for each.", true)
	numericInstitution = Parameter{Name: "institutionId", In: "header", Required: true, About: "The institution.",
		Type: matching("", digits)}
	institutionOfGrant = Parameter{Name: numericInstitution.Name, In: "header",
		About: "The institution: required, but for the grants refresh_token and authorization_code.",
		Type:  numericInstitution.Type, Cites: []*Entry{TokensIssueOperation, TokensIssueInstitutionID}}
)

// tokenRequest returns the body of both token operations (section 2.3), and the member token of RFC 7009.
func tokenRequest(grantType Member, aboutToken string) *Object {
	return sent(
		grantType, member("username", textType("")),
		member("password", textType(""), secret), member("scopes", textType("No effect.")),
		member("refresh_token", textType(""), secret),
		member("token", textType(aboutToken), secret, cites(RevokeByToken)),
	)
}

// issuedTokens is the answer to a request for tokens: the token response of section 2.4, and token_type (RFC 6749 5.1).
var issuedTokens = answered("IssuedTokens",
	member("token_type", oneOf("Bearer"), same, cites(TokensIssueTokenType), written(TokensIssueTokenType)),
	member("access_token", textType(""), secret),
	member("expires_in", matching("Seconds.", digits)),
	member("di_fiid", textType("The institution's id."), same),
	member("di_ficustomer", textType("The user's hostUserId; empty: none."), optional),
	member("refresh_token", textType(""), secret, optional),
	member("refresh_token_expires_in", matching("Seconds.", digits), optional),
	member("id_token", textType("Of the grant authorization_code."), secret, optional, cites(TokensIssueIDToken)),
)

// issuedInPublic is the answer in the public dialect.
var issuedInPublic = issuedTokens.named("PublicIssuedTokens").without("di_fiid", "di_ficustomer")

var (
	onIssue  = []string{"tokens.issue"}
	onRevoke = []string{"tokens.revoke"}
	onTokens = []string{"tokens.issue", "tokens.revoke"}
)

// What a request for tokens holds, and what the grant authorization_code answers, in both dialects.
const (
	withGrant = " with the header transactionId and, but for the grants refresh_token and authorization_code, " +
		"institutionId, and a form-urlencoded body with grant_type client_credentials, password, refresh_token or " +
		"authorization_code; 200."
	redeemed = "Tokens for the user of the code, to the client that it was created for, and a refresh token if " +
		"requested_scopes had offline_access. To a code that is missing, unknown, used, expired or another client's " +
		"{refused}."
	withIDToken = "With the grant authorization_code, where the code request had nonce, aud or requested_scopes: a " +
		"JWT with sub, iss (urn:banksim: and the institutionId), iat, exp (300 s later), and aud, nonce and " +
		"auth_time as requested. It is signed (RS256) with a key that the sandbox's seed determines; the control API has the " +
		"public half."
)

// The entries about tokens.
var (
	TokensIssueOperation = entry("tokens.issue.operation", onIssue, Published, Entry{
		Question: "Which operation issues tokens?",
		answer:   "POST " + tokenPath + withGrant,
		source:   publishedIn(itsOperations, collections) + "; section 5 leaves it open",
		Public: publicAnswer("POST "+barePath(tokenPath)+withGrant, Published,
			publishedIn(itsOperations, collections)),
	})
	TokensIssueJSONBody = entry("tokens.issue.json-body", onIssue, Choice, Entry{
		Question: "May the body be JSON?",
		answer:   "Yes, with the members of the revocation's.",
		source:   "ours; section 2.3 has the members",
		Permits:  true,
		Public: publicAnswer("No, it is a form: {refused} to another content type, or to none.",
			Published, published),
	})
	TokensIssueAnswer = entry("tokens.issue.answer", onIssue, Documented, Entry{
		Question: "What does the answer hold?",
		answer: "The six members of the token response, all of them strings; without a refresh token not " +
			"refresh_token, refresh_token_expires_in and di_ficustomer, and for the grant authorization_code never " +
			"refresh_token_expires_in.",
		source: "section 2.4; that members are left out is ours, and published of refresh_token_expires_in",
		Public: publicAnswer("access_token, expires_in and token_type, and with a refresh token refresh_token and, "+
			"but for the grant authorization_code, refresh_token_expires_in, all of them strings.",
			Published, published),
	})
	TokensIssueTokenType = entry("tokens.issue.token-type", onIssue, Convention, Entry{
		Question: "How does the answer give the type of the token?",
		answer:   "token_type is Bearer.",
		source:   "RFC 6749 5.1",
		Public:   publicAnswer("token_type is Bearer.", Published, published),
	})
	TokensIssueClientCredentials = entry("tokens.issue.client-credentials", onIssue, Published, Entry{
		Question: "What does the grant client_credentials answer?",
		answer:   "No refresh token: refresh_token, refresh_token_expires_in and di_ficustomer are left out.",
		source:   published + "; that di_ficustomer is left out is ours",
	})
	TokensIssueCustomer = entry("tokens.issue.customer", onIssue, Choice, Entry{
		Question: "What is di_ficustomer?",
		answer: "The hostUserId of the user; empty where the tokens are bound to none. It is there with a refresh " +
			"token only.",
		Public: publicAnswer("There is no such member, and no di_fiid.", Published, published),
	})
	TokensIssueRefresh = entry("tokens.issue.refresh", onIssue, Published, Entry{
		Question: "What does the grant refresh_token answer?",
		answer:   "It comes with a new refresh token.",
	})
	TokensIssueRotation = entry("tokens.issue.rotation", onIssue, Choice, Entry{
		Question: "Which tokens stop working when a refresh token is used?",
		answer:   "The refresh token itself. Access tokens that were issued before keep working.",
		source:   "ours; RFC 6749 6 allows it",
	})
	TokensIssueAccessLifetime = entry("tokens.issue.access-lifetime", onIssue, Published, Entry{
		Question: "How long does an access token work?",
		answer:   "24 hours, on the sandbox's clock; expires_in has the seconds.",
		Switch: lifetimeSwitch("tokens.accessLifetime", "How long an access token works.",
			func(b *sim.Behavior) *time.Duration { return &b.Tokens.AccessLifetime }),
		Public: publicAnswer(
			"24 hours or what the scenario says, on the sandbox's clock; expires_in has the seconds less "+
				"one.",
			Published, publishedIn(itsOperations, formats)),
	})
	TokensIssueRefreshLifetime = entry("tokens.issue.refresh-lifetime", onIssue, Published, Entry{
		Question: "How long does a refresh token work?",
		answer:   "180 days, on the sandbox's clock; refresh_token_expires_in has the seconds.",
		source:   publishedIn(formats),
		Switch: lifetimeSwitch("tokens.refreshLifetime", "How long a refresh token works.",
			func(b *sim.Behavior) *time.Duration { return &b.Tokens.RefreshLifetime }),
		Public: publicAnswer(
			"180 days or what the scenario says, on the sandbox's clock; refresh_token_expires_in has the "+
				"seconds less one.",
			Published, publishedIn(formats)),
	})
	TokensIssueText = entry("tokens.issue.text", onIssue, Published, Entry{
		Question: "What do tokens look like?",
		answer:   "Opaque: 28 (access) or 32 (refresh) letters and digits, drawn from the sandbox's seed.",
		source:   publishedIn(formats) + "; that the seed decides is ours",
	})
	TokensForgotten = entry("tokens.forgotten", onTokens, Choice, Entry{
		Question: "How long does the bank remember tokens that no longer work?",
		answer: "Of the tokens of callers that were revoked, or expired more than 24 hours ago on the sandbox's " +
			"clock, at least the newest 1,000 are remembered; those of the scenario always. A code that was used is " +
			"forgotten at once, and so is a refresh token, unless refreshGrace or refreshReuse is set: then it " +
			"counts as a revoked one of a caller. A forgotten token is an unknown one.",
		Unshown: "it takes days, or more than 1,000 exchanges",
	})
	TokensNoStore = entry("tokens.no-store", append(onCreateCode, onTokens...), Convention, Entry{
		Question: "How are answers with tokens kept out of caches?",
		answer:   "Cache-Control: no-store, Pragma: no-cache.",
		source:   "RFC 6749 5.1",
	})
	TokensBasic = entry("tokens.basic", onTokens, Documented, Entry{
		Question: "How does a client authenticate?",
		answer:   "By the header Authorization: Basic, with shared key and secret key.",
		source:   "section 5",
	})
	TokensBasicEncoded = entry("tokens.basic-encoded", onTokens, Convention, Entry{
		Question: "May the keys be form-encoded before they are put into the header Authorization?",
		answer:   "Yes, with a lint in the journal: they are read as they are first, and then decoded.",
		source:   "RFC 6749 2.3.1",
		Permits:  true,
		Unshown:  "a check of another service replaces the keys of golden exchanges, and finds these only as they are",
	})
	TokensIssueUnknownClient = refusalEntry("tokens.issue.unknown-client", onIssue, Published,
		"to a client that is unknown, or has no credentials")
	TokensIssueOtherInstitution = entry("tokens.issue.other-institution", onIssue, Published, Entry{
		Question: "What is answered to a client that is not registered with the institution of the header?",
		source:   publishedIn(errorCodes, version13) + "; version 1.3 has another status",
	})
	TokensIssueInstitutionID = entry("tokens.issue.institution-id", onIssue, Published, Entry{
		Question: "What is answered where the header institutionId is missing, or not digits?",
		answer: "{refused}; the grants refresh_token and authorization_code need none: the institution is that of " +
			"the refresh token, or of the code.",
		source: publishedIn(itsOperations, collections) + "; the description of the operation requires it for the " +
			"grant authorization_code, too",
		Permits: true,
	})
	TokensIssueTransactionID = entry("tokens.issue.transaction-id", onIssue, Published, Entry{
		Question: "What is answered where the header transactionId is missing?",
		source:   publishedIn(errorCodes),
		Public: publicAnswer("{request-id-missing}, and the same to one that is no UUID.", Published,
			publishedIn(errorCodes)),
	})
	TokensIssueBody = entry("tokens.issue.body", onIssue, Published, Entry{
		Question: "What is answered to a body that can't be read, or has a member of another type or scopes of more " +
			"than 1,000 characters?",
		source: publishedIn(errorCodes, version13) +
			"; that it is for a body that can't be read, too, and that scopes have a limit, is ours",
	})
	TokensIssueGrantType = refusalEntry("tokens.issue.grant-type", onIssue, Published,
		"where grant_type is missing or unknown")
	TokensIssueUserName = entry("tokens.issue.user-name", onIssue, Published, Entry{
		Question: "What is answered where username or password is missing?",
		source:   publishedIn(errorCodes) + "; that they mean a missing one, too, is ours",
	})
	TokensIssueWrongUser = refusalEntry("tokens.issue.wrong-user", onIssue, Published,
		"where no active user has this username and password")
	TokensIssueLockedUser = entry("tokens.issue.locked-user", onIssue, Choice, Entry{
		Question: "What is answered to the username and the password of a user that is locked?",
		answer:   "What is answered to a wrong password. Tokens that the user has keep working.",
		source:   "ours; the status is published",
		Unshown:  "the bank of the golden exchanges has no locked user",
	})
	TokensIssueWrongPasswords = entry("tokens.issue.wrong-passwords", onIssue, Choice, Entry{
		Question: "What do wrong passwords of a user do?",
		answer:   "failedLoginCount counts them, until the right one comes. They lock no user.",
		source:   "ours; failedLoginCount is published",
		Switch: numberFrom(0, "tokens.lockAfter", "How many wrong passwords in a row lock a user; 0 locks no user.",
			func(b *sim.Behavior) *int { return &b.Tokens.LockAfter }, maxNumber,
			"So many in a row lock the user, until a scenario or the control API unlocks it."),
		Unshown: "no answer shows it",
	})
	TokensIssueRefreshGrace = entry("tokens.issue.refresh-grace", onIssue, Choice, Entry{
		Question: "What does a refresh token give that was used a moment ago?",
		answer:   "Nothing: it no longer works.",
		source:   "ours; RFC 9700 4.14.2",
		Switch: lowestZero(lifetimeSwitch("tokens.refreshGrace",
			"How long a used refresh token gives the same tokens again, for clients that lose an answer.",
			func(b *sim.Behavior) *time.Duration { return &b.Tokens.RefreshGrace })),
		Permits: true,
		Unshown: "a golden exchange uses no token twice",
	})
	TokensIssueRefreshReuse = entry("tokens.issue.refresh-reuse", onIssue, Choice, Entry{
		Question: "What happens to a grant whose used refresh token comes again?",
		answer:   "Nothing: that token is refused, and the others keep working.",
		source:   "ours; RFC 9700 4.14.2",
		Switch: wordSwitch("tokens.refreshReuse", "Whether a used refresh token that comes again ends its grant.",
			func(b *sim.Behavior) *sim.RefreshReuse { return &b.Tokens.RefreshReuse },
			Alternative{string(sim.RefreshReuseEndGrant), "It ends: all of its tokens stop working.", Choice}),
		Unshown: "a golden exchange uses no token twice",
	})
	TokensIssueRefreshToken = entry("tokens.issue.refresh-token", onIssue, Published, Entry{
		Question: "What is answered to a refresh token that is missing, unknown, used, revoked, expired or another " +
			"client's?",
		source: publishedIn(errorCodes) + "; version 1.3 has another code for a missing one, so that this one is " +
			"the same is ours",
		Public: publicAnswer("{member-missing} where it is missing, else {refresh-token-invalid}.", Published,
			publishedIn(errorCodes, version13)+"; version 1.3 has the code of a missing one"),
	})
	TokensIssueAuthorizationCode = entry("tokens.issue.authorization-code", onIssue, Choice, Entry{
		Question: "What is answered to the grant authorization_code?",
		answer:   redeemed,
		source:   "ours; whoever creates a code on this path can use it there; section 2.3 has no member for it",
		Public:   publicAnswer(redeemed, Published, published+"; that these have one code is ours"),
	})
	TokensIssueIDToken = entry("tokens.issue.id-token", onIssue, Choice, Entry{
		Question: "Is there an id_token?",
		answer:   withIDToken,
		source:   "ours; section 2.4 has no such member",
		Public: publicAnswer(withIDToken, Published,
			published+"; what iss is, the key, and that nonce and aud become claims, are ours"),
	})
	TokensIssueErrorBody = codeMessageEntry("tokens.issue.error-body", onIssue, Published, publishedIn(errorBodies))
)

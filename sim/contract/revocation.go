package contract

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

// revocations is the family of the revocation. The error body is section 7.1. The codes are published.
var revocations = newFamily(Family{
	Parts:    []Part{{Name: "revoke", Title: "Revocation"}},
	Prefix:   revokePath,
	Security: Basic,
	Refusals: []Refusal{
		{sim.ClientUnknown, 401, credentialsRefused, RevokeUnknownClient},
		{sim.ClientNotOfInstitution, 401, credentialsRefused, RevokeOtherInstitution},
		{sim.UserCredentialsWrong, 401, credentialsRefused, RevokeWrongUser},
		{InstitutionMissing, 400, institutionUnacceptable, RevokeInstitutionID},
		{RequestIDMissing, 400, requestIDUnacceptable, RevokeTransactionID},
		{MediaTypeUnknown, 400, headerUnacceptable, RevokeContentType},
		{BodyMalformed, 400, requestUnacceptable, RevokeMalformedBody},
		{sim.GrantUnnamed, 400, requestUnacceptable, RevokeNothingNamed},
		{sim.RefreshTokenInvalid, 400, tokenUnusable, RevokeOtherClient},
		{sim.RevocationOfNothing, 400, tokenUnusable, RevokeUnknownToken},
		{InternalFault, 500, serviceFault, EverywhereOtherCodes},
		{Forbidden, 403, permissionMissing, EverywhereOtherCodes},
	},
	Injected: map[int]sim.Code{400: BodyMalformed, 401: sim.ClientUnknown},
	Others:   othersOfTokens,
	ErrorBody: answered("",
		member("statusMessage", textType("The same as errorMessage."), from(FromMessage)),
		member("errorInfo", object(answered("",
			member("errorType", oneOf("USER_ERROR", "SYSTEM_ERROR"), from(FromErrorType), same),
			member("errorCode", textType(""), from(FromCode), same),
			member("errorMessage", textType(""), from(FromMessage)))))),
	ErrorCites: []*Entry{RevokeErrorBody, RevokeErrorType},
	Public: &PublicFamily{
		Refusals:   []Refusal{{RequestIDMalformed, 400, requestIDUnacceptable, RevokeTransactionID}},
		ErrorBody:  codeMessage(RevokeErrorBody),
		ErrorCites: []*Entry{RevokeErrorBody},
	},
})

const revokePath = oauthPath + "/v1/revoke"

// TokensRevoke is section 4.4: a DELETE with a body.
var TokensRevoke = revocations.operation(Operation{
	InDocument: true,
	Name:       "tokens.revoke", Method: http.MethodDelete, Path: revokePath,
	PublishedID: "revokeAccessTokenV2",
	Summary:     "Revoke tokens: a DELETE with a body",
	About: "Revokes the grant that the body names, with all of its tokens. The body has to be sent with the " +
		"DELETE.",
	Parameters: []Parameter{numericInstitution, transactionID},
	Request: tokenRequest(
		member("grant_type", oneOf(sim.GrantClientCredentials, sim.GrantPassword, sim.GrantRefreshToken)),
		"The access or refresh token to revoke."),
	Form:    RevokeFormBody,
	Changes: true,
	NoStore: true,
	Answers: []Answer{
		{Status: 200, About: "The tokens are revoked.", Body: TokenResponse, Members: RevokeResponse,
			Switched: RevokeResponse, Value: string(sim.RevokeToken)},
		{Status: 200, About: "The tokens are revoked.", Switched: RevokeResponse, Value: string(sim.RevokeEmpty)},
		{Status: 204, About: "The tokens are revoked.", Switched: RevokeResponse,
			Value: string(sim.RevokeNoContent)},
		{Status: 200, About: "The tokens are revoked.", Body: AuthenticationResult, Members: RevokeResponse,
			Switched: RevokeResponse, Value: string(sim.RevokeAuthenticationResult)},
		{Status: 200, About: "The tokens are revoked.", Body: &Object{Null: true}, Members: RevokeResponse,
			Switched: RevokeResponse, Value: string(sim.RevokeNull)},
		{Status: 200, About: "The tokens are revoked.", Body: RevokedMessage, Members: RevokeResponse,
			Switched: RevokeResponse, Value: string(sim.RevokeCodeMessage)},
	},
	Documented: []int{400, 401, 500},
	Refuses: refusesClients.and(
		sim.UserCredentialsWrong, sim.GrantUnnamed, sim.RefreshTokenInvalid, sim.RevocationOfNothing,
	),
	Public: &PublicForm{
		About: "Revokes the token that the form names, a refresh token with all access tokens that were issued from " +
			"it. The body has to be sent with the DELETE.",
		Parameters: []Parameter{transactionID},
		Request: sent(
			member("token", textType("The access or refresh token to revoke."),
				required, secret, cites(RevokeByToken))),
		FormOnly: true,
		Refuses: []sim.Code{
			BodyMalformed, sim.ClientUnknown, RequestIDMissing, MediaTypeUnknown, sim.GrantUnnamed,
			sim.RefreshTokenInvalid, sim.RevocationOfNothing,
		},
	},
	Uses: []*Entry{RevokeResponse, RevokeBody, TokensBasic, EverywhereRequestID},
})

// TokenResponse is the resource of section 2.4.
var TokenResponse = answered("TokenResponse",
	member("expires_in", matching("Seconds.", digits)),
	member("di_fiid", textType("The institution's id."), same),
	member("di_ficustomer", textType("The user's hostUserId; empty: none.")),
	member("access_token", textType(""), secret),
	member("refresh_token", textType(""), secret),
	member("refresh_token_expires_in", matching("Seconds.", digits)),
)

// RevokedMessage is the {code, message} body that section 4.4 lists for a revocation.
var RevokedMessage = answered("RevokedMessage",
	member("code", oneOf(done), cites(RevokeMessage)),
	member("message", textType("")),
)

// AuthenticationResult is the resource of section 2.5. A revocation can answer with it.
var AuthenticationResult = answered("AuthenticationResult",
	member("userId", textType("")),
	member("institutionCustomerId", textType("")),
	member("userName", textType("")),
	member("password", textType(""), secret),
	member("oldPassword", textType(""), secret),
	member("alternateCredentialValue", textType(""), secret),
	member("alternateCredentialType", oneOf("FACE_ID")),
	member("institutionId", textType("")),
	member("deviceId", textType("")),
	member("oneTimePasscode", textType(""), secret),
	member("requestChannel", oneOf("WEB")),
	member("passwordExpiryInDays", textType("")),
	member("passwordExpiryWarningInDays", textType("")),
	member("passwordPostponementPeriodInDays", textType("")),
	member("ticket", textType(""), secret),
	member("status", oneOf("SECONDARY_AUTHENTICATION_REQUIRED"), same),
	member("phoneNumbers", phones),
	member("validatedPhoneNumbers", phones),
	member("validatedEmail", object(answered("", member("id", textType("")), member("address", textType(""))))),
	member("validatedVipToken", object(answered("", member("id", textType("")), member("credentialId", textType(""))))),
	member("validatedTotpToken", object(answered("", member("id", textType(""))))),
	member("secondaryAuthCookies",
		object(answered("", member("name", textType("")), member("value", textType(""), secret),
			member("maxAge", Type{JSON: "integer"})))),
	member("privateDevice", boolean("")),
	member("scopes", object(answered("", member("scope", object(answered("", member("name", textType("")),
		member("description", textType("")))))))),
	member("redirectUri", textType("")),
	member("clientId", textType("")),
	member("clientSecret", textType(""), secret),
	member("grantType", oneOf("AUTHORIZATION_CODE")),
	member("state", textType(""), secret),
	member("additionalInfo", object(answered("", member("entry",
		arrayOf(answered("", member("key", textType(""), secret), member("value", textType(""), secret))))))),
)

var phones = object(answered("", member("phoneNumber", object(answered("",
	member("id", textType("")),
	member("countryCode", textType("")),
	member("number", textType("")),
	member("protocol", oneOf("SMS")))))))

// The entries about revoking tokens.
var (
	RevokeResponse = entry("revoke.response", onRevoke, Documented, Entry{
		Question: "What does a successful revocation answer?",
		answer:   "200 with the token response.",
		source:   "sections 2.4 and 4.4",
		Switch: wordSwitch("tokens.revokeResponse",
			"What a revocation answers. Quote \"null\".",
			func(b *sim.Behavior) *sim.RevokeResponse { return &b.Tokens.RevokeResponse },
			Alternative{"empty", "200 without a body.", Documented},
			Alternative{"noContent", "204.", Published},
			Alternative{"authenticationResult",
				"200 with the authentication-result object, another shape that is listed.", Documented},
			Alternative{"null", "200 with null, which is listed, too.", Documented},
			Alternative{"codeMessage", "200 with {code, message}, which is listed, too.", Documented}),
		Public: publicDefault(string(sim.RevokeNoContent)),
	})
	RevokeContent = entry("revoke.content", onRevoke, Choice, Entry{
		Question: "What is in the token response of a revocation?",
		answer: "The newest grant that was revoked: its tokens, which no longer work, and lifetimes of \"0\"; " +
			"empty tokens where there was nothing to revoke. Never a token that works.",
		source: "ours; section 4.4 gives the shape",
	})
	RevokeAuthenticationResult = entry("revoke.authentication-result", onRevoke, Choice, Entry{
		Question: "What is in the authentication-result object of a revocation?",
		answer: "User, institution and client of the revoked grant; of each enumeration the value that is shown; " +
			"all else is empty.",
		source: "ours; section 2.5 gives the shape",
	})
	RevokeMessage = entry("revoke.code-message", onRevoke, Choice, Entry{
		Question: "What is in the body {code, message} of a revocation?",
		answer:   "The code " + done + ", as for a group that is deleted, and a message in the simulator's own words.",
		source:   "ours; section 4.4 gives the shape",
	})
	RevokeBody = entry("revoke.body", onRevoke, Documented, Entry{
		Question: "Where does a revocation name what it revokes?",
		answer:   "In the body of the DELETE, which is read with a Content-Length as well as chunked.",
		source:   "section 4.4",
	})
	RevokeFormBody = entry("revoke.form-body", onRevoke, Published, Entry{
		Question: "May the body be form-urlencoded?",
		answer:   "Yes.",
		source:   published + "; section 4 has JSON",
		Permits:  true,
		Public:   publicAnswer("It must be.", Published, published),
	})
	RevokeByRefreshToken = entry("revoke.by-refresh-token", onRevoke, Choice, Entry{
		Question: "What does refresh_token in the body revoke?",
		answer:   "The grant that the refresh token belongs to.",
		source:   "ours; section 2.3 has the member",
		Public:   publicAnswer("Nothing: the operation has no such member.", Published, published),
	})
	RevokeByToken = entry("revoke.by-token", onRevoke, Convention, Entry{
		Question: "May the body name a token, whichever, by the member token?",
		answer:   "Yes: the grant of this refresh or access token is revoked.",
		source:   "RFC 7009 2.1",
		Permits:  true,
		Public:   publicAnswer("Yes, and by no other member.", Published, published),
	})
	RevokeByCredentials = entry("revoke.by-credentials", onRevoke, Choice, Entry{
		Question: "What does a body without a token revoke?",
		answer: "With grant_type password, username and password: all grants that the client holds for this user. " +
			"With grant_type client_credentials: those that it holds for no user.",
		source:  "ours; section 2.3 has the members",
		Permits: true,
		Public:  publicAnswer("Nothing: the operation has no such members.", Published, published),
	})
	RevokeCascade = entry("revoke.cascade", onRevoke, Published, Entry{
		Question: "What else stops working with a revoked refresh token, or with a grant that is revoked as a whole?",
		answer:   "Every access token and the refresh token of the grant.",
		source:   published + "; RFC 7009 2.1 has it, too; for a grant that is revoked as a whole it is ours",
	})
	RevokeAccessToken = entry("revoke.access-token", onRevoke, Choice, Entry{
		Question: "What else stops working with a revoked access token?",
		answer:   "Its whole grant: the refresh token and the other access tokens.",
		source:   "ours; RFC 7009 2.1 allows it",
		Switch: flagSwitch("tokens.accessTokenAlone", "Whether revoking an access token leaves the rest of its grant.",
			func(b *sim.Behavior) *bool { return &b.Tokens.AccessTokenAlone },
			Alternative{"true", "Nothing, if the grant has a refresh token: the answer has no refresh token then.",
				Choice}),
	})
	RevokeSeveralTokens = entry("revoke.several-tokens", onRevoke, Choice, Entry{
		Question: "What is revoked where the body names a grant in several ways?",
		answer: "refresh_token counts before token, and both before grant_type with its credentials, which are not " +
			"looked at then.",
		source: "ours; section 2.3 shows the members side by side",
		Public: publicAnswer("There is one way: the member token.", Published, published),
	})
	RevokeUnknownToken = entry("revoke.unknown-token", onRevoke, Convention, Entry{
		Question: "What is answered where the token is unknown, used up or revoked already?",
		answer:   "The same as for a known one.",
		source:   "RFC 7009 2.2",
		Switch: wordSwitch("tokens.unknownToken", "Whether revoking an unknown token is refused.",
			func(b *sim.Behavior) *sim.UnknownToken { return &b.Tokens.UnknownToken },
			Alternative{"error", "{refused}.", Choice}).
			under(string(sim.UnknownTokenError), sim.RevocationOfNothing),
		Permits: true,
		Public: &PublicAnswer{Default: string(sim.UnknownTokenError), Basis: Choice,
			source: "ours; a client that passes here also passes where it is refused; the code is published"},
	})
	RevokeOtherClient = entry("revoke.other-client", onRevoke, Convention, Entry{
		Question: "What is answered where the token is another client's?",
		answer: "{refused} while the token works; nothing is revoked. A token that was used or revoked, or has " +
			"expired, counts as unknown.",
		source: "RFC 7009 2.1; 2.2 for a token that no longer works",
	})
	RevokeNothingNamed = entry("revoke.nothing-named", onRevoke, Convention, Entry{
		Question: "What is answered where the body names nothing to revoke?",
		source:   "RFC 7009 2.1; section 4.4 has the status",
		Public: publicAnswer("{refused}: the form has no member token.", Published,
			publishedIn(version13)),
	})
	RevokeUnknownClient = entry("revoke.unknown-client", onRevoke, Documented, Entry{
		Question: "What is answered to a client that is unknown, or has no credentials?",
		source:   "sections 4.4 and 7.1; the code is published",
	})
	RevokeOtherInstitution = entry("revoke.other-institution", onRevoke, Choice, Entry{
		Question: "What is answered to a client that is not registered with the institution of the header?",
		source:   "ours; section 4.4 and RFC 9110 15.5.2 have the status",
		Public: publicAnswer("The same as to any client: the header is no parameter, and the institution is that of "+
			"the token.", Published, published+"; that the institution is the token's is ours"),
	})
	RevokeWrongUser = entry("revoke.wrong-user", onRevoke, Choice, Entry{
		Question: "What is answered where no active user has the username and password of the body?",
		Public:   publicAnswer("There are no such members: the body names nothing to revoke.", Published, published),
	})
	RevokeInstitutionID = entry("revoke.institution-id", onRevoke, Documented, Entry{
		Question: "What is answered where the header institutionId is missing, or not digits?",
		source:   "sections 4.4 and 7.1; the code is published",
		Public: publicAnswer("The same as with it: it is no parameter, and the institution is that of the token.",
			Published, published+"; that the institution is the token's is ours"),
	})
	RevokeTransactionID = entry("revoke.transaction-id", onRevoke, Documented, Entry{
		Question: "What is answered where the header transactionId is missing?",
		source:   "sections 4.4 and 7.1; the code is published",
		Public: publicAnswer("{request-id-missing}, and the same to one that is no UUID.", Published,
			publishedIn(errorCodes)),
	})
	RevokeContentType = entry("revoke.content-type", onRevoke, Documented, Entry{
		Question: "What is answered to another content type than JSON and form-urlencoded, or to none?",
		source:   "sections 4.4 and 7.1; the code is published",
		Public:   publicAnswer("{refused}, and the same to JSON.", Published, published),
	})
	RevokeMalformedBody = entry("revoke.malformed-body", onRevoke, Documented, Entry{
		Question: "What is answered to a body that can't be read, or has a member of another type?",
		source:   "sections 4.4 and 7.1; the code is published",
	})
	RevokeErrorBody = entry("revoke.error-body", onRevoke, Documented, Entry{
		Question: "What does an error look like?",
		answer: "{statusMessage string, errorInfo {errorType, errorCode, errorMessage}}; the two messages are the " +
			"same.",
		source: "section 7.1; the codes are published",
		Public: publicAnswer("{code string, message string}; the message is in the simulator's own words.", Published,
			publishedIn(errorBodies)),
	})
	RevokeErrorType = entry("revoke.error-type", onRevoke, Choice, Entry{
		Question: "Which values has errorType?",
		answer:   "USER_ERROR, and SYSTEM_ERROR from 500 on.",
		source:   "ours; section 7.1 shows USER_ERROR, and no source names the other",
		Public:   publicAnswer("There is no such member.", Published, publishedIn(errorBodies)),
	})
)

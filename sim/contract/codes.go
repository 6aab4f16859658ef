package contract

import (
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
)

// codes is the family of the operations that lead to an authorization code (published).
var codes = newFamily(Family{
	Parts:  []Part{{"codes", "Authorization codes", "Codes with which another client gets tokens for a user."}},
	Prefix: codePath,
	Refusals: []Refusal{
		{TokenMissing, 401, credentialsRefused, CodesAuth},
		{sim.TokenUnknown, 400, "CMN_90018", CodesAuth},
		{sim.TokenOfAnotherUser, 403, accessBlocked, CodesUser},
		{RequestIDMissing, 400, requestIDUnacceptable, CodesTransactionID},
		{RequestIDMalformed, 400, requestIDUnacceptable, CodesTransactionID},
		{InstitutionMissing, 400, institutionUnacceptable, CodesInstitutionID},
		{sim.InstitutionUnknown, 403, accessBlocked, CodesInstitutionID},
		{MediaTypeUnknown, 400, headerUnacceptable, CodesForm},
		{BodyMalformed, 400, requestUnacceptable, CodesForm},
		{MemberMissing, 400, requestUnacceptable, CodesForm},
		{sim.TextTooLong, 400, requestUnacceptable, CodesForm},
		{sim.CodeClientUnknown, 400, credentialsRefused, CodesClient},
		{sim.ClientAuthorizesItself, 400, "CMN_90020", CodesClient},
		{sim.ClientWithoutCodes, 400, "CMN_90021", CodesClient},
		{sim.ScopesNotAllowed, 400, scopesRefused, CodesScopes},
		{sim.CodeUserUnknown, 400, usernameMalformed, CodesUser},
		{sim.CodeUserIDWrong, 400, institutionUnacceptable, CodesUser},
		{InternalFault, 500, serviceFault, EverywhereOtherCodes},
	},
	Injected: map[int]sim.Code{400: BodyMalformed},
	Others: []Injection{
		faultOnly(400, accessBlocked, "access is blocked"),
		faultOnly(400, tokenNotCreated, "the code could not be created"),
	},
	Messages: map[sim.Code]string{
		sim.CodeClientUnknown:      "there is no such client",
		sim.ClientAuthorizesItself: "a client can't authorize itself",
		sim.ClientWithoutCodes:     "the client doesn't have the grant authorization_code",
		sim.CodeUserUnknown:        "the user is not known",
	},
	ErrorCites: []*Entry{CodesErrorBody},
})

const codePath = "/digitalbanking/auth-code"

// refusesCodes are the rules that refuse requests about authorization codes.
var refusesCodes = refusesTokens.and(
	RequestIDMissing, RequestIDMalformed,
	InstitutionMissing, sim.InstitutionUnknown, MediaTypeUnknown, BodyMalformed, MemberMissing,
	sim.CodeClientUnknown, sim.ClientAuthorizesItself, sim.ClientWithoutCodes,
)

// ofCodes marks members that only the public description has.
var ofCodes = cites(CodesOperations)

var clientOfCode = member("client_id", textType("The shared key of the client that is to get tokens."), required,
	ofCodes)

// TokensAuthorizeClient reads what a client may get codes for (published).
var TokensAuthorizeClient = codes.operation(Operation{
	Name: "tokens.authorizeClient", Method: http.MethodPost, Path: codePath + "/v1/client-authorization",
	PublishedID: "authorizeClientV1",
	Summary:     "What a client may get codes for",
	About:       "Reads the scopes and the settings of a client that may get tokens by authorization codes.",
	Parameters:  []Parameter{transactionID, numericInstitution},
	Request:     sent(clientOfCode),
	Form:        CodesForm,
	FormOnly:    true,
	Answers: []Answer{{Status: 200, About: "What the client may do.", Members: CodesOperations,
		Body: answered("ClientAuthorization",
			member("scopes", textType("Separated by comma and space."), ofCodes),
			member("appId", textType(""), ofCodes),
			member("additional_info", object(answered("",
				member("secondary_authentication_enabled", boolean(""), ofCodes),
				member("consent_enabled", boolean(""), ofCodes),
				member("device_registration_enabled", boolean(""), ofCodes),
			)), ofCodes),
		)}},
	Refuses: refusesCodes,
	Uses:    []*Entry{CodesOperations, EverywhereRequestID},
})

// TokensCreateCode creates an authorization code (published).
var TokensCreateCode = codes.operation(Operation{
	Name: "tokens.createCode", Method: http.MethodPost, Path: codePath + "/v1/auth-code",
	PublishedID: "generateAuthorizationCodeV1",
	Summary:     "Create an authorization code",
	About:       "Creates a code with which another client gets tokens for a user, once.",
	Parameters:  []Parameter{transactionID, numericInstitution},
	Request: sent(clientOfCode,
		member("scopes", textType("Some of the client's, separated by commas."), required, ofCodes),
		member("username", textType("The user's login name."), required, ofCodes),
		member("institution_user_id", textType("The id of the same user: 32 hexadecimal digits."), required, ofCodes),
		member("requested_scopes", textType("Of OpenID Connect, separated by commas: offline_access asks for a "+
			"refresh token."), ofCodes),
		member("nonce", textType("A claim of the id_token."), ofCodes),
		member("aud", textType("A claim of the id_token."), ofCodes),
		member("auth_time", matching("A claim of the id_token: seconds since 1970.", digits), ofCodes),
	),
	Form:     CodesForm,
	FormOnly: true,
	Changes:  true,
	NoStore:  true,
	Answers: []Answer{{Status: 200, About: "The code.", Members: CodesOperations, Body: answered("AuthorizationCode",
		member("code", textType("8 letters and digits."), secret, ofCodes),
		member("redirect_uri", textType("The client's."), ofCodes),
	)}},
	Refuses: refusesCodes.and(
		sim.TextTooLong, MemberMistyped, sim.ScopesNotAllowed, sim.CodeUserUnknown, sim.CodeUserIDWrong,
		sim.TokenOfAnotherUser,
	),
	Uses: []*Entry{CodesOperations, CodesLifetime, TokensNoStore, EverywhereRequestID},
})

var (
	onCodes      = []string{"tokens.authorizeClient", "tokens.createCode"}
	onCreateCode = onCodes[1:]
)

// The entries about authorization codes.
var (
	CodesOperations = entry("codes.operations", onCodes, Published, Entry{
		Question: "Which operations lead to an authorization code?",
		answer: "POST " + codePath + "/v1/client-authorization reads what a client may do, and " +
			"POST " + codePath + "/v1/auth-code creates a code of 8 letters and digits for a client and a user. " +
			"The scenario says what a client may do.",
	})
	CodesAuth = entry("codes.auth", onCodes, Published, Entry{
		Question: "Which credentials are needed?",
		answer: "A bearer token of another client of the institution: without one {token-missing}, to one that is " +
			"malformed, unknown, revoked or expired {token-unknown}.",
		source: publishedIn(errorCodes),
	})
	CodesTransactionID = refusalEntry("codes.transaction-id", onCodes, Published,
		"where the header transactionId is missing, or no UUID")
	CodesInstitutionID = entry("codes.institution-id", onCodes, Published, Entry{
		Question: "What is answered where the header institutionId is missing, not digits or not the token's?",
		answer:   "{institution-missing}; to another than the token's {institution-unknown}.",
		source:   publishedIn(requestHeaders, errorCodes) + "; that it must be the token's is ours",
	})
	CodesForm = entry("codes.form", onCodes, Choice, Entry{
		Question: "What is answered to a body that is no form, or has a member that is missing, too long or malformed?",
		answer: "{media-type-unknown} to another content type, {body-malformed} to what can't be read, and the same " +
			"where client_id is missing, auth_time is no number, or scopes, requested_scopes, nonce or aud has more " +
			"than 1,000 characters.",
		source: "ours; the codes are published",
	})
	CodesClient = entry("codes.client", onCodes, Choice, Entry{
		Question: "Which client may get codes?",
		answer: "One of the token's institution with the grant authorization_code. An unknown client_id is answered " +
			"with {code-client-unknown}, the client of the token itself with {client-authorizes-itself}, one without " +
			"the grant with {client-without-codes}.",
		source: "ours; that it needs the grant and must be another one, and the codes, are published",
	})
	CodesScopes = entry("codes.scopes", onCreateCode, Choice, Entry{
		Question: "What is answered where scopes is empty, or names others than the client's?",
		source:   "ours; that they are a subset is published, and the code in version 1.3",
	})
	CodesUser = entry("codes.user", onCreateCode, Choice, Entry{
		Question: "What is answered where username or institution_user_id names no active user?",
		answer: "{code-user-unknown} for the username; {code-user-id-wrong} for an id that is not that of the same " +
			"user; {token-of-another-user} where the access token is bound to another user.",
		source: "ours; the codes are published",
	})
	CodesLifetime = entry("codes.lifetime", []string{"tokens.createCode", "tokens.issue"}, Choice, Entry{
		Question: "How long does an authorization code work?",
		answer:   "60 seconds on the sandbox's clock, and once.",
		source:   "ours; that it is short-lived is published",
	})
	CodesErrorBody = codeMessageEntry("codes.error-body", onCodes, Published, publishedIn(errorBodies))
)

package contract

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// users is the family of the operation on the status of users (published).
var users = newFamily(Family{
	Parts:  []Part{{"users", "User status", "Whether a user is active, on hold or locked."}},
	Prefix: "/digitalbanking/db-users",
	Scopes: "institution-users",
	Refusals: []Refusal{
		{TokenMissing, 401, "ISR_11001", UsersAuth},
		{sim.TokenUnknown, 401, "ISR_11002", UsersAuth},
		{sim.TokenOfAnotherUser, 403, "ISR_11003", UsersOtherUser},
		{RequestIDMissing, 400, "ISR_11005", UsersTransactionID},
		{RequestIDMalformed, 400, "ISR_11006", UsersTransactionID},
		{ParameterMissing, 400, userParameterRefused, UsersIDType},
		{ParameterRepeated, 400, userParameterRefused, UsersIDType},
		{ParameterMalformed, 400, userParameterRefused, UsersIDType},
		{sim.UserIDMalformed, 400, userIDRefused, UsersIDMalformed},
		{RequestUnreadable, 400, userIDRefused, EverywhereUnreadable},
		{sim.UserUnknown, 404, noSuchUser, UsersNotFound},
		{CharacterRefused, 400, userCharactersRefused, EverywhereCharacters},
		{ServiceFailed, 500, "ISR_99999", EverywhereOtherCodes},
	},
	Injected: map[int]sim.Code{400: ParameterMalformed},
	Others: []Injection{
		faultOnly(400, "ISR_10000", "the institution is not acceptable"),
		faultOnly(400, noSuchUser, "there is no such user"),
		faultOnly(400, "ISR_10002", "there is no such primary user"),
		faultOnly(400, "ISR_11009", "header callingAppId is too long"),
		faultOnly(500, "ISR_10010", "there is no CIF number"),
		faultOnly(500, "ISR_88888", "validation failed inside the service"),
	},
	Messages: map[sim.Code]string{
		sim.UserIDMalformed: "the id of the user is not acceptable",
	},
	ErrorCites: []*Entry{UsersErrorBody},
})

const (
	userIDRefused        = "ISR_11007"
	userParameterRefused = "ISR_11008"
	noSuchUser           = "ISR_10001"

	userCharactersRefused = "ISR_11004"
)

const userStatusPath = "/digitalbanking/db-users/v1/user-status/{institutionUserId}"

// UsersGetStatus reads the status of a user (published).
var UsersGetStatus = users.operation(Operation{
	Name: "users.getStatus", Method: http.MethodGet, Path: userStatusPath,
	PublishedID: "getUserStatusV1",
	Summary:     "The status of a user",
	About: "Reads whether a user is active, on hold or locked, by one of its ids. " +
		"A user that is not active can't change its e-statement preferences.",
	Parameters: []Parameter{
		transactionID,
		inPath("institutionUserId", "The user, by an id of the kind that userIdType names."),
		inQuery("userIdType", "What kind of id the path holds.", true, oneOf(sim.UserIDTypes...).values(UsersIDType)),
	},
	Answers: []Answer{
		{Status: 200, About: "The status of the user.", Members: UsersStatusOperation, Body: userStatus},
	},
	Refuses: refusesTokens.and(
		sim.TokenOfAnotherUser, RequestIDMissing, RequestIDMalformed,
		ParameterMissing, ParameterRepeated, ParameterMalformed, sim.UserIDMalformed, sim.UserUnknown,
	),
	Uses: []*Entry{
		UsersStatusOperation, UsersFlags, UsersIDs, UsersAdditionalInfo, EverywhereRequestID, EverywhereJSON,
	},
})

func userIDOf(about string) Type { return matching(about, `^[0-9A-F]{32}$`) }

// subUserStatus is the status of a sub-user of a primary user.
var subUserStatus = answered("SubUserStatus", slices.Concat(
	[]Member{member("institutionUserId", userIDOf(""), written(UsersIDs), cites(UsersIDs))},
	userFlags(),
	[]Member{member("additionalInfo", object(userInfo), cites(UsersAdditionalInfo))},
)...)

// userStatus is the status of a user.
var userStatus = subUserStatus.named("UserStatus").
	with(member("parentInstitutionUserId", userIDOf("The primary user of a sub-user."),
		written(UsersIDs), cites(UsersIDs), optional)).
	with(member("subUsers", arrayOf(subUserStatus), cites(UsersSubUsers), optional))

func userFlags() (flags []Member) {
	for _, name := range sim.UserFlags {
		flags = append(flags, member(name, boolean("Only where it is true."), cites(UsersFlags), optional))
	}
	return flags
}

var userInfo = answered("", allResting(UsersAdditionalInfo,
	member("failedLoginCount", integer("", 0)),
	member("failedPasswordResetCount", integer("", 0)),
	member("lastLoginDateTime", matching("", timePattern), written(UsersAdditionalInfo), optional),
	member("holdDateTime", matching("", timePattern), written(UsersAdditionalInfo), optional),
	member("holdReason", textType("Of a user on hold."), optional),
	member("holdInitiatedBy", textType("Of a user on hold."), optional),
)...)

var onUsers = []string{"users.getStatus"}

// The entries about the status of users.
var (
	UsersStatusOperation = operationEntry("users.status.operation", onUsers, "reads the status of a user",
		"GET "+userStatusPath+" with userIdType; 200 with institutionUserId, flags and additionalInfo.")
	UsersFlags = entry("users.status.flags", onUsers, Published, Entry{
		Question: "Which flags does a status have?",
		answer: "Those that are true: active, as for the e-statement preferences, and onHold, locked, reset, " +
			"registered, approved and rejected as the scenario sets them, and locked also as " +
			"tokens.issue.wrong-passwords says. A locked user gets no token by password; the other five have no " +
			"effect on other operations.",
		source: published + "; what effect they have is ours",
	})
	UsersIDs = entry("users.status.ids", slices.Concat(onUsers, onListDisclosures), Published, Entry{
		Question: "Which ids does a user have?",
		answer: "hostUserId (HOST_USER_ID), username (LOGIN_ID), and two of 32 hexadecimal digits " +
			"(INSTITUTION_USER_ID, CUSTOMER_ID), which are made from the institution and the hostUserId unless the " +
			"scenario gives them. Answers have them in upper case, a request may have either.",
		source: publishedIn("getUserStatusV1", formats) + "; how ids are made, and that case doesn't matter, is ours",
	})
	UsersAdditionalInfo = entry("users.status.additional-info", onUsers, Published, Entry{
		Question: "What is in additionalInfo?",
		answer: "failedLoginCount and failedPasswordResetCount, which are 0 unless the scenario says so, " +
			"lastLoginDateTime if the scenario has one, and of a user on hold what the scenario says about that. " +
			"Times are in UTC, such as 2026-01-15T09:00:00+00:00. Wrong passwords change failedLoginCount, and no " +
			"request changes the rest.",
		source: publishedIn(itsOperations, formats) + "; what is there by default, and what changes it, is ours",
	})
	UsersSubUsers = entry("users.status.sub-users", onUsers, Published, Entry{
		Question: "How does a status show sub-users?",
		answer: "That of a primary user has them in subUsers, and theirs has parentInstitutionUserId. The scenario " +
			"says whose they are.",
	})
	UsersIDType = entry("users.status.id-type", onUsers, Choice, Entry{
		Question: "What is answered where userIdType is missing, given twice or none of INSTITUTION_USER_ID, " +
			"HOST_USER_ID, LOGIN_ID and CUSTOMER_ID?",
		source: "ours; the values and the code are published",
	})
	UsersIDMalformed = refusalEntry("users.status.id-malformed", onUsers, Choice,
		"where the path has an INSTITUTION_USER_ID or a CUSTOMER_ID that is not of 32 hexadecimal digits")
	UsersNotFound = entry("users.status.not-found", onUsers, Published, Entry{
		Question: "What is answered where there is no such user in the token's institution?",
		source:   publishedIn(itsOperations, errorCodes) + "; the code comes with 400, too",
	})
	UsersOtherUser = refusalEntry("users.status.other-user", onUsers, Choice,
		"where the token is bound to another user than the one that is named")
	UsersAuth = entry("users.auth", onUsers, Published, Entry{
		Question: "Are credentials needed?",
		answer:   "Yes: a bearer token; without one {token-missing}, with one that doesn't work {token-unknown}.",
		source:   publishedIn(errorCodes),
	})
	UsersTransactionID = entry("users.transaction-id", onUsers, Published, Entry{
		Question: "What must the header transactionId be?",
		answer:   "A UUID; without it {request-id-missing}, another text is answered with {request-id-malformed}.",
		source: publishedIn(requestHeaders, errorCodes) +
			"; that another text gets the code of one that is too long is ours",
	})
	UsersErrorBody = codeMessageEntry("users.error-body", onUsers, Published, publishedIn(errorBodies))
)

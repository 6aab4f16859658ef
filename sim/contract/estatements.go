package contract

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// estatements is the family of the e-statement operations (sections 4.1 to 4.3). The error body and the codes are
// published.
var estatements = newFamily(Family{
	Parts: []Part{{"estatements", "E-statements",
		"Preferences for electronic statements, and the disclosures that they depend on."}},
	Prefix:    estatementsPath,
	RequestID: "correlationid",
	Scopes:    disclosuresScope,
	Refusals: []Refusal{
		{TokenMissing, 401, "UXESTMT_10001", EstatementsBearerFailure},
		{TokenMalformed, 401, "UXESTMT_10012", EstatementsBearerFailure},
		{sim.TokenUnknown, 401, "UXESTMT_10002", EstatementsBearerFailure},
		{sim.TokenExpired, 401, "UXESTMT_10004", EstatementsBearerFailure},
		{sim.TokenOfAnotherUser, 403, "UXESTMT_10003", EstatementsOtherUser},

		{RequestIDMissing, 400, "UXESTMT_10007", EstatementsCorrelationID},
		{RequestIDMalformed, 400, "UXESTMT_10008", EstatementsCorrelationID},
		{ParameterMissing, 400, inputMissing, EstatementsUserMissing},
		{ParametersExclude, 400, inputUnacceptable, EstatementsUserMissing},
		{MemberMissing, 400, inputMissing, EstatementsBodyMissingMember},
		{BodyMalformed, 400, inputUnacceptable, EstatementsBodyMalformed},

		{sim.UserUnknown, 404, "UXESTMT_88888", EstatementsUnknownUser},
		{sim.MultistatementNotConfigured, 400, withoutMultistatement, EstatementsUpdateNoMultistatement},
		{sim.UserNotActive, 400, "UXESTMT_88889", EstatementsUpdateInactiveUser},
		{sim.DisclosureNotAccepted, 400, "UXESTMT_11013", EstatementsUpdateNotAccepted},
		{sim.AccountUnknown, 400, withoutDisclosure, EstatementsUpdateAccountUnknownAccount},
		{sim.AccountUndisclosed, 400, withoutDisclosure, EstatementsUpdateAccountUnknownAccount},
		{sim.NoAccounts, 400, "UXESTMT_11020", EstatementsUpdateUserNoAccounts},
		{CharacterRefused, 400, inputUnacceptable, EstatementsCharacters},
		{ServiceFailed, 500, serviceFailed, EverywhereOtherCodes},
		{ServiceUnavailable, 503, "UXESTMT_30003", EverywhereOtherCodes},
	},
	Injected: map[int]sim.Code{400: ParameterMissing, 401: sim.TokenUnknown},
	Messages: map[sim.Code]string{
		TokenMalformed:                  "header Authorization must be Bearer, a space and an access token",
		sim.TokenExpired:                "the access token has expired",
		ParametersExclude:               "the request or its parameters are not acceptable",
		MemberMalformed:                 "a date is not acceptable",
		sim.MultistatementNotConfigured: "multistatement is not configured for the institution",
		sim.UserNotActive:               "the user is not active",
		sim.DisclosureNotAccepted:       "the disclosure is not in status ACCEPTED",
		sim.AccountUnknown:              "the user has no disclosure for the account",
		sim.NoAccounts:                  "the user has no accounts",
		ServiceUnavailable:              "the service is not available at present",
	},
	Others: []Injection{
		faultOnly(400, "UXESTMT_10005", "the access token has no institution"),
		faultOnly(400, "UXESTMT_10006", "the access token has no customer"),
		faultOnly(400, "UXESTMT_10011", "the IP address in a header is not acceptable"),
		faultOnly(400, "UXESTMT_11007", "a path parameter is not acceptable"),
		faultOnly(400, "UXESTMT_11014", "the institution is unknown or not set up"),
		faultOnly(400, dateUnacceptable, "a date is not acceptable"),
		faultOnly(400, requestUnprocessed, "the request can't be processed"),
		faultOnly(404, "UXESTMT_11008", "there is no such path"),
		faultOnly(404, "UXESTMT_88891", "the account has no disclosure with a name"),
		faultOnly(500, externalServiceFailed, "a service outside failed"),
		faultOnly(500, requestUnprocessed, "the request can't be processed"),
		faultOnly(503, serviceFailed, "an unexpected fault occurred inside the service"),
		faultOnly(503, externalServiceFailed, "a service outside failed"),
		faultOnly(503, requestUnprocessed, "the request can't be processed"),
	},
	ErrorBody: answered("",
		member("status", integer("The status of the answer.", 400), from(FromStatus), same,
			cites(EstatementsErrorBody)),
		member("code", textType(""), from(FromCode), same, cites(EstatementsErrorBody)),
		member("message", textType(""), from(FromMessage), cites(EstatementsErrorBody))),
	ErrorCites:   []*Entry{EstatementsErrorBody},
	Unauthorized: EstatementsBearerFailure,
	Public: &PublicFamily{
		RequestID: "correlationId",
		Refusals: []Refusal{
			{sim.DisclosuresWithoutMultistatement, 400, withoutMultistatement, EstatementsDisclosuresMultistatement},
			{MemberMalformed, 400, dateUnacceptable, EstatementsUpdateStatusTime},
		},
	},
})

const (
	estatementsPath = "/digitalbanking/ux-users"

	inputMissing      = "UXESTMT_11010"
	inputUnacceptable = "UXESTMT_11018"
	withoutDisclosure = "UXESTMT_11012"
	dateUnacceptable  = "UXESTMT_11017"

	withoutMultistatement = "UXESTMT_11021"

	serviceFailed         = "UXESTMT_30001"
	externalServiceFailed = "UXESTMT_30002"
	requestUnprocessed    = "UXESTMT_99998"
)

// The rules that refuse requests of the family.
var (
	refusesEstatements = refusesTokens.and(
		RequestIDMissing, RequestIDMalformed,
		ParameterMissing, ParameterRepeated, ParametersExclude, sim.TokenOfAnotherUser, sim.UserUnknown,
	)
	refusesUpdates = refusesEstatements.and(refusesBodies...).and(
		MediaTypeUnknown, MemberMissing,
		sim.MultistatementNotConfigured, sim.UserNotActive, sim.DisclosureNotAccepted, sim.DisclosuresNotAllAccepted,
	)
)

var (
	correlationID = inHeader("correlationid", "Identifies the request.", true)
	hostUserID    = inQuery("hostUserId", "The user.", true, notEmpty)
	loginID       = inQuery("loginId",
		"The user, by its username, in the place of hostUserId; only where a scenario says so.", false,
		textType("")).resting(EstatementsHostUserID)

	ofAccount = Parameter{Name: "accountId", In: "path", Required: true, About: "The account.", Type: textType("")}

	// In the public dialect either names the user, and neither where the token does.
	hostUserIDOrLogin = inQuery("hostUserId", "The user, unless loginId or the token names it.", false,
		textType(""))
	loginIDOrHost = inQuery("loginId", "The user, by its username, in the place of hostUserId.", false,
		textType(""))

	activateEstatement = member("activateEstatement", boolean("true: electronic; false: paper."), required)

	// StatusUpdatedAt is a member of updates in the public dialect.
	StatusUpdatedAt = member("disclosureStatusUpdatedAt",
		matching("When the user answered the disclosure: ISO 8601 with an offset or Z, without a fraction.",
			`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$`), cites(EstatementsUpdateStatusTime))
)

// EstatementsGetDisclosures is section 4.1.
var EstatementsGetDisclosures = estatements.operation(Operation{
	InDocument: true,
	Name:       "estatements.getDisclosures",
	Method:     http.MethodGet,
	Path:       estatementsPath + "/v1/e-statements/{accountId}/disclosures",
	Summary:    "The disclosures of one account",
	About:      "Lists the disclosures of an account of a user, with their statuses.",
	Parameters: []Parameter{ofAccount, hostUserID, loginID, correlationID},
	Answers: []Answer{
		{Status: 200, About: "The disclosures.", Body: disclosures, Members: EstatementsDisclosuresAnswer},
	},
	Refuses: refusesEstatements,
	Public: &PublicForm{
		Parameters: []Parameter{ofAccount, hostUserIDOrLogin, loginIDOrHost, correlationID},
		Answers: []Answer{{
			Status: 200, About: "The disclosures.", Body: disclosuresInPublic, Members: EstatementsDisclosuresAnswer,
		}},
		Refuses: refusesEstatements.and(sim.DisclosuresWithoutMultistatement),
	},
	Uses: []*Entry{
		EstatementsDisclosuresAnswer, EstatementsBearer, EstatementsHostUserID, EverywhereRequestID, EverywhereJSON,
	},
})

// EstatementsUpdateAccount is section 4.2.
var EstatementsUpdateAccount = estatements.operation(Operation{
	InDocument: true,
	Name:       "estatements.updateAccount",
	Method:     http.MethodPut,
	Path:       estatementsPath + "/v1/e-statements/preference",
	Summary:    "Update the preference for one account",
	About: "Turns electronic statements of one account on or off. The bank refuses it unless the institution has " +
		"multistatement, the user is active, and the disclosures of the account are accepted.",
	Parameters: []Parameter{hostUserID, loginID, correlationID},
	Request:    sent(activateEstatement, member("accountId", textType(""), required)),
	Changes:    true,
	Answers: []Answer{
		{Status: 200, About: "The preference is changed.", Switched: EstatementsUpdateAccountStatus, Value: "200"},
		{Status: 204, About: "The preference is changed.", Switched: EstatementsUpdateAccountStatus, Value: "204"},
	},
	Refuses: refusesUpdates.and(sim.AccountUnknown, sim.AccountUndisclosed),
	Public: &PublicForm{
		Parameters: []Parameter{hostUserIDOrLogin, loginIDOrHost, correlationID},
		Request:    sent(activateEstatement, member("accountId", textType(""), required), StatusUpdatedAt),
		Refuses:    refusesUpdates.and(sim.AccountUnknown, sim.AccountUndisclosed, MemberMalformed),
	},
	Uses: []*Entry{
		EstatementsUpdateAccountStatus, EstatementsUpdatePreconditions, EstatementsUpdateEffect,
		EstatementsUpdateWaiver, EstatementsBearer, EstatementsHostUserID, EverywhereRequestID,
	},
})

// EstatementsUpdateUser is section 4.3.
var EstatementsUpdateUser = estatements.operation(Operation{
	InDocument: true,
	Name:       "estatements.updateUser",
	Method:     http.MethodPut,
	Path:       estatementsPath + "/v2/e-statements/user/preferences",
	Summary:    "Update the preference for all accounts of the user",
	About: "Turns electronic statements of all accounts of a user on or off, or of none. " +
		"The preconditions are those of a single account, with the user-level disclosures.",
	Parameters: []Parameter{hostUserID, loginID, correlationID},
	Request:    sent(activateEstatement),
	Changes:    true,
	Answers:    []Answer{{Status: 204, About: "The preferences are changed."}, UpdatedPartly},
	Refuses:    refusesUpdates.and(sim.NoAccounts),
	Public: &PublicForm{
		Parameters: []Parameter{hostUserIDOrLogin, loginIDOrHost, correlationID},
		Request:    sent(activateEstatement, StatusUpdatedAt),
		Refuses:    except(refusesUpdates, sim.MultistatementNotConfigured).and(sim.NoAccounts, MemberMalformed),
	},
	Uses: []*Entry{
		EstatementsUpdateUserStatus, EstatementsUpdatePreconditions, EstatementsUpdateEffect,
		EstatementsUpdateUserPartial, EstatementsUpdateWaiver, EstatementsBearer, EstatementsHostUserID,
		EverywhereRequestID,
	},
})

// UpdatedPartly is the answer to an update of all accounts if some of them fail.
var UpdatedPartly = Answer{
	Status: 206, About: "Some accounts could not be changed: those that a scenario marks.", Body: partialUpdate,
	Members:  EstatementsUpdateUserPartial,
	Switched: EstatementsUpdateUserPartial, Value: string(sim.PartialUpdateAllow), Beside: true,
}

var partialUpdate = answered("PartialUpdate",
	member("updatedAccounts",
		Type{JSON: "array", About: "The accountIds of those that were changed.", Elements: &Type{JSON: "string"}},
		cites(EstatementsUpdateUserPartial)),
	member("failedAccounts",
		Type{JSON: "array", About: "The accountIds of those that were not.", Elements: &Type{JSON: "string"}},
		cites(EstatementsUpdateUserPartial)),
)

// The disclosures of an account (section 4.1) in both dialects.
var (
	disclosures         = disclosuresOf("", millisecondPattern)
	disclosuresInPublic = disclosuresOf("Public", timePattern,
		member("institutionUserId", matching("", `^[0-9a-f]{32}$`), cites(EstatementsDisclosuresAnswer)))
)

func disclosuresOf(dialect, timestamp string, more ...Member) *Object {
	return answered(dialect+"Disclosures", member("institutionUserDisclosures",
		arrayOf(answered(dialect+"InstitutionUserDisclosure", slices.Concat(
			[]Member{member("institutionId", textType("The institution's id."), same)},
			more,
			[]Member{
				member("institutionDisclosureStatus",
					oneOf(sim.Accepted, sim.NotAccepted).values(EstatementsDisclosuresStatusValues)),
				member("institutionUserDisclosureStatusUpdateDateTime", matching("ISO 8601 with an offset.", timestamp),
					written(EstatementsDisclosuresTimestamp)),
				member("paperWaiver", boolean("")),
				member("accountId", textType("The account's id."), same),
				member("institutionDisclosureName", textType("")),
			})...))))
}

var (
	onDisclosures   = []string{"estatements.getDisclosures"}
	onUpdateAccount = []string{"estatements.updateAccount"}
	onUpdateUser    = []string{"estatements.updateUser"}
	onUpdates       = []string{"estatements.updateAccount", "estatements.updateUser"}
	onEstatements   = []string{"estatements.getDisclosures", "estatements.updateAccount", "estatements.updateUser"}
)

// The entries about the e-statement operations.
var (
	EstatementsDisclosuresAnswer = entry("estatements.disclosures.answer", onDisclosures, Documented, Entry{
		Question: "What does the request for an account's disclosures answer?",
		answer:   "200 with institutionUserDisclosures, an array with the six documented members in each element.",
		source:   "sections 2.1 and 4.1",
		Public: publicAnswer("200 with institutionUserDisclosures: the records of the account that have a preference, "+
			"those of online statements; with institutionUserId, in lower case, beside the documented "+
			"members.", Published,
			publishedIn(itsOperations, formats)+"; that online statements alone have a preference is ours"),
	})
	EstatementsDisclosuresMultistatement = entry(
		"estatements.disclosures.multistatement", onDisclosures, Documented, Entry{
			Question: "Must multistatement be configured for the disclosures of an account to be read?",
			answer:   "No.",
			source:   "section 3; it speaks of changing",
			Public: publicAnswer("Yes; else {refused}.", Published,
				published+"; that the code goes with it is ours"),
		})
	EstatementsDisclosuresNone = entry("estatements.disclosures.none", onDisclosures, Published, Entry{
		Question: "What is answered for an account without disclosures, or one that the user doesn't have?",
		answer:   "200 with an empty array.",
		source:   published + "; that an account the user doesn't have is answered so, too, is ours",
		Permits:  true,
	})
	EstatementsDisclosuresStatusValues = entry("estatements.disclosures.status-values", onDisclosures, Published, Entry{
		Question: "Which values can institutionDisclosureStatus have?",
		answer: "ACCEPTED and NOT_ACCEPTED; a scenario can list a disclosure with another status of " +
			"disclosures.values, too. A scenario, the control API and the operations on disclosures change it.",
		source: published + "; section 2.1 shows ACCEPTED; what changes it is ours",
	})
	EstatementsDisclosuresTimestamp = entry("estatements.disclosures.timestamp", onDisclosures, Choice, Entry{
		Question: "How is institutionUserDisclosureStatusUpdateDateTime written?",
		answer:   "2026-01-15T09:00:00.000+00:00: milliseconds, an offset, UTC.",
		source:   "ours; section 2.1 asks for ISO 8601 with an offset, and published times have no milliseconds",
		Public: publicAnswer("2026-01-15T09:00:00+00:00: an offset, no milliseconds, UTC.", Published,
			publishedIn(formats)),
	})
	EstatementsUpdateAccountStatus = entry("estatements.update-account.status", onUpdateAccount, Documented, Entry{
		Question: "What does a successful update of one account answer?",
		answer:   "200 without a body.",
		source:   "section 4.2",
		Switch: statusSwitch("estatements.updateAccountStatus", "The status of a successful update of one account.",
			func(b *sim.Behavior) *int { return &b.Estatements.UpdateAccountStatus }, 200,
			Alternative{"204", "204.", Published}),
		Public: publicDefault("204"),
	})
	EstatementsUpdateUserStatus = entry("estatements.update-user.status", onUpdateUser, Documented, Entry{
		Question: "What does a successful update of all accounts answer?",
		answer:   "204.",
		source:   "section 4.3",
	})
	EstatementsUpdatePreconditions = entry("estatements.update.preconditions", onUpdates, Documented, Entry{
		Question: "What must hold for a preference to be changed?",
		answer: "Multistatement is configured for the institution, the user is active, and the disclosure is " +
			"ACCEPTED: that of the account for the update of one, that of the user for the update of all.",
		source: "section 3",
		Public: publicAnswer("The same, but multistatement need not be configured for the update of all accounts.",
			Published, published),
	})
	EstatementsUpdateOff = entry("estatements.update.off", onUpdates, Documented, Entry{
		Question: "What must hold for the electronic statement to be turned off?",
		answer:   "The same as for turning it on.",
		source:   "section 3; it speaks of changing",
	})
	EstatementsUpdateEffect = entry("estatements.update.effect", onUpdates, Choice, Entry{
		Question: "What does an update change?",
		answer: "The preference of the account, or of all accounts or none; the same update again changes nothing " +
			"more.",
		source: "ours; that the same update again changes nothing is published",
		Public: publicAnswer("The preference of the account, or of all accounts that don't fail; without "+
			"multistatement that of no account. The same update again changes nothing more.",
			Published, publishedIn(itsOperations, repetition)),
	})
	EstatementsUpdateUserPartial = entry("estatements.update-user.partial", onUpdateUser, Choice, Entry{
		Question: "What is answered where some accounts of the user can't be updated?",
		answer:   "That doesn't happen: updateFails of an account in the scenario has no effect.",
		Switch: wordSwitch("estatements.partialUpdate",
			"Whether updates of all accounts can fail for accounts with updateFails.",
			func(b *sim.Behavior) *sim.PartialUpdate { return &b.Estatements.PartialUpdate },
			Alternative{"allow", "206 with {updatedAccounts, failedAccounts}: those that the scenario marks with " +
				"updateFails stay as they are. The disclosures of the user itself change unless all accounts fail.",
				Published}),
		Public: &PublicAnswer{Default: string(sim.PartialUpdateAllow),
			source: published + "; which accounts fail, and what becomes of the user's own disclosures, is ours"},
	})
	EstatementsUpdateWaiver = entry("estatements.update.waiver", onUpdates, Choice, Entry{
		Question: "How do the disclosures show an update?",
		answer: "The paperWaiver of OLS, and of one without a name, becomes activateEstatement; their status and its " +
			"timestamp do not change. Other disclosures stay as they are. " +
			"The update of all accounts does so for each account that it changes, whatever the disclosures of single " +
			"accounts say, and for the user's own disclosures.",
		source: "ours; that the paperWaiver of OLS is the preference is published",
	})
	EstatementsUpdateSeveralDisclosures = entry("estatements.update.several-disclosures", onUpdates, Choice, Entry{
		Question: "When is an account or a user with several disclosures, or a user with none, in status ACCEPTED?",
		answer: "When there is at least one, and every one is ACCEPTED; of a user only those count that " +
			"estatements.update-user.user-level names.",
		source: "ours; it is the conservative reading of section 3",
	})
	EstatementsUpdateUserLevel = entry("estatements.update-user.user-level", onUpdateUser, Published, Entry{
		Question: "Which disclosures of the user must be in status ACCEPTED for the update of all accounts?",
		answer:   "OLS alone, or one that a scenario gives no name. Others neither fulfil the rule nor hinder it.",
		source:   publishedIn("createUserDisclosureV1") + "; that no name stands for OLS is ours",
	})
	EstatementsUpdateOrderOfRules = entry("estatements.update.order-of-rules", onUpdates, Choice, Entry{
		Question: "Which of several rules that don't hold is answered?",
		answer: "The first one in this order: the token's user, an unknown user, multistatement, an active user, an " +
			"account of the user's that has a disclosure, its status, any accounts at all.",
		source: "ours; section 3 numbers them so",
	})
	EstatementsBearer = entry("estatements.bearer", onEstatements, Documented, Entry{
		Question: "How does a request authenticate?",
		answer:   "By the header Authorization: the word Bearer (in any case), a space, the access token.",
		source:   "section 5; RFC 9110 11.1 has the case",
	})
	EstatementsBearerFailure = entry("estatements.bearer-failure", onEstatements, Published, Entry{
		Question: "What is answered where the bearer token is missing, malformed, unknown or revoked, or expired?",
		source:   publishedIn(errorCodes, version13) + "; the codes have the status 400, version 1.3 has 401",
		Switch: statusSwitch("estatements.bearerFailureStatus",
			"The status without a valid access token.",
			func(b *sim.Behavior) *int { return &b.Estatements.BearerFailureStatus }, 401,
			Alternative{"400", "400, with the same codes.", Published}),
		Public: &PublicAnswer{Default: "400", source: publishedIn(errorCodes)},
	})
	EstatementsCorrelationID = entry("estatements.correlation-id", onEstatements, Published, Entry{
		Question: "What must the header correlationid be?",
		answer:   "Any text that isn't empty; without it {request-id-missing}.",
		source:   publishedIn(requestHeaders, errorCodes) + "; section 4.1 has it as a string",
		Switch: wordSwitch("estatements.correlationId",
			"Whether the header correlationid is needed, or must be a UUID.",
			func(b *sim.Behavior) *sim.CorrelationID { return &b.Estatements.CorrelationID },
			Alternative{"optional", "It may be left out.", Choice},
			Alternative{"uuid", "A UUID; another text is answered with {request-id-malformed}.", Published}).
			under(string(sim.CorrelationIDRequired), RequestIDMissing).
			under(string(sim.CorrelationIDUUID), RequestIDMissing, RequestIDMalformed),
		Permits: true,
		Public: &PublicAnswer{Default: string(sim.CorrelationIDUUID),
			source: publishedIn(requestHeaders, errorCodes)},
	})
	EstatementsHostUserID = entry("estatements.host-user-id", onEstatements, Documented, Entry{
		Question: "What names the user?",
		answer:   "The parameter hostUserId.",
		source:   "sections 1 and 4",
		Switch: wordSwitch("estatements.user", "What names the user: hostUserId, or also loginId or the token.",
			func(b *sim.Behavior) *sim.EstatementUser { return &b.Estatements.User },
			Alternative{"any",
				"hostUserId, or loginId with the username, or neither where the token is bound to a user.", Published}),
		Public: &PublicAnswer{Default: string(sim.EstatementUserAny), source: publishedIn(userContext)},
	})
	EstatementsUserMissing = entry("estatements.user-missing", onEstatements, Choice, Entry{
		Question: "What is answered where nothing names the user?",
		answer: "{parameter-missing}; where hostUserId and loginId both do, and either may, " +
			"{parameters-exclude-each-other}.",
		source: "ours; the codes are published",
	})
	EstatementsOtherUser = entry("estatements.other-user", onEstatements, Choice, Entry{
		Question: "What is answered where the token is bound to another user than the one that is named?",
		answer:   "{refused}, whether or not there is such a user.",
		source:   "ours; the code is published",
	})
	EstatementsUnknownUser = refusalEntry("estatements.unknown-user", onEstatements, Published,
		"where the token's institution has no such user")
	EstatementsBodyMissingMember = refusalEntry("estatements.body.missing-member", onUpdates, Published,
		"where a member of the body is missing")
	EstatementsCharacters = entry("estatements.characters", onEstatements, Choice, Entry{
		Question: "What is answered to characters outside printable ASCII?",
		answer:   "What is answered to others.",
		Public: publicAnswer("{refused}, as the gateway does in front of the other operations.", Choice,
			"ours; the code is published, but not for characters"),
	})
	EstatementsBodyMalformed = refusalEntry("estatements.body.malformed", onUpdates, Published,
		"to a body that isn't JSON, or has a member of another type")
	EstatementsUpdateNoMultistatement = entry("estatements.update.no-multistatement", onUpdates, Published, Entry{
		Question: "What is answered where multistatement is not configured?",
		source:   publishedIn(errorCodes) + "; section 3 has the rule",
		Public: publicAnswer(
			"{refused} to the update of one account. That of all accounts is 204: it changes the user's "+
				"own disclosures once, and the preference of no account.",
			Published, published+"; that nothing but paperWaiver of the user's own disclosures changes is ours"),
	})
	EstatementsUpdateStatusTime = entry("estatements.update.status-time", onUpdates, Documented, Entry{
		Question: "What does the member disclosureStatusUpdatedAt of an update do?",
		answer:   "Nothing: it is a member that the operation doesn't have.",
		source:   "section 2.2; it doesn't have the member",
		Switch: wordSwitch("estatements.statusUpdatedAt", "What disclosureStatusUpdatedAt does in public updates.",
			func(b *sim.Behavior) *sim.StatusUpdatedAt { return &b.Estatements.StatusUpdatedAt },
			Alternative{"store",
				"In the public dialect it becomes the time of the status of the disclosures that the update changes.",
				Choice}),
		Public: publicAnswer("It must be a time such as 2026-05-13T00:00:00-07:00, else {refused}. It has no effect.",
			Choice, "ours; the member, its form and the code are published"),
	})
	EstatementsUpdateInactiveUser = entry("estatements.update.inactive-user", onUpdates, Published, Entry{
		Question: "What is answered where the user is not active?",
		source:   publishedIn(errorCodes) + "; section 3 has the rule",
	})
	EstatementsUpdateNotAccepted = entry("estatements.update.not-accepted", onUpdates, Published, Entry{
		Question: "What is answered where the disclosure is not in status ACCEPTED?",
		source:   publishedIn(errorCodes) + "; section 3 has the rule",
	})
	EstatementsUpdateAccountUnknownAccount = entry(
		"estatements.update-account.unknown-account", onUpdateAccount, Published, Entry{
			Question: "What is answered where the account is not the user's, or has no disclosure?",
			source:   publishedIn(errorCodes),
			Public: publicAnswer(
				"{refused}. The description also has 404 for a disclosure without a name: a scenario can list one, "+
					"and its account is updated, so only a fault answers so.",
				Choice, "ours; both codes are published"),
		})
	EstatementsUpdateUserNoAccounts = entry("estatements.update-user.no-accounts", onUpdateUser, Published, Entry{
		Question: "What is answered where the user has no accounts?",
		source:   publishedIn(errorCodes),
		Public: publicAnswer("{refused} where multistatement is configured; elsewhere the update doesn't look at "+
			"accounts.", Published, publishedIn(errorCodes, itsOperations)),
	})
	EstatementsErrorBody = entry("estatements.error-body", onEstatements, Published, Entry{
		Question: "What does an error look like?",
		answer:   "{status integer, code string, message string}; the message is in the simulator's own words.",
		source:   publishedIn(errorBodies),
	})
)

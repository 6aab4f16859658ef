package contract

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// userDisclosures is the family of the operations on the disclosures of users (published).
var userDisclosures = newFamily(Family{
	Parts:  []Part{{"disclosures", "Disclosures", "What a user has accepted: e-statements depend on it."}},
	Prefix: "/digitalbanking/db-disclosures",
	Scopes: disclosuresScope,
	Refusals: []Refusal{
		{TokenMissing, 401, "DSC_11001", DisclosuresAuth},
		{sim.TokenUnknown, 401, "DSC_11002", DisclosuresAuth},
		{sim.TokenOfAnotherUser, 401, "DSC_11003", DisclosuresOtherUser},
		{RequestIDMissing, 400, "DSC_12002", DisclosuresTransactionID},
		{RequestIDMalformed, 400, "DSC_12003", DisclosuresTransactionID},
		{ParameterMissing, 400, parameterRefused, DisclosuresUser},
		{ParameterRepeated, 400, parameterRefused, DisclosuresUser},
		{ParametersExclude, 400, parameterRefused, DisclosuresUser},
		{BodyEmpty, 400, "DSC_12005", DisclosuresBody},
		{BodyMalformed, 400, disclosureRequestRefused, DisclosuresBody},
		{MemberMistyped, 400, fieldsRefused, DisclosuresBody},
		{MemberMissing, 400, fieldsRefused, DisclosuresMembers},
		{DisclosureNameTooLong, 400, "DSC_12011", DisclosuresNameLimit},
		{sim.DisclosureStatusUnknown, 400, fieldsRefused, DisclosuresMembers},
		{sim.DisclosureWaiverMissing, 400, "DSC_12017", DisclosuresMembers},
		{AccountIDMissing, 400, "DSC_12016", DisclosuresMembers},
		{AccountTypeUnknown, 400, "DSC_12006", DisclosuresAccountType},
		{sim.DisclosureUnsupported, 400, "DSC_12015", DisclosuresUnsupported},
		{sim.DisclosureImpossible, 501, "DSC_10003", DisclosuresImpossible},
		{sim.DisclosureMissing, 400, nothingStored, DisclosuresMissing},
		{sim.UserUnknown, 400, nothingStored, DisclosuresMissing},
		{sim.AccountUnknown, 400, nothingStored, DisclosuresMissing},
		{CharacterRefused, 400, disclosureCharactersRefused, EverywhereCharacters},
		{ServiceFailed, 500, "DSC_99999", EverywhereOtherCodes},
		{RequestInvalid, 400, disclosureRequestRefused, EverywhereOtherCodes},
	},
	Injected: map[int]sim.Code{401: sim.TokenUnknown},
	Others: []Injection{
		faultOnly(400, "DSC_11004", "the business user has no location id"),
		faultOnly(400, "DSC_12007", "a header is too long"),
		faultOnly(400, "DSC_12013", "header callingAppId is too long"),
		faultOnly(400, "DSC_12014", "the body is too large"),
		faultOnly(400, "DSC_13005", "there is no CIF number"),
		faultOnly(400, "DSC_90000", "the request can't be processed"),
		faultOnly(400, "DSC_99997", "the request is not acceptable"),
		faultOnly(500, "DSC_13002", "reading disclosures failed"),
		faultOnly(500, "DSC_13003", "creating disclosures failed"),
		faultOnly(500, "DSC_13004", "updating disclosures failed"),
		faultOnly(500, "DSC_22001", "validation failed inside the service"),
	},
	Messages: map[sim.Code]string{
		BodyEmpty:                   "the request is empty",
		MemberMistyped:              "the body is not acceptable",
		DisclosureNameTooLong:       "a field is too long",
		AccountIDMissing:            "the disclosure lacks its accountId",
		AccountTypeUnknown:          "the account type is missing or not acceptable",
		sim.DisclosureWaiverMissing: "the disclosure lacks its paperWaiver",
		sim.DisclosureUnsupported:   "the disclosure is not supported",
		sim.DisclosureImpossible:    "the operation is not possible",
		sim.DisclosureMissing:       "nothing is stored for the user",
	},
	ErrorCites: []*Entry{DisclosuresErrorBody},
})

const (
	parameterRefused         = "DSC_10009"
	disclosureRequestRefused = "DSC_10002"
	fieldsRefused            = "DSC_12004"
	nothingStored            = "DSC_13001"

	disclosureCharactersRefused = "DSC_12001"
)

const (
	disclosuresPath            = "/digitalbanking/db-disclosures/v1/institution-user-disclosures"
	institutionDisclosuresPath = "/digitalbanking/db-disclosures/v1/institution-disclosures"
)

var (
	disclosureParameters = list[Parameter]{
		transactionID,
		inQuery("hostUserId", "The user. Needed unless loginId or the token names it.", false, textType("")),
		inQuery("loginId", "The user, by its username.", false, textType("")),
	}
	publicDisclosureParameters = disclosureParameters.and(
		inQuery("institutionCustomerId", "The location of a business user: without effect.", false, textType("")).
			resting(DisclosuresBusinessUser))
	accountType = inQuery("accountType", "The type of the account.", false,
		oneOf(sim.AccountTypes...).values(DisclosuresAccountType))

	refusesDisclosures = refusesTokens.and(
		sim.TokenOfAnotherUser, RequestIDMissing, RequestIDMalformed,
		ParameterMissing, ParameterRepeated, ParametersExclude, sim.UserUnknown,
	)
	refusesDisclosureWrites = refusesDisclosures.and(refusesBodies...).and(
		BodyEmpty, MediaTypeUnknown, MemberMissing, DisclosureNameTooLong,
	)

	disclosureStatusTime = member("institutionUserDisclosureStatusUpdateDateTime", textType("When the status was "+
		"given. Default: now."),
		cites(DisclosuresTime))
	disclosureCustomID = member("institutionDisclosureId", textType("Of a custom disclosure, in place of its name."),
		cites(DisclosuresCustom))
	disclosureName = member("institutionDisclosureName",
		nameOfDisclosure("OLS, ESIGN, IB, or that of a custom disclosure."),
		limited(DisclosuresNameLimit), cites(DisclosuresValues))
)

// LongestDisclosureName is how many characters the name of a disclosure has at most (published).
const LongestDisclosureName = 20

func nameOfDisclosure(about string) Type {
	return Type{JSON: "string", About: about, Longest: LongestDisclosureName}
}

func disclosureMember(name string, values []string, options ...option) Member {
	return member(name, oneOf(values...).values(DisclosuresValues), append(options, cites(DisclosuresValues))...)
}

// DisclosuresListUser lists the disclosures of a user (published).
var DisclosuresListUser = userDisclosures.operation(Operation{
	Name: "disclosures.listUser", Method: http.MethodGet, Path: disclosuresPath,
	PublishedID: "listUserDisclosuresV1",
	Summary:     "List the disclosures of a user",
	About:       "Lists the disclosures of a user and of its accounts: those that the e-statement operations look at.",
	Parameters:  disclosureParameters,
	Answers: []Answer{{Status: 200, About: "The disclosures.", Members: DisclosuresListOperation,
		Body: answered("UserDisclosures",
			member("institutionUserDisclosures", arrayOf(answered("UserDisclosure",
				member("institutionId", textType(""), same),
				member("institutionUserId", userIDOf(""), written(UsersIDs), cites(UsersIDs)),
				member("institutionUserDisclosureId", userIDOf(""), written(DisclosuresRecordID),
					cites(DisclosuresRecordID)),
				member("institutionDisclosureId", textType("Of a custom disclosure."), optional, same,
					cites(DisclosuresCustom)),
				member("institutionDisclosureName", textType("")),
				member("institutionUserDisclosureStatus", oneOf(sim.DisclosureStatuses...).values(DisclosuresValues)),
				member("institutionUserDisclosureStatusUpdateDateTime", matching("", millisecondPattern),
					written(DisclosuresTime)),
				member("paperWaiver", boolean("true: electronic; false: paper. Of a disclosure OLS."), optional),
				member("accountId", textType("Of an account-level disclosure."), optional, same),
			)), cites(DisclosuresListOperation)))}},
	Refuses: refusesDisclosures,
	Public:  &PublicForm{Parameters: publicDisclosureParameters},
	Uses: []*Entry{DisclosuresListOperation, UsersIDs, DisclosuresRecordID, DisclosuresTime, DisclosuresUser,
		EverywhereRequestID, EverywhereJSON},
})

// DisclosuresCreateUser stores a user's answer to a disclosure (published).
var DisclosuresCreateUser = userDisclosures.operation(Operation{
	Name: "disclosures.createUser", Method: http.MethodPost, Path: disclosuresPath,
	PublishedID: "createUserDisclosureV1",
	Summary:     "Create a disclosure of a user",
	About: "Stores a user's answer to a disclosure. With OLS accepted, the user's e-statement preferences can " +
		"be changed.",
	Parameters: disclosureParameters.and(accountType),
	Request: sent(
		disclosureCustomID, disclosureName,
		disclosureMember("institutionUserDisclosureStatus", sim.DisclosureStatuses, required),
		disclosureStatusTime,
		member("accountId", textType("The account; left out: the disclosure is the user's."),
			cites(DisclosuresCreateOperation)),
		member("paperWaiver", boolean("true: electronic; false: paper. OLS needs it."),
			cites(DisclosuresCreateOperation))),
	Changes: true,
	Answers: []Answer{{Status: 204, About: "The disclosure is stored."}},
	Refuses: refusesDisclosureWrites.and(
		sim.DisclosureStatusUnknown, sim.DisclosureWaiverMissing, AccountTypeUnknown, AccountIDMissing,
		sim.DisclosureUnsupported, sim.AccountUnknown,
	),
	Public: &PublicForm{Parameters: publicDisclosureParameters.and(accountType)},
	Uses: []*Entry{DisclosuresCreateOperation, DisclosuresCreateAgain, DisclosuresEffect, DisclosuresTime,
		DisclosuresUser, EverywhereRequestID},
})

// DisclosuresUpdateUser changes the status of a disclosure (published).
var DisclosuresUpdateUser = userDisclosures.operation(Operation{
	Name: "disclosures.updateUser", Method: http.MethodPut, Path: disclosuresPath,
	PublishedID: "updateUserDisclosureV1",
	Summary:     "Update a disclosure of a user",
	About:       "Changes the status of a disclosure that the user has. OLS is created again instead.",
	Parameters:  disclosureParameters,
	Request: sent(
		disclosureCustomID, disclosureName,
		disclosureMember("institutionUserDisclosureStatus", sim.DisclosureStatuses, required),
		disclosureStatusTime,
		member("institutionUserDisclosureId", textType("As institutionDisclosureId, where that is left out."),
			cites(DisclosuresCustom))),
	Changes: true,
	Answers: []Answer{{Status: 204, About: "The disclosure is changed."}},
	Refuses: refusesDisclosureWrites.and(
		sim.DisclosureStatusUnknown, sim.DisclosureUnsupported, sim.DisclosureImpossible, sim.DisclosureMissing,
	),
	Public: &PublicForm{Parameters: publicDisclosureParameters},
	Uses:   []*Entry{DisclosuresUpdateOperation, DisclosuresTime, DisclosuresUser, EverywhereRequestID},
})

// DisclosuresListInstitution lists the custom disclosures of an institution (published).
var DisclosuresListInstitution = userDisclosures.operation(Operation{
	Name: "disclosures.listInstitution", Method: http.MethodGet, Path: institutionDisclosuresPath,
	PublishedID: "listInstitutionDisclosuresV1",
	Summary:     "List the custom disclosures of the institution",
	About: "Lists the disclosures that the institution has besides OLS, ESIGN and IB, with the ids by which " +
		"users accept them.",
	Parameters: disclosureParameters[:1],
	Answers: []Answer{{Status: 200, About: "The disclosures.", Members: DisclosuresInstitutionOperation,
		Body: answered("InstitutionDisclosures",
			member("institutionDisclosures", arrayOf(answered("InstitutionDisclosure",
				member("institutionDisclosureId", textType(""), cites(DisclosuresInstitutionOperation)),
				member("institutionId", textType(""), same),
				member("institutionDisclosureName", textType("")),
				member("institutionDisclosureData", textType("What the user is to accept, or where it is."), optional,
					cites(DisclosuresInstitutionOperation)),
				member("institutionDisclosureDataType", oneOf(sim.DisclosureDataTypes...), optional,
					cites(DisclosuresInstitutionOperation)),
			)), cites(DisclosuresInstitutionOperation)))}},
	Refuses: refusesTokens.and(RequestIDMissing, RequestIDMalformed),
	Uses:    []*Entry{DisclosuresInstitutionOperation, EverywhereRequestID, EverywhereJSON},
})

// DisclosuresDeleteUser removes the disclosure of an account (published).
var DisclosuresDeleteUser = userDisclosures.operation(Operation{
	Name: "disclosures.deleteUser", Method: http.MethodDelete, Path: disclosuresPath,
	PublishedID: "deleteUserDisclosureV1",
	Summary:     "Delete a disclosure of an account",
	About:       "Removes the disclosure OLS of an account: its e-statement preference can't be changed any more.",
	Parameters:  disclosureParameters.and(accountType),
	Request: sent(
		member("institutionDisclosureName", nameOfDisclosure("OLS."), required,
			limited(DisclosuresNameLimit), cites(DisclosuresDeleteOperation)),
		member("accountId", textType("The account."), required, cites(DisclosuresDeleteOperation))),
	Changes: true,
	Answers: []Answer{{Status: 204, About: "The disclosure is removed."}},
	Refuses: refusesDisclosureWrites.and(AccountTypeUnknown, AccountIDMissing, sim.DisclosureImpossible,
		sim.DisclosureMissing),
	Public: &PublicForm{Parameters: publicDisclosureParameters.and(accountType)},
	Uses:   []*Entry{DisclosuresDeleteOperation, DisclosuresUser, EverywhereRequestID},
})

var (
	onListDisclosures   = []string{"disclosures.listUser"}
	onCreateDisclosure  = []string{"disclosures.createUser"}
	onUpdateDisclosure  = []string{"disclosures.updateUser"}
	onDeleteDisclosure  = []string{"disclosures.deleteUser"}
	onStoredDisclosure  = slices.Concat(onCreateDisclosure, onUpdateDisclosure)
	onDisclosureRecords = slices.Concat(onListDisclosures, onStoredDisclosure)
	onAccountTypes      = slices.Concat(onCreateDisclosure, onDeleteDisclosure)
	onDisclosureWrites  = slices.Concat(onStoredDisclosure, onDeleteDisclosure)
	onUserDisclosures   = slices.Concat(onListDisclosures, onDisclosureWrites)
	onCustomDisclosures = []string{"disclosures.listInstitution"}
	onAllDisclosures    = slices.Concat(onUserDisclosures, onCustomDisclosures)
)

// The entries about the disclosures of users.
var (
	DisclosuresListOperation = operationEntry("disclosures.list.operation", onListDisclosures,
		"lists the disclosures of a user",
		"GET "+disclosuresPath+"; 200 with institutionUserDisclosures: those of the user, then those of its "+
			"accounts. They are the ones that the e-statement operations look at. Where multistatement is "+
			"configured, a user-level OLS has no paperWaiver; elsewhere it has one, and the records of the accounts "+
			"are not listed.")
	DisclosuresCreateOperation = operationEntry("disclosures.create.operation", onCreateDisclosure,
		"stores a user's answer to a disclosure",
		"POST "+disclosuresPath+"; 204. OLS has a paperWaiver and, where multistatement is configured, may have an "+
			"accountId.")
	DisclosuresCreateAgain = entry("disclosures.create.again", onCreateDisclosure, Choice, Entry{
		Question: "What happens where the user has the disclosure already?",
		answer:   "It is updated; 204.",
		source:   "ours; for OLS it is published",
	})
	DisclosuresEffect = entry("disclosures.create.effect", onCreateDisclosure, Published, Entry{
		Question: "What does an account-level OLS change besides the disclosure?",
		answer:   "The statement preference of the account becomes paperWaiver.",
	})
	DisclosuresUpdateOperation = operationEntry("disclosures.update.operation", onUpdateDisclosure,
		"changes the status of a disclosure of a user",
		"PUT "+disclosuresPath+"; 204.")
	DisclosuresDeleteOperation = operationEntry("disclosures.delete.operation", onDeleteDisclosure,
		"removes the disclosure of an account",
		"DELETE "+disclosuresPath+" with a body that names OLS and the accountId; 204.")
	DisclosuresInstitutionOperation = operationEntry("disclosures.institution.operation", onCustomDisclosures,
		"lists the custom disclosures of an institution",
		"GET "+institutionDisclosuresPath+"; 200 with institutionDisclosures, which may be empty.")
	DisclosuresCustom = entry("disclosures.custom", onDisclosureRecords, Published, Entry{
		Question: "How is a custom disclosure named?",
		answer: "By its institutionDisclosureId, or by its name. The institution's scenario lists them; records of " +
			"users show the id. An update may give the id as institutionUserDisclosureId.",
		source: published + "; the example of an update has the other member; that a name does, too, is ours",
	})
	DisclosuresRecordID = entry("disclosures.list.record-id", onListDisclosures, Choice, Entry{
		Question: "What is institutionUserDisclosureId?",
		answer: "32 hexadecimal digits in upper case, made from the user, the account and the name of the " +
			"disclosure: it stays when the record is updated.",
		source: "ours; the member is published",
	})
	DisclosuresTime = entry("disclosures.time", onDisclosureRecords, Published, Entry{
		Question: "How is institutionUserDisclosureStatusUpdateDateTime written, and what is it by default?",
		answer: "2026-01-15T09:00:00.000+00:00, in UTC; milliseconds are optional in a request. " +
			"By default it is the time of the request.",
		source: publishedIn(formats) + "; the default, and that milliseconds are optional, are ours",
	})
	DisclosuresValues = entry("disclosures.values", onDisclosureRecords, Published, Entry{
		Question: "Which names and statuses of disclosures are there?",
		answer: "OLS and ESIGN with ACCEPTED and NOT_ACCEPTED; IB and custom ones also with ENROLLED and " +
			"NOT_ENROLLED.",
		Unshown: "an exchange can't show all that there is not",
	})
	DisclosuresUser = entry("disclosures.user", onUserDisclosures, Choice, Entry{
		Question: "What names the user?",
		answer: "hostUserId, or loginId with the username, or neither where the token is bound to a user; both, or " +
			"neither with a token that is bound to none, are answered with {refused}.",
		source: "ours; the parameters and the code are published",
	})
	DisclosuresBusinessUser = entry("disclosures.business-user", onUserDisclosures, Choice, Entry{
		Question: "What does institutionCustomerId in the query do?",
		answer:   "Nothing: it names the location of a business user, and the bank has none.",
		source:   "ours; the parameter is published",
	})
	DisclosuresAuth = entry("disclosures.auth", onAllDisclosures, Published, Entry{
		Question: "Are credentials needed?",
		answer:   "Yes: a bearer token; without one {token-missing}, with one that doesn't work {token-unknown}.",
		source:   publishedIn(errorCodes),
	})
	DisclosuresOtherUser = refusalEntry("disclosures.other-user", onUserDisclosures, Choice,
		"where the token is bound to another user than the one that is named")
	DisclosuresTransactionID = entry("disclosures.transaction-id", onAllDisclosures, Published, Entry{
		Question: "What must the header transactionId be?",
		answer:   "A UUID; without it {request-id-missing}, another text is answered with {request-id-malformed}.",
		source: publishedIn(requestHeaders, errorCodes) +
			"; that another text gets the code of one that is too long is ours",
	})
	DisclosuresBody = entry("disclosures.body", onDisclosureWrites, Choice, Entry{
		Question: "What is answered to a body that is empty, isn't JSON, or has a member of another type?",
		answer:   "{body-empty}, {body-malformed} and {member-mistyped}.",
		source:   "ours; the codes are published",
	})
	DisclosuresMembers = entry("disclosures.members", onDisclosureWrites, Choice, Entry{
		Question: "What is answered where a required member is missing, or has a value that the disclosure doesn't " +
			"take?",
		answer: "{refused}. A new OLS is for an account if the request has accountType: then it needs an accountId.",
		source: "ours; the codes are published",
	})
	DisclosuresNameLimit = entry("disclosures.name-limit", onDisclosureWrites, Published, Entry{
		Question: "How long may the name of a disclosure be?",
		answer:   "20 characters; a longer name is answered with {refused}.",
		source:   publishedIn(clientSDK),
	})
	DisclosuresAccountType = entry("disclosures.account-type", onAccountTypes, Published, Entry{
		Question: "What must accountType be?",
		answer: "One of the listed types, given once, where the request is about an account or has accountType, " +
			"else {refused}; which one has no effect.",
		source: published + "; that it has to be one where it isn't needed, and that which one has no effect, is ours",
	})
	DisclosuresUnsupported = entry("disclosures.unsupported", onStoredDisclosure, Choice, Entry{
		Question: "What is answered where the institution doesn't have the disclosure, or has it for no accounts?",
		answer: "{refused}: for a custom disclosure that isn't listed, and for an accountId of a new disclosure that " +
			"is not OLS or where multistatement is not configured. A deletion doesn't look at multistatement.",
		source: "ours; the code is published",
	})
	DisclosuresImpossible = refusalEntry("disclosures.impossible", onAllDisclosures, Choice,
		"to an update of OLS, and to a deletion of another disclosure")
	DisclosuresMissing = refusalEntry("disclosures.missing", onUserDisclosures, Choice,
		"where there is no such user, account or disclosure")
	DisclosuresErrorBody = codeMessageEntry("disclosures.error-body", onAllDisclosures, Published,
		publishedIn(errorBodies))
)

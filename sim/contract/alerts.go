package contract

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// alerts is the family of the operations on alerts (section 4.7 has one of them). The codes are published.
var alerts = newFamily(Family{
	Parts:     []Part{{"alerts", "Alert preferences", "Which alerts a user wants."}},
	Prefix:    "/digitalbanking/db-alerts-", // preferences, and management of types
	RequestID: "transactionid",
	Scopes:    "alertPref",
	Refusals: []Refusal{
		{TokenMissing, 401, resourceForbidden, AlertsAuth},
		{sim.TokenUnknown, 401, resourceForbidden, AlertsAuthFailure},
		{sim.ScopeMissing, 403, permissionMissing, EverywhereScopeRefusals},
		{HeaderMissing, 400, "PRMVAL_10007", AlertsHeaders},
		{RequestIDMissing, 400, "PRMVAL_10007", AlertsHeaders},
		{sim.InstitutionUnknown, 400, institutionRefused, AlertsInstitution},
		{sim.UserUnknown, 400, userRefused, AlertsUser},
		{BodyMalformed, 400, inputUnreadable, AlertsMalformedBody},
		{sim.TextTooLong, 400, inputUnreadable, AlertsTextLengths},
		{sim.AlertFieldMissing, 400, "PRMVAL_10012", AlertsRequiredMembers},
		{sim.AlertOtherInstitution, 400, institutionRefused, AlertsContradiction},
		{sim.AlertOtherCustomer, 400, userRefused, AlertsContradiction},
		{sim.AlertChannelUnknown, 400, "PRMVAL_10005", AlertsChannels},
		{sim.AlertTypeUnknown, 400, "PRMVAL_10009", AlertsTypes},
		{sim.AlertTypeNotOpted, 400, "PRMVAL_10015", AlertsTypesNotOpted},
		{sim.AlertWithoutDestinations, 400, preferenceRefused, AlertsDestinations},
		{Forbidden, 403, permissionMissing, EverywhereOtherCodes},
		{ParameterMalformed, 400, valueRefused, AlertsListParameters},
		{ParameterRepeated, 400, valueRefused, AlertsListParameters},
		{sim.AlertPreferenceIDMalformed, 400, preferenceRefused, AlertsIDMalformed},
		{sim.AlertPreferenceOther, 400, "PRMAPS_10008", AlertsUpdateOther},
		{sim.AlertPreferenceUnknown, 404, "PRMAPS_10007", AlertsNotFound},
		{CharacterRefused, 400, alertCharactersRefused, EverywhereCharacters},
		{RequestInvalid, 400, inputUnreadable, EverywhereOtherCodes},
		{ServiceFailed, 500, serviceFailure, EverywhereOtherCodes},
	},
	Others: []Injection{
		faultOnly(400, "PRMSYS_10001", "another request came in between"),
		faultOnly(400, serviceFailure, "an unexpected fault occurred inside the service"),
		faultOnly(400, "PRMSYS_10004", "the access token could not be checked"),
		faultOnly(400, "PRMSYS_10006", "there is no resource with this id"),
		faultOnly(400, "PRMSYS_10007", "the id is taken"),
		faultOnly(400, "PRMSYS_10008", "there is no resource with this name"),
		faultOnly(400, "PRMSYS_10015", "a required attribute is missing"),
		faultOnly(400, "PRMVAL_10001", "path and body contradict each other"),
		faultOnly(400, "PRMVAL_10006", "the alert type is unknown"),
		faultOnly(400, "PRMVAL_10008", "a member is not acceptable"),
		faultOnly(400, "PRMVAL_10010", "the enrollment has no alert preference"),
		faultOnly(400, "PRMVAL_10011", "the institution has no alert preference"),
		faultOnly(400, "PRMVAL_10016", "the account takes no alerts"),
	},
	Messages: map[sim.Code]string{
		HeaderMissing:                "a required header is missing",
		sim.AlertFieldMissing:        "a required member of the body has no value",
		sim.AlertChannelUnknown:      "the channel is unknown",
		sim.AlertTypeUnknown:         "the institution doesn't have the alert type",
		sim.AlertTypeNotOpted:        "the alert type is not active, or not for this channel",
		sim.AlertWithoutDestinations: "the alert preference is not acceptable",
		sim.AlertPreferenceOther:     "the alert preference is another one",
		sim.AlertPreferenceUnknown:   "there is no such alert preference",
	},
	ErrorCites: []*Entry{AlertsErrorBody},
	Public: &PublicFamily{
		RequestID: "transactionId",
		Refusals: []Refusal{
			{RequestIDMissing, 400, requestIDUnacceptable, AlertsHeaders},
			{RequestIDMalformed, 400, requestIDUnacceptable, AlertsHeaders},
			{ParameterMissing, 400, userRefused, AlertsUser},
			{ParametersExclude, 400, userRefused, AlertsUser},
			{sim.TokenOfAnotherUser, 403, permissionMissing, AlertsUser},
			{BodyMalformed, 400, preferenceRefused, AlertsMalformedBody},
			{sim.TextTooLong, 400, preferenceRefused, AlertsTextLengths},
		},
	},
})

const (
	institutionRefused = "PRMVAL_10003"
	userRefused        = "PRMVAL_10004"
	serviceFailure     = "PRMSYS_10003"
	inputUnreadable    = "PRMSYS_10002"
	valueRefused       = "PRMVAL_10002"
	preferenceRefused  = "PRMVAL_10013"

	alertCharactersRefused = "PRMSYS_10016"
)

// AlertsCreatePreference is section 4.7.
var AlertsCreatePreference = alerts.operation(Operation{
	InDocument: true,
	Name:       "alerts.createPreference", Method: http.MethodPost, Path: alertsPath,
	Summary: "Create an alert preference of a user",
	About: "Stores which alert a user wants, through which channel, and for which account. The bank assigns its " +
		"id.",
	Parameters: alertHeaders,
	Request:    sent(alertMembers(false)...),
	Changes:    true,
	Answers: []Answer{
		{Status: 201, About: "The preference is created.", Body: alertPreference, Members: AlertsCreateBody,
			Switched: AlertsCreateStatus, Value: "201"},
		{Status: 200, About: "The preference is created.", Body: alertPreference,
			Members: AlertsCreateBody, Switched: AlertsCreateStatus, Value: "200"},
	},
	Refuses: refusesAlerts.and(refusesAlertContent...).and(sim.AlertWithoutDestinations),
	Public: &PublicForm{
		Parameters: publicAlertParameters,
		Refuses:    refusesPublicAlerts.and(refusesAlertContent...).and(sim.AlertWithoutDestinations),
	},
	Uses: []*Entry{
		AlertsCreateStatus, AlertsCreateBody, AlertsCreateAnswer, AlertsCreateMembers, AlertsRequiredMembers,
		EverywhereRequestID, EverywhereJSON,
	},
})

var alertPreference = answered("AlertPreference", alertMembers(true)...)

// listedAlertPreference is an alert preference in a list. A default of the institution has no id.
var listedAlertPreference = answered("ListedAlertPreference", alertMembers(true, optional)...)

const aboutChannels = "How it is alerted: a channel, or several separated by commas."

// alertMembers returns the members of an alert preference (section 2.7) in an answer or a request. idOptions apply to
// its id.
func alertMembers(answer bool, idOptions ...option) []Member {
	objectOf, maybe := sent, func(*Member) {} // in a request, every member may be left out
	id, channel := Type{JSON: "integer"}, Type{JSON: "string", About: aboutChannels, Enum: sim.AlertChannels,
		EnumCites: AlertsChannels, Several: true}
	if answer {
		objectOf, maybe = func(members ...Member) *Object { return answered("", members...) }, optional
		id, channel = integer("Assigned by the server.", 1), textType(aboutChannels)
	}
	return []Member{
		member("additionalInfo", Type{JSON: "object", Object: &Object{Free: true}}, maybe),
		member("alertOpted", boolean(""), same, maybe),
		member("alertPreferenceAccountDetails", object(objectOf(
			member("accountExternalId", textType(""), maybe),
			member("accountId", textType(""), same, maybe),
			member("cardNumber", textType(""), secret, maybe))), maybe),
		member("alertPreferenceDetails", object(objectOf(
			member("alertPrefId", id, idOptions...),
			member("alertTypeName", textType(""), same, maybe),
			member("channelTypeName", channel, same, maybe),
			member("externalId", textType(""), maybe),
			member("institutionCustomerId", textType(""), same, maybe),
			member("institutionId", textType(""), same)))),
		member("allowCallback", boolean(""), maybe),
		member("defaultPreferences", boolean(""), maybe),
	}
}

var (
	onCreateAlert = []string{"alerts.createPreference"}
	onUserAlerts  = slices.Concat(onCreateAlert, onListAlerts, onNamedAlert)
	onAlerts      = slices.Concat(onUserAlerts, onInstitutionAlerts)
)

const (
	notForPreferences = "ours; the code is published, but not for preferences"
	forPreferences    = "ours; this code is published for preferences"
	textLengths       = "1,000 characters, additionalInfo 8 KiB; a longer one is answered with {refused}."
)

// The entries about creating alert preferences, and about all operations of the family.
var (
	AlertsCreateStatus = entry("alerts.create.status", onCreateAlert, Published, Entry{
		Question: "Which status does a created alert preference get?",
		answer:   "201.",
		source:   published + "; section 4.7 leaves it open",
		Switch: statusSwitch("alerts.createStatus", "The status of a successful create.",
			func(b *sim.Behavior) *int { return &b.Alerts.CreateStatus }, 201,
			Alternative{"200", "200.", Choice}),
		Public: publicDefault("201"),
	})
	AlertsCreateBody = entry("alerts.create.body", onUserAlerts, Documented, Entry{
		Question: "Which members does an alert preference have, and of which types?",
		answer:   "The documented ones, in the request and in the answer.",
		source:   "sections 2.7 and 4.7",
	})
	AlertsCreateAnswer = entry("alerts.create.answer", onCreateAlert, Published, Entry{
		Question: "What does the answer hold?",
		answer:   "The preference as it is stored, with an alertPrefId above 0 that the server assigns.",
	})
	AlertsCreateMembers = entry("alerts.create.members", onAlertAnswers, Choice, Entry{
		Question: "Which members are returned?",
		answer: "Those that were sent, and alertPrefId, institutionId and institutionCustomerId; after an update " +
			"allowCallback, too.",
	})
	AlertsCreateClientID = entry("alerts.create.client-id", onCreateAlert, Choice, Entry{
		Question: "What happens to an alertPrefId in the body?",
		answer:   "It is ignored: the server assigns it.",
		source:   "ours; a client must not rely on an id of its own",
	})
	AlertsCreateNoEffect = entry("alerts.create.no-effect", onStoredAlert, Choice, Entry{
		Question: "What do allowCallback, defaultPreferences and additionalInfo do?",
		answer:   "They are stored and returned, and have no effect.",
	})
	AlertsCreateTwice = entry("alerts.create.twice", onCreateAlert, Choice, Entry{
		Question: "What happens to the same preference sent twice?",
		answer:   "Two preferences.",
		source:   "ours; no source refuses it",
	})
	AlertsAuth = entry("alerts.auth", onAlerts, Choice, Entry{
		Question: "Are credentials needed?",
		answer:   "Yes: an access token; without one {refused}.",
		source:   "ours; section 4.7 shows the header",
		Switch: wordSwitch("alerts.auth", "Whether an access token is needed.",
			func(b *sim.Behavior) *sim.Presence { return &b.Alerts.Auth },
			Alternative{"optional", "No; a token that is there must be valid. Without one, the institution is the " +
				"one that fiid names, or the scenario's first.", Choice}).
			under(string(sim.Required), TokenMissing),
		Permits: true,
		Public: &PublicAnswer{Default: string(sim.Required), answer: "Yes: an access token; without one {refused}.",
			Basis:  Published,
			source: publishedIn(requestHeaders) + "; the code is ours"},
	})
	AlertsAuthFailure = entry("alerts.auth-failure", onAlerts, Choice, Entry{
		Question: "What is answered where the Authorization header has no valid access token?",
		source:   "ours; the status is published",
	})
	AlertsBareToken = entry("alerts.bare-token", onAlerts, Choice, Entry{
		Question: "May the Authorization header be the access token alone, without the word Bearer?",
		answer:   "Yes.",
		source:   "ours; section 5 leaves the format open",
		Permits:  true,
		Public: publicAnswer("No: it is answered as a token that isn't valid.",
			Published, publishedIn(requestHeaders)),
	})
	AlertsHeaders = entry("alerts.headers", onAlerts, Choice, Entry{
		Question: "Are the headers fiid, transactionid and userid needed?",
		answer: "Yes; without one of them {refused}. The operations on the institution's types and preferences " +
			"need no userid.",
		source: "ours; section 4.7 shows the headers, the code is published, but not for preferences",
		Switch: wordSwitch("alerts.headers", "Whether the headers fiid, transactionid and userid are needed.",
			func(b *sim.Behavior) *sim.Presence { return &b.Alerts.Headers },
			Alternative{"optional", "No: the token's institution and user are used instead.", Choice}).
			under(string(sim.Required), HeaderMissing, RequestIDMissing),
		Permits: true,
		Public: &PublicAnswer{Default: string(sim.Required), answer: "transactionId is, a UUID; without it, or with " +
			"another text, {request-id-missing}. fiid and userid are no headers.",
			Basis: Choice, source: "ours; the headers are published, and version 1.3 of the description has " +
				"the code for groups"},
	})
	AlertsInstitution = entry("alerts.institution", onAlerts, Choice, Entry{
		Question: "What is answered where fiid is unknown, or not the token's institution?",
		source:   notForPreferences,
		Public: publicAnswer("There is no such header: the institution is the token's.", Published,
			publishedIn(requestHeaders)+"; that the institution is the token's is ours"),
	})
	AlertsUser = entry("alerts.user", onUserAlerts, Choice, Entry{
		Question: "What is answered where userid is unknown, or not the user that the token is bound to?",
		source:   "ours; the code is published",
		Public: publicAnswer(
			"hostUserId or loginId in the query name the user, or neither where the token is bound to one. "+
				"Both, one of them twice, or neither with a token that is bound to none, get {parameter-missing}; so "+
				"does an unknown user. Another user than the token's gets {token-of-another-user}.",
			Choice, "ours; the parameters are published"),
	})
	AlertsContradiction = entry("alerts.contradiction", onStoredAlert, Choice, Entry{
		Question: "What is answered where institutionId or institutionCustomerId in the body contradicts what else " +
			"the request says?",
		answer: "The preference is stored for the institution and the user that the headers name, and answered as " +
			"it was sent, with a lint in the journal.",
		source: "ours; section 4.7 never equates them, and what it shows succeeds",
		Switch: wordSwitch("alerts.contradiction",
			"Whether ids in the body may differ from the headers.",
			func(b *sim.Behavior) *sim.Contradiction { return &b.Alerts.Contradiction },
			Alternative{"reject", "{refused}; an empty one contradicts nothing.", Choice}).
			under(string(sim.ContradictionReject), sim.AlertOtherInstitution, sim.AlertOtherCustomer),
		Permits: true,
		Public: publicAnswer("The preference is stored for the token's institution and the user of the query, or the "+
			"token's, and answered as it was sent, with a lint in the journal.",
			Choice, "ours; the members are the document's"),
	})
	AlertsInactiveUser = entry("alerts.inactive-user", onUserAlerts, Choice, Entry{
		Question: "What is answered where the user is not active?",
		answer:   "The same as for an active one.",
		Permits:  true,
	})
	AlertsMalformedBody = entry("alerts.malformed-body", onStoredAlert, Choice, Entry{
		Question: "What is answered to a body that isn't JSON, or has a member of another type?",
		source:   notForPreferences,
		Public:   publicAnswer("{refused}.", Choice, forPreferences),
	})
	AlertsTextLengths = entry("alerts.text-lengths", onStoredAlert, Choice, Entry{
		Question: "How long may the texts of a preference be?",
		answer:   textLengths,
		source:   notForPreferences,
		Public:   publicAnswer(textLengths, Choice, forPreferences),
	})
	AlertsBusinessUser = entry("alerts.business-user", onUserAlerts, Documented, Entry{
		Question: "What does the header institutionCustomerId do?",
		answer:   "Nothing: there is no such header.",
		source:   "section 4.7",
		Public: publicAnswer("Nothing: it names the location of a business user, and the bank has none.", Choice,
			"ours; the header is published"),
	})
	AlertsRequiredMembers = entry("alerts.required-members", onStoredAlert, Published, Entry{
		Question: "Which members of the body are required?",
		answer:   "None.",
		source:   published + "; section 4.7 leaves it open",
		Switch: namesSwitch("alerts.requiredFields", "Body members that a request must have.",
			func(b *sim.Behavior) *[]string { return &b.Alerts.RequiredFields }, sim.AlertFields(),
			Alternative{"<names>", "These; without one of them, or with an object without members, {refused}.", Choice}).
			under("<names>", sim.AlertFieldMissing),
	})
	AlertsChannels = entry("alerts.channels", onStoredAlert, Choice, Entry{
		Question: "What is answered to a channelTypeName other than EMAIL, SMS, PUSH, WEB or several of them, " +
			"separated by commas?",
		answer: "It is stored, with a lint in the journal.",
		source: "ours; section 4.7 shows another value than the four, which are published",
		Switch: flagSwitch("alerts.knownChannelsOnly",
			"Whether other channels than EMAIL, SMS, PUSH and WEB are refused.",
			func(b *sim.Behavior) *bool { return &b.Alerts.KnownChannelsOnly },
			Alternative{"true", "{refused}.", Choice}).under("true", sim.AlertChannelUnknown),
		Permits: true,
		Public: &PublicAnswer{Default: "true",
			source: "ours; the four are published, and the code, but not for preferences"},
	})
	AlertsTypes = entry("alerts.types", onStoredAlert, Published, Entry{
		Question: "Which values may alertTypeName have?",
		answer:   "Any, unless the institution lists its alertTypes: then another one is answered with {refused}.",
		source:   publishedIn(errorCodes) + "; that an institution need not list its types is ours",
	})
	AlertsTypesNotOpted = refusalEntry("alerts.types-not-opted", onStoredAlert, Published,
		"to an alertTypeName that the institution has switched off, or doesn't send by the channelTypeName")
	AlertsDestinations = entry("alerts.create.destinations", onCreateAlert, Published, Entry{
		Question: "What is answered where the user has no destinations for alerts, such as an e-mail address?",
		answer:   "{refused}. A user has destinations, unless the scenario has destinations: none.",
		source:   publishedIn(errorCodes) + "; which code it means is ours",
	})
	AlertsErrorBody = codeMessageEntry("alerts.error-body", onAlerts, Published, publishedIn(errorBodies))
)

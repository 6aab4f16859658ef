package contract

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The paths of alert preferences (section 4.7).
const (
	alertsPath = "/digitalbanking/db-alerts-preferences/v1/alert-preferences"
	alertPath  = alertsPath + "/{alertPreferenceId}"
)

// alertHeaders are the headers of requests about the alert preferences of a user.
var alertHeaders = list[Parameter]{
	inHeader("fiid", "The institution.", true),
	inHeader("transactionid", "Identifies the request.", true),
	inHeader("userid", "The user.", true),
}

// publicAlertParameters name the user in the query. The access token names the institution.
var publicAlertParameters = list[Parameter]{
	transactionID, hostUserIDOrLogin, loginIDOrHost,
	inHeader("institutionCustomerId", "The location of a business user: without effect.", false).
		resting(AlertsBusinessUser),
}

// alertsAskedFor are the parameters that select the preferences of a list.
var alertsAskedFor = list[Parameter]{
	inQuery("accountExternalId", "Only preferences for this account.", false, textType("")),
	inQuery("accountId", "Only preferences for this account.", false, textType("")),
	alertTypeNames,
	inQuery("default", "Whether only the institution's defaults are listed. Default: false.", false, boolean("")),
	inQuery("externalId", "Only preferences with this externalId.", false, textType("")),
	inQuery("pageNo", "The page, from 0. Default: 0.", false, integer("", 0)),
	inQuery("pageSize", "How many preferences a page has, at most 2,000. Default: 100.", false, integer("", 1)),
}

var callbackOfAlert = inQuery("allowCallback", "In the place of the body's, if that has none. Default: true.", false,
	boolean(""))

var alertPreferenceID = Parameter{
	Name: "alertPreferenceId", In: "path", Required: true, About: "The alert preference.",
	Type: Type{JSON: "integer"},
}

var (
	refusesAlerts = refusesTokens.and(
		HeaderMissing, RequestIDMissing, sim.InstitutionUnknown, sim.UserUnknown,
	)
	refusesPublicAlerts = refusesTokens.and(
		RequestIDMissing, sim.UserUnknown, sim.TokenOfAnotherUser, ParameterMissing, ParametersExclude,
	)
	refusesNamed        = list[sim.Code]{sim.AlertPreferenceIDMalformed, sim.AlertPreferenceUnknown}
	refusesAlertContent = refusesBodies.and(
		MediaTypeUnknown, sim.AlertFieldMissing, sim.TextTooLong,
		sim.AlertOtherInstitution, sim.AlertOtherCustomer, sim.AlertChannelUnknown, sim.AlertTypeUnknown,
		sim.AlertTypeNotOpted,
	)
	refusesAlertUpdates = refusesNamed.and(refusesAlertContent...).and(
		ParameterMalformed, ParameterRepeated, sim.AlertPreferenceOther,
	)
)

// MaxAlertPage is the largest number of preferences on a page.
const MaxAlertPage = 2000

// AlertsListPreferences lists the alert preferences of a user (published).
var AlertsListPreferences = alerts.operation(Operation{
	Name: "alerts.listPreferences", Method: http.MethodGet, Path: alertsPath,
	PublishedID: "listAlertPreferencesV1",
	Summary:     "List alert preferences",
	About: "Lists the alert preferences of a user, page by page, by their ids. The last page is shorter than " +
		"the others.",
	Parameters: alertHeaders.and(alertsAskedFor...),
	Answers: []Answer{{Status: 200, About: "A page of alert preferences.", Members: AlertsListOperation,
		Body: answered("AlertPreferences",
			member("alertPreferences", arrayOf(listedAlertPreference), cites(AlertsListOperation)))}},
	Refuses: refusesAlerts.and(ParameterMalformed, ParameterRepeated),
	Public: &PublicForm{
		Parameters: publicAlertParameters.and(alertsAskedFor...),
		Refuses:    refusesPublicAlerts.and(ParameterMalformed, ParameterRepeated),
	},
	Uses: []*Entry{AlertsListOperation, AlertsCreateBody, EverywhereRequestID, EverywhereJSON},
})

// AlertsGetPreference reads an alert preference (published).
var AlertsGetPreference = alerts.operation(Operation{
	Name: "alerts.getPreference", Method: http.MethodGet, Path: alertPath,
	PublishedID: "getAlertPreferenceV1",
	Summary:     "An alert preference",
	About:       "Reads an alert preference of a user.",
	Parameters:  alertHeaders.and(alertPreferenceID),
	Answers: []Answer{
		{Status: 200, About: "The alert preference.", Body: alertPreference, Members: AlertsGetOperation},
	},
	Refuses: refusesAlerts.and(refusesNamed...),
	Public: &PublicForm{
		Parameters: publicAlertParameters.and(alertPreferenceID),
		Refuses:    refusesPublicAlerts.and(refusesNamed...),
	},
	Uses: []*Entry{
		AlertsGetOperation, AlertsCreateBody, AlertsCreateMembers, EverywhereRequestID, EverywhereJSON,
	},
})

// AlertsUpdatePreference replaces an alert preference (published).
var AlertsUpdatePreference = alerts.operation(Operation{
	Name: "alerts.updatePreference", Method: http.MethodPut, Path: alertPath,
	PublishedID: "updateAlertPreferenceV1",
	Summary:     "Update an alert preference",
	About: "Replaces what is stored of an alert preference: opts in or out, for example. Its id, its " +
		"institution and its user stay.",
	Parameters: alertHeaders.and(alertPreferenceID, callbackOfAlert),
	Request:    sent(alertMembers(false)...),
	Changes:    true,
	Answers: []Answer{
		{Status: 200, About: "The alert preference is updated.", Body: alertPreference, Members: AlertsUpdateOperation},
	},
	Refuses: refusesAlerts.and(refusesAlertUpdates...),
	Public: &PublicForm{
		Parameters: publicAlertParameters.and(alertPreferenceID, callbackOfAlert),
		Refuses:    refusesPublicAlerts.and(refusesAlertUpdates...),
	},
	Uses: []*Entry{
		AlertsUpdateOperation, AlertsUpdateReplaces, AlertsUpdateCallback, AlertsCreateBody, AlertsCreateMembers,
		AlertsRequiredMembers, EverywhereRequestID, EverywhereJSON,
	},
})

// AlertsDeletePreference deletes an alert preference (published).
var AlertsDeletePreference = alerts.operation(Operation{
	Name: "alerts.deletePreference", Method: http.MethodDelete, Path: alertPath,
	PublishedID: "deleteAlertPreferenceV1",
	Summary:     "Delete an alert preference",
	About:       "Deletes an alert preference of a user for good.",
	Parameters:  alertHeaders.and(alertPreferenceID),
	Changes:     true,
	Answers:     []Answer{{Status: 204, About: "The alert preference is deleted."}},
	Refuses:     refusesAlerts.and(refusesNamed...),
	Public: &PublicForm{
		Parameters: publicAlertParameters.and(alertPreferenceID),
		Refuses:    refusesPublicAlerts.and(refusesNamed...),
	},
	Uses: []*Entry{AlertsDeleteOperation, EverywhereRequestID},
})

var (
	onListAlerts   = []string{"alerts.listPreferences"}
	onGetAlert     = []string{"alerts.getPreference"}
	onUpdateAlert  = []string{"alerts.updatePreference"}
	onDeleteAlert  = []string{"alerts.deletePreference"}
	onNamedAlert   = slices.Concat(onGetAlert, onUpdateAlert, onDeleteAlert)
	onStoredAlert  = slices.Concat(onCreateAlert, onUpdateAlert)
	onAlertAnswers = slices.Concat(onCreateAlert, onGetAlert, onUpdateAlert)
)

// The entries about reading, updating and deleting alert preferences.
var (
	AlertsListOperation = operationEntry("alerts.list.operation", onListAlerts, "lists the alert preferences of a user",
		"GET "+alertsPath+"; 200 with alertPreferences, an array of preferences, without totals and links.")
	AlertsListOrder = entry("alerts.list.order", onListAlerts, Choice, Entry{
		Question: "In which order are alert preferences listed?",
		answer:   "By alertPrefId.",
	})
	AlertsListNone = entry("alerts.list.none", onListAlerts, Choice, Entry{
		Question: "What is answered where no alert preference is on the page?",
		answer:   "200 with an empty array.",
		Permits:  true,
	})
	AlertsListDefaults = entry("alerts.list.defaults", onListAlerts, Published, Entry{
		Question: "What is listed for a user without preferences of its own, and with default=true?",
		answer: "The institution's preferences (institutionAlertPreferences in the scenario): alertOpted, " +
			"alertTypeName, channelTypeName, institutionId, and defaultPreferences true, without alertPrefId and " +
			"account.",
		source: published + "; which members they have, and that default=true lists nothing else, is ours",
	})
	AlertsListTypes = entry("alerts.list.types", slices.Concat(onListAlerts, onInstitutionPreferences), Choice, Entry{
		Question: "How does a request name several alertTypes?",
		answer:   "Separated by commas.",
	})
	AlertsListParameters = entry("alerts.list.parameters",
		slices.Concat(onListAlerts, onUpdateAlert, onInstitutionAlerts), Choice, Entry{
			Question: "What is answered where pageNo or pageSize is not a number or too small, default or " +
				"allowCallback is neither true nor false, statusOptd is neither ACTIVE nor INACTIVE, or a parameter " +
				"other than hostUserId and loginId is given twice?",
			source: notForPreferences,
		})
	AlertsListPageSize = entry("alerts.list.page-size", onListAlerts, Choice, Entry{
		Question: "How many preferences does a page have at most?",
		answer:   "2,000: a larger pageSize counts as 2,000.",
	})
	AlertsGetOperation = operationEntry("alerts.get.operation", onGetAlert, "reads an alert preference",
		"GET "+alertPath+"; 200 with the preference.")
	AlertsUpdateOperation = operationEntry("alerts.update.operation", onUpdateAlert, "updates an alert preference",
		"PUT "+alertPath+" with a preference; 200 with the preference as it is stored then.")
	AlertsUpdateReplaces = entry("alerts.update.replaces", onUpdateAlert, Choice, Entry{
		Question: "What happens to members that an update leaves out?",
		answer:   "They are removed: an update replaces the preference. alertPrefId stays.",
		source:   "ours; a client must not rely on what it doesn't send",
	})
	AlertsUpdateCallback = entry("alerts.update.callback", onUpdateAlert, Choice, Entry{
		Question: "Which allowCallback does an update store?",
		answer:   "The body's; without it that of the query, which is true by default.",
		source:   "ours; the parameter and its default are published",
	})
	AlertsUpdateOther = entry("alerts.update.other", onUpdateAlert, Choice, Entry{
		Question: "What is answered where alertPrefId in the body is not the one in the path?",
		answer:   "{refused}; 0 counts as left out.",
		source:   "ours; status and code are published",
	})
	AlertsDeleteOperation = operationEntry("alerts.delete.operation", onDeleteAlert, "deletes an alert preference",
		"DELETE "+alertPath+"; 204.")
	AlertsIDMalformed = refusalEntry("alerts.id-malformed", onNamedAlert, Choice,
		"where alertPreferenceId in the path is not a whole number of 64 bits")
	AlertsNotFound = entry("alerts.not-found", onAlerts, Published, Entry{
		Question: "What is answered where there is no such alert preference, or it is another user's?",
		answer:   "{refused}. Nothing but a fault answers so to a create and to lists.",
		source:   publishedIn(errorCodes) + "; that another user's is answered so, too, is ours",
	})
)

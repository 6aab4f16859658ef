package contract

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
)

const (
	alertTypesPath    = "/digitalbanking/db-alerts-management/v1/institution-alert-types"
	alertDefaultsPath = "/digitalbanking/db-alerts-preferences/v1/institution-alert-preferences"
)

var (
	institutionAlertHeaders = alertHeaders[:2:2] // no userid

	alertTypesAskedFor = list[Parameter]{
		inQuery("alertTypeName", "Only the type with this name.", false, textType("")),
		inQuery("externalSystem", "Has no effect.", false, textType("")).resting(AlertsTypesExternalSystem),
		inQuery("statusOptd", "Only types with this status.", false,
			oneOf(sim.AlertTypeStatuses...).values(AlertsTypesOperation)),
	}
	alertTypeNames = inQuery("alertTypes", "Only preferences of these types, separated by commas.", false, textType(""))

	refusesInstitutionAlerts = refusesTokens.and(
		HeaderMissing, RequestIDMissing, sim.InstitutionUnknown, ParameterRepeated,
	)
)

// AlertsListInstitutionTypes lists the alert types of an institution (published).
var AlertsListInstitutionTypes = alerts.operation(Operation{
	Name: "alerts.listInstitutionTypes", Method: http.MethodGet, Path: alertTypesPath,
	PublishedID: "listInstitutionAlertTypesV1",
	Scope:       "alertMgmt:read",
	Summary:     "List the alert types of an institution",
	About:       "Lists which alerts the institution has, and by which channels it sends them.",
	Parameters:  institutionAlertHeaders.and(alertTypesAskedFor...),
	Answers: []Answer{{Status: 200, About: "The alert types.", Members: AlertsTypesOperation,
		Body: answered("InstitutionAlertTypes",
			member("institutionAlertTypes", arrayOf(answered("InstitutionAlertType",
				member("institutionAlertTypeId", integer("", 1), cites(AlertsTypesOperation)),
				member("alertTypeName", textType("")),
				member("channelsOptd", textType("By which channels it is sent, separated by commas."),
					written(AlertsTypesChannels),
					cites(AlertsTypesOperation)),
				member("reason", textType(""), cites(AlertsTypesOperation), optional),
				member("institutionId", textType(""), same),
				member("statusOptd", oneOf(sim.AlertTypeStatuses...).values(AlertsTypesOperation)),
			)), cites(AlertsTypesOperation)))}},
	Refuses: refusesInstitutionAlerts.and(ParameterMalformed),
	Public: &PublicForm{
		Parameters: list[Parameter]{transactionID}.and(alertTypesAskedFor...),
		Refuses:    refusesTokens.and(RequestIDMissing, ParameterRepeated, ParameterMalformed),
	},
	Uses: []*Entry{
		AlertsTypesOperation, AlertsTypesDefault, AlertsTypesChannels, EverywhereRequestID, EverywhereJSON,
	},
})

// AlertsListInstitutionPreferences lists the alert preferences of an institution (published).
var AlertsListInstitutionPreferences = alerts.operation(Operation{
	Name: "alerts.listInstitutionPreferences", Method: http.MethodGet, Path: alertDefaultsPath,
	PublishedID: "listInstitutionAlertPreferencesV1",
	Summary:     "List the alert preferences of an institution",
	About:       "Lists the preferences that users have who have none of their own.",
	Parameters:  institutionAlertHeaders.and(alertTypeNames),
	Answers: []Answer{{Status: 200, About: "The preferences.", Members: AlertsDefaultsOperation,
		Body: answered("InstitutionAlertPreferences",
			member("fiAlertPreferences", arrayOf(answered("InstitutionAlertPreference",
				member("institutionAlertPrefId", integer("", 1), cites(AlertsDefaultsOperation)),
				member("alertTypeName", textType("")),
				member("channelTypeName", textType("")),
				member("institutionId", textType(""), same),
				member("alertOpted", boolean("")),
				member("additionalInfo", Type{JSON: "object", Object: &Object{Free: true}}, optional),
			)), cites(AlertsDefaultsOperation)))}},
	Refuses: refusesInstitutionAlerts,
	Public: &PublicForm{
		Parameters: []Parameter{transactionID, alertTypeNames},
		Refuses:    refusesTokens.and(RequestIDMissing, ParameterRepeated),
	},
	Uses: []*Entry{AlertsDefaultsOperation, EverywhereRequestID, EverywhereJSON},
})

var (
	onInstitutionTypes       = []string{"alerts.listInstitutionTypes"}
	onInstitutionPreferences = []string{"alerts.listInstitutionPreferences"}
	onInstitutionAlerts      = slices.Concat(onInstitutionTypes, onInstitutionPreferences)
)

// The entries about the alerts of an institution.
var (
	AlertsTypesOperation = operationEntry("alerts.institution-types.operation", onInstitutionTypes,
		"lists the alert types of an institution",
		"GET "+alertTypesPath+"; 200 with institutionAlertTypes: those that the scenario lists, none if it lists none.")
	AlertsTypesDefault = entry("alerts.institution-types.default", onInstitutionTypes, Choice, Entry{
		Question: "What is an alert type that the scenario only names?",
		answer:   "ACTIVE, for all channels; its institutionAlertTypeId is 1 for the first, and so on.",
	})
	AlertsTypesChannels = entry("alerts.institution-types.channels", onInstitutionTypes, Choice, Entry{
		Question: "How does channelsOptd name several channels?",
		answer:   "Separated by commas.",
	})
	AlertsTypesExternalSystem = entry("alerts.institution-types.external-system", onInstitutionTypes, Choice, Entry{
		Question: "What does externalSystem do?",
		answer:   "Nothing: alert types have no external system.",
		Permits:  true,
	})
	AlertsDefaultsOperation = operationEntry("alerts.institution-preferences.operation", onInstitutionPreferences,
		"lists the alert preferences of an institution",
		"GET "+alertDefaultsPath+"; 200 with fiAlertPreferences: those that the scenario lists.")
)

package contract

import (
	"slices"
	"strings"
)

// PublishedSource is how the source of a published entry begins. The places that say it follow.
const PublishedSource = "public API description"

// OwnSource is how the source of a choice begins.
const OwnSource = "ours"

// published is the source of an entry if the description of its operations says it.
const published = PublishedSource + ": " + string(itsOperations)

// Place is a place of the public API description.
type Place string

// The places that are about several operations.
const (
	requestHeaders Place = "request headers"
	userContext    Place = "user context" // says which user a request is for
	errorBodies    Place = "error bodies"
	errorCodes     Place = "error codes" // gives each code's status and meaning
	scopesOfTokens Place = "scopes"
	formats        Place = "formats" // of times, ids, tokens and pages
	repetition     Place = "repeating a request"
	release161     Place = "release notes 1.6.1"
	version13      Place = "version 1.3" // of the description, an earlier one
	collections    Place = "request collections"
	clientSDK      Place = "SDK of 1.6"
)

// itsOperations stands for the places of the operations that an entry concerns.
const itsOperations Place = "{operations}"

// places are the places of operations in the public API description: the ids that they have there, or method and path
// if the id is not known.
var places = map[string]Place{
	"estatements.getDisclosures":        "GET /v1/e-statements/{accountId}/disclosures",
	"estatements.updateAccount":         "PUT /v1/e-statements/preference",
	"estatements.updateUser":            "PUT /v2/e-statements/user/preferences",
	"tokens.issue":                      "createAccessTokenV2",
	"tokens.revoke":                     "revokeAccessTokenV2",
	"tokens.authorizeClient":            "authorizeClientV1",
	"tokens.createCode":                 "generateAuthorizationCodeV1",
	"groups.create":                     "POST /v3/groups",
	"groups.list":                       "GET /v3/groups",
	"groups.update":                     "updateExperienceGroupV3",
	"groups.delete":                     "deleteExperienceGroupV3",
	"groups.uploadParticipants":         "uploadExperienceGroupParticipantsV3",
	"jobs.list":                         "listJobsV3",
	"jobs.get":                          "getJobV3",
	"jobs.listErrors":                   "getJobErrorsV3",
	"alerts.createPreference":           "POST /v1/alert-preferences",
	"alerts.listPreferences":            "listAlertPreferencesV1",
	"alerts.getPreference":              "getAlertPreferenceV1",
	"alerts.updatePreference":           "updateAlertPreferenceV1",
	"alerts.deletePreference":           "deleteAlertPreferenceV1",
	"alerts.listInstitutionTypes":       "listInstitutionAlertTypesV1",
	"alerts.listInstitutionPreferences": "listInstitutionAlertPreferencesV1",
	"disclosures.listUser":              "listUserDisclosuresV1",
	"disclosures.createUser":            "createUserDisclosureV1",
	"disclosures.updateUser":            "updateUserDisclosureV1",
	"disclosures.deleteUser":            "deleteUserDisclosureV1",
	"disclosures.listInstitution":       "listInstitutionDisclosuresV1",
	"users.getStatus":                   "getUserStatusV1",
}

// publishedID returns the id of an operation in the public API description, or an empty text if it is not known.
func publishedID(operation string) string {
	id := string(places[operation])
	if strings.Contains(id, "/") {
		return ""
	}
	return id
}

// Places returns the places of the public API description that sources may name.
func Places() []Place {
	all := []Place{
		requestHeaders, userContext, errorBodies, errorCodes, scopesOfTokens, formats, repetition, release161,
		version13, collections, clientSDK,
	}
	for _, place := range places {
		all = append(all, place)
	}
	slices.Sort(all)
	return all
}

// publishedIn returns the source of an entry that places of the public API description say.
func publishedIn(said ...Place) string { return PublishedSource + ": " + joinPlaces(said) }

func joinPlaces(all []Place) string {
	texts := make([]string, len(all))
	for i, place := range all {
		texts[i] = string(place)
	}
	return strings.Join(texts, " and ")
}

// withPlaces fills the places of an entry's operations into a source.
func withPlaces(source string, operations []string) string {
	var said []Place
	for _, name := range operations {
		said = append(said, places[name])
	}
	return strings.ReplaceAll(source, string(itsOperations), joinPlaces(said))
}

// usualSource returns the source that entries with a basis have unless they name another one.
func usualSource(basis Basis) string {
	switch basis {
	case Published:
		return published
	case Choice:
		return OwnSource
	default:
		return ""
	}
}

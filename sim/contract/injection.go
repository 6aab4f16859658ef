package contract

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The rules of refusals that only a fault brings about.
const (
	Forbidden          sim.Code = "forbidden"
	RequestInvalid     sim.Code = "request-invalid"
	ServiceFailed      sim.Code = "service-failed"      // an unexpected fault inside the service
	ServiceUnavailable sim.Code = "service-unavailable" // the service can't answer at present
	QuotaUsedUp        sim.Code = "quota-used-up"       // the gateway's: too many requests in a long time
	SpikeArrested      sim.Code = "spike-arrested"      // the gateway's: too many requests in a short time
)

// InjectedCode is the code of an injected error if the family has no code for its status.
const InjectedCode = "BANKSIM_FAULT"

// Injection is an error that a fault answers with.
type Injection struct {
	Refusal
	Message string // fits any request
}

// Injection returns the error of the family that a fault with a status answers with. If the family has no code for the
// status, the error has [InjectedCode].
func (f *Family) Injection(status int) Injection {
	if rule, ok := f.Injected[status]; ok {
		return f.injection(rule)
	}
	message := fmt.Sprintf("the request failed with status %d", status)
	if text := http.StatusText(status); text != "" {
		message = strings.ToLower(text)
	}
	return Injection{Refusal{Status: status, Code: InjectedCode, Entry: EverywhereFaults}, message}
}

// InjectionOf returns the error of the family that has a code, and whether there is one. If several have the code, it
// prefers the one with the status.
func (f *Family) InjectionOf(status int, code string) (Injection, bool) {
	var found []Injection
	for _, i := range f.Injections() {
		if i.Code == code {
			found = append(found, i)
		}
	}
	if len(found) == 0 {
		return Injection{}, false
	}
	at := slices.IndexFunc(found, func(i Injection) bool { return i.Status == status })
	return found[max(at, 0)], true
}

// Injections returns all errors of the family, each pair of status and code once. Those that a status alone brings
// about come first. Those that no rule brings about come last.
func (f *Family) Injections() []Injection {
	var rules []sim.Code
	for _, status := range slices.Sorted(maps.Keys(f.Injected)) {
		rules = append(rules, f.Injected[status])
	}
	for _, r := range f.Refusals {
		rules = append(rules, r.Rule)
	}
	var all []Injection
	add := func(i Injection) {
		isKnown := func(known Injection) bool { return known.Status == i.Status && known.Code == i.Code }
		if !slices.ContainsFunc(all, isKnown) {
			all = append(all, i)
		}
	}
	for _, rule := range slices.Concat(rules, throttled, gatewayChecks) {
		add(f.injection(rule))
	}
	for _, i := range f.Others {
		add(i)
	}
	return all
}

// faultOnly returns an error that the description lists and no rule brings about.
func faultOnly(status int, code, message string) Injection {
	return Injection{Refusal{Status: status, Code: code, Entry: EverywhereOtherCodes}, message}
}

func (f *Family) injection(rule sim.Code) Injection {
	return Injection{f.Refusal(rule), injectedMessages[rule]}
}

// Codes returns the error codes of all families in both dialects, sorted. The simulator's own codes are not among them.
func Codes() []string {
	var all []string
	for _, f := range families {
		for _, i := range f.Injections() {
			all = append(all, i.Code)
		}
		// Public() needs the ledger, and an entry of the ledger needs the codes.
		if f.Public != nil {
			for _, r := range f.Public.Refusals {
				all = append(all, r.Code)
			}
		}
	}
	return slices.DeleteFunc(sortedOnce(all), OwnCode)
}

// injectedMessages maps a rule to the message of its injected refusal. The message fits any request, because a fault
// doesn't look at the request.
var injectedMessages = map[sim.Code]string{
	TokenMissing:           "header Authorization is missing",
	TokenMalformed:         "header Authorization must be Bearer, a space and an access token",
	sim.TokenUnknown:       "the access token is unknown or revoked",
	sim.TokenExpired:       "the access token has expired",
	sim.TokenOfAnotherUser: "the access token doesn't permit the request",
	sim.ScopeMissing:       "the access token doesn't permit the request",

	RequestIDMissing:   "the header that identifies the request is missing",
	RequestIDMalformed: "the header that identifies the request is not acceptable",
	HeaderMissing:      "a required header is missing",
	HeaderTooLong:      "a header is not acceptable",
	CharacterRefused:   "the request has characters that are not acceptable",
	InstitutionMissing: "header institutionId is not acceptable",
	ParameterMissing:   "required input is missing",
	ParametersExclude:  "the request or its parameters are not acceptable",
	MediaTypeUnknown:   "a header is not acceptable",
	BodyMalformed:      "the body is not acceptable",
	MemberMissing:      "required input is missing",
	MemberMistyped:     "the body is not acceptable",
	MemberMalformed:    "a date is not acceptable",

	sim.InstitutionUnknown: "the institution is not acceptable",
	sim.UserUnknown:        "there is no such user",
	sim.UserIDMalformed:    "the id of the user is not acceptable",

	sim.MultistatementNotConfigured: "multistatement is not configured for the institution",
	sim.UserNotActive:               "the user is not active",
	sim.DisclosureNotAccepted:       "the disclosure is not in status ACCEPTED",
	sim.AccountUnknown:              "the user has no disclosure for the account",
	sim.NoAccounts:                  "the user has no accounts",

	sim.DisclosuresWithoutMultistatement: "multistatement is not configured for the institution",

	sim.ClientUnknown:          "no client is registered with these keys",
	sim.ClientNotOfInstitution: "the client has no permission for the request",
	sim.GrantTypeUnknown:       "grant_type is missing or not acceptable",
	sim.UsernameMissing:        "username is missing or not acceptable",
	sim.PasswordMissing:        "password is missing or not acceptable",
	sim.UserCredentialsWrong:   "no active user has this username and password",
	sim.RefreshTokenInvalid:    "the token is unknown or not acceptable",

	sim.AuthorizationCodeInvalid: "the code is unknown or not acceptable",
	sim.CodeClientUnknown:        "there is no such client",
	sim.ClientAuthorizesItself:   "a client can't authorize itself",
	sim.ClientWithoutCodes:       "the client doesn't have the grant authorization_code",
	sim.ScopesNotAllowed:         "the scopes are not acceptable",
	sim.CodeUserUnknown:          "the user is not known",
	sim.CodeUserIDWrong:          "institution_user_id is not acceptable",

	sim.GroupExists: "a group of this name exists",
	sim.GroupBusy:   "a job of the group is still running",

	sim.TextTooLong:         "the body is not acceptable",
	sim.AlertFieldMissing:   "a required member of the body has no value",
	sim.AlertChannelUnknown: "the channel is unknown",
	sim.AlertTypeUnknown:    "the institution doesn't have the alert type",
	sim.AlertTypeNotOpted:   "the alert type is not active, or not for this channel",

	BodyEmpty:                   "the request is empty",
	AccountTypeUnknown:          "the account type is missing or not acceptable",
	DisclosureNameTooLong:       "a field is too long",
	AccountIDMissing:            "the disclosure lacks its accountId",
	sim.DisclosureStatusUnknown: "required input is missing or not acceptable",
	sim.DisclosureWaiverMissing: "the disclosure lacks its paperWaiver",
	sim.DisclosureUnsupported:   "the disclosure is not supported",
	sim.DisclosureImpossible:    "the operation is not possible",
	sim.DisclosureMissing:       "nothing is stored for the user",

	sim.AlertWithoutDestinations:   "the alert preference is not acceptable",
	sim.AlertPreferenceUnknown:     "there is no such alert preference",
	sim.AlertPreferenceIDMalformed: "the alert preference is not acceptable",
	sim.AlertPreferenceOther:       "the alert preference is another one",
	ParameterMalformed:             "the value of a parameter is not acceptable",

	Forbidden:          "the client has no permission for the request",
	RequestInvalid:     "the request is not acceptable",
	InternalFault:      "an unexpected fault occurred inside the service",
	ServiceFailed:      "an unexpected fault occurred inside the service",
	ServiceUnavailable: "the service is not available at present",
	QuotaUsedUp:        "the quota of requests is used up",
	SpikeArrested:      "there are too many requests in a short time",
}

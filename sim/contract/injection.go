package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

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
	return Injection{f.Refusal(rule), cmp.Or(f.Messages[rule], commonMessages[rule])}
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

// commonMessages are the messages of injected refusals by rules that several families have.
var commonMessages = map[sim.Code]string{
	TokenMissing:            "header Authorization is missing",
	sim.TokenUnknown:        "the access token is unknown or revoked",
	sim.TokenOfAnotherUser:  "the access token doesn't permit the request",
	RequestIDMissing:        "the header that identifies the request is missing",
	RequestIDMalformed:      "the header that identifies the request is not acceptable",
	HeaderTooLong:           "a header is not acceptable",
	CharacterRefused:        "the request has characters that are not acceptable",
	InstitutionMissing:      "header institutionId is not acceptable",
	ParameterMissing:        "required input is missing",
	MediaTypeUnknown:        "a header is not acceptable",
	BodyMalformed:           "the body is not acceptable",
	sim.InstitutionUnknown:  "the institution is not acceptable",
	sim.UserUnknown:         "there is no such user",
	sim.ClientUnknown:       "no client is registered with these keys",
	sim.RefreshTokenInvalid: "the token is unknown or not acceptable",
	sim.ScopesNotAllowed:    "the scopes are not acceptable",
	ParameterMalformed:      "the value of a parameter is not acceptable",
	Forbidden:               "the client has no permission for the request",
	RequestInvalid:          "the request is not acceptable",
	InternalFault:           "an unexpected fault occurred inside the service",
	ServiceFailed:           "an unexpected fault occurred inside the service",
	QuotaUsedUp:             "the quota of requests is used up",
	SpikeArrested:           "there are too many requests in a short time",
}

// Codes returns the codes of the error bodies that the operation can answer with under a status, in any dialect. They
// are sorted. The simulator's own codes are not among them.
func (op *Operation) Codes(status int) []string { return codesOf()[op.Name][status] }

// codesOf has the codes of each operation by status.
var codesOf = sync.OnceValue(func() map[string]map[int][]string {
	all := map[string]map[int][]string{}
	for _, op := range AllOperations() {
		if all[op.Name] == nil {
			all[op.Name] = map[int][]string{}
		}
		for _, status := range op.Statuses() {
			all[op.Name][status] = op.codes(status)
		}
	}
	return all
})

func (op *Operation) codes(status int) (codes []string) {
	for _, of := range AllOperations() {
		if of.Name != op.Name {
			continue
		}
		refusals := slices.Concat(of.Refusals(), of.Conditions())
		for _, i := range slices.Concat(of.Injections(), of.Family.Others) {
			refusals = append(refusals, i.Refusal)
		}
		for _, r := range refusals {
			isOf := slices.Contains(of.Family.Statuses(r), status) && r.Entry.Concerns(op.Name)
			if isOf && !OwnCode(r.Code) {
				codes = append(codes, r.Code)
			}
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

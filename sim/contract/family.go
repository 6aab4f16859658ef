package contract

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Family is a group of operations that share their error body, their refusals and the header that identifies a request.
type Family struct {
	Parts     []Part // of the ledger, about its operations
	Prefix    string // of its paths
	RequestID string // the header that identifies a request, by default transactionId
	Security  Security
	Scopes    string // such as groups: reading needs the scope groups:read, and changing groups:write
	Challenge string // WWW-Authenticate on 401 (RFC 9110 11.6.1)
	Refusals  []Refusal

	// Injected maps an error status to the rule whose refusal a fault with the status answers with. By default it is
	// the last rule in Refusals with that status.
	Injected map[int]sim.Code
	// Messages maps a rule to the message of its injected refusal. The message fits any request, because a fault
	// doesn't look at the request. Rules of several families have theirs in commonMessages.
	Messages map[sim.Code]string
	// Others are errors that only a fault brings about, by naming their code.
	Others []Injection

	ErrorBody  *Object  // by default {code, message}
	ErrorCites []*Entry // say where the error body comes from

	// RequestIDs is the entry that demands a UUID in the request's id header. It is nil if any text may be there, or
	// if a switch decides.
	RequestIDs *Entry
	// Unauthorized is the entry whose switch replaces the status 401 in refusals, or nil.
	Unauthorized *Entry

	Dialect sim.Dialect
	Public  *PublicFamily // or nil if nothing differs
}

// families are the families in the document's dialect.
var families = []*Family{revocations, tokens, codes, estatements, groups, alerts, userDisclosures, users}

// newFamily returns a family in the document's dialect. It fills in the defaults.
func newFamily(f Family) *Family {
	f.Dialect, f.Challenge = sim.DialectDocument, `Bearer realm="banksim"` // RFC 6750 3
	if f.Security == Basic {
		f.Challenge = `Basic realm="banksim", charset="UTF-8"` // RFC 7617 2
	}
	f.RequestID = cmp.Or(f.RequestID, "transactionId")
	f.ErrorBody = cmp.Or(f.ErrorBody, codeMessage(f.ErrorCites...))
	injected := map[int]sim.Code{}
	for _, r := range f.Refusals {
		injected[r.Status] = r.Rule
	}
	maps.Copy(injected, f.Injected)
	f.Injected = injected
	f.RequestIDs = f.requestIDs()
	return &f
}

// requestIDs returns the entry that refuses a request without a UUID in its id header, or nil if the family accepts
// any text or a switch decides.
func (f *Family) requestIDs() *Entry {
	r, found := f.find(RequestIDMalformed)
	if !found || r.Entry.Switch != nil && r.Entry.Switch.decides(r.Rule) {
		return nil
	}
	return r.Entry
}

// Refusal returns how the family answers a request that a rule refuses, or an internal fault for a rule that it doesn't
// have, such as one that an older program has recorded.
func (f *Family) Refusal(rule sim.Code) Refusal {
	if r, ok := f.find(rule); ok {
		return r
	}
	return f.Refusal(InternalFault)
}

// CheckOrder returns the place of a rule among the family's refusals. They stand in the order of the checks.
func (f *Family) CheckOrder(rule sim.Code) int {
	if v, ok := variants[rule]; ok {
		rule = v.of
	}
	return slices.IndexFunc(f.Refusals, func(r Refusal) bool { return r.Rule == rule })
}

// refusals returns how the family answers requests that rules refuse. It panics if it has no answer for one.
func (f *Family) refusals(rules ...sim.Code) []Refusal {
	all := make([]Refusal, len(rules))
	for i, rule := range rules {
		refusal, known := f.find(rule)
		if !known {
			panic(fmt.Sprintf("contract: the family %s (%s) has no refusal for the rule %s", f.Prefix, f.Dialect, rule))
		}
		all[i] = refusal
	}
	return all
}

func (f *Family) find(rule sim.Code) (Refusal, bool) {
	for _, all := range [][]Refusal{f.Refusals, commonRefusals} {
		if i := slices.IndexFunc(all, func(r Refusal) bool { return r.Rule == rule }); i >= 0 {
			return all[i], true
		}
	}
	v, ok := variants[rule]
	if !ok {
		return Refusal{}, false
	}
	r, ok := f.find(v.of)
	r.Rule, r.Entry = rule, cmp.Or(v.entry, r.Entry)
	return r, ok
}

// Status returns the status of a refusal under a policy.
func (f *Family) Status(r Refusal, p *sim.Policy) int {
	if f.Unauthorized == nil || r.Status != http.StatusUnauthorized {
		return r.Status
	}
	return statusOf(f.Unauthorized.Switch.Value(&p.Behavior))
}

// Statuses returns the statuses that a refusal can have.
func (f *Family) Statuses(r Refusal) []int {
	all := []int{r.Status}
	if u := f.Unauthorized; u != nil && r.Status == http.StatusUnauthorized {
		for _, a := range u.Switch.alternatives {
			all = append(all, statusOf(a.Value))
		}
	}
	return all
}

// statusOf returns the status that the value of a switch names.
func statusOf(value string) int {
	status, _ := strconv.Atoi(value)
	return status
}

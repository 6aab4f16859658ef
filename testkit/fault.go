package testkit

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Fault is a failure that a bank injects: into which operations, for which of their requests, and what happens then.
// Its members are those of a rule in a scenario's YAML, under faults; zero values are left out.
type Fault struct {
	Name      string    `json:"name,omitzero"`      // names it in the journal; its draws depend on it, too. Default: fault-1 and so on
	Operation Operation `json:"operation,omitzero"` // default: all
	When      When      `json:"when,omitzero"`      // default: every request
	Phase     Phase     `json:"phase,omitzero"`     // default: BeforeOperation, unless Then needs an answer of the operation's own
	Then      Then      `json:"then"`
}

// Operation names the operations of a fault: one by its name, all of a family ("groups.*") or all ("*"). [Operations] names
// several.
type Operation string

// Operations returns what names several operations: it joins their names, and those of families, with commas.
func Operations(names ...string) Operation { return Operation(strings.Join(names, separator)) }

const separator = ", "

// MarshalJSON encodes a name, or a list of names.
func (o Operation) MarshalJSON() ([]byte, error) {
	if names := strings.Split(string(o), separator); len(names) > 1 {
		return wire.Encode(names)
	}
	return wire.Encode(string(o))
}

// UnmarshalJSON decodes a name, or a list of names.
func (o *Operation) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return json.Unmarshal(data, (*string)(o))
	}
	var names []string
	err := json.Unmarshal(data, &names)
	*o = Operations(names...)
	return err
}

// When limits a fault to some of the requests to its operations. All that is set has to hold.
//
// A request matches a fault if its operation, During and Request hold. First, Nth, Every and After count the matching
// requests from 1; Probability is drawn for each of them.
type When struct {
	First       int            `json:"first,omitzero"`       // the first N
	Nth         int            `json:"nth,omitzero"`         // only the Nth
	Every       int            `json:"every,omitzero"`       // every Nth
	After       int            `json:"after,omitzero"`       // all after the Nth
	Probability float64        `json:"probability,omitzero"` // above 0, up to 1; the same seed gives the same failures
	During      During         `json:"during,omitzero"`
	Request     RequestMatcher `json:"request,omitzero"`
}

// RequestMatcher describes the requests that a fault matches. A text that begins with "~" is a regular expression (RE2,
// unanchored), nil stands for absence, and any other value for equality.
type RequestMatcher struct {
	Dialect       string             `json:"dialect,omitzero"`       // document or public: that the request is answered in
	InstitutionID string             `json:"institutionId,omitzero"` // of the request's access token or header
	HostUserID    string             `json:"hostUserId,omitzero"`    // in a parameter, a header or the access token
	Header        map[string]*string `json:"header,omitempty"`       // names in any case; see Text
	Query         map[string]*string `json:"query,omitempty"`
	Body          map[string]any     `json:"body,omitempty"` // members that the JSON body has to contain; deeper ones nest
}

// Phase says whether a fault comes before or after the operation is carried out.
type Phase string

// The phases.
const (
	BeforeOperation Phase = "before" // the operation is not carried out
	AfterOperation  Phase = "after"  // its change is committed; the answer is late, lost or replaced
)

// Then says what happens to a request for which a fault fires.
type Then struct {
	Status     int               `json:"status,omitzero"` // of the answer; from 400 to 599 with the error body of the operation's family
	Error      FaultError        `json:"error,omitzero"`  // another code or message in that body
	Body       *string           `json:"body,omitzero"`   // the whole body, as it is; see Text
	Headers    map[string]string `json:"headers,omitempty"`
	Delay      Delay             `json:"delay,omitzero"`
	Connection Connection        `json:"connection,omitzero"`
}

// FaultError replaces the code or message of an injected error body. An empty code is the one that fits the status best, an
// empty message the one that goes with the code.
type FaultError struct {
	Code    string `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
}

// FaultCount is a fault of a bank with how many requests matched it, and for how many of them it fired.
type FaultCount struct {
	Fault
	Matched int `json:"matched"`
	Fired   int `json:"fired"`
}

// Inject adds faults behind those that the bank has, up to 1,000 in all. They stay until [Bank.ClearFaults] or [Bank.Reset].
func (b *Bank) Inject(faults ...Fault) {
	b.t.Helper()
	b.in(http.MethodPost, "/faults", faults, nil)
}

// Faults returns the faults of the bank, the scenario's included, in the order in which they are evaluated. Values that may
// be secret are fingerprints.
func (b *Bank) Faults() []FaultCount {
	b.t.Helper()
	var list struct{ Faults []FaultCount }
	b.in(http.MethodGet, "/faults", nil, &list)
	return list.Faults
}

// ClearFaults removes all faults, the scenario's included.
func (b *Bank) ClearFaults() {
	b.t.Helper()
	b.in(http.MethodDelete, "/faults", nil, nil)
}

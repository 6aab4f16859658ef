package fault

import (
	"bytes"
	"encoding/json"
	"time"
)

// Rule is a fault: the operations that it is injected into, when it fires, and its effect. It has the same shape in the
// YAML of scenarios and in the JSON of the control API. The schema of scenarios takes the descriptions of the members
// from here. An absent member is the zero value.
type Rule struct {
	// The name of the rule, in the journal and to remove it. Its draws depend on the name, too. Default: fault-1 and
	// so on, by its place.
	Name string `json:"name,omitzero" yaml:"name" jsonschema:"title=made of letters\\, digits and . _ -,pattern=^[A-Za-z0-9][A-Za-z0-9._-]*$,maxLength=63,example=revoke-fails-twice"`
	// The operations that it is injected into: a name, a family of operations, all, or a list of names and families.
	Operation Operations `json:"operation,omitzero" yaml:"operation"`
	// With path: the method of a stub. HEAD is answered as GET. Default: every method.
	Method string `json:"method,omitzero" yaml:"method" jsonschema:"enum=GET,enum=HEAD,enum=POST,enum=PUT,enum=PATCH,enum=DELETE,enum=OPTIONS"`
	// In place of operation: a path that the interface doesn't have, after the base URL. The rule is a stub: it asks
	// for no credentials, and answers with then. A segment {name} stands for any segment.
	Path string `json:"path,omitzero" yaml:"path" jsonschema:"title=a path that begins with / and has no query,pattern=^/[^?#\\s]*$,maxLength=1000,example=/v1/accounts/{id}"`
	// Which requests it fires for: all given conditions must hold. Default: every request.
	When When `json:"when,omitzero" yaml:"when"`
	// Whether it comes before the operation is carried out, or after its change is committed. Default: before, or
	// after if a connection fault without a status damages the operation's own answer.
	Phase Phase `json:"phase,omitzero" yaml:"phase" jsonschema:"enum=before,enum=after"`
	// Whether it is switched off: then it neither fires for requests nor counts them.
	Off bool `json:"off,omitzero" yaml:"off"`
	// What happens when it fires.
	Then Then `json:"then" yaml:"then" jsonschema:"required"`
}

// When limits the requests that a rule fires for. All given conditions must hold.
//
// A request matches a rule if the operation, During and Request hold. First, Nth, Every and After count the matching
// requests from 1. Other rules don't change the counts. Probability is drawn for each request that the counts leave.
type When struct {
	// The first N matching requests.
	First int `json:"first,omitzero" yaml:"first" jsonschema:"minimum=1,example=2"`
	// Only the Nth matching request, counted from 1.
	Nth int `json:"nth,omitzero" yaml:"nth" jsonschema:"minimum=1,example=3"`
	// Every Nth matching request.
	Every int `json:"every,omitzero" yaml:"every" jsonschema:"minimum=1,example=5"`
	// The matching requests after the first N.
	After int `json:"after,omitzero" yaml:"after" jsonschema:"minimum=1,example=10"`
	// How likely it fires: drawn from the seed, the name of the rule and the number of the request, so that a run can
	// be repeated.
	Probability float64 `json:"probability,omitzero" yaml:"probability" jsonschema:"exclusiveMinimum=0,maximum=1,example=0.25"`
	// A window of virtual time: times of the sandbox's clock, or counted from its start.
	During *During `json:"during,omitzero" yaml:"during"`
	// What a request must be like to match. A text that begins with ~ is a regular expression; null means absent.
	Request *Request `json:"request,omitzero" yaml:"request"`
}

// Request are the conditions for a request. Package match compares the values.
type Request struct {
	// The dialect that the request is answered in, by its path or by behavior.dialect. Default: either.
	Dialect string `json:"dialect,omitzero" yaml:"dialect" jsonschema:"enum=document,enum=public"`
	// The institution that the request belongs to, by its access token or header. In quotes.
	InstitutionID string `json:"institutionId,omitzero" yaml:"institutionId" jsonschema:"minLength=1,example=02688"`
	// The user that the request is about, by parameter, header or access token. In quotes.
	HostUserID string `json:"hostUserId,omitzero" yaml:"hostUserId" jsonschema:"minLength=1,example=1001"`
	// Headers and their values, as in x-test: boom. Names in any case.
	Header map[string]*string `json:"header,omitempty" yaml:"header"`
	// Query parameters and their values.
	Query map[string]*string `json:"query,omitempty" yaml:"query"`
	// Members that the JSON body must have, with their values; deeper ones nest.
	Body map[string]any `json:"body,omitempty" yaml:"body"`
}

// Phase says whether a fault comes before the operation is carried out, or after.
type Phase string

// The phases.
const (
	Before Phase = "before" // nothing is carried out
	After  Phase = "after"  // the change is committed: its answer is late, lost or replaced
)

// Then is the effect of a rule that fires.
type Then struct {
	// The status of the answer. One from 400 to 599 comes with the error body of the operation's family and the code
	// that fits it best; any other needs body.
	Status int `json:"status,omitzero" yaml:"status" jsonschema:"minimum=200,maximum=599,example=401"`
	// Another code or message in the error body.
	Error *Error `json:"error,omitzero" yaml:"error"`
	// The whole body of the answer: a text, or a mapping or a list that is sent as JSON.
	Body *Body `json:"body,omitzero" yaml:"body"`
	// For a stub, in place of status: the URL of another service. That gets the request, and its answer is the answer.
	// With url and ca, a mapping.
	Forward *Forward `json:"forward,omitzero" yaml:"forward"`
	// Headers to set in the answer, whether it is the fault's or the operation's own: a value, or a list of values.
	Headers map[string]HeaderValues `json:"headers,omitempty" yaml:"headers"`
	// How long the answer is delayed.
	Delay *Delay `json:"delay,omitzero" yaml:"delay"`
	// What happens to the connection.
	Connection *Connection `json:"connection,omitzero" yaml:"connection"`
	// Whether the access token of the request expires for good before the operation is carried out. The operation
	// then refuses the token. It goes with delay alone.
	ExpireToken bool `json:"expireToken,omitzero" yaml:"expireToken"`
}

// Error is the content of an error body.
type Error struct {
	// The code in the error body. Default: the one that fits the status best.
	Code string `json:"code,omitzero" yaml:"code" jsonschema:"minLength=1"`
	// The message in the error body. Default: the one that goes with the code, see behavior.messages.
	Message string `json:"message,omitzero" yaml:"message" jsonschema:"minLength=1,example=the service is down"`
}

// UnmarshalJSON reads the conditions. It keeps the numbers of a body exact.
func (r *Request) UnmarshalJSON(data []byte) error {
	type plain Request
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode((*plain)(r))
}

// Duration is a length of time. Its text has the form that [time.ParseDuration] reads: "250ms".
type Duration time.Duration

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the length.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a length.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// Phases are all phases.
var Phases = []Phase{Before, After}

// About describes the phase in a sentence.
func (p Phase) About() string {
	return map[Phase]string{
		Before: "Nothing is carried out.",
		After:  "The operation is carried out and its change is committed; then its answer is late, lost or replaced.",
	}[p]
}

// InPhase returns the phase of the rule. By default it is Before, unless the rule needs the operation's own answer.
func (r *Rule) InPhase() Phase {
	switch c := r.Then.Connection; {
	case r.Phase != "":
		return r.Phase
	case c != nil && c.Delivers() && r.Then.Status == 0:
		return After
	}
	return Before
}

// Answers reports whether the rule itself gives or loses the answer when it fires.
func (r *Rule) Answers() bool { return r.Then.Status != 0 || r.Then.Connection != nil }

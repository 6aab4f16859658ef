package fault

import (
	"bytes"
	"encoding/json"
	"time"
)

// Rule is a fault: the operation that it is injected into, when, and what happens then. It has the same shape in a
// scenario's YAML and in the control API's JSON; the schema of scenarios takes the description of each member from here.
// A member that isn't given is the zero value.
type Rule struct {
	Name      string     `json:"name,omitzero" yaml:"name" jsonschema:"pattern=^[A-Za-z0-9][A-Za-z0-9._-]*$,title=made of letters\\, digits and . _ -,maxLength=63,example=revoke-fails-twice" jsonschema_description:"The name of the rule, in the journal and to remove it. Its draws depend on the name, too. Default: fault-1 and so on, by its place."`
	Operation Operations `json:"operation,omitzero" yaml:"operation" jsonschema_description:"The operations that it is injected into: a name, a family of operations, all, or a list of names and families."`
	When      When       `json:"when,omitzero" yaml:"when" jsonschema_description:"Which requests it fires for: all given conditions must hold. Default: every request."`
	Phase     Phase      `json:"phase,omitzero" yaml:"phase" jsonschema:"enum=before,enum=after" jsonschema_description:"Whether it comes before the operation is carried out, or after its change is committed. Default: before; after for a truncate, malformed, dribble or garbage without a status."`
	Then      Then       `json:"then" yaml:"then" jsonschema:"required" jsonschema_description:"What happens when it fires."`
}

// When says for which requests to its operations a rule fires: all given conditions must hold.
//
// A request matches a rule if the operation, During and Request hold. First, Nth, Every and After count the matching
// requests, from 1, whatever other rules do with them; Probability is drawn for each that the counts leave.
type When struct {
	First       int      `json:"first,omitzero" yaml:"first" jsonschema:"minimum=1,example=2" jsonschema_description:"The first N matching requests."`
	Nth         int      `json:"nth,omitzero" yaml:"nth" jsonschema:"minimum=1,example=3" jsonschema_description:"Only the Nth matching request, counted from 1."`
	Every       int      `json:"every,omitzero" yaml:"every" jsonschema:"minimum=1,example=5" jsonschema_description:"Every Nth matching request."`
	After       int      `json:"after,omitzero" yaml:"after" jsonschema:"minimum=1,example=10" jsonschema_description:"The matching requests after the first N."`
	Probability float64  `json:"probability,omitzero" yaml:"probability" jsonschema:"maximum=1,exclusiveMinimum=0,example=0.25" jsonschema_description:"How likely it fires: drawn from the seed, the name of the rule and the number of the request, so that a run can be repeated."`
	During      *During  `json:"during,omitzero" yaml:"during" jsonschema_description:"A window of virtual time: times of the sandbox's clock, or counted from its start."`
	Request     *Request `json:"request,omitzero" yaml:"request" jsonschema_description:"What a request must be like to match. A text that begins with ~ is a regular expression; null means absent."`
}

// Request is what a request must be like. Package match says how values are compared.
type Request struct {
	Dialect       string             `json:"dialect,omitzero" yaml:"dialect" jsonschema:"enum=document,enum=public" jsonschema_description:"The dialect that the request is answered in, by its path or by behavior.dialect. Default: either."`
	InstitutionID string             `json:"institutionId,omitzero" yaml:"institutionId" jsonschema:"minLength=1,example=02688" jsonschema_description:"The institution that the request belongs to, by its access token or header. In quotes."`
	HostUserID    string             `json:"hostUserId,omitzero" yaml:"hostUserId" jsonschema:"minLength=1,example=1001" jsonschema_description:"The user that the request is about, by parameter, header or access token. In quotes."`
	Header        map[string]*string `json:"header,omitempty" yaml:"header" jsonschema_description:"Headers and their values, as in x-test: boom. Names in any case."`
	Query         map[string]*string `json:"query,omitempty" yaml:"query" jsonschema_description:"Query parameters and their values."`
	Body          map[string]any     `json:"body,omitempty" yaml:"body" jsonschema_description:"Members that the JSON body must have, with their values; deeper ones nest."`
}

// Phase says whether a fault comes before the operation is carried out, or after.
type Phase string

// The phases.
const (
	Before Phase = "before" // nothing is carried out
	After  Phase = "after"  // the change is committed: its answer is late, lost or replaced
)

// Then says what happens when a rule fires.
type Then struct {
	Status     int               `json:"status,omitzero" yaml:"status" jsonschema:"minimum=200,maximum=599,example=401" jsonschema_description:"The status of the answer. One from 400 to 599 comes with the error body of the operation's family and the code that fits it best; any other needs body."`
	Error      *Error            `json:"error,omitzero" yaml:"error" jsonschema_description:"Another code or message in the error body."`
	Body       *string           `json:"body,omitzero" yaml:"body" jsonschema:"example=<html>Bad Gateway</html>" jsonschema_description:"The whole body of the answer, as it is."`
	Headers    map[string]string `json:"headers,omitempty" yaml:"headers" jsonschema_description:"Headers to set in the answer, whether it is the fault's or the operation's own."`
	Delay      *Delay            `json:"delay,omitzero" yaml:"delay" jsonschema_description:"How long the answer is delayed."`
	Connection *Connection       `json:"connection,omitzero" yaml:"connection" jsonschema_description:"What happens to the connection."`
}

// Error is the content of an error body.
type Error struct {
	Code    string `json:"code,omitzero" yaml:"code" jsonschema:"minLength=1" jsonschema_description:"The code in the error body. Default: the one that fits the status best."`
	Message string `json:"message,omitzero" yaml:"message" jsonschema:"minLength=1,example=the service is down" jsonschema_description:"The message in the error body. Default: the one that goes with the code, see behavior.messages."`
}

// UnmarshalJSON reads the conditions. It keeps the numbers of a body exact.
func (r *Request) UnmarshalJSON(data []byte) error {
	type plain Request
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode((*plain)(r))
}

// Duration is a length of time. Its text is that of [time.ParseDuration]: "250ms".
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
	case c != nil && c.Kind.Delivers() && r.Then.Status == 0:
		return After
	}
	return Before
}

// Answers reports whether the rule gives the answer to a request for which it fires, or loses it.
func (r *Rule) Answers() bool { return r.Then.Status != 0 || r.Then.Connection != nil }

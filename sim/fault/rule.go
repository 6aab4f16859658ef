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
	// The rule's name, in the journal. Its draws depend on it. Default: fault-1 and so on.
	Name string `json:"name,omitzero" yaml:"name" jsonschema:"title=made of letters\\, digits and . _ -,pattern=^[A-Za-z0-9][A-Za-z0-9._-]*$,maxLength=63,example=revoke-fails-twice"`
	// Where it is injected: an operation, a family such as groups.*, a list of these, or all.
	Operation Operations `json:"operation,omitzero" yaml:"operation"`
	// The method of a stub. HEAD is answered as GET. Default: every method.
	Method string `json:"method,omitzero" yaml:"method" jsonschema:"enum=GET,enum=HEAD,enum=POST,enum=PUT,enum=PATCH,enum=DELETE,enum=OPTIONS"`
	// In place of operation: the path of a stub, where the interface has nothing. {name} is any segment, and /** at the
	// end all below.
	Path string `json:"path,omitzero" yaml:"path" jsonschema:"title=a path that begins with / and has no query,pattern=^/[^?#\\s]*$,maxLength=1000,example=/v1/accounts/{id}"`
	// Which requests it fires for: all given conditions must hold. Default: every request.
	When When `json:"when,omitzero" yaml:"when"`
	// When it fires. Default: before the operation, or after it if a connection fault damages the operation's own
	// answer.
	Phase Phase `json:"phase,omitzero" yaml:"phase" jsonschema:"enum=before,enum=after"`
	// Whether the rule is switched off.
	Off bool `json:"off,omitzero" yaml:"off"`
	// Whether a test has to fail if the rule never has an effect: see the verdict of a sandbox.
	Required bool `json:"required,omitzero" yaml:"required"`
	// Where the rule comes from, such as a test's file and line. The verdict of a sandbox says it.
	From string `json:"from,omitzero" yaml:"from" jsonschema:"maxLength=200,example=orders_test.go:12"`
	// What happens when it fires.
	Then Then `json:"then" yaml:"then" jsonschema:"required"`
}

// When limits the requests that a rule fires for. All given conditions must hold.
//
// A request matches a rule if the operation, During and Request hold. First, Nth, Every and After count the matching
// requests from 1. Other rules don't change the counts. Rate counts them, too. Probability is drawn for each request
// that the counts leave.
type When struct {
	// The first N matching requests.
	First int `json:"first,omitzero" yaml:"first" jsonschema:"minimum=1,example=2"`
	// Only the Nth matching request.
	Nth int `json:"nth,omitzero" yaml:"nth" jsonschema:"minimum=1,example=3"`
	// Every Nth matching request.
	Every int `json:"every,omitzero" yaml:"every" jsonschema:"minimum=1,example=5"`
	// All matching requests after the Nth.
	After int `json:"after,omitzero" yaml:"after" jsonschema:"minimum=1,example=10"`
	// The requests beyond a rate.
	Rate *Rate `json:"rate,omitzero" yaml:"rate"`
	// How likely it fires, from 0 to 1. The seed decides, so a run can be repeated.
	Probability float64 `json:"probability,omitzero" yaml:"probability" jsonschema:"exclusiveMinimum=0,maximum=1,example=0.25"`
	// A window of virtual time: times of the sandbox's clock, or counted from its start.
	During *During `json:"during,omitzero" yaml:"during"`
	// What a request must be like to match. A text that begins with ~ is a regular expression; null means absent.
	Request *Request `json:"request,omitzero" yaml:"request"`
}

// Request are the conditions for a request. Package match compares the values.
type Request struct {
	// The request's dialect.
	Dialect string `json:"dialect,omitzero" yaml:"dialect" jsonschema:"enum=document,enum=public"`
	// The request's institution, in quotes.
	InstitutionID string `json:"institutionId,omitzero" yaml:"institutionId" jsonschema:"minLength=1,example=02688"`
	// The request's user, in quotes.
	HostUserID string `json:"hostUserId,omitzero" yaml:"hostUserId" jsonschema:"minLength=1,example=1001"`
	// Headers and their values.
	Header map[string]*string `json:"header,omitempty" yaml:"header"`
	// Query parameters and their values.
	Query map[string]*string `json:"query,omitempty" yaml:"query"`
	// Members of the JSON body, nested as there.
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
	// The answer's status. From 400 on, the bank's error body comes with it. Any other needs body.
	Status int `json:"status,omitzero" yaml:"status" jsonschema:"minimum=200,maximum=599,example=401"`
	// Another code or message in the error body.
	Error *Error `json:"error,omitzero" yaml:"error"`
	// The whole body: a text, or a mapping or list that is sent as JSON.
	Body *Body `json:"body,omitzero" yaml:"body"`
	// In place of body: its bytes in base64, such as those of a PDF. Without a Content-Type, one is guessed from them.
	BodyBase64 string `json:"bodyBase64,omitzero" yaml:"bodyBase64" jsonschema:"minLength=1,example=JVBERi0xLjQK"`
	// In place of body, in the file of a scenario: a file in its folder, or below. At most 512 KiB, all together.
	BodyFile string `json:"bodyFile,omitzero" yaml:"bodyFile" jsonschema:"minLength=1,example=statement.pdf"`
	// The URL of a service that answers the stub's requests.
	Forward *Forward `json:"forward,omitzero" yaml:"forward"`
	// Headers to set in the answer: a value or a list.
	Headers map[string]HeaderValues `json:"headers,omitempty" yaml:"headers"`
	// How long the answer is delayed.
	Delay *Delay `json:"delay,omitzero" yaml:"delay"`
	// What happens to the connection.
	Connection *Connection `json:"connection,omitzero" yaml:"connection"`
	// Whether the request's access token expires for good. Only delay goes with it.
	ExpireToken bool `json:"expireToken,omitzero" yaml:"expireToken"`
	// How old the data of a reading operation is, as far as the journal reaches. Only delay goes with it.
	Stale Duration `json:"stale,omitzero" yaml:"stale" jsonschema:"example=2s"`
}

// HasBody reports whether the rule gives the whole body.
func (t Then) HasBody() bool { return t.Body != nil || t.BodyBase64 != "" }

// Error is the content of an error body.
type Error struct {
	// The code in the error body. Default: the one that fits best.
	Code string `json:"code,omitzero" yaml:"code" jsonschema:"minLength=1"`
	// Its message. Default: the code's own.
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

package contract

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Operation is one endpoint of the interface, in one dialect. It never changes.
type Operation struct {
	Name       string // its route's name, its address for faults, its name in the journal
	ID         string // its name in OpenAPI documents, an identifier in most languages; no other operation has it
	Method     string
	Path       string // with variables in braces
	Summary    string
	About      string // what it does, in a sentence or two
	InDocument bool   // whether the interface's document has it
	Dialect    sim.Dialect
	Family     *Family
	Rests      []*Entry // of what the interface's document doesn't have: the entries that say so
	// PublishedID is the operation's id in the public API description, or empty if it is not known.
	PublishedID string

	Security   Security // by default that of the family
	Parameters []Parameter
	Request    *Object // the body, or nil if none is documented
	JSON       *Entry  // of a JSON body that the interface's document doesn't have
	Form       *Entry  // lets the body be form-urlencoded, or nil if it is JSON
	FormOnly   bool    // whether it may not be JSON then
	Multipart  *Entry  // makes the body multipart, its parts the members of Request; or nil if it is JSON

	Changes bool // whether it may change the bank
	NoStore bool // whether its answers are kept out of caches

	Answers []Answer
	Errors  []int // the error statuses that its description lists; by default all that faults of the family have
	// Documented are the error statuses that the interface's document lists for it.
	Documented []int

	// Refuses are the rules that can refuse a request, besides those that can refuse any.
	Refuses []sim.Code
	// Uses are the entries that every answer to a request that it accepts rests on. The first one decides.
	Uses []*Entry
}

// operation returns an operation of the family in the document's dialect, with the defaults of what is not declared.
func (f *Family) operation(op Operation) *Operation {
	op.Family, op.Dialect, op.ID, op.Security = f, sim.DialectDocument, identifier(op.Name), f.Security
	if !op.InDocument {
		op.Rests = op.Uses[:1:1]
	}
	if op.Errors == nil {
		op.Errors = slices.Sorted(maps.Keys(f.Injected))
	}
	if f.RequestIDs != nil {
		op.Parameters = f.identifiedByUUID(op.Parameters)
	}
	return &op
}

// identifier returns the name of an operation as an identifier: groupsCreate for groups.create.
func identifier(name string) string {
	kind, does, _ := strings.Cut(name, ".")
	return kind + capitalized(does)
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// identifiedByUUID returns the parameters with a UUID in the header that identifies a request.
func (f *Family) identifiedByUUID(parameters []Parameter) []Parameter {
	all := slices.Clone(parameters)
	for i, p := range all {
		if p.In == "header" && strings.EqualFold(p.Name, f.RequestID) {
			all[i] = inHeader(f.RequestID, "Identifies the request: a new UUID for each.", true)
			all[i].Type.Pattern = UUID.String()
		}
	}
	return all
}

// Security says which credentials an operation takes.
type Security int

// The credentials.
const (
	Bearer         Security = iota // an access token
	OptionalBearer                 // an access token, or none
	Basic                          // a client's keys
)

// About describes the header Authorization of a request with the credentials.
func (s Security) About() string {
	if s == Basic {
		return "The shared key and the secret key of a client (section 5)."
	}
	return "The word Bearer, a space, an access token (section 5)."
}

// Parameter is a parameter of an operation, besides its body and its credentials.
type Parameter struct {
	Name     string
	In       string // path, query or header
	Required bool
	About    string
	Type     Type
	Rests    []*Entry // of a parameter that the interface's document doesn't have
}

// Answer is an answer to a request that is accepted.
type Answer struct {
	Status  int
	About   string
	Body    *Object // or nil if there is none
	Members *Entry  // says what is in the body

	Switched *Entry // the entry whose switch selects the answer, or nil if it is the only one
	Value    string // of that switch
	Beside   bool   // whether it comes beside the selected answer, where the request asks for it
}

// operations are those of the interface's document in its order, each followed by those beside it.
var operations = []*Operation{
	EstatementsGetDisclosures, EstatementsUpdateAccount, EstatementsUpdateUser,
	TokensIssue, TokensRevoke, TokensAuthorizeClient, TokensCreateCode,
	GroupsCreate, GroupsList, GroupsUpdate, GroupsDelete, GroupsUploadParticipants,
	JobsList, JobsGet, JobsListErrors,
	AlertsCreatePreference, AlertsListPreferences, AlertsGetPreference, AlertsUpdatePreference, AlertsDeletePreference,
	AlertsListInstitutionTypes, AlertsListInstitutionPreferences,
	DisclosuresListUser, DisclosuresCreateUser, DisclosuresUpdateUser, DisclosuresDeleteUser, DisclosuresListInstitution,
	UsersGetStatus,
}

// Names returns the names of all operations.
func Names() []string {
	names := make([]string, len(operations))
	for i, op := range operations {
		names[i] = op.Name
	}
	return names
}

// Matches reports whether a pattern stands for an operation: its name, the beginning of names and "*", or nothing, which
// stands for all.
func Matches(pattern, operation string) bool {
	if beginning, ok := strings.CutSuffix(pattern, "*"); ok || pattern == "" {
		return strings.HasPrefix(operation, beginning)
	}
	return pattern == operation
}

// Patterns returns what stands for operations: each name, "*", and each family's name with ".*".
func Patterns() []string {
	all := append(Names(), "*")
	for _, op := range operations {
		if pattern := op.Kind() + ".*"; !slices.Contains(all, pattern) {
			all = append(all, pattern)
		}
	}
	return all
}

// Kind returns the first part of the operation's name, such as groups.
func (op *Operation) Kind() string {
	kind, _, _ := strings.Cut(op.Name, ".")
	return kind
}

// Takes reports whether requests with a method are the operation's: HEAD is where GET is (RFC 9110 9.3.2).
func (op *Operation) Takes(method string) bool {
	return method == op.Method || method == http.MethodHead && op.Method == http.MethodGet
}

// Answer returns the answer that a policy selects for a request that is accepted.
func (op *Operation) Answer(p *sim.Policy) *Answer {
	for i, a := range op.Answers {
		if !a.Beside && (a.Switched == nil || a.Switched.Switch.Value(&p.Behavior) == a.Value) {
			return &op.Answers[i]
		}
	}
	panic("contract: no answer of " + op.Name + " is selected")
}

// Basis returns what the answer rests on.
func (a *Answer) Basis() Basis {
	if a.Switched == nil {
		return Documented
	}
	if other := a.Switched.Switch.alternative(a.Value); other != nil {
		return other.Basis
	}
	return a.Switched.Basis
}

// Succeeds reports whether a status is that of an answer to a request that is accepted, under any policy.
func (op *Operation) Succeeds(status int) bool {
	return slices.ContainsFunc(op.Answers, func(a Answer) bool { return a.Status == status })
}

// Lists reports whether the operation's description lists a status.
func (op *Operation) Lists(status int) bool {
	return op.Succeeds(status) || slices.Contains(op.Errors, status)
}

// Refusals returns all refusals that a request to the operation can meet, without those that only the simulator itself
// brings about: see [Operation.Conditions].
func (op *Operation) Refusals() []Refusal {
	return op.Family.refusals(op.Refuses)
}

// Injections returns the errors that a fault can answer with a status alone, of the statuses that the operation's
// description lists, and those of the gateway in front of it.
func (op *Operation) Injections() []Injection {
	var all []Injection
	for _, status := range op.Errors {
		all = append(all, op.Family.Injection(status))
	}
	for _, rule := range throttled {
		all = append(all, op.Family.injection(rule))
	}
	return all
}

// Conditions returns the refusals that the simulator itself brings about: an internal fault, a strict sandbox, a fault
// header that can't be read, a reset, a body that is too large, no room for a body or an answer, a bank that is full.
func (op *Operation) Conditions() []Refusal {
	rules := []sim.Code{FaultMalformed, Strictness, InternalFault, GenerationEnded, NotStored}
	if op.Request != nil {
		rules = append(rules, BodyTooLarge)
	}
	if op.Request != nil || !op.Changes { // there may be no room for the body, or for the answer
		rules = append(rules, Overloaded)
	}
	if op.Changes {
		rules = append(rules, sim.WorldFull)
	}
	return op.Family.refusals(rules)
}

// TakesQuery reports whether the operation has a query parameter of a name.
func (op *Operation) TakesQuery(name string) bool {
	return slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.In == "query" && p.Name == name })
}

// ParameterNames returns the names of the parameters in the query or the headers.
func (op *Operation) ParameterNames(in string) (names []string) {
	for _, p := range op.Parameters {
		if p.In == in {
			names = append(names, p.Name)
		}
	}
	return names
}

// AnswersSecrets reports whether the operation's answers can hold a secret.
func (op *Operation) AnswersSecrets() bool {
	return slices.ContainsFunc(op.Answers, func(a Answer) bool { return a.Body != nil && a.Body.HasSecret() })
}

func inHeader(name, about string, required bool) Parameter {
	return Parameter{Name: name, In: "header", Required: required, About: about, Type: Type{JSON: "string", Shortest: 1}}
}

// inPath returns a variable of a path that is a UUID, where it names something.
func inPath(name, about string) Parameter {
	return Parameter{Name: name, In: "path", Required: true, About: about, Type: Type{JSON: "string", Shortest: 1}}
}

func inQuery(name, about string, required bool, t Type) Parameter {
	return Parameter{Name: name, In: "query", Required: required, About: about, Type: t}
}

// resting returns the parameter with the entries that it rests on.
func (p Parameter) resting(on ...*Entry) Parameter {
	p.Rests = on
	return p
}

// Statuses returns the statuses that the operation can answer with, under any policy and without a fault, and those that
// its description lists. They are sorted.
func (op *Operation) Statuses() []int {
	all := slices.Concat(op.Errors, op.Documented)
	for _, a := range op.Answers {
		all = append(all, a.Status)
	}
	for _, r := range slices.Concat(op.Refusals(), op.Conditions()) {
		all = append(all, op.Family.Statuses(r)...)
	}
	return sortedOnce(all)
}

// StatusesOfNone returns the statuses of answers in a journal to requests that are no operation's. They are sorted.
func StatusesOfNone() []int {
	all := []int{PreflightStatus, http.StatusOK} // OK is that of the key set
	for _, f := range families {
		for _, rule := range []sim.Code{PathUnknown, MethodNotAllowed, SandboxMissing, SandboxContradiction, OriginRefused, InternalFault} {
			all = append(all, f.Statuses(f.Refusal(rule))...)
		}
	}
	return sortedOnce(all)
}

func sortedOnce[T cmp.Ordered](all []T) []T {
	slices.Sort(all)
	return slices.Compact(all)
}

// RequestHeaders returns the names of the headers that operations read, each once.
func RequestHeaders() []string {
	all := []string{"Authorization", ContentType.Name}
	for _, op := range operations {
		all = append(append(all, op.Family.RequestID), op.ParameterNames("header")...)
	}
	return sortedOnce(all)
}

// QueryParameters returns the names of the query parameters of operations, each once.
func QueryParameters(operations []*Operation) []string {
	var all []string
	for _, op := range operations {
		all = append(all, op.ParameterNames("query")...)
	}
	return sortedOnce(all)
}

// Example is a request to an operation that is accepted, and its answer. It is about a bank of the scenario retail with its clock
// standing still. In the texts of the answer, {base_url} stands for the base URL.
type Example struct {
	Path    string            `json:"path"` // with its variables filled in, and its query
	Headers map[string]string `json:"headers"`
	JSON    json.RawMessage   `json:"json,omitzero"` // the body of the request, or
	Body    string            `json:"body,omitzero"` // one of another content type
	Status  int               `json:"status"`
	Answer  json.RawMessage   `json:"answer,omitzero"` // its body; not there: it has none
}

// Content returns the body of the request.
func (e Example) Content() string {
	if e.JSON != nil {
		return string(e.JSON)
	}
	return e.Body
}

//go:embed examples.json
var encodedExamples []byte

// examples are the examples of all operations, by their names and dialects.
var examples = sync.OnceValue(func() (all map[string]map[sim.Dialect]Example) {
	if err := json.Unmarshal(encodedExamples, &all); err != nil {
		panic("contract: the examples can't be read: " + err.Error())
	}
	return all
})

// Example returns the example of the operation in its dialect.
func (op *Operation) Example() Example { return examples()[op.Name][op.Dialect] }

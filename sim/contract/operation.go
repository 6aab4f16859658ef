package contract

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
)

// Operation is one endpoint of the interface in one dialect. It never changes.
type Operation struct {
	Name       string // such as groups.create: for faults, the journal and the router
	ID         string // in OpenAPI documents: an identifier in most languages; no other operation has it
	Method     string
	Path       string // with variables in braces
	Summary    string
	About      string // what it does, in a sentence or two
	InDocument bool   // whether the interface's document has it
	Dialect    sim.Dialect
	Family     *Family
	Cites      []*Entry // say where an operation comes from that the interface's document doesn't have
	// PublishedID is the operation's id in the public API description, or empty if it is not known.
	PublishedID string

	Security   Security // by default that of the family
	Scope      string   // that an access token needs, or empty if it needs none
	Parameters []Parameter
	Request    *Object // the body, or nil if none is documented
	JSON       *Entry  // allows a JSON body that the interface's document doesn't have, or nil
	Form       *Entry  // allows a form-urlencoded body, or nil
	FormOnly   bool    // whether the body must be a form
	Multipart  *Entry  // makes the body multipart, with the members of Request as its parts, or nil

	Changes bool // whether it may change the bank
	NoStore bool // whether caches must not keep its answers

	Answers []Answer
	Errors  []int // the error statuses that its description lists; by default all that the family can inject
	// Documented are the error statuses that the interface's document lists.
	Documented []int

	// Refuses are the rules that can refuse a request to this operation. Others can refuse any request.
	Refuses []sim.Code
	// Uses are the entries behind every answer to a request that is accepted. The first one decides.
	Uses []*Entry
	// Public is what differs in the public dialect, or nil.
	Public *PublicForm
}

// operation returns an operation of the family in the document's dialect. It fills in the defaults.
func (f *Family) operation(op Operation) *Operation {
	op.Family, op.Dialect, op.ID, op.Security = f, sim.DialectDocument, identifier(op.Name), f.Security
	op.Answers = answersIn(op.Dialect, op.Answers)
	if !op.InDocument {
		op.Cites = op.Uses[:1:1]
	}
	if op.Scope == "" && f.Scopes != "" {
		op.Scope = f.Scopes + ":read"
		if op.Changes {
			op.Scope = f.Scopes + ":write"
		}
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

// Answer is an answer to a request that is accepted.
type Answer struct {
	Status  int
	About   string
	Body    *Object // or nil if there is none
	Members *Entry  // says what is in the body

	Switched *Entry // the entry whose switch selects the answer, or nil if it is the only one
	Value    string // the value of the switch that selects it
	Beside   bool   // whether the operation can give it beside the selected answer
}

// answersIn returns the answers of an operation with the default of a dialect before the others. It says of another
// status that a scenario has to select it.
func answersIn(d sim.Dialect, all []Answer) []Answer {
	isDefault := func(a Answer) bool { return a.Switched == nil || a.Switched.DefaultIn(d) == a.Value }
	all = slices.Clone(all)
	if at := slices.IndexFunc(all, isDefault); at > 0 {
		all = slices.Concat(all[at:at+1], all[:at], all[at+1:])
	}
	for i, a := range all {
		if !a.Beside && a.Status != all[0].Status {
			all[i].About = strings.TrimSuffix(a.About, ".") + "; only where a scenario says so."
		}
	}
	return all
}

// operations are the operations in the order of the interface's document. Published operations follow those that they
// belong to.
var operations = []*Operation{
	EstatementsGetDisclosures, EstatementsUpdateAccount, EstatementsUpdateUser,
	TokensIssue, TokensRevoke, TokensAuthorizeClient, TokensCreateCode,
	GroupsCreate, GroupsList, GroupsUpdate, GroupsDelete, GroupsUploadParticipants,
	JobsList, JobsGet, JobsListErrors,
	AlertsCreatePreference, AlertsListPreferences, AlertsGetPreference, AlertsUpdatePreference, AlertsDeletePreference,
	AlertsListInstitutionTypes, AlertsListInstitutionPreferences,
	DisclosuresListUser, DisclosuresCreateUser, DisclosuresUpdateUser, DisclosuresDeleteUser,
	DisclosuresListInstitution, UsersGetStatus,
}

// Names returns the names of all operations.
func Names() []string {
	names := make([]string, len(operations))
	for i, op := range operations {
		names[i] = op.Name
	}
	return names
}

// Matches reports whether a pattern matches the name of an operation. A pattern is a name, or a prefix of names and
// "*". An empty pattern matches all.
func Matches(pattern, operation string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok || pattern == "" {
		return strings.HasPrefix(operation, prefix)
	}
	return pattern == operation
}

// Patterns returns the usual patterns of operations: each name, "*", and each kind with ".*".
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

// Methods returns the methods that the operation answers. One that takes GET takes HEAD (RFC 9110 9.3.2).
func (op *Operation) Methods() []string {
	if op.Method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{op.Method}
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

// Basis returns the basis of the answer.
func (a *Answer) Basis(d sim.Dialect) Basis {
	if a.Switched == nil {
		return Documented
	}
	return a.Switched.basisOf(a.Value, d)
}

// Code returns the member code of the answer's body. It must have one with a single value.
func (a *Answer) Code() string {
	m, _ := a.Body.Member("code")
	return m.Type.Enum[0]
}

// Succeeds reports whether a request that is accepted can be answered with a status, under any policy.
func (op *Operation) Succeeds(status int) bool {
	return slices.ContainsFunc(op.Answers, func(a Answer) bool { return a.Status == status })
}

// Lists reports whether the operation's description lists a status.
func (op *Operation) Lists(status int) bool {
	return op.Succeeds(status) || slices.Contains(op.Errors, status)
}

// Refusals returns the refusals of requests to the operation. Those that the simulator itself brings about are not
// among them: see [Operation.Conditions].
func (op *Operation) Refusals() []Refusal {
	return op.Family.refusals(op.Refuses...)
}

// Injections returns the errors that a fault with a status alone can answer with: one for each status that the
// operation's description lists, and the errors of the gateway.
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

// Conditions returns the refusals that the simulator itself brings about, such as an internal fault, a reset during
// the request, a bank that is full, or a client whose scopes a scenario lists. In the public dialect, the gateway's
// refusals are among them.
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
	if op.Scope != "" {
		rules = append(rules, sim.ScopeMissing)
	}
	if op.Dialect == sim.DialectPublic {
		rules = append(rules, gatewayChecks...)
	}
	return op.Family.refusals(rules...)
}

// AnswersSecrets reports whether the operation's answers can hold a secret.
func (op *Operation) AnswersSecrets() bool {
	return slices.ContainsFunc(op.Answers, func(a Answer) bool { return a.Body != nil && a.Body.HasSecret() })
}

// Statuses returns the statuses that the operation can answer with, under any policy and without a fault, and the
// statuses that its description lists. They are sorted.
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

// rulesOutside are the rules that refuse requests to no operation.
var rulesOutside = []sim.Code{
	PathUnknown, MethodNotAllowed, SandboxMissing, SandboxContradiction, OriginRefused, InternalFault,
	StubTooLarge, ForwardFailed, ForwardLoop, PathUnsafe, BodyTooLarge, Overloaded,
	GenerationEnded,
}

// StatusesOfNone returns the statuses of answers to requests to no operation, as a journal has them. They are sorted.
func StatusesOfNone() []int {
	all := []int{PreflightStatus, http.StatusOK} // the key set answers with OK
	for _, f := range families {
		for _, refusal := range f.refusals(rulesOutside...) {
			all = append(all, f.Statuses(refusal)...)
		}
	}
	return sortedOnce(all)
}

func sortedOnce[T cmp.Ordered](all []T) []T {
	slices.Sort(all)
	return slices.Compact(all)
}

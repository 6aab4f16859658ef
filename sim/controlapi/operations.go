package controlapi

import (
	"net/http"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// operationList describes the operations of the simulated interface, and the faults that they can meet, for forms.
type operationList struct {
	Operations []operationForm `json:"operations"`
	Faults     faultForm       `json:"faults"`
}

// operationForm describes an operation.
type operationForm struct {
	Name       string             `json:"name"`
	Family     string             `json:"family" about:"The first part of the name."`
	Title      string             `json:"title"`
	Method     string             `json:"method"`
	Path       string             `json:"path" about:"With variables in braces."`
	Changes    bool               `json:"changes" about:"Whether it may change the bank."`
	About      string             `json:"about"`
	Parameters []operationInput   `json:"parameters" about:"Of the path, the query and the headers; the credentials are among them."`
	Members    []operationMember  `json:"members,omitempty" about:"Of the body; none: it has no body."`
	BodyMedia  string             `json:"bodyMedia,omitempty" about:"The usual Content-Type of the body."`
	Answers    []operationAnswer  `json:"answers" about:"To requests that are accepted."`
	Errors     []operationError   `json:"errors"`
	Entries    []string           `json:"entries" about:"The ids of all entries of the ledger about the operation."`
	Examples   []operationExample `json:"examples" about:"One request that is accepted."`
}

// operationInput is a parameter of an operation, or its credentials.
type operationInput struct {
	In       string `json:"in" about:"path, query or header."`
	Name     string `json:"name"`
	Required bool   `json:"required"`
	About    string `json:"about"`
	Limits   string `json:"limits,omitempty"`
	Example  string `json:"example,omitempty" about:"That of the example."`
}

// operationMember is a member of a body, also of an object in it.
type operationMember struct {
	Name     string `json:"name" about:"The names of members within members are joined by dots; [] stands for the elements of an array."`
	Type     string `json:"type" about:"string, integer, boolean, object or array."`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret" about:"Whether the journal hides its value."`
	About    string `json:"about"`
	Limits   string `json:"limits"`
}

// operationAnswer is an answer to a request that is accepted.
type operationAnswer struct {
	Status  int      `json:"status"`
	About   string   `json:"about"`
	Switch  string   `json:"switch,omitempty" about:"The switch of the behaviour that selects the answer; none: it is the only one."`
	Value   string   `json:"value,omitempty" about:"The value of that switch."`
	Entries []string `json:"entries" about:"The ids of the ledger's entries that it rests on."`
}

// operationError is an error that the operation can be answered with.
type operationError struct {
	Status    int      `json:"status"`
	Code      string   `json:"code"`
	Message   string   `json:"message,omitempty" about:"Of a fault that answers with this status and code. The bank's own names what is wrong."`
	Rule      string   `json:"rule,omitempty" about:"The rule that refuses the request; none: no rule of the simulator does."`
	Entries   []string `json:"entries"`
	Natural   bool     `json:"natural" about:"Whether the bank answers so by itself, at least under some behaviour. Others only a fault can bring about."`
	ByDefault bool     `json:"byDefault" about:"Whether the bank answers so under the default behaviour."`
	Usual     bool     `json:"usual" about:"Whether a fault with this status alone answers with this code."`
	Listed    bool     `json:"listed" about:"Whether the description of the operation lists the status."`
}

// operationExample is a request that a bank of the scenario retail accepts.
type operationExample struct {
	Request  exampleRequest  `json:"request"`
	Response exampleResponse `json:"response"`
}

// exampleRequest is the request of an example.
type exampleRequest struct {
	Method  string              `json:"method"`
	Path    string              `json:"path" about:"Without the query."`
	Query   map[string][]string `json:"query"`
	Headers map[string][]string `json:"headers"`
	Body    string              `json:"body"`
}

// exampleResponse is the answer to an example.
type exampleResponse struct {
	Status int `json:"status"`
}

// faultForm describes what fault rules can have.
type faultForm struct {
	Connections []faultConnection `json:"connections"`
	Phases      []faultPhase      `json:"phases"`
	When        []faultMember     `json:"when" about:"The conditions of a rule."`
	Then        []faultMember     `json:"then" about:"What happens, but for the connection."`
	AnyStatus   []int             `json:"anyStatus" about:"The smallest and the largest status that comes with the error body of the operation."`
}

// faultConnection is a kind of connection fault.
type faultConnection struct {
	Kind     string `json:"kind"`
	About    string `json:"about"`
	Delivers bool   `json:"delivers" about:"Whether it damages an answer: that of the rule's status, or in the phase after the operation's own. Others lose it."`
	Example  any    `json:"example,omitempty" about:"The fault with a measure, such as {\"hang\": \"10s\"}; none: it has none."`
}

// faultPhase is a phase of fault rules.
type faultPhase struct {
	Phase string `json:"phase"`
	About string `json:"about"`
}

// faultMember is a member of a fault rule.
type faultMember struct {
	Key     string `json:"key" about:"The names of members within members are joined by dots."`
	Type    string `json:"type"`
	About   string `json:"about"`
	Form    string `json:"form,omitempty" about:"How its value is written, where the type doesn't say it."`
	Example any    `json:"example,omitempty"`
}

// newOperationList returns the description of all operations and of faults.
func newOperationList() operationList {
	all := operationList{Faults: newFaultForm()}
	for _, op := range contract.Operations {
		all.Operations = append(all.Operations, newOperationForm(op))
	}
	return all
}

// encodedOperations returns the answer of getOperations.
func encodedOperations() []byte { return append(wire.MustEncode(newOperationList()), '\n') }

// getOperations answers the description of all operations and of faults.
func (a control) getOperations(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.operations())
}

// ledgerPart are entries of the ledger.
type ledgerPart struct {
	Entries []*contract.Entry `json:"entries"`
}

// ledger takes ?operation=&basis= and answers {entries: [...]}: the entries of the ledger about an operation, or that
// rest on a basis.
func (a control) ledger(w http.ResponseWriter, r *http.Request) error {
	operation, err := operationOf(r)
	if err != nil {
		return err
	}
	basis := contract.Basis(r.URL.Query().Get("basis"))
	if basis != "" && !slices.Contains(contract.Bases, basis) {
		return refuse(http.StatusBadRequest, "basis must be document, published, convention or choice")
	}
	return reply(w, ledgerPart{contract.Select(operation, basis)})
}

// openapi answers with the OpenAPI document of the simulated interface: with what any behaviour does.
func (a control) openapi(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.contract())
}

// controlOpenAPI answers with the OpenAPI document of the control API. Its server is the one that the caller has asked.
func (a control) controlOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	return writeDocument(w, a.document())
}

func writeDocument(w http.ResponseWriter, document []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // it fails if the client has disconnected, and then nobody can be told
	return nil
}

// firstRequest is a request to begin with: any access token may make it, and it changes nothing.
type firstRequest struct {
	Operation string            `json:"operation"`
	Method    string            `json:"method"`
	Path      string            `json:"path" about:"Below a base URL."`
	Headers   map[string]string `json:"headers" about:"Without Authorization."`
}

// newFirstRequest returns a request of the first operation that changes nothing and needs no input but headers.
func newFirstRequest() firstRequest {
	i := slices.IndexFunc(contract.Operations, func(op *contract.Operation) bool {
		return !op.Changes && op.Request == nil && op.Security != contract.Basic &&
			!slices.ContainsFunc(op.Parameters, func(p contract.Parameter) bool { return p.Required && p.In != "header" })
	})
	op := contract.Operations[i] // the tests fail without one
	first := firstRequest{op.Name, op.Method, op.Path, map[string]string{}}
	for _, p := range op.Parameters {
		if p.Required {
			first.Headers[p.Name] = "first-request"
		}
	}
	return first
}

package controlapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// interfaceForm is the contract as forms need it.
type interfaceForm struct {
	Operations []operationForm   `json:"operations"`
	Ledger     []*contract.Entry `json:"ledger"`
	Faults     faultForm         `json:"faults"`
}

// operationForm describes an operation. Entries are ids of the ledger.
type operationForm struct {
	Name       string          `json:"name"`
	Title      string          `json:"title"`
	Method     string          `json:"method"`
	Path       string          `json:"path"`
	Changes    bool            `json:"changes" doc:"Whether the operation changes the bank."`
	About      string          `json:"about"`
	Parameters []parameterForm `json:"parameters" doc:"The parameters of the request, the credentials included."`
	Members    []memberForm    `json:"members,omitzero" doc:"The members of the request body. Each member is followed by the members within it."`
	BodyMedia  string          `json:"bodyMedia,omitzero"`
	Answers    []answerForm    `json:"answers"`
	Errors     []errorForm     `json:"errors"`
	Entries    []string        `json:"entries"`
	Example    exampleForm     `json:"example" doc:"A request that a bank of the scenario retail accepts."`
}

type parameterForm struct {
	In       string `json:"in"`
	Name     string `json:"name"`
	Required bool   `json:"required"`
	About    string `json:"about"`
	Limits   string `json:"limits,omitzero" doc:"What the value may be. Not there: the value may be anything."`
}

type memberForm struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret"`
	About    string `json:"about"`
	Limits   string `json:"limits" doc:"What limits the value beside its type. Empty: nothing does."`
}

type answerForm struct {
	Status  int      `json:"status"`
	About   string   `json:"about"`
	Entries []string `json:"entries"`
	Switch  string   `json:"switch,omitzero" doc:"The key of behavior that selects the answer."`
	Value   string   `json:"value,omitzero" doc:"The value of the switch."`
}

type errorForm struct {
	Status  int      `json:"status"`
	Code    string   `json:"code"`
	Rule    sim.Code `json:"rule"`
	Entries []string `json:"entries"`
	Usual   bool     `json:"usual" doc:"Whether a fault that gives only the status answers with this error."`
	Listed  bool     `json:"listed" doc:"Whether the description of the operation lists the status."`
	Message string   `json:"message,omitzero"`
}

type exampleForm struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body"`
}

// faultForm describes what fault rules can have.
type faultForm struct {
	Connections []connectionForm           `json:"connections"`
	Phases      []phaseForm                `json:"phases"`
	Schemas     map[string]json.RawMessage `json:"schemas,omitempty" doc:"The schemas of FaultRule and of its parts, by name."`
	AnyStatus   []int                      `json:"anyStatus" doc:"The smallest and the largest status that come with an error body."`
}

type connectionForm struct {
	Kind     string `json:"kind"`
	About    string `json:"about"`
	Delivers bool   `json:"delivers" doc:"Whether the caller gets a damaged answer. Other faults of the connection lose the answer."`
	Example  any    `json:"example,omitempty"`
}

type phaseForm struct {
	Phase fault.Phase `json:"phase"`
	About string      `json:"about"`
}

// encodedForm returns the contract as forms need it, in JSON.
var encodedForm = sync.OnceValue(func() []byte {
	return strictjson.MustEncode(interfaceForm{
		Operations: list(slices.Values(contract.Document().Operations), formOf),
		Ledger:     contract.Ledger(),
		Faults:     newFaultForm(),
	})
})

func (c control) getOperations(context.Context, *nothing) (stream, error) {
	return largeText(jsonMedia, append(slices.Clip(encodedForm()), '\n')), nil
}

// firstRequest returns a request to begin with. It needs only a header.
func firstRequest() requestPlan {
	op := contract.GroupsList
	return requestPlan{
		Method: op.Method, Path: op.Path, Headers: map[string]HeaderValues{op.Family.RequestID: {"first-request"}},
	}
}

func formOf(op *contract.Operation) operationForm {
	example := op.Example()
	form := operationForm{
		Name: op.Name, Title: op.Summary, Method: op.Method, Path: op.Path, Changes: op.Changes, About: op.About,
		Parameters: parametersOf(op),
		Errors:     errorsOf(op),
		Entries:    idsOf(contract.Select(op.Name, "")),
		Example:    exampleForm{op.Method, example.Path, example.Headers, example.Content()},
	}
	if op.Request != nil {
		form.Members, form.BodyMedia = membersOf("", op.Request), contract.ContentType.About
		if op.Form != nil && op.JSON != nil { // the JSON body is the simulator's addition
			form.BodyMedia = "application/x-www-form-urlencoded"
		}
		if op.Multipart != nil {
			form.BodyMedia = "multipart/form-data"
		}
	}
	for _, a := range op.Answers {
		answer := answerForm{
			Status: a.Status, About: a.About,
			Entries: idsOf(append([]*contract.Entry{a.Switched, a.Members}, op.Uses...)),
		}
		if a.Switched != nil {
			answer.Switch, answer.Value = a.Switched.Switch.Key, a.Value
		}
		form.Answers = append(form.Answers, answer)
	}
	return form
}

// idsOf returns the ids of entries, each once. It skips nil.
func idsOf(entries []*contract.Entry) []string {
	ids := []string{}
	for _, e := range entries {
		if e != nil && !slices.Contains(ids, e.ID) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// parametersOf returns the credentials and the parameters of an operation.
func parametersOf(op *contract.Operation) []parameterForm {
	all := []parameterForm{{
		In: "header", Name: "Authorization", Required: op.Security != contract.OptionalBearer,
		About: op.Security.About(),
	}}
	for _, p := range op.Parameters {
		all = append(all, parameterForm{string(p.In), p.Name, p.Required, p.About, limitsOf(p.Type)})
	}
	return all
}

// membersOf returns the members of an object and, below each, those within it.
func membersOf(prefix string, of *contract.Object) []memberForm {
	var all []memberForm
	for _, m := range of.Members {
		name := prefix + m.Name
		all = append(all, memberForm{name, m.Type.JSON, m.Required, m.Secret, m.Type.About, limitsOf(m.Type)})
		if m.Type.Object == nil {
			continue
		}
		if m.Type.JSON == "array" {
			name += "[]"
		}
		all = append(all, membersOf(name+".", m.Type.Object)...)
	}
	return all
}

// limitsOf describes the limits of a value, or returns "" if it has no limits.
func limitsOf(t contract.Type) string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch {
	case t.Several:
		add("one or several of %s", strings.Join(t.Enum, ", "))
	case len(t.Enum) > 0:
		add("one of %s", strings.Join(t.Enum, ", "))
	case t.Shortest > 0 && t.Longest > 0:
		add("%d to %d characters", t.Shortest, t.Longest)
	case t.Longest > 0:
		add("at most %d characters", t.Longest)
	case t.Shortest > 0:
		add("not empty")
	}
	if t.Least != nil {
		add("at least %d", *t.Least)
	}
	if t.Pattern != "" {
		add("matches %s", t.Pattern)
	}
	if t.Elements != nil {
		add("elements of type %s", t.Elements.JSON)
	}
	if t.Object.IsFree() {
		add("with any members")
	}
	return strings.Join(all, ", ")
}

// errorsOf returns the errors of an operation by status: from its rules, from the simulator itself, and from faults.
func errorsOf(op *contract.Operation) []errorForm {
	type key struct {
		status int
		code   string
	}
	all, known := []errorForm{}, map[key]bool{}
	add := func(r contract.Refusal, status int) {
		usual := op.Family.Injection(status)
		e := errorForm{
			Status: status, Code: r.Code, Rule: r.Rule,
			Entries: idsOf(append([]*contract.Entry{r.Entry}, op.Family.ErrorCites...)),
			Usual:   usual.Code == r.Code, Listed: op.Lists(status),
		}
		if like, ok := op.Family.InjectionOf(status, r.Code); ok {
			e.Message = like.Message
		} else if e.Usual {
			e.Message = usual.Message
		}
		all, known[key{status, r.Code}] = append(all, e), true
	}
	for _, r := range slices.Concat(op.Refusals(), op.Conditions()) {
		for _, status := range slices.Compact(op.Family.Statuses(r)) {
			add(r, status)
		}
	}
	for _, i := range slices.Concat(op.Injections(), op.Family.Injections()) {
		if !known[key{i.Status, i.Code}] {
			add(i.Refusal, i.Status)
		}
	}
	slices.SortStableFunc(all, func(a, b errorForm) int { return cmp.Compare(a.Status, b.Status) })
	return all
}

// SchemaPath is where schemas refer to others, in the OpenAPI document and in what a form needs.
const SchemaPath = "#/components/schemas/"

func newFaultForm() faultForm {
	form := faultForm{Schemas: scenario.FaultSchemas(SchemaPath), AnyStatus: []int{fault.LeastError, fault.MostError}}
	for _, kind := range fault.Kinds {
		about := kind.Describe()
		connection := connectionForm{about.Name, about.About, about.Delivers, about.Example()}
		form.Connections = append(form.Connections, connection)
	}
	for _, phase := range fault.Phases {
		form.Phases = append(form.Phases, phaseForm{phase, phase.About()})
	}
	return form
}

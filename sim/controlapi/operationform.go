package controlapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	formMedia      = "application/x-www-form-urlencoded"
	multipartMedia = "multipart/form-data"
)

// newOperationForm describes an operation by the contract and the golden exchanges that it has.
func newOperationForm(op *contract.Operation, golden []fixtures.Exchange) operationForm {
	form := operationForm{
		Name: op.Name, Family: op.Kind(), Title: op.Summary, Method: op.Method, Path: op.Path, Changes: op.Changes, About: op.About,
		Parameters: parametersOf(op, golden),
		Errors:     errorsOf(op),
		Examples:   examplesOf(golden),
	}
	if op.Request != nil {
		form.Members, form.BodyMedia = membersOf("", op.Request), contract.ContentType.About
		if op.Form != nil && op.JSON != nil {
			form.BodyMedia = formMedia // the JSON body is the simulator's addition
		}
		if op.Multipart != nil {
			form.BodyMedia = multipartMedia
		}
	}
	for _, a := range op.Answers {
		answer := operationAnswer{Status: a.Status, About: a.About, Value: a.Value}
		if a.Switched != nil {
			answer.Switch = a.Switched.Switch.Key
		}
		answer.Entries = idsOf(append([]*contract.Entry{a.Switched, a.Members}, op.Uses...))
		form.Answers = append(form.Answers, answer)
	}
	form.Entries = idsOf(contract.Select(op.Name, ""))
	return form
}

// idsOf returns the ids of entries, each once; nil is none.
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
func parametersOf(op *contract.Operation, golden []fixtures.Exchange) []operationInput {
	golden = fitting(op, golden)
	all := []operationInput{{
		In: "header", Name: "Authorization", Required: op.Security != contract.OptionalBearer, About: op.Security.About(),
		Example: exampleOf(golden, op.Path, "header", "Authorization"),
	}}
	for _, p := range op.Parameters {
		all = append(all, operationInput{
			In: p.In, Name: p.Name, Required: p.Required, About: p.About, Limits: limitsOf(p.Type), Example: exampleOf(golden, op.Path, p.In, p.Name),
		})
	}
	return all
}

// fitting returns the golden exchanges, those first whose parameters are good examples: they are accepted, by default, and have
// all that is required. So the examples of all parameters come from one exchange, if one has them, and fit together.
func fitting(op *contract.Operation, golden []fixtures.Exchange) []fixtures.Exchange {
	isComplete := func(e fixtures.Exchange) bool {
		for _, p := range op.Parameters {
			if p.Required && valueIn(e, op.Path, p.In, p.Name) == "" {
				return false
			}
		}
		return op.Security == contract.OptionalBearer || valueIn(e, op.Path, "header", "Authorization") != ""
	}
	badness := func(e fixtures.Exchange) int {
		switch {
		case e.Answer.Status >= http.StatusBadRequest:
			return 3
		case !isComplete(e):
			return 2
		case e.Behavior != nil || e.Institutions != nil || len(e.Before) > 0 || e.Advance != "":
			return 1
		}
		return 0
	}
	sorted := slices.Clone(golden)
	sort.SliceStable(sorted, func(i, j int) bool {
		a, b := sorted[i], sorted[j]
		return cmp.Or(badness(a)-badness(b), len(a.Entries)-len(b.Entries)) < 0 // the most usual one rests on the fewest entries
	})
	return sorted
}

// exampleOf returns the first value that a parameter of an operation with a path has in the exchanges. One that an earlier
// answer gives is none. Empty: none has it.
func exampleOf(exchanges []fixtures.Exchange, template, in, name string) string {
	for _, e := range exchanges {
		if value := valueIn(e, template, in, name); value != "" && !strings.HasPrefix(value, "{") {
			return value
		}
	}
	return ""
}

// valueIn returns the value of a parameter in an exchange.
func valueIn(e fixtures.Exchange, template, in, name string) string {
	target, err := url.Parse(e.Request.Path)
	switch {
	case in == "header":
		for given, value := range e.Request.Headers {
			if strings.EqualFold(given, name) {
				return value
			}
		}
	case err != nil:
	case in == "query":
		return target.Query().Get(name)
	default:
		return pathValue(template, target.Path, name)
	}
	return ""
}

// pathValue returns the value of a variable in a path.
func pathValue(template, path, name string) string {
	parts := strings.Split(path, "/")
	for i, part := range strings.Split(template, "/") {
		if part == "{"+name+"}" && i < len(parts) {
			return parts[i]
		}
	}
	return ""
}

// membersOf returns the members of an object and, below each, those within it.
func membersOf(prefix string, of *contract.Object) []operationMember {
	var all []operationMember
	for _, m := range of.Members {
		name := prefix + m.Name
		all = append(all, operationMember{name, m.Type.JSON, m.Required, m.Secret, m.Type.About, limitsOf(m.Type)})
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

// limitsOf describes what a value may be, besides its type; empty: anything.
func limitsOf(t contract.Type) string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	switch {
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
	if t.Pattern != nil {
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

// errorsOf returns the errors of an operation: those of its rules, those that the simulator itself brings about, and those
// that only a fault can answer with.
func errorsOf(op *contract.Operation) []operationError {
	all := []operationError{}
	has := func(status int, code string) bool {
		return slices.ContainsFunc(all, func(e operationError) bool { return e.Status == status && e.Code == code })
	}
	standard := sim.DefaultBehavior()
	add := func(r contract.Refusal, status int, natural bool) {
		e := operationError{
			Status: status, Code: r.Code, Rule: string(r.Rule), Entries: idsOf(append([]*contract.Entry{r.Entry}, op.Family.ErrorRests...)),
			Natural: natural, ByDefault: natural && r.AppliesUnder(&standard) && op.Family.Status(r, &standard) == status, Usual: op.Family.Injection(status).Code == r.Code, Listed: op.Lists(status),
		}
		if like, ok := op.Family.InjectionOf(status, r.Code); ok {
			e.Message = like.Message
		} else if e.Usual {
			e.Message = op.Family.Injection(status).Message
		}
		all = append(all, e)
	}
	for _, r := range slices.Concat(op.Refusals(), op.Conditions()) {
		for _, status := range slices.Compact(op.Family.Statuses(r)) {
			add(r, status, true)
		}
	}
	for _, i := range slices.Concat(op.Injections(), op.Family.Injections()) {
		if !has(i.Status, i.Code) {
			add(i.Refusal, i.Status, false)
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].Status < all[j].Status })
	return all
}

// examplesOf returns the golden exchanges of an operation.
func examplesOf(golden []fixtures.Exchange) []operationExample {
	all := []operationExample{}
	for _, e := range golden {
		example := operationExample{
			Name: path.Base(e.Name), About: e.About, Behavior: e.Behavior, Advance: e.Advance,
			Request: newExampleRequest(e.Request), Response: exampleResponse{e.Answer.Status},
		}
		if e.Institutions != nil {
			_ = json.Unmarshal(e.Institutions, &example.Institutions) // a list of objects, or the scenario would not load
		}
		for _, r := range e.Before {
			example.Before = append(example.Before, newExampleRequest(r))
		}
		all = append(all, example)
	}
	return all
}

func newExampleRequest(r fixtures.Request) exampleRequest {
	target, query, _ := strings.Cut(r.Path, "?")
	values, err := url.ParseQuery(query)
	if err == nil {
		query = ""
	}
	headers := map[string][]string{}
	for name, value := range r.Headers {
		headers[name] = []string{value}
	}
	return exampleRequest{r.Method, target, values, query, headers, r.Content()}
}

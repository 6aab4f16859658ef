package controlapi

import (
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	formMedia      = "application/x-www-form-urlencoded"
	multipartMedia = "multipart/form-data"
)

// newOperationForm describes an operation.
func newOperationForm(op *contract.Operation) operationForm {
	form := operationForm{
		Name: op.Name, Family: op.Kind(), Title: op.Summary, Method: op.Method, Path: op.Path, Changes: op.Changes, About: op.About,
		Parameters: parametersOf(op),
		Errors:     errorsOf(op),
		Examples:   []operationExample{newOperationExample(op)},
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

// parametersOf returns the credentials and the parameters of an operation, with the values that its example has.
func parametersOf(op *contract.Operation) []operationInput {
	example := op.Example()
	target, err := url.Parse(example.Path)
	if err != nil {
		panic(fmt.Sprintf("controlapi: the path of the example of %s can't be read: %v", op.Name, err))
	}
	valueOf := func(in, name string) string {
		switch in {
		case "header":
			return example.Headers[name]
		case "query":
			return target.Query().Get(name)
		}
		return pathValue(op.Path, target.Path, name)
	}
	all := []operationInput{{
		In: "header", Name: "Authorization", Required: op.Security != contract.OptionalBearer, About: op.Security.About(),
		Example: op.In(sim.DialectPublic).Example().Headers["Authorization"], // where no credentials are optional
	}}
	for _, p := range op.Parameters {
		all = append(all, operationInput{
			In: p.In, Name: p.Name, Required: p.Required, About: p.About, Limits: limitsOf(p.Type), Example: valueOf(p.In, p.Name),
		})
	}
	return all
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
			Natural: natural, ByDefault: natural && r.AppliesUnder(&standard) && op.Family.Status(r, &standard) == status,
			Usual: op.Family.Injection(status).Code == r.Code, Listed: op.Lists(status),
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

// newOperationExample returns the example of an operation.
func newOperationExample(op *contract.Operation) operationExample {
	example := op.Example()
	path, query, _ := strings.Cut(example.Path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(fmt.Sprintf("controlapi: the query of the example of %s can't be read: %v", op.Name, err))
	}
	headers := map[string][]string{}
	for name, value := range example.Headers {
		headers[name] = []string{value}
	}
	return operationExample{exampleRequest{op.Method, path, values, headers, example.Content()}, exampleResponse{example.Status}}
}

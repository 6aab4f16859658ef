package controlapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"sort"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
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

// newFaultForm describes what fault rules can have, by the package fault and the schema of scenarios.
func newFaultForm() faultForm {
	form := faultForm{AnyStatus: []int{fault.LeastError, fault.MostError}}
	for _, kind := range fault.Kinds {
		connection := faultConnection{Kind: string(kind), About: kind.About(), Delivers: kind.Delivers()}
		if example, ok := kind.Example(); ok {
			connection.Example = example
		}
		form.Connections = append(form.Connections, connection)
	}
	for _, phase := range fault.Phases {
		form.Phases = append(form.Phases, faultPhase{string(phase), phase.About()})
	}
	definitions := scenario.FaultSchemas(schemaPath)
	form.When = faultMembers(definitions, "FaultWhen", "")
	for _, member := range faultMembers(definitions, "FaultThen", "") {
		if member.Key != "connection" { // see Connections
			form.Then = append(form.Then, member)
		}
	}
	return form
}

// definition is a part of the schema of a fault rule.
type definition struct {
	Ref         string          `json:"$ref"`
	Type        json.RawMessage `json:"type"` // a name, or several
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Examples    []any           `json:"examples"`
	Properties  json.RawMessage `json:"properties"`
}

// faultMembers returns the members of a definition, in their order. In place of one that is an object of its own there are those
// within it.
func faultMembers(definitions map[string]json.RawMessage, name, prefix string) []faultMember {
	var all []faultMember
	names, members := ordered(parse(definitions[name]).Properties)
	for i, member := range members {
		key := prefix + names[i]
		if within, ok := strings.CutPrefix(member.Ref, schemaPath); ok {
			all = append(all, faultMembers(definitions, within, key+".")...)
			continue
		}
		described := faultMember{Key: key, Type: firstOf(member.Type), About: member.Description, Form: member.Title}
		if len(member.Examples) > 0 {
			described.Example = member.Examples[0]
		}
		all = append(all, described)
	}
	return all
}

func parse(data json.RawMessage) (d definition) {
	if err := json.Unmarshal(data, &d); err != nil {
		panic(fmt.Sprintf("controlapi: the schema of fault rules: %v", err))
	}
	return d
}

// ordered returns the names and the definitions of properties, in the order of the schema.
func ordered(properties json.RawMessage) (names []string, members []definition) {
	decoder := json.NewDecoder(bytes.NewReader(properties))
	if _, err := decoder.Token(); err != nil { // {
		panic(fmt.Sprintf("controlapi: the schema of fault rules: %v", err))
	}
	for decoder.More() {
		name, err := decoder.Token()
		var member json.RawMessage
		if err == nil {
			err = decoder.Decode(&member)
		}
		if err != nil {
			panic(fmt.Sprintf("controlapi: the schema of fault rules: %v", err))
		}
		names, members = append(names, name.(string)), append(members, parse(member))
	}
	return names, members
}

// firstOf returns the first of the types of a value: the usual notation.
func firstOf(types json.RawMessage) string {
	var one string
	var several []string
	if json.Unmarshal(types, &one) == nil {
		return one
	}
	_ = json.Unmarshal(types, &several)
	return append(several, "")[0]
}

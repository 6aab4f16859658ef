package controlapi

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/contract/openapi"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/sandbox"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// encodedOperations returns the answer of getOperations: the contract as forms need it.
var encodedOperations = sync.OnceValue(func() []byte {
	operations := list(slices.Values(contract.Document().Operations), operationForm)
	return append(wire.MustEncode(object{"operations": operations, "ledger": contract.Ledger(), "faults": faultForm()}), '\n')
})

// getOperations answers {operations, ledger, faults}.
func (a control) getOperations(w http.ResponseWriter, _ *http.Request) error {
	return writeBody(w, http.StatusOK, jsonMedia, encodedOperations())
}

// openapi answers with the OpenAPI document of the simulated interface under any behaviour, in one dialect or in both.
func (a control) openapi(w http.ResponseWriter, r *http.Request) error {
	var dialects []sim.Dialect
	if dialect := r.URL.Query().Get("dialect"); dialect != "" {
		dialects = append(dialects, sim.Dialect(dialect))
	}
	return writeBody(w, http.StatusOK, jsonMedia, openapi.Document(a.baseURL(sandbox.Default), dialects...))
}

// newFirstRequest returns a request to begin with, which needs no input but a header.
func newFirstRequest() requestPlan {
	op := contract.GroupsList
	return requestPlan{Method: op.Method, Path: op.Path, Headers: map[string]headerValues{op.Family.RequestID: {"first-request"}}}
}

// operationForm describes an operation: {name, title, method, path, changes, about, parameters, members?, bodyMedia?, answers, errors,
// entries, example}. Entries are ids of the ledger's. The example is a request that a bank of the scenario retail accepts.
func operationForm(op *contract.Operation) object {
	example := op.Example()
	form := object{
		"name": op.Name, "title": op.Summary, "method": op.Method, "path": op.Path, "changes": op.Changes, "about": op.About,
		"parameters": parametersOf(op),
		"errors":     errorsOf(op),
		"entries":    idsOf(contract.Select(op.Name, "")),
		"example":    object{"method": op.Method, "path": example.Path, "headers": example.Headers, "body": example.Content()},
	}
	if op.Request != nil {
		form["members"], form["bodyMedia"] = membersOf("", op.Request), contract.ContentType.About
		if op.Form != nil && op.JSON != nil { // the JSON body is the simulator's addition
			form["bodyMedia"] = "application/x-www-form-urlencoded"
		}
		if op.Multipart != nil {
			form["bodyMedia"] = "multipart/form-data"
		}
	}
	var answers []object
	for _, a := range op.Answers {
		answer := object{"status": a.Status, "about": a.About,
			"entries": idsOf(append([]*contract.Entry{a.Switched, a.Members}, op.Uses...))}
		if a.Switched != nil {
			answer["switch"], answer["value"] = a.Switched.Switch.Key, a.Value
		}
		answers = append(answers, answer)
	}
	form["answers"] = answers
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
func parametersOf(op *contract.Operation) []object {
	all := []object{{
		"in": "header", "name": "Authorization", "required": op.Security != contract.OptionalBearer, "about": op.Security.About(),
	}}
	for _, p := range op.Parameters {
		all = append(all, object{"in": p.In, "name": p.Name, "required": p.Required, "about": p.About, "limits": limitsOf(p.Type)})
	}
	return all
}

// membersOf returns the members of an object and, below each, those within it.
func membersOf(prefix string, of *contract.Object) []object {
	var all []object
	for _, m := range of.Members {
		name := prefix + m.Name
		all = append(all, object{
			"name": name, "type": m.Type.JSON, "required": m.Required, "secret": m.Secret, "about": m.Type.About,
			"limits": limitsOf(m.Type),
		})
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

// errorsOf returns the errors of an operation: those of its rules, those that the simulator itself brings about, and those
// that only a fault can answer with. A usual one is what a fault with the status alone answers with, and a listed one has a status that the
// description of the operation lists.
func errorsOf(op *contract.Operation) []object {
	type key struct {
		status int
		code   string
	}
	all, known := []object{}, map[key]bool{}
	add := func(r contract.Refusal, status int) {
		usual := op.Family.Injection(status)
		e := object{
			"status": status, "code": r.Code, "rule": r.Rule, "entries": idsOf(append([]*contract.Entry{r.Entry}, op.Family.ErrorRests...)),
			"usual": usual.Code == r.Code, "listed": op.Lists(status),
		}
		if like, ok := op.Family.InjectionOf(status, r.Code); ok {
			e["message"] = like.Message
		} else if usual.Code == r.Code {
			e["message"] = usual.Message
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
	slices.SortStableFunc(all, func(a, b object) int { return cmp.Compare(a["status"].(int), b["status"].(int)) })
	return all
}

// faultForm describes what fault rules can have: {connections, phases, schemas, anyStatus}. A connection that delivers damages an
// answer; others lose it. The schemas are FaultRule and what is in it, by name. The statuses are the smallest and the largest that come
// with the error body of the operation.
func faultForm() object {
	var connections, phases []object
	for _, kind := range fault.Kinds {
		about := kind.Describe()
		connection := object{"kind": about.Name, "about": about.About, "delivers": about.Delivers}
		if example := about.Example(); example != nil {
			connection["example"] = example
		}
		connections = append(connections, connection)
	}
	for _, phase := range fault.Phases {
		phases = append(phases, object{"phase": phase, "about": phase.About()})
	}
	return object{"connections": connections, "phases": phases, "schemas": scenario.FaultSchemas(schemaPath),
		"anyStatus": []int{fault.LeastError, fault.MostError}}
}

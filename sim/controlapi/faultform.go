package controlapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

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

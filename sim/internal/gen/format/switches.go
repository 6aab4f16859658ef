package format

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// longestMessage is how many characters the text of a message has at most (choice).
const longestMessage = 500

// addSwitches adds the definition of behavior, and one for each block in it, from the switches of the contract.
func addSwitches(definitions jsonschema.Definitions) {
	behavior := object()
	definitions["behavior"] = behavior
	for _, s := range contract.Switches() {
		definition, key := SwitchPlace(s)
		if definitions[definition] == nil {
			definitions[definition] = object()
			block := strings.TrimPrefix(definition, "behavior.")
			reference := &jsonschema.Schema{Ref: Prefix + definition}
			behavior.Properties.Set(block, described(reference, contract.SwitchBlocks[block]))
		}
		definitions[definition].Properties.Set(key, described(switchValue(s), s.About))
	}
}

// SwitchPlace returns the definition that has a switch, and the key of the switch in it.
func SwitchPlace(s *contract.Switch) (definition, key string) {
	block, key, isNested := strings.Cut(s.Key, ".")
	if !isNested {
		return "behavior", s.Key
	}
	return "behavior." + block, key
}

// switchValue returns the schema of the values of a switch.
func switchValue(s *contract.Switch) *jsonschema.Schema {
	switch s.Kind {
	case contract.Status:
		status := &jsonschema.Schema{Type: "integer", Default: json.Number(s.Default)}
		for _, name := range s.Names {
			status.Enum = append(status.Enum, json.Number(name))
		}
		return status
	case contract.Number:
		return &jsonschema.Schema{
			Type: "integer", Default: json.Number(s.Default), Examples: []any{json.Number(s.Default)},
			Minimum: json.Number(strconv.Itoa(s.Least)), Maximum: json.Number(strconv.Itoa(s.Most)),
		}
	case contract.Lifetime:
		lifetime := duration("24h", "90s")
		if s.FromZero {
			lifetime = durationOrZero("30s")
		}
		lifetime.Default = strings.Replace(s.Default, "h0m0s", "h", 1)
		return lifetime
	case contract.Flag:
		return &jsonschema.Schema{Type: "boolean", Default: s.Default == "true"}
	case contract.Members:
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string", Enum: list(s.Names)}}
	case contract.List:
		text := &jsonschema.Schema{
			Type: "string", Title: s.Form.Title, Pattern: s.Form.Pattern, Examples: list(s.Form.Examples),
		}
		return &jsonschema.Schema{Type: "array", Items: text}
	case contract.Texts:
		return &jsonschema.Schema{
			Type: "object", PropertyNames: &jsonschema.Schema{Enum: list(s.Names)}, AdditionalProperties: textOf(s),
		}
	}
	return &jsonschema.Schema{Type: "string", Default: s.Default, Enum: list(s.Names)}
}

// textOf returns the schema of a text of a switch of the kind Texts.
func textOf(s *contract.Switch) *jsonschema.Schema {
	if s.Choices != nil {
		return &jsonschema.Schema{Type: "string", Enum: list(s.Choices)}
	}
	return &jsonschema.Schema{
		Type: "string", Title: "text without control characters", Pattern: `^[^\x00-\x1f\x7f-\x9f]*$`,
		Examples:  []any{"We can't do this at the moment."},
		MinLength: ptr(uint64(1)), MaxLength: ptr(uint64(longestMessage)),
	}
}

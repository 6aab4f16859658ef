package main

import (
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// extendingPrefix stands before the name of a definition for a file that extends others.
const extendingPrefix = "extending."

// extend turns the definitions of a complete file into definitions of a file that extends others. No key is required,
// null removes an inherited value, and an item of a list can have a mark. A list that doesn't merge item by item is the
// exception: it has only complete items.
func extend(definitions jsonschema.Definitions) jsonschema.Definitions {
	kept := map[*jsonschema.Schema]bool{} // the values that null can't remove
	for _, key := range scenario.NotInherited {
		kept[definitions[format.Root].Properties.Value(key)] = true
	}
	complete := map[string]bool{} // the definitions of complete items
	for _, definition := range definitions {
		for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
			item := format.DefinitionOf(p.Value)
			switch {
			case p.Value.Items == nil || item == "":
			case scenario.ItemName(p.Key) == "":
				complete[item] = true
			default:
				addMarks(definitions[item], scenario.ItemName(p.Key))
				for _, path := range scenario.ItemKeys(p.Key) {
					keep(kept, definitions, item, path)
				}
			}
		}
	}
	extended := jsonschema.Definitions{}
	for name, definition := range definitions {
		if !complete[name] {
			allowNull(definition, kept)
			definition.Required = nil
			extended[extendingPrefix+name] = definition
		}
	}
	for _, definition := range extended {
		format.Walk(definition, func(s *jsonschema.Schema) {
			if name := format.DefinitionOf(s); s.Ref != "" && !complete[name] {
				s.Ref = format.Prefix + extendingPrefix + name
			}
		})
	}
	return extended
}

// keep adds the values on a path of keys to kept. The path begins in a definition.
func keep(kept map[*jsonschema.Schema]bool, definitions jsonschema.Definitions, definition, path string) {
	for key := range strings.SplitSeq(path, ".") {
		value, ok := definitions[definition].Properties.Get(key)
		if !ok {
			log.Fatalf("%s tells items apart, but %s has no key %s", path, definition, key)
		}
		kept[value] = true
		definition = format.DefinitionOf(value)
	}
}

// addMarks adds the marks of an item that merges into an inherited one.
func addMarks(item *jsonschema.Schema, name string) {
	mark := func(key, about string) {
		item.Properties.Set(key, &jsonschema.Schema{Const: true, Description: about})
	}
	mark("remove", fmt.Sprintf("Removes the inherited %s that the keys beside it name.", name))
	mark("replace", "Alone, as the first item: the whole list replaces the inherited one.")
}

// allowNull allows null for the optional keys of a mapping, and of the mappings inside it.
func allowNull(mapping *jsonschema.Schema, kept map[*jsonschema.Schema]bool) {
	for p := mapping.Properties.Oldest(); p != nil; p = p.Next() {
		allowNull(p.Value, kept)
		for _, alternative := range p.Value.AnyOf {
			allowNull(alternative, kept)
		}
		if !kept[p.Value] && !slices.Contains(mapping.Required, p.Key) && p.Value.Const == nil {
			addNull(p.Value)
		}
	}
}

// addNull allows null for a schema.
func addNull(s *jsonschema.Schema) {
	null := &jsonschema.Schema{Type: "null"}
	types, hasTypes := s.Extras["type"].([]string)
	switch {
	case s.Ref != "":
		s.AnyOf = []*jsonschema.Schema{{Ref: s.Ref}, null}
		s.Ref = ""
	case s.AnyOf != nil:
		s.AnyOf = append(s.AnyOf, null)
	case hasTypes:
		s.Extras["type"] = append(types, "null")
	default:
		setExtra(s, "type", []string{s.Type, "null"})
		s.Type = ""
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
}

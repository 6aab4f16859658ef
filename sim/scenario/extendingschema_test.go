package scenario

import (
	"fmt"
	"slices"
	"strings"

	generator "github.com/invopop/jsonschema"
)

// requiring returns the condition that a mapping has keys. It defines them without describing them, so that editors don't complete
// them from here.
func requiring(keys ...string) *generator.Schema {
	s := &generator.Schema{Properties: generator.NewProperties(), Required: keys}
	for _, key := range keys {
		s.Properties.Set(key, generator.TrueSchema)
	}
	return s
}

// mergingDefinitions returns the names of the definitions of mappings that merge with those of an extended scenario.
func mergingDefinitions(root *generator.Schema) map[string]bool {
	found := map[string]bool{"scenario": true}
	var follow func(*generator.Schema)
	follow = func(of *generator.Schema) {
		for p := of.Properties.Oldest(); p != nil; p = p.Next() {
			ref := p.Value.Ref
			if _, isKeyed := keyed[p.Key]; p.Value.Items != nil && isKeyed {
				ref = p.Value.Items.Ref
			}
			if name, ok := strings.CutPrefix(ref, definitionsPrefix); ok && !found[name] {
				found[name] = true
				follow(root.Definitions[name])
			}
		}
	}
	follow(root)
	return found
}

// listOf returns the list whose items a definition describes, or "" if it describes none.
func listOf(s *generator.Schema, name string) string {
	for _, definition := range s.Definitions {
		for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
			if _, isKeyed := keyed[p.Key]; p.Value.Items != nil && p.Value.Items.Ref == definitionsPrefix+name && isKeyed {
				return p.Key
			}
		}
	}
	return ""
}

// makeLenient changes a definition to describe a file that extends another scenario: of an item of a list, only the keys that
// identify it are required, null removes anything else, and marks say what merging does with it.
func makeLenient(definition *generator.Schema, list string) {
	id := keyed[list]
	definition.Required = slices.DeleteFunc(definition.Required, func(key string) bool { return id.sole || !identifies(id, key) })
	if list == "" && definition.Properties.Value("institutions") == nil { // not the file, and not in a list
		definition.Type, definition.Extras = "", map[string]any{"type": []string{definition.Type, "null"}}
	}
	for p := definition.Properties.Oldest(); p != nil; p = p.Next() {
		_, isKeyed := keyed[p.Key]
		switch {
		case isKeyed && p.Value.Items != nil:
			p.Value.MinItems = nil
			p.Value.Items.Ref = strings.Replace(p.Value.Items.Ref, definitionsPrefix, definitionsPrefix+extendingPrefix, 1)
		case p.Value.Ref != "":
			p.Value.Ref = strings.Replace(p.Value.Ref, definitionsPrefix, definitionsPrefix+extendingPrefix, 1)
		case p.Value.PropertyNames != nil: // texts by name
			p.Value.AdditionalProperties = nullable(p.Value.AdditionalProperties)
		case p.Value.AnyOf != nil:
			p.Value.AnyOf = lenientAlternatives(p.Value.AnyOf)
		}
		if !identifies(id, p.Key) && !slices.Contains(own, p.Key) {
			p.Value = nullable(p.Value)
		}
	}
	if list != "" {
		addMarks(definition, id)
	}
}

// lenientAlternatives returns alternatives in a file that extends another scenario. There, a mapping of one of several keys may
// have another one, whose inherited value it removes.
func lenientAlternatives(all []*generator.Schema) []*generator.Schema {
	var others []*generator.Schema
	mapping := object()
	for _, one := range all {
		if one.Properties == nil {
			others = append(others, one)
			continue
		}
		addNullable(mapping, one)
	}
	if mapping.Properties.Len() == 0 {
		return others
	}
	return append(others, mapping)
}

// addNullable adds the keys of a mapping to another one, none of which is required. The mappings in it merge, too.
func addNullable(to, from *generator.Schema) {
	for p := from.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Properties != nil {
			inner := described(object(), p.Value.Description)
			addNullable(inner, p.Value)
			p.Value = inner
		}
		to.Properties.Set(p.Key, nullable(p.Value))
	}
}

// addMarks adds the marks of an item of a list. An item that is nothing but replace: true has no key.
func addMarks(definition *generator.Schema, id identity) {
	mark := func(about string) *generator.Schema {
		return &generator.Schema{Const: true, Description: about}
	}
	definition.Properties.Set(removeKey, mark(fmt.Sprintf("Removes the inherited %s that the keys beside it name.", id.what)))
	definition.Properties.Set(replaceKey,
		mark(fmt.Sprintf("The %s replaces the inherited one instead of merging into it. Alone, as the first item: the whole list "+
			"replaces the inherited one.", id.what)))
	if len(definition.Required) > 0 {
		definition.If = requiring(replaceKey)
		definition.If.MaxProperties = ptr(uint64(1))
		definition.Then = generator.TrueSchema
		definition.Else = requiring(definition.Required...)
		definition.Required = nil
	}
}

// nullable returns a schema that also allows null. That of a definition is changed where it is defined: editors complete
// a mapping in full only if it is no alternative.
func nullable(s *generator.Schema) *generator.Schema {
	if s.Ref != "" {
		return s
	}
	if s.AnyOf != nil {
		s.AnyOf = append(s.AnyOf, &generator.Schema{Type: "null"})
		return s
	}
	if s.PropertyNames != nil { // editors complete the names only of a mapping that is nothing else
		n := &generator.Schema{Description: s.Description, AnyOf: []*generator.Schema{s, {Type: "null"}}}
		s.Description = ""
		return n
	}
	if s.Type != "" {
		with(s, "type", []string{s.Type, "null"})
		s.Type = ""
	}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
		if descriptions, ok := s.Extras["enumDescriptions"].([]string); ok {
			with(s, "enumDescriptions", append(descriptions, "Removes what the other scenario says."))
		}
	}
	return s
}

// identifies reports whether a key of an item is, or leads to, one that identifies items.
func identifies(k identity, key string) bool {
	return slices.ContainsFunc(k.by, func(keys []string) bool {
		return slices.ContainsFunc(keys, func(path string) bool { return path == key || strings.HasPrefix(path, key+".") })
	})
}

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

// reference returns a section of keys for the file, and one for the items of each list, outer lists first.
func reference(definitions jsonschema.Definitions) string {
	w := &writer{definitions: definitions, places: map[string][]string{}, rows: map[string]string{}}
	w.section(format.Root, "")
	var text strings.Builder
	for _, definition := range w.order {
		heading := "The file"
		if definition != format.Root {
			heading = "`" + strings.Join(w.places[definition], "`, `") + "`"
		}
		text.WriteString("\n## " + heading + "\n\n")
		text.WriteString(w.rows[definition])
	}
	text.WriteString("\n")
	return text.String()
}

// writer collects the sections. A mapping that is no item of a list has its keys in the section of the mapping around
// it.
type writer struct {
	definitions jsonschema.Definitions
	order       []string            // the definitions that have a section
	places      map[string][]string // the paths to a definition
	rows        map[string]string   // the rows of a definition's section
}

// list is a list of mappings.
type list struct{ item, place string }

// section adds the section of a definition, and the sections of the lists in it. A definition that has a section gets
// another place in its heading.
func (w *writer) section(definition, place string) {
	w.places[definition] = append(w.places[definition], place)
	if len(w.places[definition]) > 1 {
		return
	}
	w.order = append(w.order, definition)
	w.mapping(definition, place, "", w.definitions[definition])
}

// mapping adds the keys of a mapping to the section of a definition, and then the sections of its lists.
func (w *writer) mapping(definition, place, prefix string, mapping *jsonschema.Schema) {
	var lists []list
	for p := mapping.Properties.Oldest(); p != nil; p = p.Next() {
		inner := format.DefinitionOf(p.Value)
		if inner != "" && p.Value.Items == nil {
			w.mapping(definition, place, prefix+p.Key+".", w.definitions[inner])
			continue
		}
		isRequired := slices.Contains(mapping.Required, p.Key)
		w.rows[definition] += row(prefix+p.Key, p.Value, isRequired)
		if inner != "" {
			lists = append(lists, list{inner, strings.TrimPrefix(place+"."+prefix+p.Key+"[]", ".")})
		}
		w.mapping(definition, place, prefix+p.Key+".", p.Value)
		for _, alternative := range p.Value.AnyOf {
			optional := *alternative // no key is required, since there are other alternatives
			optional.Required = nil
			w.mapping(definition, place, prefix+p.Key+".", &optional)
		}
	}
	for _, l := range lists {
		w.section(l.item, l.place)
	}
}

// row returns the row of a key: the form of its values, what it is for, and the default unless that is obvious.
func row(key string, of *jsonschema.Schema, isRequired bool) string {
	parts := []string{"- `" + key + "`:"}
	if text := form(of); text != "" {
		parts = append(parts, text+".")
	}
	if isRequired {
		parts = append(parts, "Required.")
	}
	if of.Description != "" {
		parts = append(parts, of.Description)
	}
	standard := fmt.Sprint(of.Default)
	if of.Default != nil && of.Enum == nil && standard != "false" && standard != "0" {
		parts = append(parts, "Default: "+code(standard)+".")
	}
	return strings.Join(parts, " ") + "\n"
}

package main

import (
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"
)

// value says which values a schema allows.
func value(s *jsonschema.Schema) string {
	switch {
	case s.Items != nil && s.Items.Ref != "":
		return "a list of mappings"
	case s.AnyOf != nil && s.AnyOf[0].Title == "":
		return value(s.AnyOf[0]) + ", or a list of them"
	case s.AnyOf != nil:
		return value(s.AnyOf[0])
	case s.Items != nil && len(s.Items.Enum) > 5:
		return "a list of names, such as " + code(s.Items.Enum[1])
	case s.Items != nil:
		return "a list: " + value(s.Items)
	case s.PropertyNames != nil:
		return "texts by name, such as " + code(s.PropertyNames.Enum[0])
	case s.Ref != "" || s.Type == "object":
		return "a mapping"
	case len(s.Enum) > 0 && s.Title != "":
		return s.Title + ", such as " + codes(s.Enum)
	case len(s.Enum) > 0:
		return codes(s.Enum)
	case s.Type == "boolean":
		return "`true`, `false`"
	}
	text := kind(s)
	if len(s.Examples) > 0 {
		text += ", such as " + codes(s.Examples)
	}
	return cell(text)
}

// kind names the kind of a single value: a whole number from 1 to 10, for example.
func kind(s *jsonschema.Schema) string {
	text := map[string]string{"integer": "a whole number", "number": "a number"}[s.Type]
	switch {
	case s.Title != "":
		return s.Title
	case text == "":
		return "text"
	case s.Minimum != "" && s.Maximum != "":
		return fmt.Sprintf("%s from %s to %s", text, s.Minimum, s.Maximum)
	case s.Minimum != "":
		return fmt.Sprintf("%s from %s on", text, s.Minimum)
	}
	return text
}

// codes returns values as code, with commas.
func codes(values []any) string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = code(value)
	}
	return strings.Join(all, ", ")
}

func code(value any) string { return "`" + fmt.Sprint(value) + "`" }

// cell returns a text as the cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(strings.TrimSpace(text))
}

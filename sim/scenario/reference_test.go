package scenario

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	generator "github.com/invopop/jsonschema"
	"github.com/stretchr/testify/require"
)

// TestReference compares what the documentation says about all scenarios: the catalogue of the embedded ones, and the reference of
// all keys.
func TestReference(t *testing.T) {
	t.Parallel()
	for _, part := range []struct{ file, name, content string }{
		{"../../docs/scenarios.md", "catalogue", catalogue(t)},
		{"../../docs/scenario-reference.md", "reference", reference(t)},
	} {
		source, err := os.ReadFile(part.file)
		require.NoError(t, err)
		begin, end := "<!-- generated: "+part.name+" -->\n", "<!-- end -->\n"
		before, after, found := strings.Cut(string(source), begin)
		_, after, closed := strings.Cut(after, end)
		require.True(t, found && closed, "%s has no place for the %s", part.file, part.name)
		generated(t, part.file, before+begin+part.content+end+after)
	}
}

func catalogue(t *testing.T) string {
	var table strings.Builder
	table.WriteString("| scenario | what it is for |\n|---|---|\n")
	for _, name := range Names() {
		s, err := Load(name)
		require.NoError(t, err)
		fmt.Fprintf(&table, "| %s | %s |\n", s.Name, cell(s.Description))
	}
	return table.String()
}

// reference returns a table of keys for the file and for the items of each list, outer ones first, with the path as the heading. A
// mapping that is no item has no table of its own: its keys are in that of the mapping around it.
func reference(t *testing.T) string {
	t.Helper()
	s := reflected(t)
	places := map[string][]string{} // by definition
	rows := map[string]string{}
	var order []string
	var follow func(definition, place string)
	var keys func(definition, place, prefix string, mapping *generator.Schema, required []string)
	follow = func(definition, place string) {
		places[definition] = append(places[definition], place)
		if len(places[definition]) == 1 {
			order = append(order, definition)
			keys(definition, place, "", s.Definitions[definition], s.Definitions[definition].Required)
		}
	}
	keys = func(definition, place, prefix string, mapping *generator.Schema, required []string) {
		type list struct{ definition, place string }
		var inner []list
		for p := mapping.Properties.Oldest(); p != nil; p = p.Next() {
			name := definitionOf(p.Value)
			if name != "" && p.Value.Items == nil {
				keys(definition, place, prefix+p.Key+".", s.Definitions[name], s.Definitions[name].Required)
				continue
			}
			standard := ""
			switch {
			case slices.Contains(required, p.Key):
				standard = "**required**"
			case p.Value.Default != nil:
				standard = code(p.Value.Default)
			}
			rows[definition] += fmt.Sprintf("| `%s` | %s | %s | %s |\n", prefix+p.Key, value(p.Value), standard, cell(p.Value.Description))
			if name != "" {
				inner = append(inner, list{name, strings.TrimPrefix(place+"."+prefix+p.Key+"[]", ".")})
			}
			keys(definition, place, prefix+p.Key+".", p.Value, p.Value.Required)
			for _, alternative := range p.Value.AnyOf {
				keys(definition, place, prefix+p.Key+".", alternative, nil)
			}
		}
		for _, list := range inner {
			follow(list.definition, list.place)
		}
	}
	follow("scenario", "")
	var text strings.Builder
	for _, definition := range order {
		heading := "The file"
		if definition != "scenario" {
			heading = "`" + strings.Join(places[definition], "`, `") + "`"
		}
		text.WriteString("\n## " + heading + "\n\n| key | value | default | |\n|---|---|---|---|\n" + rows[definition])
	}
	text.WriteString("\n")
	return text.String()
}

// definitionOf returns the name of the definition of a value, or of its items, or "" if it has none.
func definitionOf(s *generator.Schema) string {
	if s.Items != nil {
		s = s.Items
	}
	name, _ := strings.CutPrefix(s.Ref, definitionsPrefix)
	return name
}

// value describes the values that a schema allows.
func value(s *generator.Schema) string {
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
	text := s.Title
	switch {
	case text != "":
	case s.Type == "integer" || s.Type == "number":
		text = "a number"
		if s.Type == "integer" {
			text = "a whole number"
		}
		switch least, most := s.Minimum, s.Maximum; {
		case least != "" && most != "":
			text += fmt.Sprintf(" from %s to %s", least, most)
		case least != "":
			text += fmt.Sprintf(" from %s on", least)
		}
	default:
		text = "text"
	}
	if len(s.Examples) > 0 {
		text += ", such as " + codes(s.Examples)
	}
	return cell(text)
}

func codes(values []any) string {
	var list []string
	for _, value := range values {
		list = append(list, code(value))
	}
	return strings.Join(list, ", ")
}

func code(value any) string { return "`" + fmt.Sprint(value) + "`" }

// cell returns a text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(strings.TrimSpace(text))
}

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

// TestReference compares the generated parts of docs/scenarios.md: the catalogue of the embedded scenarios
// and the reference of all keys.
func TestReference(t *testing.T) {
	t.Parallel()
	const file = "../../docs/scenarios.md"
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(source)
	for name, content := range map[string]string{"catalogue": catalogue(t), "reference": reference(t)} {
		before, after, found := strings.Cut(text, "<!-- generated: "+name+" -->\n")
		_, after, closed := strings.Cut(after, "<!-- end -->\n")
		require.True(t, found && closed, "%s has no place for the %s", file, name)
		text = before + "<!-- generated: " + name + " -->\n" + content + "<!-- end -->\n" + after
	}
	generated(t, file, text)
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

// reference returns a table of keys for each mapping of a scenario, outer mappings first, with its path as the heading.
func reference(t *testing.T) string {
	t.Helper()
	s := reflected(t)
	places := map[string][]string{} // by definition
	var order []string
	var follow func(definition, place string)
	follow = func(definition, place string) {
		places[definition] = append(places[definition], place)
		if len(places[definition]) > 1 {
			return
		}
		order = append(order, definition)
		for p := s.Definitions[definition].Properties.Oldest(); p != nil; p = p.Next() {
			inner := strings.TrimPrefix(place+"."+p.Key, ".")
			if p.Value.Items != nil {
				inner += "[]"
			}
			if name := definitionOf(p.Value); name != "" {
				follow(name, inner)
			}
		}
	}
	follow("scenario", "")
	var text strings.Builder
	for _, definition := range order {
		heading := "The file"
		if definition != "scenario" {
			heading = "`" + strings.Join(places[definition], "`, `") + "`"
		}
		text.WriteString("\n### " + heading + "\n\n| key | value | default | |\n|---|---|---|---|\n")
		keys(&text, "", s.Definitions[definition], s.Definitions[definition].Required)
	}
	text.WriteString("\n")
	return text.String()
}

// keys writes a row for each key of a mapping, and of mappings defined inside it.
func keys(table *strings.Builder, prefix string, mapping *generator.Schema, required []string) {
	for p := mapping.Properties.Oldest(); p != nil; p = p.Next() {
		standard := ""
		switch {
		case slices.Contains(required, p.Key):
			standard = "**required**"
		case p.Value.Default != nil:
			standard = code(p.Value.Default)
		}
		fmt.Fprintf(table, "| `%s` | %s | %s | %s |\n", prefix+p.Key, value(p.Value), standard, cell(p.Value.Description))
		keys(table, prefix+p.Key+".", p.Value, p.Value.Required)
		for _, alternative := range p.Value.AnyOf {
			keys(table, prefix+p.Key+".", alternative, nil)
		}
	}
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

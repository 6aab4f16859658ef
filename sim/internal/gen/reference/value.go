package main

import (
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/digitalbanking-sim/banksim/sim/internal/gen/format"
)

// form says which values a schema allows. It says nothing of a text, and where the description begins with a word that
// says it: "When" for a time. The page lists these words.
func form(s *jsonschema.Schema) string {
	of, _, _ := strings.Cut(s.Description, " ")
	switch {
	case s.AnyOf != nil:
		return form(s.AnyOf[0])
	case len(s.Enum) > 7: // the operations
		return ""
	case len(s.Enum) > 0:
		return codes(s.Enum, s.Default)
	case s.Items != nil && len(s.Items.Enum) > 5:
		return "Names, such as " + code(s.Items.Enum[1])
	case s.Items != nil && len(s.Items.Enum) > 0:
		return "A list: " + codes(s.Items.Enum, nil)
	case s.Items != nil && s.Items.Ref == "":
		return "A list"
	case s.PropertyNames != nil:
		return "By name, such as " + code(s.PropertyNames.Enum[0])
	case s.Type == "integer":
		return number(s)
	case s.Type == "boolean" && of != "Whether":
		return "`true` or `false`"
	case of == "When" && s.Format == format.Timestamp, of == "How" && s.Format == format.Duration:
		return ""
	case s.Title != "":
		return strings.ToUpper(s.Title[:1]) + s.Title[1:]
	}
	return ""
}

// number returns the range of a number, or nothing if it is a count without a limit that users meet.
func number(s *jsonschema.Schema) string {
	hasLimit := s.Maximum != "" && len(s.Maximum) < 10
	switch {
	case !hasLimit && strings.HasPrefix(s.Description, "How many"):
		return ""
	case !hasLimit:
		return "A number"
	}
	return fmt.Sprintf("%s to %s", s.Minimum, s.Maximum)
}

// codes returns values as code. The default is bold.
func codes(values []any, standard any) string {
	all := make([]string, len(values))
	for i, value := range values {
		all[i] = code(value)
		if standard != nil && fmt.Sprint(value) == fmt.Sprint(standard) {
			all[i] = "**" + all[i] + "**"
		}
	}
	return strings.Join(all, ", ")
}

func code(value any) string { return "`" + fmt.Sprint(value) + "`" }

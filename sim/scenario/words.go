package scenario

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// alternatives lists values in YAML notation: "a", "b" or "c".
func alternatives(values []any) string {
	var list strings.Builder
	for i, value := range values {
		switch {
		case i > 0 && i == len(values)-1:
			list.WriteString(" or ")
		case i > 0:
			list.WriteString(", ")
		}
		if text, ok := value.(string); ok {
			list.WriteString(phrase.Quote(text))
		} else {
			fmt.Fprint(&list, value)
		}
	}
	return list.String()
}

// secretKeys are the keys whose values no message shows.
var secretKeys = map[string]bool{"secretKey": true, "password": true, "accessToken": true, "refreshToken": true}

// idShown returns an id for a message about a key, after a space; it is empty for a secret.
func idShown(key, id string) string {
	if secretKeys[key] {
		return ""
	}
	return " " + phrase.Quote(id)
}

// written returns a value in YAML notation.
func written(at *yaml.Node) string {
	if at.Tag == "!!str" {
		return phrase.Quote(at.Value)
	}
	return phrase.Shorten(at.Value)
}

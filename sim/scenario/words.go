package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// What messages show of a file is kept short: a value of a megabyte, or ten thousand users, help nobody.
const (
	maxShownText  = 80 // characters
	maxShownNames = 20
)

// shown returns a text in quotes, shortened if it is long.
func shown(text string) string {
	if utf8.RuneCountInString(text) > maxShownText {
		text = string([]rune(text)[:maxShownText]) + "…"
	}
	return strconv.Quote(text)
}

// quoted lists names: "a", "b", "c".
func quoted(names []string) string {
	more := ""
	if len(names) > maxShownNames {
		more = fmt.Sprintf(" and %d more", len(names)-maxShownNames)
		names = names[:maxShownNames]
	}
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = shown(name)
	}
	return strings.Join(list, ", ") + more
}

// alternatives lists values as a file writes them: "a", "b" or "c".
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
			list.WriteString(shown(text))
		} else {
			fmt.Fprint(&list, value)
		}
	}
	return list.String()
}

// secretKeys are the keys whose values no message shows.
var secretKeys = map[string]bool{"secretKey": true, "password": true, "accessToken": true, "refreshToken": true}

// idShown returns an id for a message about a key, with a space before it; nothing where it is a secret.
func idShown(key, id string) string {
	if secretKeys[key] {
		return ""
	}
	return " " + shown(id)
}

// written returns a value as its file shows it.
func written(at *yaml.Node) string {
	if at.Tag == "!!str" {
		return shown(at.Value)
	}
	if utf8.RuneCountInString(at.Value) > maxShownText {
		return shown(at.Value)
	}
	return at.Value
}

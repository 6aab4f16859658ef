package scenario

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// noValue describes a value that is missing, though its author may have written one.
func noValue(v place) string {
	comment := ""
	if v.key != nil {
		comment = v.key.LineComment
	}
	switch {
	case v.at.Anchor != "":
		return v.name + ` has no value: "&" only names the value that follows it, so put a text that starts with it in quotes`
	case strings.HasPrefix(comment, "#") && !strings.HasPrefix(comment, "# "):
		return v.name + ` has no value: what follows "#" is a comment, so put a text that starts with it in quotes`
	}
	return v.name + " has no value: give it one, or remove the key"
}

// itemsAsKeys explains a list whose items YAML reads as keys, since they don't start with "- ".
func itemsAsKeys(at *yaml.Node, must *part) (first *yaml.Node, remedy string) {
	if !slices.Contains(must.Types, "array") || at.Kind != yaml.MappingNode || len(at.Content) == 0 {
		return nil, ""
	}
	if !strings.HasPrefix(plainly(at.Content[0].Value), "-") {
		return nil, ""
	}
	odd := ""
	if name, ok := oddCharacter(at.Content[0].Value); ok {
		odd = ", and here is " + name
	}
	return at.Content[0], `a list item starts with "-" and a space` + odd
}

// kindNames name the kinds of values for messages.
var kindNames = map[string]string{"string": "a string", "boolean": "true or false", "integer": "a whole number", "number": "a number",
	"array": "a list", "object": "a mapping"}

// typeMessage describes a value of the wrong type, and how to write it.
func typeMessage(at *yaml.Node, name string, must *part) string {
	want := must.kinds()[0]
	message := name + " must be " + kindNames[want]
	meant := ""
	switch want {
	case "array":
		return message + ", not " + kindOf(at) + `: start each item with "- "`
	case "object":
		return message + ", not " + kindOf(at) + `: write it as "key: value" lines`
	case "boolean":
		meant = flagMeant(at.Value)
	case "integer", "number":
		meant = numberMeant(at.Value, want == "integer")
	case "string":
		meant = strconv.Quote(at.Value)
	}
	switch {
	case at.Kind != yaml.ScalarNode && name == "body":
		return message + ", not " + kindOf(at) + `: write the JSON in single quotes, as in body: '{"content": []}'`
	case at.Kind != yaml.ScalarNode:
		return fmt.Sprintf("%s must be %s%s, not %s", name, cmp.Or(must.Title, kindNames[want]), such(must), kindOf(at))
	case must.Enum != nil && want == "string", must.Pattern != nil && !must.Pattern.MatchString(at.Value):
		return valueMessage(at, name, must)
	case secretKeys[name]:
		return message + ": write it with quotes"
	case meant == "":
		return message + such(must)
	}
	return message + ": write " + phrase.Shorten(meant) + " instead of " + written(at)
}

// valueMessage describes a value that is none of those allowed, or a text that doesn't match its pattern, which the schema explains
// in the title. It lists many values only if none is similar.
func valueMessage(at *yaml.Node, name string, must *part) string {
	if must.Enum == nil || must.Title != "" {
		message := fmt.Sprintf("%s must be %s%s", name, must.Title, such(must))
		if secretKeys[name] {
			return message
		}
		return message + ", not " + written(at) + oddNote(at.Value) + patternRemedy(at.Value, name, must)
	}
	var known []string
	for _, value := range must.Enum {
		if text, ok := value.(string); ok {
			known = append(known, text)
		}
	}
	message := fmt.Sprintf("%s must be %s, not %s%s", name, alternatives(must.Enum), written(at), oddNote(at.Value))
	near, ok := phrase.Nearest(at.Value, known)
	ok = ok && at.Tag == "!!str"
	if ok && len(known) > 5 || len(known) > maxListed {
		message = fmt.Sprintf("%s can't be %s%s", name, written(at), oddNote(at.Value))
	}
	if ok {
		message += ": did you mean " + phrase.Quote(near) + "?"
	}
	return message
}

// patternRemedy returns what to write in place of a text that doesn't match its pattern, if that is known.
func patternRemedy(text, name string, must *part) string {
	if len(text) > 100 || must.Pattern == nil {
		return ""
	}
	plain := strings.Trim(plainly(text), ` "'`)
	for _, instead := range []string{plain, strings.ToLower(plain), strings.ToUpper(plain)} {
		if instead != "" && must.Pattern.MatchString(instead) {
			return ": write " + phrase.Quote(instead)
		}
	}
	if wrong := timestampFault(plain); wrong != "" && must.Pattern.MatchString("2026-01-15T09:00:00Z") {
		return ": " + wrong
	}
	switch {
	case !must.Pattern.MatchString("24h") || must.Pattern.MatchString("x"):
		return ""
	case plain == "0" && name == "expiresIn":
		return expiredRemedy
	}
	return durationMeant(plain)
}

// expiredRemedy says how a token is written that has expired.
const expiredRemedy = ": for a token that has expired, write expiresAt with a time before the clock's start"

// alternatives lists values in YAML notation: "a", "b" or "c".
func alternatives(values []any) string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = fmt.Sprint(value)
		if text, ok := value.(string); ok {
			list[i] = phrase.Quote(text)
		}
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return strings.Join(list, "")
}

// such returns an example, if the schema has one: ", such as 42".
func such(must *part) string {
	if list := examples(must); list != "" {
		return ", such as " + list
	}
	return ""
}

// maxListed is how many values a message lists.
const maxListed = 20

// examples lists the examples of a part of the schema, or its enumeration, unless there are many.
func examples(must *part) string {
	if must == nil {
		return ""
	}
	list := must.Examples
	if len(list) == 0 && must.Enum != nil {
		list = must.Enum
	}
	if len(list) > maxListed {
		return ""
	}
	return alternatives(list)
}

// written returns a value in YAML notation.
func written(at *yaml.Node) string {
	if at.Tag == "!!str" {
		return phrase.Quote(at.Value)
	}
	return phrase.Shorten(at.Value)
}

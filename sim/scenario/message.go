package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// kindNames name the kinds of values for messages.
var kindNames = map[string]string{"string": "a string", "boolean": "true or false", "integer": "a whole number", "number": "a number",
	"array": "a list", "object": "a mapping"}

// mismatch says what a value must be, which it isn't, and what to write where that is certain. A secret isn't shown.
func mismatch(at *yaml.Node, name string, must *part) string {
	want := must.Types[0]
	what, example := cmp.Or(must.Title, kindNames[want]), such(must)
	if must.Enum != nil && must.Title == "" {
		what, example = alternatives(must.Enum), ""
	} else if at.Tag != "!!str" && must.Pattern != nil && must.Pattern.MatchString(at.Value) {
		what = kindNames[want] // quotes are all that it lacks
	}
	message := name + " must be " + what + example
	switch {
	case want == "array":
		return message + ", not " + kindOf(at) + `: start each item with "- "`
	case want == "object":
		return message + ", not " + kindOf(at) + `: write it as "key: value" lines`
	case at.Kind != yaml.ScalarNode:
		return message + ", not " + kindOf(at)
	case secretKeys[name] && at.Tag != "!!str":
		return message + ": write it with quotes"
	case secretKeys[name]:
		return message
	}
	says := written(at)
	if odd, isOdd := oddCharacter(at.Value); isOdd {
		says += ", which contains " + odd
	}
	if must.Enum == nil {
		return message + ", not " + says + meantValue(at, name, want, must)
	}
	near := nearest(at, must.Enum)
	if known := len(must.Enum); near != "" && known > 5 || known > maxListed {
		return name + " can't be " + says + near
	}
	return message + ", not " + says + near
}

// nearest returns the end of a message about a text that is nearly one of those that may be there.
func nearest(at *yaml.Node, values []any) string {
	known := make([]string, len(values))
	for i, value := range values {
		known[i] = fmt.Sprint(value)
	}
	switch near, ok := phrase.Nearest(at.Value, known); {
	case at.Tag != "!!str" || !ok:
		return ""
	case near == at.Value:
		return ": remove the quotes"
	default:
		i := slices.Index(known, near)
		return ": did you mean " + alternatives(values[i:i+1]) + "?"
	}
}

// meantValue returns what to write in place of a value, if that is known.
func meantValue(at *yaml.Node, name, want string, must *part) string {
	meant, plain := "", strings.Trim(plainly(at.Value), ` "'`+"`")
	fits := func(text string) bool { return must.Pattern == nil || must.Pattern.MatchString(text) }
	switch want {
	case "boolean":
		meant = flags[strings.ToLower(plain)]
	case "integer", "number":
		meant = phrase.Shorten(numberMeant(plain, want == "integer"))
	case "string":
		if at.Tag != "!!str" && fits(at.Value) || at.Tag == "!!str" && plain != "" && fits(plain) {
			meant = phrase.Quote(plain)
		}
	}
	if meant != "" {
		return ": write " + meant
	}
	if must.Pattern == nil {
		return ""
	}
	isDuration := fits("24h") && !fits("x")
	if instead := timestampMeant(plain); instead != "" && fits("2026-01-15T09:00:00Z") {
		return ": " + instead
	}
	switch {
	case name == "expiresIn" && (plain == "0" || strings.HasPrefix(plain, "-")):
		return expiredRemedy
	case isDuration:
		return durationMeant(plain, fits("2026-01-15T09:00:00Z"))
	}
	return ""
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

// maxListed is how many values a message lists.
const maxListed = 20

// such returns the examples that the schema has, or the values that it lists, unless there are many: ", such as 42".
func such(must *part) string {
	if must == nil {
		return ""
	}
	list := must.Examples
	if len(list) == 0 {
		list = must.Enum
	}
	if len(list) == 0 || len(list) > maxListed {
		return ""
	}
	return ", such as " + alternatives(list)
}

// written returns a value in YAML notation.
func written(at *yaml.Node) string {
	if at.Tag == "!!str" {
		return phrase.Quote(at.Value)
	}
	return phrase.Shorten(at.Value)
}

// unknownKeys reports keys that a mapping doesn't have, by their places.
func (r *report) unknownKeys(p place, must *part, places []int) {
	for _, i := range places {
		key, value := p.at.Content[i], p.at.Content[i+1]
		if r.wrong[value] {
			continue
		}
		r.wrong[value] = true
		if keyed[p.list].what != "" && (key.Value == removeKey || key.Value == replaceKey) {
			r.add(key, "%s", strayMark(p.at, key.Value))
		} else {
			r.add(key, "%s", unknownKey(p, must, key.Value, value))
		}
	}
}

// instead has keys that people write, by the list or mapping that they are in, and what is meant.
var instead = map[string]string{"during.after": "from", "during.before": "until", "when.times": "first",
	"tokens.user": "hostUserId", "tokens.sharedKey": "client", "clients.clientSecret": "secretKey", "clients.clientId": "sharedKey"}

// unknownKey says what is wrong with a key that a mapping doesn't have, and what to write if that is certain: the text itself, a key
// of the mapping, or the one place within it, or at the top level, where it belongs.
func unknownKey(p place, must *part, text string, value *yaml.Node) string {
	shown := shownKey(text)
	if remedy, ok := keyRemedy(text, p.at.Style&yaml.FlowStyle != 0, isLeftOut(value)); ok {
		return remedy
	}
	if p.list == "groups" && (text == "groupType" || text == "groupPlatform") {
		return shown + " has one fixed value and can't be set: remove it"
	}
	if must.Pattern != nil && must.Pattern.MatchString(text) || slices.ContainsFunc(must.AnyOf, func(one *part) bool {
		return slices.Contains(one.Enum, any(text))
	}) {
		return fmt.Sprintf("%s is no key here: write %s: %s", shown, p.name, phrase.Shorten(text))
	}
	if inner := pathsTo(must, text); len(inner) == 1 {
		keys := strings.Split(inner[0], ".")
		return fmt.Sprintf("unknown key %s here: write %s: …%s", shown, strings.Join(keys, ": {"), strings.Repeat("}", len(keys)-1))
	}
	if meant := meantKey(p, must, text); meant != "" {
		return fmt.Sprintf("unknown key %s: did you mean %q?", shown, meant)
	}
	if scenarioPart().Properties[text] != nil && value.Kind != yaml.ScalarNode {
		return fmt.Sprintf("unknown key %s here: it belongs at the top level of the file", shown)
	}
	return "unknown key " + shown + ": the keys here are " + phrase.Names(slices.Sorted(maps.Keys(must.Properties)))
}

// meantKey returns the key of a mapping that an unknown one stands for; empty: that isn't clear.
func meantKey(p place, must *part, text string) string {
	within := cmp.Or(p.list, p.name)
	if name := instead[within+"."+text]; name != "" {
		return name
	}
	known := slices.Sorted(maps.Keys(must.Properties))
	for _, name := range known { // a long one, such as groupName for name in groups
		if strings.HasSuffix(strings.ToLower(name), strings.ToLower(strings.TrimSuffix(within, "s")+text)) {
			return name
		}
	}
	isKeyElsewhere := false
	for _, definition := range format() {
		isKeyElsewhere = isKeyElsewhere || definition.Properties[text] != nil
	}
	if near, ok := phrase.Nearest(text, known); ok && (!isKeyElsewhere || phrase.Edits([]rune(text), []rune(near)) <= 1) {
		return near
	}
	return ""
}

// shownKey returns a key for a message: only its beginning, if what follows may be a secret.
func shownKey(text string) string {
	for key := range secretKeys {
		if before, rest, ok := strings.Cut(text, key); ok && rest != "" {
			return phrase.Quote(before + key + "…")
		}
	}
	return phrase.Quote(text)
}

// keyRemedy returns what is wrong with the text of a key, if it isn't a word. What follows a missing colon may be secret.
func keyRemedy(text string, flow, bare bool) (string, bool) {
	plain := plainly(text)
	name, rest, colon := strings.Cut(plain, ":")
	if !colon {
		name, _, _ = strings.Cut(plain, "=")
	}
	odd, isOdd := oddCharacter(text)
	switch {
	case isOdd && colon:
		return fmt.Sprintf("the key contains %s: write %s", odd, phrase.Quote(name+": …")), true
	case isOdd:
		return fmt.Sprintf("the key contains %s: write %s", odd, shownKey(strings.Trim(plain, ` "'-`))), true
	case bare && name != "" && (colon && rest != "" || name != plain):
		return `a key and its value are separated by ":" and a space: write ` + phrase.Quote(strings.TrimSpace(name)+": …"), true
	case strings.HasPrefix(text, "-") && strings.Trim(text, "-") != "" && !flow:
		return fmt.Sprintf(`a list item starts with "- ": write a space after the "-" of %s, or remove it`, shownKey(text)), true
	case flow && bare:
		return commaInText, true
	}
	return "", false
}

// pathsTo returns the ways from a mapping of the schema to the mappings in it, not in lists, that have a key, with the key.
func pathsTo(must *part, key string) (paths []string) {
	must = must.resolved()
	for _, one := range must.AnyOf {
		paths = append(paths, pathsTo(one, key)...)
	}
	for name, property := range must.Properties {
		if name == key {
			paths = append(paths, key)
		}
		for _, path := range pathsTo(property, key) {
			paths = append(paths, name+"."+path)
		}
	}
	return paths
}

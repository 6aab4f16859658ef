package scenario

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// otherKeys maps keys that people write, after their list or mapping, to the keys of the format.
var otherKeys = map[string]string{
	"during.after":         "from",
	"during.before":        "until",
	"when.times":           "first",
	"then.latency":         "delay",
	"faults.response":      "then",
	"tokens.user":          "hostUserId",
	"tokens.sharedKey":     "client",
	"clients.clientSecret": "secretKey",
	"clients.clientId":     "sharedKey",
	"tokens.token":         "accessToken",
	"users.userId":         "hostUserId",
	"then.fault":           "connection",
	"then.jsonBody":        "body",
	"then.fixedDelay":      "delay",
	"when.count":           "first",
	"faults.if":            "when",
	"faults.url":           "path",
	"faults.uri":           "path",
	"faults.endpoint":      "path",
	"faults.route":         "path",
	"generate.accounts":    "accountsPerUser",
}

// otherPairs maps keys that people write, after their list and with their value, to what the format has.
var otherPairs = map[string]string{
	"faults.enabled: false": "off: true", "faults.active: false": "off: true", "faults.disabled: true": "off: true",
	"faults.enable: false": "off: true", "faults.enabled: true": "off: false", "faults.active: true": "off: false",
}

// otherRemovals are the keys that people write to remove an inherited item.
var otherRemovals = []string{"delete", "deleted", "removed", "absent", "skip"}

const commaInText = `a "," separates entries in { }: write numbers without it, and texts that contain one in quotes`

var digits = lazy.Regexp(`^[0-9]+$`)

// splitNumber explains a number that commas have split in { }, such as 1,000. It returns how many keys are the rest of
// the number, or 0 if the key at the index is not the rest of a number. It shows no secret.
func splitNumber(mapping *yaml.Node, index int) (message string, rest int) {
	isRest := func(i int) bool {
		return i < len(mapping.Content) && isLeftOut(mapping.Content[i+1]) &&
			startsWithDigit().MatchString(mapping.Content[i].Value)
	}
	if index == 0 || mapping.Style&yaml.FlowStyle == 0 || !isRest(index) {
		return "", 0
	}
	number := mapping.Content[index-1].Value
	isNumber := digits().MatchString(number) && !followsSecret(mapping, index)
	for ; isRest(index + 2*rest); rest++ {
		part := mapping.Content[index+2*rest].Value
		if len(part)%3 == 0 && number != "0" && digits().MatchString(part) {
			number += part
		} else {
			number += "." + part
		}
	}
	if !isNumber {
		return commaInText, rest
	}
	return fmt.Sprintf(`a "," separates entries in { }: write %s, and texts that contain one in quotes`,
		wording.Shorten(number)), rest
}

var startsWithDigit = lazy.Regexp(`^[0-9]`)

// followsSecret reports whether a secret is before a key of a mapping in { }. The key may be the rest of the secret.
func followsSecret(mapping *yaml.Node, index int) bool {
	for i := 0; mapping.Style&yaml.FlowStyle != 0 && i < index; i += 2 {
		if secretKeys[mapping.Content[i].Value] {
			return true
		}
	}
	return false
}

// unknownKey is a key that a mapping can't have.
type unknownKey struct {
	in    namedNode // the mapping
	want  *schema
	key   *yaml.Node
	value *yaml.Node
}

// keyHints recognize what a key was meant to be. Each returns what is wrong and what to do, or nothing. The first one
// that knows the mistake explains it.
var keyHints = []func(unknownKey) string{
	mistypedKey, fixedKey, standingRefusal, nameAsKey, otherKey, keyOfInnerMapping, anchorHolder, similarKey,
	keyOfOtherMapping,
}

// String explains the key, and says what to write if that is certain.
func (u unknownKey) String() string {
	if isLeftOut(u.value) && followsSecret(u.in.node, slices.Index(u.in.node.Content, u.key)) {
		return cmp.Or(similarKey(u), commaInText)
	}
	for _, hint := range keyHints {
		if message := hint(u); message != "" {
			return message
		}
	}
	return u.shown() + ": the keys here are " + wording.Names(slices.Sorted(maps.Keys(u.want.Properties)))
}

// shown begins a message about the key.
func (u unknownKey) shown() string { return "unknown key " + shownKey(u.key.Value) }

// fixedKey finds a member of answers that no scenario sets.
func fixedKey(u unknownKey) string {
	if u.in.list == "groups" && (u.key.Value == "groupType" || u.key.Value == "groupPlatform") {
		return shownKey(u.key.Value) + " has one fixed value and can't be set: remove it"
	}
	return ""
}

// standingRefusal finds an entry of the ledger whose refusals no scenario can turn off.
func standingRefusal(u unknownKey) string {
	e, isEntry := contract.FindEntry(u.key.Value)
	if u.in.name != contract.EverywhereRefusals.Switch.Key || !isEntry {
		return ""
	}
	return fmt.Sprintf("what %s refuses can't be accepted: %s", e.ID, contract.WhyRefused(e))
}

// nameAsKey finds a name, such as the kind of a connection fault, that is the whole value.
func nameAsKey(u unknownKey) string {
	isNamed := func(one *schema) bool { return slices.Contains(enum(one), any(u.key.Value)) }
	if slices.ContainsFunc(u.want.AnyOf, isNamed) {
		return fmt.Sprintf(
			"%s is no key here: write %s: %s", shownKey(u.key.Value), u.in.name, wording.Shorten(u.key.Value),
		)
	}
	return ""
}

// otherKey finds a key that other tools have for what a key of this mapping says.
func otherKey(u unknownKey) string {
	pair := u.key.Value + ": " + flags[strings.ToLower(u.value.Value)]
	write := otherPairs[u.in.list+"."+pair]
	isRemoval := slices.Contains(otherRemovals, u.key.Value) && lists[u.in.list].item != ""
	switch meant := otherKeys[cmp.Or(u.in.list, u.in.name)+"."+u.key.Value]; {
	case write != "":
	case isRemoval && flags[strings.ToLower(u.value.Value)] == "true":
		write = removeKey + ": true"
	case meant != "":
		return fmt.Sprintf("%s: did you mean %q?", u.shown(), meant)
	}
	if write == "" {
		return ""
	}
	return fmt.Sprintf("%s: write %s", u.shown(), write)
}

// keyOfInnerMapping finds a key of a mapping inside this one, also if it is written with dots.
func keyOfInnerMapping(u unknownKey) string {
	paths := pathsTo(u.want, u.key.Value, u.value)
	if strings.Contains(u.key.Value, ".") && hasPath(u.want, u.key.Value) {
		paths = []string{u.key.Value}
	}
	if len(paths) != 1 {
		return ""
	}
	keys := strings.Split(paths[0], ".")
	opened, closed := strings.Join(keys, ": {"), strings.Repeat("}", len(keys)-1)
	return fmt.Sprintf("%s here: write %s: …%s", u.shown(), opened, closed)
}

// anchorHolder finds a key of its own for a value with an anchor.
func anchorHolder(u unknownKey) string {
	if u.value.Anchor == "" || u.value.Kind == yaml.ScalarNode {
		return ""
	}
	return fmt.Sprintf("%s: no key is there for anchors alone: write &%s where its value is used first",
		u.shown(), wording.Shorten(u.value.Anchor))
}

// similarKey finds a key of the mapping that the unknown one stands for.
func similarKey(u unknownKey) string {
	meant := meantKey(u.in, u.want, u.key.Value, u.value)
	switch {
	case meant == "":
		return ""
	case u.value.Kind == yaml.MappingNode && typeOf(u.want.Properties[meant].resolved()) == "array":
		return fmt.Sprintf(`%s: did you mean %q? It is a list: start each item with "- "`, u.shown(), meant)
	}
	return fmt.Sprintf("%s: did you mean %q?", u.shown(), meant)
}

// keyOfOtherMapping finds the only other place that has the key, or the first one below the top.
func keyOfOtherMapping(u unknownKey) string {
	homes := homesOf(u.key.Value, u.value)
	const first = "institutions[]"
	switch {
	case u.want == definition("scenario") && slices.Contains(homes, first):
		return u.shown() + " here: it belongs in " + first
	case u.value.Kind == yaml.ScalarNode && !(len(homes) == 1 && slices.Contains(homesOfScalars[u.in.name], homes[0])):
		return "" // other names of members are alike
	case slices.Contains(homes, ""):
		return u.shown() + " here: it belongs at the top level of the file"
	case len(homes) == 1:
		return u.shown() + " here: it belongs in " + homes[0]
	}
	return ""
}

// homesOfScalars has where a scalar may belong that stands in a mapping.
var homesOfScalars = map[string][]string{
	"when": {"faults[]", "faults[].then"}, "then": {"faults[]", "faults[].when"},
	"groups": {"behavior.tokens", "behavior.alerts", "behavior.estatements"},
	"tokens": {"behavior.groups", "behavior.alerts", "behavior.estatements"},
	"alerts": {"behavior.groups", "behavior.tokens", "behavior.estatements"},
}

// meantKey returns the key of a mapping that an unknown key stands for, or an empty text if that is not clear.
func meantKey(p namedNode, want *schema, text string, value *yaml.Node) string {
	within := cmp.Or(p.list, p.name)
	known := slices.Sorted(maps.Keys(want.Properties))
	for _, name := range known { // a long one, such as groupName for name in groups
		if strings.HasSuffix(strings.ToLower(name), strings.ToLower(strings.TrimSuffix(within, "s")+text)) {
			return name
		}
	}
	known = slices.DeleteFunc(
		known, func(name string) bool { return value.Kind != yaml.ScalarNode && isScalar(want.Properties[name]) },
	)
	near, ok := wording.Nearest(text, known)
	if ok && (len(homesOf(text, value)) == 0 || wording.Edits([]rune(text), []rune(near)) <= 1) {
		return near
	}
	return ""
}

// shownKey returns a key for a message: only its beginning, if what follows may be a secret.
func shownKey(text string) string {
	for key := range secretKeys {
		if before, rest, ok := strings.Cut(text, key); ok && rest != "" {
			return wording.Quote(before + key + "…")
		}
	}
	return wording.Quote(text)
}

// isLeftOut reports whether nothing is written for a value.
func isLeftOut(n *yaml.Node) bool { return isNull(n) && n.Value == "" }

// mistypedKey finds a key that is no word. In { }, a key without a value may be the rest of a text. The message doesn't
// show the text after a missing colon, because that may be secret.
func mistypedKey(u unknownKey) string {
	text, inFlow, hasNoValue := u.key.Value, u.in.node.Style&yaml.FlowStyle != 0, isLeftOut(u.value)
	plain := plainly(text)
	name, rest, colon := strings.Cut(plain, ":")
	if !colon {
		name, _, _ = strings.Cut(plain, "=")
	}
	odd := oddCharacter(text)
	switch {
	case odd != "" && colon:
		return fmt.Sprintf("the key contains %s: write %s", odd, wording.Quote(name+": …"))
	case odd != "":
		return fmt.Sprintf("the key contains %s: write %s", odd, shownKey(strings.Trim(plain, ` "'-`)))
	case hasNoValue && name != "" && (colon && rest != "" || name != plain):
		return `a key and its value are separated by ":" and a space: write ` + wording.Quote(
			strings.TrimSpace(name)+": …",
		)
	case strings.HasPrefix(text, "-") && strings.Trim(text, "-") != "" && !inFlow:
		return fmt.Sprintf(
			`a list item starts with "- ": write a space after the "-" of %s, or remove it`,
			shownKey(text),
		)
	case inFlow && hasNoValue:
		return commaInText
	}
	return ""
}

// isScalar reports whether a schema allows texts, numbers and the like, and no mappings or lists.
func isScalar(s *schema) bool {
	s = s.resolved()
	return s.AnyOf == nil && !slices.Contains([]string{"array", "object", ""}, typeOf(s))
}

// hasPath reports whether a mapping of the schema has a value at a path of keys with dots between.
func hasPath(s *schema, path string) bool {
	for key := range strings.SplitSeq(path, ".") {
		if s = s.resolved().Properties[key]; s == nil {
			return false
		}
	}
	return true
}

// pathsTo returns the paths from a mapping to a key of the mappings in it. It leaves out lists, and keys that can't
// have the type of the value.
func pathsTo(want *schema, key string, value *yaml.Node) (paths []string) {
	want = want.resolved()
	for _, one := range want.AnyOf {
		paths = append(paths, pathsTo(one, key, value)...)
	}
	for name, property := range want.Properties {
		if name == key && takes(property, value) && property.fits(value) {
			paths = append(paths, key)
		}
		for _, path := range pathsTo(property, key, value) {
			paths = append(paths, name+"."+path)
		}
	}
	return paths
}

// takes reports whether a schema, or one of its alternatives, allows the type of a value.
func takes(s *schema, value *yaml.Node) bool {
	s = s.resolved()
	return s.AnyOf == nil && s.allows(value) ||
		slices.ContainsFunc(s.AnyOf, func(one *schema) bool { return takes(one, value) })
}

// homesOf returns the paths of the mappings that have a key, such as institutions[].users[], or "" for the top level.
func homesOf(key string, value *yaml.Node) (homes []string) {
	around := map[*schema]bool{} // the schemas on the way
	var visit func(s *schema, path string)
	visit = func(s *schema, path string) {
		if s = s.resolved(); around[s] {
			return
		}
		around[s] = true
		for _, one := range s.AnyOf {
			visit(one, path)
		}
		if s.Items != nil {
			visit(s.Items, path+"[]")
		}
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if property := s.Properties[name]; name == key && takes(property, value) {
				homes = append(homes, path)
			}
			visit(s.Properties[name], strings.TrimPrefix(path+"."+name, "."))
		}
		delete(around, s)
	}
	visit(definition("scenario"), "")
	return homes
}

package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// unknownKey describes a key that a mapping doesn't have, and what to do where that is certain: mend its text, correct its spelling, write
// it out as the mapping has it, or move it to the one place in the format that has it.
func (e explainer) unknownKey(part *jsonschema.Schema, at, key, value *yaml.Node, location []string) string {
	text := key.Value
	empty := value.Kind == yaml.ScalarNode && value.Tag == "!!null"
	if empty && at.Style&yaml.FlowStyle != 0 && afterSecret(at, key) {
		return commaInText
	}
	if remedy, ok := keyRemedy(text, at, value); ok {
		return remedy
	}
	if word, rest, ok := strings.Cut(text, " "); ok && rest != "" && empty && part.Properties[word] != nil {
		return "write a colon after " + phrase.Quote(word)
	}
	known := slices.Sorted(maps.Keys(part.Properties))
	if always := fixed[text]; always != "" && part.Properties["groupName"] != nil {
		return fmt.Sprintf("%s is always %s and can't be set: remove the line", text, always)
	}
	near, ok := phrase.Nearest(text, known)
	if ok && phrase.Edits([]rune(text), []rune(near)) <= 1 {
		return unknownAs(text, phrase.DidYouMean(text, known, ""))
	}
	if long := longName(text, known); long != "" {
		return unknownAs(text, ": did you mean "+phrase.Quote(long)+"?")
	}
	if where := onlyPlace(e.keys()[text], pathOf(location), text); where != "" {
		return unknownAs(text, where)
	}
	return unknownAs(text, phrase.DidYouMean(text, known, "the keys here are"))
}

// fixed are the members of the interface that have one value, which no scenario sets.
var fixed = map[string]string{"groupType": "EXPERIENCE_GROUP", "groupPlatform": "RETAIL_BANKING"}

// otherNames are names that other parts of the interface have for the same thing.
var otherNames = map[string]string{"user": "hostUserId", "username": "hostUserId", "userid": "hostUserId", "sharedkey": "client"}

// longName returns the only one of the known keys that a short name can stand for: groupName for name; empty: there is none.
func longName(text string, known []string) string {
	short := strings.ToLower(text)
	if other := otherNames[short]; slices.Contains(known, other) {
		return other
	}
	long := slices.DeleteFunc(slices.Clone(known), func(key string) bool {
		return len(short) < 4 || !strings.HasSuffix(strings.ToLower(key), short)
	})
	if len(long) != 1 {
		return ""
	}
	return long[0]
}

// onlyPlace says where a key belongs that one mapping of the whole format has, if that is around the mapping at a path, or in it.
func onlyPlace(places []string, here, key string) string {
	if len(places) != 1 {
		return ""
	}
	inner, within := strings.CutPrefix(places[0], here+".")
	switch {
	case within && !strings.ContainsAny(inner, ".["):
		return fmt.Sprintf(" here: it belongs below %s, as in %s: {%s: …}", inner, inner, key)
	case places[0] == "" || strings.HasPrefix(here, places[0]+".") || strings.HasPrefix(here, places[0]+"["):
		return " here: it belongs " + placeName(places[0])
	}
	return ""
}

func placeName(path string) string {
	if path == "" {
		return "at the top level of the file"
	}
	return "to " + path
}

func unknownAs(key, remedy string) string { return "unknown key " + shownKey(key) + remedy }

// shownKey returns a key for a message: only its beginning, if what follows may be a secret.
func shownKey(text string) string {
	for key := range secretKeys {
		if before, _, ok := strings.Cut(text, key); ok && before+key != text {
			return phrase.Quote(before + key + "…")
		}
	}
	return phrase.Quote(text)
}

// keyRemedy returns what is wrong with the text of a key, if it isn't a word. What follows a missing colon may be secret.
func keyRemedy(text string, in, value *yaml.Node) (string, bool) {
	word := strings.TrimLeft(text, "-")
	flow := in.Style&yaml.FlowStyle != 0
	empty := value.Kind == yaml.ScalarNode && value.Tag == "!!null"
	plain := plainly(text)
	name, rest, colon := strings.Cut(plain, ":")
	odd, isOdd := findOdd(text)
	switch {
	case isOdd && odd == 0 && !flow && strings.HasPrefix(plainly(text), "-"):
		name, _ := oddCharacter(text)
		return fmt.Sprintf(`%s starts the line: start a list item with "- "`, name), true
	case isOdd && odd == 0 && !flow && strings.HasPrefix(plainly(text), " "):
		name, _ := oddCharacter(text)
		return fmt.Sprintf("%s is in the indentation: write spaces", name), true
	case colon && rest != "" && empty && name != "" && strings.Contains(text, ":"):
		return fmt.Sprintf("write a space after the colon of %s", phrase.Quote(name)), true
	case colon && rest != "" && empty && name != "":
		odd, _ := oddCharacter(text[len(name):])
		return fmt.Sprintf("the key contains %s: write %s", odd, phrase.Quote(name+": …")), true
	case isOdd && !flow && strings.HasPrefix(plainly(text), "- "):
		name, _ := oddCharacter(text)
		return fmt.Sprintf(`%s follows the "-": write a space`, name), true
	case isOdd:
		name, _ := oddCharacter(text)
		return fmt.Sprintf("the key contains %s: write %s", name, shownKey(strings.Trim(plain, ` "'`))), true
	case len(word) < len(text) && word != "" && !flow:
		return fmt.Sprintf(`a list item starts with "- ": write a space after the "-" of %s, or remove it`, shownKey(text)), true
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "/*"), strings.HasPrefix(text, ";"):
		return commentSign, true
	case strings.Contains(text, "=") && empty:
		name, _, _ := strings.Cut(text, "=")
		return fmt.Sprintf(`a key and its value are separated by ":": write %s`, phrase.Quote(strings.TrimSpace(name)+": …")), true
	case strings.HasPrefix(text, "{{"), strings.HasPrefix(text, "${"):
		return placeholder, true
	case flow && empty && word != "" && strings.Trim(text, "0123456789") == "":
		return commaInText, true
	}
	return "", false
}

const commaInText = `a "," separates entries in { }: write numbers without it, and texts that contain one in quotes`

// afterSecret reports whether a key follows a value that no message shows, of which it may be the rest.
func afterSecret(in, key *yaml.Node) bool {
	for i := 2; i < len(in.Content); i += 2 {
		if in.Content[i] == key {
			return secretKeys[in.Content[i-2].Value]
		}
	}
	return false
}

// pathOf returns a location in a tree as a path of the format: institutions[].users[].
func pathOf(location []string) string {
	var path strings.Builder
	for _, step := range location {
		if step != "" && strings.Trim(step, "0123456789") == "" {
			path.WriteString("[]")
			continue
		}
		if path.Len() > 0 {
			path.WriteByte('.')
		}
		path.WriteString(step)
	}
	return path.String()
}

// keysOf returns the paths of the mappings that have a key, by key, in what a part of the schema describes.
func keysOf(root *jsonschema.Schema) map[string][]string {
	keys := map[string][]string{}
	var visit func(part *jsonschema.Schema, path string, depth int)
	visit = func(part *jsonschema.Schema, path string, depth int) {
		if part == nil || depth > maxDepth {
			return
		}
		visit(part.Ref, path, depth+1)
		for _, alternative := range part.AnyOf {
			visit(alternative, path, depth+1)
		}
		visit(part.Items2020, path+"[]", depth+1)
		for _, key := range slices.Sorted(maps.Keys(part.Properties)) {
			if !slices.Contains(keys[key], path) {
				keys[key] = append(keys[key], path)
			}
			visit(part.Properties[key], strings.TrimPrefix(path+"."+key, "."), depth+1)
		}
	}
	visit(root, "", 0)
	return keys
}

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

// unknownKey describes a key that a mapping doesn't have, and what to do: mend its text, move it to where it belongs, or correct
// its spelling.
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
	near, ok := phrase.Nearest(text, known)
	if ok && phrase.Edits([]rune(text), []rune(near)) <= 1 {
		return unknownAs(text, phrase.DidYouMean(text, known, ""))
	}
	if where := e.belongs(text, at, value, location); where != "" {
		return unknownAs(text, where)
	}
	return unknownAs(text, phrase.DidYouMean(text, known, "the keys here are"))
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
		return placeholder(text[:2]), true
	case flow && empty && word != "" && strings.Trim(text, "0123456789") == "":
		return commaInText, true
	}
	return "", false
}

// maxPlaces is how many places are listed to which a key may belong.
const maxPlaces = 3

const commaInText = `a "," separates entries in { }: write numbers without it, and texts that contain one in quotes`

// afterSecret reports whether a key follows a value that no message shows, of which it may be the rest.
func afterSecret(in, key *yaml.Node) bool {
	for i := 2; i < len(in.Content); i += 2 {
		if in.Content[i] == key {
			return namesSecret(in.Content[i-2].Value)
		}
	}
	return false
}

// belongs returns where in the format a key belongs that is unknown at a location: below it, or else around it, or else apart from
// it. It returns nothing for a key that is known nowhere, or in too many places.
func (e explainer) belongs(key string, in, value *yaml.Node, location []string) string {
	here := pathOf(location)
	var places []string
	for _, place := range e.keys()[key] {
		if place.takes(value) || e.report.told[value] {
			places = append(places, place.path)
		}
	}
	for _, related := range []func(here, place string) bool{isWithin, isAround, isApart} {
		near := slices.DeleteFunc(slices.Clone(places), func(place string) bool { return !related(here, place) })
		if len(near) > maxPlaces {
			near = outermost(near)
		}
		switch {
		case len(near) == 0:
			continue
		case len(near) > maxPlaces:
			return ""
		}
		return fmt.Sprintf(" here: it belongs %s, so %s", placeNames(near), move(here, near, in))
	}
	return ""
}

// outermost returns the paths with the fewest steps.
func outermost(paths []string) []string {
	steps := func(path string) int { return strings.Count(path, ".") }
	fewest := steps(slices.MinFunc(paths, func(a, b string) int { return steps(a) - steps(b) }))
	return slices.DeleteFunc(paths, func(path string) bool { return steps(path) > fewest })
}

// move says how to bring a key to where it belongs.
func move(here string, places []string, in *yaml.Node) string {
	switch {
	case len(places) > 1 || in.Style&yaml.FlowStyle != 0:
		return "move it there"
	case isWithin(here, places[0]):
		return "indent it further, below " + lastStep(places[0])
	case isAround(here, places[0]):
		return "indent it less"
	}
	return "move it there"
}

// lastStep returns the last key of a path.
func lastStep(path string) string {
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '.')+1:], "[]")
}

func placeNames(places []string) string {
	names := make([]string, len(places))
	for i, place := range places {
		names[i] = "to " + place
		if place == "" {
			names[i] = "at the top level of the file"
		}
	}
	switch last := len(names) - 1; last {
	case 0:
		return names[0]
	default:
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
}

func isWithin(here, place string) bool {
	return place != here && (here == "" || strings.HasPrefix(place, here+".") || strings.HasPrefix(place, here+"["))
}

func isAround(here, place string) bool { return isWithin(place, here) }

func isApart(here, place string) bool {
	return here != place && !isWithin(here, place) && !isAround(here, place)
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

// keyPlace is a mapping that has a key.
type keyPlace struct {
	path string
	kind yaml.Kind // of the key's value; 0: any
}

// takes reports whether a value is of the kind that the key has there.
func (p keyPlace) takes(value *yaml.Node) bool {
	null := value.Kind == yaml.ScalarNode && value.Tag == "!!null"
	return null || p.kind == 0 || p.kind == value.Kind
}

// keysOf returns the mappings that have a key, by key, in what a part of the schema describes.
func keysOf(root *jsonschema.Schema) map[string][]keyPlace {
	keys := map[string][]keyPlace{}
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
			place := keyPlace{path, kindOfPart(part.Properties[key])}
			if !slices.Contains(keys[key], place) {
				keys[key] = append(keys[key], place)
			}
			visit(part.Properties[key], strings.TrimPrefix(path+"."+key, "."), depth+1)
		}
	}
	visit(root, "", 0)
	return keys
}

// kindOfPart returns the kind of the values that a part of the schema describes, or 0 if there are several.
func kindOfPart(part *jsonschema.Schema) yaml.Kind {
	for depth := 0; part.Ref != nil && depth < maxDepth; depth++ {
		part = part.Ref
	}
	var types []string
	if part.Types != nil {
		types = part.Types.ToStrings()
	}
	switch collection := slices.Contains(types, "object") || slices.Contains(types, "array"); {
	case part.AnyOf != nil, collection && len(slices.DeleteFunc(types, func(t string) bool { return t == "null" })) > 1:
		return 0
	case part.Properties != nil:
		return yaml.MappingNode
	case part.Items2020 != nil:
		return yaml.SequenceNode
	case len(types) > 0 && !collection:
		return yaml.ScalarNode
	}
	return 0
}

package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// freeTexts are the keys of texts for people, which may have any characters.
var freeTexts = map[string]bool{"description": true, "groupDescription": true, "reason": true, "jobDetails": true, "errorMsg": true,
	"holdReason": true, "message": true, "messages": true, "body": true, "additionalInfo": true}

// nameKeys are the keys of names, in which quotes and dashes that are set well are no mistakes.
var nameKeys = map[string]bool{"name": true, "groupName": true, "experienceName": true, "inputFileName": true, "alertTypeName": true,
	"institutionDisclosureName": true}

// characters warns of characters in ids, names and keys that can't be seen, or look like others.
func (l *fileLinter) characters(key string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			name, value := n.Content[i], n.Content[i+1]
			if what, ok := oddIn(name.Value, false); ok {
				l.add(oddCharacterCode, l.file, name, "the key %s has %s: type it again%s", phrase.Quote(name.Value), what, asPlain("", name.Value))
			}
			if !freeTexts[name.Value] || value.Kind == yaml.MappingNode && name.Value == "body" {
				l.characters(name.Value, value)
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			l.characters(key, item)
		}
	case yaml.ScalarNode:
		if n.Tag != "!!str" {
			return
		}
		if what, ok := oddIn(n.Value, nameKeys[key]); ok {
			l.add(oddCharacterCode, l.file, n, "%s%s has %s: type it again%s", key, idShown(key, n.Value), what, asPlain(key, n.Value))
		}
	}
}

// asPlain says what to write for a text with odd characters, unless it is a secret, or nothing is left of it.
func asPlain(key, text string) string {
	plain := latin(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, plainly(text)))
	if bare := strings.Trim(strings.TrimSpace(plain), `"'`); bare != "" {
		plain = strings.TrimSpace(bare)
	}
	if secretKeys[key] || plain == "" {
		return ""
	}
	return " as " + phrase.Quote(plain)
}

// oddIn says what is odd about the characters of a text, or of a name.
func oddIn(text string, isName bool) (what string, ok bool) {
	if edge, ok := oddEdge(text); ok {
		return edge, true
	}
	odd, isOdd := oddCharacter(text)
	if isOdd && !(isName && setWell(text)) {
		return odd, true
	}
	mixed := strings.ContainsFunc(text, func(r rune) bool { return r < unicode.MaxASCII && unicode.IsLetter(r) })
	for _, r := range text {
		switch {
		case !unicode.IsPrint(r) && !unicode.IsSpace(r) && !isOdd, unicode.IsControl(r):
			return fmt.Sprintf("a character that can't be seen (U+%04X)", r), true
		case mixed && lookalikes[r] != 0:
			return fmt.Sprintf("a letter that looks like a Latin %c (%c, U+%04X)", lookalikes[r], r, r), true
		}
	}
	return "", false
}

// oddEdge says what space a text begins or ends with.
func oddEdge(text string) (what string, ok bool) {
	kind := func(r rune) string {
		switch {
		case strings.ContainsRune("\n\r", r):
			return "a line break"
		case r == '\t':
			return "a tab"
		case r == ' ':
			return "a space"
		}
		return ""
	}
	characters := []rune(text)
	if len(characters) == 0 {
		return "", false
	}
	if what := kind(characters[0]); what != "" {
		return what + " at its start", true
	}
	what = kind(characters[len(characters)-1])
	return what + " at its end", what != ""
}

// setWell reports whether the odd characters of a name are quotes and dashes that a careful writer sets: all can be seen, and
// the name is not enclosed in them, as it is where they were meant for the quotes of YAML.
func setWell(name string) bool {
	const quotes, others = "“”„‟«»‘’‚‛", "‐‒–—―−•·…´"
	for _, r := range name {
		if _, odd := oddAt(r); odd && !strings.ContainsRune(quotes+others, r) {
			return false
		}
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	return !strings.ContainsRune(quotes, first) || !strings.ContainsRune(quotes, last)
}

// lookalikes are letters of other alphabets that look like Latin ones.
var lookalikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'е': 'e', 'к': 'k', 'м': 'm', 'о': 'o', 'р': 'p', 'с': 'c', 'т': 't', 'у': 'y', 'х': 'x', 'і': 'i', 'ѕ': 's', 'ј': 'j',
	'А': 'A', 'В': 'B', 'Е': 'E', 'К': 'K', 'М': 'M', 'Н': 'H', 'О': 'O', 'Р': 'P', 'С': 'C', 'Т': 'T', 'У': 'Y', 'Х': 'X', 'І': 'I', 'Ѕ': 'S', 'Ј': 'J',
	'α': 'a', 'ο': 'o', 'ν': 'v', 'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O', 'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X',
}

// latin returns a text with Latin letters in place of those that look like them.
func latin(text string) string {
	return strings.Map(func(r rune) rune {
		if like := lookalikes[r]; like != 0 {
			return like
		}
		return r
	}, text)
}

// nearIDs warns of ids in a mapping that are nearly those of other items of their list, or of the one that the mapping is
// merged into.
func (l *fileLinter) nearIDs(inherited, mapping *yaml.Node) {
	for i := 0; i < len(mapping.Content); i += 2 {
		name, value := mapping.Content[i].Value, mapping.Content[i+1]
		switch list, isKeyed := keyed[name]; {
		case name == freeForm:
		case value.Kind == yaml.MappingNode:
			l.nearIDs(valueOf(inherited, name), value)
		case value.Kind == yaml.SequenceNode && isKeyed && len(list.by) == 1 && len(list.by[0]) == 1:
			l.nearItems(list.by[0][0], list, valueOf(inherited, name), value)
		}
	}
}

func (l *fileLinter) nearItems(key string, list identity, inherited, own *yaml.Node) {
	if len(own.Content) > 0 && replacesList(own.Content[0]) {
		inherited = nil
	}
	known := list.index(inherited)
	near := map[string]*yaml.Node{}
	removed := map[string]bool{}
	for _, item := range own.Content {
		if id := valueOf(item, key); isKind(id, yaml.ScalarNode) && marked(item, removeKey) {
			removed[id.Value] = true
		}
	}
	for i := 0; inherited != nil && i < len(inherited.Content); i++ {
		if id := valueOf(inherited.Content[i], key); isKind(id, yaml.ScalarNode) && near[folded(id.Value)] == nil && !removed[id.Value] {
			near[folded(id.Value)] = id
		}
	}
	for _, item := range own.Content {
		id := valueOf(item, key)
		if !isKind(id, yaml.ScalarNode) || marked(item, removeKey) {
			continue
		}
		fold := folded(id.Value)
		other := near[fold]
		switch {
		case known[id.Value] != nil || fold == "":
		case other == nil:
			near[fold] = id
		case other.Value != id.Value:
			what := "write that one to change it, or choose an id that differs more"
			if known[other.Value] == nil {
				what = "remove one of the two, or choose ids that differ more"
			}
			that := "that in " + l.where(other, l.file)
			if !secretKeys[key] {
				that = fmt.Sprintf("%s (%s)", phrase.Quote(other.Value), l.where(other, l.file))
			}
			l.add(nearIDCode, l.file, id, "%s%s differs only by %s from %s, so there are both: %s",
				key, idShown(key, id.Value), howNear(id.Value, other.Value), that, what)
		}
		l.nearIDs(known[id.Value], item)
	}
}

// index returns the items of a list by what identifies them. Of several with one identity, it has the first.
func (k identity) index(list *yaml.Node) map[string]*yaml.Node {
	index := map[string]*yaml.Node{}
	if !isKind(list, yaml.SequenceNode) {
		return index
	}
	for _, item := range list.Content {
		for _, id := range k.of(item) {
			if index[id.key] == nil {
				index[id.key] = item
			}
		}
	}
	return index
}

var folding = strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "'", "", "`", "", "_", "-")

// folded returns what is left of an id without what is easily overlooked.
func folded(id string) string {
	fold := strings.ToLower(folding.Replace(latin(plainly(id))))
	if !strings.ContainsAny(fold, "0123456789") {
		return fold
	}
	fold = strings.NewReplacer("o", "0", "l", "1", "i", "1").Replace(fold)
	if strings.Trim(fold, "0123456789") == "" {
		fold = strings.TrimLeft(fold, "0")
	}
	return fold
}

// howNear says by what two ids of the same folding differ.
func howNear(a, b string) string {
	space := func(id string) string { return strings.Join(strings.Fields(id), "") }
	isNumber := strings.Trim(a+b, "0123456789") == ""
	switch {
	case strings.EqualFold(a, b):
		return "case"
	case space(a) == space(b):
		return "spaces"
	case isNumber:
		return "leading zeros"
	case strings.EqualFold(space(a), space(b)):
		return "spaces and case"
	}
	return "characters that look alike"
}

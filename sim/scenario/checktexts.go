package scenario

import (
	"slices"
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// alike warns of an id in a list that looks like an earlier one.
func (c *checker) alike(in *yaml.Node, list, key string) {
	rows := valueOf(in, list)
	if !isKind(rows, yaml.SequenceNode) {
		return
	}
	first := map[string]*yaml.Node{}
	for _, item := range rows.Content {
		id := lookup(item, key)
		if status := valueOf(item, "groupStatus"); status != nil && status.Value == sim.GroupStatusDeleted {
			continue
		}
		look := appearance(id.Value)
		if key == "institutionId" {
			look = strings.TrimLeft(look, "0")
		}
		other, seen := first[look]
		switch {
		case !isKind(id, yaml.ScalarNode):
		case !seen:
			first[look] = id
		case other.Value != id.Value:
			if c.files[fileOf(id)].builtIn {
				id, other = other, id
			}
			c.warn(id, "%s %s looks like %s in %s, line %d, and is another one", key, wording.Quote(id.Value),
				wording.Quote(other.Value), c.files[fileOf(other)].file, lineOf(other))
		}
	}
}

// appearance returns a text that is equal for ids that look equal: without blanks, in lower case, and with one
// character for similar ones.
func appearance(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == 'O' || r == 'o':
			return '0'
		case r == 'l' || r == 'I':
			return '1'
		}
		return unicode.ToLower(r)
	}, plainly(id))
}

// texts warns of texts that YAML reads otherwise than they look. The value n belongs to the key.
func (c *checker) texts(n *yaml.Node, key string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			if key := n.Content[i].Value; !slices.Contains(freeForms, key) {
				c.texts(n.Content[i+1], key)
			}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			c.texts(item, key)
		}
	case yaml.ScalarNode:
		switch {
		case n.Tag == "!!str":
			c.text(n, key)
		case wholeThousands().MatchString(n.Value) && !fractions[key]:
			c.warn(n, "%s is %s in YAML: write it without the point and what follows, or %s",
				n.Value, strings.TrimSuffix(n.Value, ".000"), strings.ReplaceAll(n.Value, ".", ""))
		}
	}
}

// wholeThousands matches a number that is a thousand times larger where a point separates thousands.
var wholeThousands = lazy.Regexp(`^[1-9][0-9]{0,2}\.000$`)

// fractions are the keys whose values are no whole numbers.
var fractions = map[string]bool{"probability": true, "sigma": true, "inactiveUsers": true, "electronicStatements": true,
	"accepted": true, "notAccepted": true, "none": true}

// freeTexts are the keys whose values may well contain a #.
var freeTexts = map[string]bool{
	"description":      true,
	"groupName":        true,
	"groupDescription": true,
	"experienceName":   true,
	"username":         true,
	"password":         true,
	"secretKey":        true,
	"message":          true,
	"reason":           true,
}

// placeholder matches a text that a program was to fill in.
var placeholder = lazy.Regexp(`\$\{\w+\}|\{\{.*\}\}`)

// prose are the keys whose values people read and no program compares.
var prose = map[string]bool{"description": true, "message": true}

// quoted matches a text in typographic quotes.
var quoted = lazy.Regexp("^[“”„‟«»‘’‚‛][^“”„‟«»‘’‚‛]*[“”„‟«»‘’‚‛]$")

// inQuotes matches a text that has quotes of its own.
var inQuotes = lazy.Regexp(`^(".*"|'.*')$`)

// text warns of one text that YAML reads otherwise than it looks.
func (c *checker) text(n *yaml.Node, key string) {
	text := n.Value
	trimmed := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) })
	isPlain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	isBlock := n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0
	switch {
	case strings.HasSuffix(key, "Id") && inQuotes().MatchString(text):
		c.warn(n, "the quotes are a part of %s: remove one pair", key)
	case quoted().MatchString(text):
		c.warn(n, "the typographic quotes are a part of %s: write quotes of the keyboard, or none", key)
	case isPlain && strings.HasPrefix(n.LineComment, "#") && c.cutsText(n, key):
		c.warn(n, "%s ends before the #, because a comment begins there: "+
			"put the value in quotes, or write # after two spaces", key)
	case placeholder().MatchString(text) && key != "path":
		c.warn(n, "a scenario fills in no placeholders: %s keeps the one it has", key)
	case prose[key] || trimmed == text:
	case isBlock && strings.TrimRight(text, "\n") == trimmed:
		c.warn(n, `a line break is a part of %s: write "|-" in place of "|", or the value on one line`, key)
	default:
		c.warn(n, "a blank at the beginning or the end is a part of %s: remove it", key)
	}
}

// cutsText reports whether a comment may rather be the rest of a text: there is a single space before the #, and no
// space after it.
func (c *checker) cutsText(n *yaml.Node, key string) bool {
	number := fileOf(n)
	if c.lines[number] == nil {
		c.lines[number] = strings.Split(string(c.files[number].text), "\n")
	}
	line := c.lines[number][min(lineOf(n), len(c.lines[number]))-1]
	before, _, _ := strings.Cut(line, n.LineComment)
	comment := strings.TrimPrefix(n.LineComment, "#")
	isClose := strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "  ")
	if !isClose || comment == "" || unicode.IsSpace(rune(comment[0])) {
		return false
	}
	return freeTexts[key] || strings.HasSuffix(key, "Id") && unicode.IsDigit(rune(comment[0]))
}

package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// member is an entry of a mapping.
type member struct {
	key   string
	value any
}

// members is a mapping with the order of its keys.
type members []member

// text adds a text, unless it is nil.
func (m members) text(key string, value *string) members {
	if value == nil {
		return m
	}
	return append(m, member{key, *value})
}

// flag adds a flag, unless it is nil.
func (m members) flag(key string, value *bool) members {
	if value == nil {
		return m
	}
	return append(m, member{key, *value})
}

// literal is a text that YAML reads as it is, such as a number or a time.
type literal string

// Flow returns a value that encoding/json has decoded as YAML on one line.
func Flow(value any) string { return flow(value) }

// flow returns a value as YAML on one line.
func flow(value any) string {
	switch v := value.(type) {
	case string:
		return quoted(v)
	case literal:
		return string(v)
	case json.Number:
		return v.String()
	case members:
		parts := make([]string, len(v))
		for i, m := range v {
			parts[i] = quoted(m.key) + ": " + flow(m.value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case map[string]any:
		var ordered members
		for _, key := range slices.Sorted(maps.Keys(v)) {
			ordered = append(ordered, member{key, v[key]})
		}
		return flow(ordered)
	case map[string]string:
		var ordered members
		for _, key := range slices.Sorted(maps.Keys(v)) {
			ordered = append(ordered, member{key, v[key]})
		}
		return flow(ordered)
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = flow(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []string:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = quoted(item)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case nil:
		return "null"
	}
	return fmt.Sprint(value)
}

// plainText matches texts that YAML reads as texts without quotes, wherever they stand, except words that mean another
// value.
var (
	plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./+-]*( [A-Za-z0-9_./+()-]+)*$`)
	otherWord = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf)$`)
)

// quoted returns a text in YAML notation, in quotes if it needs them.
func quoted(text string) string {
	if len(text) <= 1000 && plainText.MatchString(text) && !otherWord.MatchString(text) {
		return text
	}
	return strconv.Quote(text) // whose escapes are those of YAML, too
}

// oneLine returns a text for a comment.
func oneLine(text string) string {
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// moment returns a time in the notation of RFC 3339.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/lazy"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// kindNames name the types of values for messages.
var kindNames = map[string]string{
	"string":  "a string",
	"boolean": "true or false",
	"integer": "a whole number",
	"number":  "a number",
	"array":   "a list",
	"object":  "a mapping",
}

// typeOfTag has the JSON types of values by the tags of their nodes.
var typeOfTag = map[string]string{
	"!!map":   "object",
	"!!seq":   "array",
	"!!str":   "string",
	"!!bool":  "boolean",
	"!!null":  "null",
	"!!int":   "integer",
	"!!float": "number",
}

// secretKeys are the keys whose values no message shows.
var secretKeys = map[string]bool{"secretKey": true, "password": true, "accessToken": true, "refreshToken": true}

// misfit is a value that doesn't fit its schema.
type misfit struct {
	namedNode
	path     []string // where it stands in what is validated
	want     *schema
	property *schema // the schema as the mapping around it has it: a reference, or one with several others
	keyword  string  // of what it doesn't fit
	format   error   // what a format says of it
	text     string  // the value, without quotes and with what a keyboard types in place of lookalikes
	// takes reports whether the file is right with another value in place of this one.
	takes func(instead *yaml.Node) bool
}

// write returns the words for the first of some values, as YAML, that the file takes. Others are no remedy.
func (m misfit) write(values ...string) string {
	for _, text := range values {
		if tree, _, found := parse([]byte(text), 0, ""); tree != nil && len(found) == 0 && m.takes(tree) {
			return "write " + wording.Shorten(text)
		}
	}
	return ""
}

// typeOf returns the first type that a schema allows.
func typeOf(s *schema) string {
	switch {
	case slices.Contains(s.Types, "string"):
		return "string"
	case s.Types != nil:
		return s.Types[0]
	case len(s.AnyOf) > 0:
		return typeOf(s.AnyOf[0].resolved())
	}
	return ""
}

// enum returns the values that a schema lists, or one of its alternatives.
func enum(s *schema) []any {
	if s.Enum != nil {
		return s.Enum
	}
	for _, one := range s.AnyOf {
		if listed := enum(one.resolved()); listed != nil {
			return listed
		}
	}
	return nil
}

// is reports whether the value must be of a type.
func (m misfit) is(of string) bool { return typeOf(m.want) == of }

// fits reports whether a text has the pattern that the value must have.
func (m misfit) fits(text string) bool {
	return m.want.Pattern == nil || m.want.Pattern.MatchString(text)
}

// String says what the value must be and what it is. It says what to write if that is certain. It shows no secret.
func (m misfit) String() string {
	shown := shownValue(m.node)
	switch m.keyword {
	case "minItems", "maxItems":
		if m.keyword == "minItems" && m.want.MinItems == 1 {
			return m.name + " is empty: list at least one" + m.orRemove()
		}
		return fmt.Sprintf("%s must have %d items, not %d", m.name, // the lists with more than one have a fixed number
			m.want.MinItems, len(m.node.Content))
	case "minimum":
		return fmt.Sprintf("%s must be at least %s, not %s", m.name, m.want.Minimum, shown)
	case "maximum":
		return fmt.Sprintf("%s must be at most %s, not %s%s", m.name, m.want.Maximum, shown, m.remedy())
	case "exclusiveMinimum":
		never := ""
		if m.name == "probability" {
			never = ": for a fault that never fires, write off: true beside when"
		}
		return fmt.Sprintf("%s must be more than %s, not %s%s", m.name, m.want.ExclusiveMinimum, shown, never)
	case "maxLength":
		return fmt.Sprintf("%s is longer than %d characters: shorten it", m.name, *m.want.MaxLength)
	case "format":
		return m.name + " " + m.format.Error() + m.remedy()
	}
	isText := m.node.Tag == "!!str"
	switch {
	case isNull(m.node):
		return m.name + " has no value: give it one" + m.orRemove()
	case isText && m.node.Value == "" && (m.want.Enum != nil || m.want.MinLength > 0):
		return m.name + " is empty: give it a value" + examplesOf(m.want)
	case isText && m.isOperation():
		return fault.UnknownOperation(m.node.Value)
	}
	return m.otherKind()
}

// orRemove ends a remedy: a value that is not needed may be removed.
func (m misfit) orRemove() string {
	switch of := m.property.of; {
	case m.list != "":
		return ", or remove the item"
	case of != nil && slices.Contains(of.Required, m.property.key):
		return ""
	}
	return ", or remove the key"
}

// otherKind says what kind of value is needed in place of this one.
func (m misfit) otherKind() string {
	const maxListed = 20 // values
	want, listed := typeOf(m.want), enum(m.want)
	what, example := cmp.Or(m.want.Title, kindNames[want]), examplesOf(m.want)
	if listed != nil && m.want.Title == "" {
		what, example = alternatives(listed), ""
	} else if m.node.Tag != "!!str" && m.want.Pattern != nil && m.fits(m.node.Value) {
		what = kindNames[want] // quotes are all that it lacks
	}
	message := m.name + " must be " + what + example
	switch {
	case want == "array" && m.node.Kind == yaml.MappingNode && oddStart(m.node) != "":
		return message + `: start each item with "- ", not with ` + oddStart(m.node)
	case want == "array" && m.idAsKey() != "":
		return message + ", not a mapping: write each item as - " + m.idAsKey() + ": …"
	case want == "array":
		return message + ", not " + kindOf(m.node) + cmp.Or(m.remedy(), `: start each item with "- "`)
	case want == "object" && m.node.Kind == yaml.SequenceNode && m.list != "" && m.node.Style&yaml.FlowStyle != 0:
		return message + ", not a list: remove one [ ] around it"
	case want == "object" && m.node.Kind == yaml.SequenceNode && m.list != "":
		return message + `, not a list: write one "- " before it, not two`
	case want == "object":
		return message + ", not " + kindOf(m.node) + cmp.Or(m.remedy(), `: write it as "key: value" lines`)
	case m.node.Kind != yaml.ScalarNode:
		return message + ", not " + kindOf(m.node)
	case secretKeys[m.name] && m.node.Tag != "!!str":
		return message + ": write it with quotes"
	case secretKeys[m.name] && strings.HasPrefix(strings.ToLower(m.text), "bearer "):
		return message + ": leave out Bearer"
	case secretKeys[m.name]:
		return message
	}
	says := shownValue(m.node)
	if m.name == "forward" || m.name == "url" { // they may hold a password
		says = wording.Quote(redact.URL(m.node.Value))
	}
	if odd := oddCharacter(m.node.Value); odd != "" {
		says += ", which contains " + odd
	}
	if remedy := m.remedy(); listed != nil && (remedy != "" && len(listed) > 5 || len(listed) > maxListed) {
		return m.name + " can't be " + says + remedy
	}
	return message + ", not " + says + m.remedy()
}

// idAsKey returns the key of ids where a mapping has the ids themselves as its keys, in place of a list.
func (m misfit) idAsKey() string {
	keys := lists[m.name].by
	if m.node.Kind != yaml.MappingNode || len(m.node.Content) == 0 || m.want.Items == nil || len(keys) != 1 {
		return ""
	}
	item := m.want.Items.resolved()
	if item.Properties[m.node.Content[0].Value] != nil || m.node.Content[1].Kind != yaml.MappingNode {
		return ""
	}
	return keys[0][0]
}

// oddStart returns the character before a space that begins the first key of a mapping where people write "- ".
func oddStart(mapping *yaml.Node) string {
	first := ""
	if len(mapping.Content) > 0 {
		first, _, _ = strings.Cut(mapping.Content[0].Value, " ")
	}
	if plainly(first) != "-" && first != "*" {
		return ""
	}
	return first
}

// shownValue returns a value as YAML has it.
func shownValue(at *yaml.Node) string {
	if at.Tag == "!!str" {
		return wording.Quote(at.Value)
	}
	return wording.Shorten(at.Value)
}

// alternatives lists values as YAML has them: "a", "b" or "c".
func alternatives(values []any) string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = fmt.Sprint(value)
		if text, ok := value.(string); ok {
			list[i] = wording.Quote(text)
		}
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return strings.Join(list, "")
}

// examplesOf returns the examples that a schema has, or the values that it lists, unless there are many: ", such as
// 42".
func examplesOf(want *schema) string {
	if want == nil {
		return ""
	}
	list := want.Examples
	if len(list) == 0 {
		list = enum(want)
	}
	if len(list) == 0 || len(list) > 20 {
		return ""
	}
	return ", such as " + alternatives(list)
}

// hints recognize what a value was meant to be. Each returns what to do, such as "write 0.25", or nothing.
var hints = []func(misfit) string{
	nearestValue, asList, asCount, asMember, asFlag, asNumber, asFraction, asText, asTimestamp, asExpired, asDuration,
	asHours, asPath,
}

// remedy returns the end of a message: what to write in place of a value, if that is certain.
func (m misfit) remedy() string {
	for _, hint := range hints {
		if remedy := hint(m); remedy != "" {
			return ": " + remedy
		}
	}
	return ""
}

// texts returns values as texts.
func texts(values []any) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = fmt.Sprint(value)
	}
	return list
}

// nearestValue finds the listed value that a text is nearly equal to.
func nearestValue(m misfit) string {
	listed := enum(m.want)
	if meant := otherValues[m.name+"."+strings.ToLower(m.text)]; meant != "" {
		return m.write(meant, wording.Quote(meant))
	}
	if m.node.Tag != "!!str" || listed == nil {
		return ""
	}
	switch near, ok := wording.Nearest(m.node.Value, texts(listed)); {
	case !ok:
		return ""
	case near == m.node.Value:
		return "remove the quotes"
	default:
		i := slices.Index(texts(listed), near)
		return "did you mean " + alternatives(listed[i:i+1]) + "?"
	}
}

// otherValues has values that people write, by key, and what the key calls them.
var otherValues = map[string]string{
	"connection.timeout": "hang", "connection.drop": "close", "connection.refuse": "close",
	"connection.rst": "reset", "connection.reset_by_peer": "reset", "connection.connection_reset_by_peer": "reset",
	"connection.empty_response": "close", "connection.malformed_response_chunk": "malformed",
	"connection.random_data_then_close": "garbage",
	"jobStatus.running":                 "PROCESSING", "type.delete": "REMOVE",
}

// plainItem matches a text that needs no quotes in a list.
var plainItem = lazy.Regexp(`^[\w.][\w.* -]*$`)

// asList finds several names in one text.
func asList(m misfit) string {
	isList := m.is("array") && m.want.Items != nil && isScalar(m.want.Items)
	if m.node.Tag != "!!str" || m.text == "" || !isList || strings.HasPrefix(plainly(m.node.Value), "- ") {
		return ""
	}
	var names []string
	for item := range strings.SplitSeq(m.text, ",") {
		item = strings.TrimSpace(item)
		if !plainItem().MatchString(item) {
			item = wording.Quote(item)
		}
		names = append(names, item)
	}
	return m.write("[" + strings.Join(names, ", ") + "]")
}

// mainKeys has the keys of mappings whose only value people write in place of the mapping.
var mainKeys = map[string]string{"error": "code", "then": "status", "clock": "start", "generate": "users"}

// asMember finds a value in place of the mapping that has it, or of a list of such mappings: a listed value of one of
// its keys, or the id of an item.
func asMember(m misfit) string {
	of, list, open, closed := m.want, m.list, "{", "}"
	if m.is("array") && m.node.Tag == "!!int" { // a count is no id
		return ""
	}
	if m.is("array") && m.want.Items != nil {
		of, list, open, closed = m.want.Items.resolved(), m.name, "[{", "}]"
	}
	if typeOf(of) != "object" || m.node.Kind != yaml.ScalarNode || m.text == "" ||
		strings.ContainsAny(m.text, " :=") && m.name != "clock" {
		return "" // it may be a key and a value, which may be secret
	}
	key := mainKeys[m.name]
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		if slices.Contains(enum(of.Properties[name].resolved()), any(m.text)) {
			key = cmp.Or(key, name)
		}
	}
	if keys := lists[list].by; key == "" && len(keys) == 1 && len(keys[0]) == 1 {
		key = keys[0][0]
	}
	if key == "" || secretKeys[key] || list == "faults" { // a name is no fault
		return ""
	}
	return m.write(open+key+": "+m.text+closed, open+key+": "+wording.Quote(m.text)+closed)
}

// counted has what makes as many rows as a number says, by the key of the list.
var counted = map[string]string{
	"users": "generate: {users: %s}", "groups": "generate: {groups: %s}", "participants": "groupParticipantCount: %s",
}

// asCount finds a number in place of a list.
func asCount(m misfit) string {
	format := counted[m.name]
	if format == "" || m.node.Tag != "!!int" || !m.is("array") {
		return ""
	}
	return "write " + fmt.Sprintf(format, wording.Shorten(m.node.Value)) + " in its place"
}

// flags are what people write for true and false.
var flags = map[string]string{"true": "true", "yes": "true", "y": "true", "on": "true", "1": "true",
	"false": "false", "no": "false", "n": "false", "off": "false", "0": "false"}

// asFlag finds another word for true or false.
func asFlag(m misfit) string {
	if meant := flags[strings.ToLower(m.text)]; meant != "" && m.is("boolean") {
		return m.write(meant)
	}
	return ""
}

var withThousands = lazy.Regexp(`^[0-9]{1,3}([, '][0-9]{3})+$`)

// asNumber finds a number in quotes, or one that has separators or a percent sign.
func asNumber(m misfit) string {
	switch {
	case m.node.Tag != "!!str" && m.node.Tag != octalTag:
	case m.is("integer"):
		text := m.text
		if withThousands().MatchString(text) {
			text = strings.NewReplacer(",", "", " ", "", "'", "").Replace(text)
		}
		if octal().MatchString(text) {
			text = strings.TrimLeft(text, "0")
		}
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return m.write(text)
		}
	case m.is("number"):
		amount, isPercent := strings.CutSuffix(m.text, "%")
		number, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(amount), ",", ".", 1), 64)
		if isPercent {
			number /= 100
		}
		if err == nil && math.Abs(number) < math.MaxFloat64 {
			return m.write(strconv.FormatFloat(number, 'f', -1, 64))
		}
	}
	return ""
}

// asFraction finds a percentage where a fraction of 1 is meant.
func asFraction(m misfit) string {
	number, err := strconv.ParseFloat(m.node.Value, 64)
	if !m.is("number") || m.want.Maximum != "1" || err != nil || number < 5 || number > 100 {
		return ""
	}
	return m.write(strconv.FormatFloat(number/100, 'f', -1, 64))
}

// asText finds a text that lacks its quotes, or that has typographic ones.
func asText(m misfit) string {
	switch {
	case !m.is("string") || enum(m.want) != nil || m.node.Kind != yaml.ScalarNode:
	case m.node.Tag != "!!str" && m.fits(m.node.Value),
		m.node.Tag == "!!str" && m.text != "" && m.text != m.node.Value && m.fits(m.text):
		return m.write(wording.Quote(m.text))
	}
	return ""
}

// hourAlone matches an hour of one digit, at the beginning or after a dash.
var hourAlone = lazy.Regexp(`(^|-)(\d)([:.])`)

// asHours finds times of day with blanks, with points, or without a leading 0.
func asHours(m misfit) string {
	if m.name != "daily" {
		return ""
	}
	text := hourAlone().ReplaceAllString(strings.ReplaceAll(m.text, " ", ""), "${1}0$2$3")
	return m.write(wording.Quote(strings.ReplaceAll(text, ".", ":")))
}

// asPath finds a path without its first slash.
func asPath(m misfit) string {
	if m.name != "path" || m.text == "" {
		return ""
	}
	return m.write("/" + m.text)
}

// asTimestamp finds a date or a time in another notation.
func asTimestamp(m misfit) string {
	if !m.is("string") || m.want.Pattern == nil || !m.fits("2026-01-15T09:00:00Z") || m.fits("x") {
		return ""
	}
	return timestampMeant(m.text)
}

// noTime matches a duration that is 0 or less.
var noTime = lazy.Regexp(`^(-.*|[0.]+[a-z]*)$`)

// asExpired finds a token that is to have expired.
func asExpired(m misfit) string {
	if m.name == "expiresIn" && noTime().MatchString(m.text) {
		return "for a token that has expired, write expiresAt with a time before the clock's start"
	}
	return ""
}

var (
	amountOfTime = lazy.Regexp(`^([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)$`)
	timeOfDay    = lazy.Regexp(`^[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?$`)
)

// units are the units of durations that people write.
var units = map[string]time.Duration{
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour, "min": time.Minute, "minute": time.Minute,
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"ms": time.Millisecond, "msec": time.Millisecond, "milli": time.Millisecond, "millisecond": time.Millisecond,
}

// asDuration finds a duration without a unit, or with another one.
func asDuration(m misfit) string {
	if !m.is("string") || m.want.Pattern == nil || !m.fits("24h") || m.fits("x") || m.node.Kind != yaml.ScalarNode ||
		m.fits(m.node.Value) {
		return ""
	}
	joined := strings.ReplaceAll(m.text, " ", "")
	dotted := strings.Replace(joined, ",", ".", 1)
	match := amountOfTime().FindStringSubmatch(m.text)
	switch {
	case match == nil && (m.fits(joined) || m.fits(dotted)):
		return m.write(wording.Quote(joined), wording.Quote(dotted))
	case timeOfDay().MatchString(m.text) && m.fits("2026-01-15T09:00:00Z"):
		return `this counts from the start, so it is no time of day: write how long after it, such as "90m", or a timestamp`
	case timeOfDay().MatchString(m.text):
		return `this is how long, not a time of day: write "90m", for example`
	case match == nil:
		return ""
	case match[2] == "":
		fitting := slices.DeleteFunc([]string{wording.Quote(m.text + "ms"), wording.Quote(m.text + "s")},
			func(text string) bool { return m.write(text) == "" })
		if len(fitting) == 0 {
			return ""
		}
		return "add its unit, as in " + strings.Join(fitting, " or ")
	}
	name := strings.ToLower(match[2])
	unit := cmp.Or(units[name], units[strings.TrimSuffix(name, "s")])
	amount, _ := strconv.ParseFloat(match[1], 64)
	if meant := amount * float64(unit); meant > 0 && meant < math.MaxInt64 {
		text := strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(time.Duration(meant).String())
		return m.write(wording.Quote(text))
	}
	return ""
}

var zoneOffset = lazy.Regexp(`:\d\d[+-]\d\d:?\d\d$`)

var dottedDate = lazy.Regexp(`^(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)$`)

// timestampMeant returns what to do about a text that is nearly an RFC 3339 timestamp, or nothing. A time without a
// zone is taken for UTC.
func timestampMeant(text string) string {
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return "in UTC, its year doesn't have four digits"
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) == 10 {
		return "write " + string(moment(time.Unix(seconds, 0))) + ", if it counts seconds from 1970"
	}
	if parsed, err := time.Parse("20060102T150405Z0700", text); err == nil {
		return "write " + string(moment(parsed))
	}
	text = strings.ToUpper(dottedDate().ReplaceAllString(text, "$3-$2-$1$4"))
	for _, layout := range []string{"", "T15:04", " 15:04", "T15:04:05", " 15:04:05"} {
		for _, zone := range []string{"", "Z07:00", "Z0700", " UTC"} {
			parsed, err := time.Parse("2006-1-2"+layout+zone, text)
			var wrong *time.ParseError
			switch {
			case err == nil:
				return "write " + parsed.Format(time.RFC3339Nano)
			case errors.As(err, &wrong) && wrong.Message == ": day out of range":
				year, rest, _ := strings.Cut(text, "-")
				month, _, _ := strings.Cut(rest, "-")
				if first, err := time.Parse("2006-1", year+"-"+month); err == nil {
					return fmt.Sprintf("%s %d has %d days", first.Month(), first.Year(), first.AddDate(0, 1, -1).Day())
				}
			case strings.Contains(err.Error(), "time zone offset") && !zoneOffset().MatchString(text): // no zone is there
			case errors.As(err, &wrong) && strings.HasSuffix(wrong.Message, " out of range"):
				return "the " + strings.Replace(strings.TrimPrefix(wrong.Message, ": "), " out", " is out", 1)
			}
		}
	}
	return ""
}

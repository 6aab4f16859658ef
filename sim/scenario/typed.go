package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// oddNote says what is odd about a text: a character that looks like another, or like nothing, or a placeholder.
func oddNote(text string) string {
	if name, ok := oddCharacter(text); ok {
		return ", which contains " + name
	}
	if strings.Contains(text, "${") || strings.Contains(text, "{{") {
		return ", a placeholder that no template engine has filled in"
	}
	return ""
}

// patternRemedy returns what to write in place of a text that doesn't match its pattern, if that is known.
func patternRemedy(text string, part *jsonschema.Schema) string {
	fits := func(text string) bool { return part.Pattern.MatchString(text) }
	plain := strings.Trim(plainly(text), ` "'`)
	meant := []string{plain, strings.ToLower(plain), strings.ToUpper(plain)}
	isDuration := fits("24h") && !fits("x")
	if isDuration {
		meant = append(meant, durationMeant(plain))
	}
	for _, instead := range meant {
		if instead != "" && fits(instead) {
			return ": write " + phrase.Quote(instead)
		}
	}
	if _, err := strconv.ParseUint(plain, 10, 32); err == nil && isDuration {
		return fmt.Sprintf(": add its unit, such as %q", plain+"s")
	}
	if !fits("2026-01-15T09:00:00Z") {
		return ""
	}
	if wrong := timestampFault(plain); wrong != "" {
		return ": " + wrong
	}
	return ""
}

var (
	amountOfTime = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)$`)
	hoursMinutes = regexp.MustCompile(`^([0-9]{1,2}):([0-9]{2})$`)
)

// units are the units of durations that people write, and what they are in the notation of scenarios.
var units = map[string]struct {
	times int
	unit  string
}{
	"d": {24, "h"}, "day": {24, "h"}, "days": {24, "h"}, "w": {168, "h"}, "wk": {168, "h"}, "week": {168, "h"}, "weeks": {168, "h"},
	"h": {1, "h"}, "hr": {1, "h"}, "hrs": {1, "h"}, "hour": {1, "h"}, "hours": {1, "h"},
	"m": {1, "m"}, "min": {1, "m"}, "mins": {1, "m"}, "minute": {1, "m"}, "minutes": {1, "m"},
	"s": {1, "s"}, "sec": {1, "s"}, "secs": {1, "s"}, "second": {1, "s"}, "seconds": {1, "s"},
	"ms": {1, "ms"}, "msec": {1, "ms"}, "millis": {1, "ms"}, "millisecond": {1, "ms"}, "milliseconds": {1, "ms"},
}

// durationMeant returns a duration as scenarios have it for one that people write, such as "1d" or "12 hours", or nothing.
func durationMeant(text string) string {
	if match := amountOfTime.FindStringSubmatch(text); match != nil {
		unit, ok := units[strings.ToLower(match[2])]
		amount, err := strconv.ParseFloat(match[1], 64)
		if ok && err == nil && amount < 1e9 {
			return strconv.FormatFloat(amount*float64(unit.times), 'f', -1, 64) + unit.unit
		}
	}
	if match := hoursMinutes.FindStringSubmatch(text); match != nil {
		return strings.TrimLeft(match[1], "0") + "h" + match[2] + "m"
	}
	return strings.ToLower(strings.ReplaceAll(text, " ", ""))
}

var looseTimestamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})(?:([Tt ]+)(\d{1,2}):(\d{2})(?::(\d{2})([.,]\d+)?)?)?\s*(Z|z|UTC|[+-]\d{2}:?\d{2})?$`)
})

// timestampFault returns what is wrong with a text that should be an RFC 3339 timestamp, with what to write if that is clear, or
// nothing if it isn't clear.
func timestampFault(text string) string {
	match := looseTimestamp().FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(match[i])
		return n
	}
	year, month, day, hour, minute, second := number(1), number(2), number(3), number(5), number(6), number(7)
	switch days := time.Date(year, time.Month(month+1), 0, 0, 0, 0, 0, time.UTC).Day(); {
	case month < 1 || month > 12:
		return fmt.Sprintf("there is no month %02d", month)
	case day < 1 || day > days:
		return fmt.Sprintf("%s %d has %d days", time.Month(month), year, days)
	case hour > 23:
		return fmt.Sprintf("there is no hour %02d: a day ends at 23:59:59", hour)
	case minute > 59:
		return fmt.Sprintf("there is no minute %02d", minute)
	case second > 59:
		return fmt.Sprintf("there is no second %02d", second)
	}
	zone := strings.ToUpper(match[9])
	switch {
	case zone == "UTC":
		zone = "Z"
	case len(zone) == 5:
		zone = zone[:3] + ":" + zone[3:]
	}
	reason := "write "
	switch {
	case match[4] == "":
		reason = "the time is missing, write "
	case zone == "":
		reason = "the time zone is missing, write "
	case match[4] != "T":
		reason = "date and time are separated by T, write "
	}
	if zone == "" {
		zone = "Z"
	}
	instead := fmt.Sprintf("%04d-%02d-%02dT%02d:%02d:%02d%s%s", year, month, day, hour, minute, second, strings.ReplaceAll(match[8], ",", "."), zone)
	if instead == text {
		return ""
	}
	return reason + instead
}

var (
	grouped      = regexp.MustCompile(`^[0-9]{1,3}([,' ._][0-9]{3})+$`)
	percent      = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?%$`)
	decimalComma = regexp.MustCompile(`^[0-9]+,[0-9]+$`)
)

// numberMeant returns the number that a text means which isn't one in YAML, or nothing.
func numberMeant(text string, whole bool) string {
	text = strings.Trim(plainly(text), ` "'`)
	switch match := percent.FindStringSubmatch(text); {
	case match != nil && whole:
		return match[1]
	case match != nil:
		share, _ := strconv.ParseFloat(match[1], 64)
		return strconv.FormatFloat(share/100, 'f', -1, 64)
	case grouped.MatchString(text) && whole:
		return strings.NewReplacer(",", "", "'", "", " ", "", ".", "", "_", "").Replace(text)
	case decimalComma.MatchString(text) && !whole:
		return strings.Replace(text, ",", ".", 1)
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text
	}
	return ""
}

// flags are what people write for true and false.
var flags = map[string]string{"yes": "true", "y": "true", "on": "true", "1": "true", "enabled": "true",
	"no": "false", "n": "false", "off": "false", "0": "false", "disabled": "false"}

// flagMeant returns the boolean that a text means which isn't one in YAML.
func flagMeant(text string) (string, bool) {
	flag := strings.ToLower(strings.Trim(plainly(text), ` "'`))
	if flag == "true" || flag == "false" {
		return flag, true
	}
	meant, ok := flags[flag]
	return meant, ok
}

// noValue describes a value that is missing, though its author may have written one.
func noValue(at *yaml.Node, comment, name string) string {
	switch {
	case at.Anchor != "":
		return name + ` has no value: "&" only names the value that follows it, so put a text that starts with it in quotes`
	case strings.HasPrefix(comment, "#") && !strings.HasPrefix(comment, "# "):
		return name + ` has no value: what follows "#" is a comment, so put a text that starts with it in quotes`
	}
	return name + " has no value: give it one, or remove the key"
}

// octal matches whole numbers that YAML reads to the base 8.
var octal = regexp.MustCompile(`^[-+]?0[0-7_]*[1-7][0-7_]*$`)

// octals reports numbers that start with 0, which mean another number than they say. In a mapping that has any keys, they may have
// been meant as texts.
func (r *report) octals(n *yaml.Node, free bool) {
	if r.wrong[n] {
		return
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!int" && n.Value[0] != '"' && octal.MatchString(n.Value) {
		value, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64)
		tens, _ := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 10, 64)
		if err == nil && value != tens {
			orText := ""
			if free { // a zip code, for example
				orText = fmt.Sprintf(", or %q if it is a text", n.Value)
			}
			r.add(n, "%s starts with 0, so YAML reads it to the base 8, as %d: write %d%s", n.Value, value, tens, orText)
			r.wrong[n] = true
		}
	}
	for i, inner := range n.Content {
		r.octals(inner, free || n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == freeForm)
	}
}

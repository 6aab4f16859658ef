package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim/phrase"
)

// oddities are the characters that look like others, or like nothing, by what YAML and ids need in their place.
var oddities = map[string]string{
	" ": "\u00a0\u202f\u2007\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000",
	"":  "\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f\u2028\u2029\u0085",
	`"`: "“”„‟«»",
	"'": "‘’‚‛´",
	"-": "‐\u2011‒–—―−•‣▪●◦·",
	"a": "аα", "b": "в", "c": "с", "e": "е", "i": "і", "j": "ј", "k": "к", "m": "м",
	"o": "оο", "p": "р", "s": "ѕ", "t": "т", "v": "ν", "x": "х", "y": "у",
	"A": "АΑ", "B": "ВΒ", "C": "С", "E": "ЕΕ", "H": "НΗ", "I": "ІΙ", "K": "КΚ", "M": "МΜ", "O": "ОΟ", "P": "РΡ", "T": "ТΤ", "X": "ХΧ",
}

// plainOf has what is meant by each odd character; -1: nothing.
var plainOf = sync.OnceValue(func() map[rune]rune {
	plain := map[rune]rune{}
	for instead, odd := range oddities {
		for _, character := range odd {
			plain[character] = -1
			for _, c := range instead {
				plain[character] = c
			}
		}
	}
	for c := '！'; c <= '～'; c++ { // the full-width forms of ASCII
		plain[c] = c - '！' + '!'
	}
	return plain
})

// oddCharacter names the first character of a text that looks like another, or like nothing. A letter is one only among Latin ones.
func oddCharacter(text string) (name string, ok bool) {
	latin := strings.ContainsFunc(text, func(c rune) bool { return c < utf8.RuneSelf && unicode.IsLetter(c) })
	for _, c := range text {
		switch instead, odd := plainOf()[c]; {
		case !odd || !latin && unicode.IsLetter(c) && c < '！':
		case instead <= ' ':
			return fmt.Sprintf("a space or a mark that can't be seen (U+%04X)", c), true
		default:
			return fmt.Sprintf("a character that only looks like %c (%c, U+%04X)", instead, c, c), true
		}
	}
	return "", false
}

// plainly returns a text with what a keyboard types in place of odd characters.
func plainly(text string) string {
	if _, odd := oddCharacter(text); !odd {
		return text
	}
	return strings.Map(func(c rune) rune {
		if instead, odd := plainOf()[c]; odd {
			return instead
		}
		return c
	}, text)
}

var (
	amountOfTime = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)\s*([a-zA-Z]*)$`)
	timeOfDay    = regexp.MustCompile(`^[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?$`)
)

// units are the units of durations that people write: their short names, and how long they are.
var units = map[string]time.Duration{
	"w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour, "d": 24 * time.Hour, "day": 24 * time.Hour,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour, "min": time.Minute, "minute": time.Minute,
	"s": time.Second, "sec": time.Second, "second": time.Second,
	"ms": time.Millisecond, "msec": time.Millisecond, "milli": time.Millisecond, "millisecond": time.Millisecond,
}

// zeroUnits takes the units away that a duration has none of.
var zeroUnits = strings.NewReplacer("h0m0s", "h", "m0s", "m")

// durationMeant returns what to do about a text that is no duration.
func durationMeant(text string, orTime bool) string {
	switch match := amountOfTime.FindStringSubmatch(text); {
	case timeOfDay.MatchString(text) && orTime:
		return `: this counts from the start, so it is no time of day: write how long after it, such as "90m", or a timestamp`
	case timeOfDay.MatchString(text):
		return `: this is how long, not a time of day: write "90m", for example`
	case match == nil:
		return ""
	case match[2] == "":
		return fmt.Sprintf(": add its unit, as in %s or %s", phrase.Quote(text+"ms"), phrase.Quote(text+"s"))
	default:
		name := strings.ToLower(match[2])
		unit := cmp.Or(units[name], units[strings.TrimSuffix(name, "s")])
		amount, _ := strconv.ParseFloat(match[1], 64)
		if meant := amount * float64(unit); meant > 0 && meant < math.MaxInt64 {
			return fmt.Sprintf(": write %q", zeroUnits.Replace(time.Duration(meant).String()))
		}
		return ""
	}
}

var dottedDate = regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)$`)

// timestampMeant returns what to do about a text that should be an RFC 3339 timestamp and is nearly one, or nothing. A time without a
// zone is taken for UTC.
func timestampMeant(text string) string {
	text = strings.ToUpper(dottedDate.ReplaceAllString(text, "$3-$2-$1$4"))
	for _, clock := range []string{"", "T15:04", " 15:04", "T15:04:05", " 15:04:05"} {
		for _, zone := range []string{"", "Z07:00", "Z0700", " UTC"} {
			parsed, err := time.Parse("2006-1-2"+clock+zone, text)
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
			case errors.As(err, &wrong) && strings.HasSuffix(wrong.Message, " out of range"):
				return "the " + strings.TrimPrefix(wrong.Message, ": ")
			}
		}
	}
	return ""
}

// mayBeZero has the keys of durations that may be 0.
var mayBeZero = map[string]bool{"from": true, "delay": true, "uniform": true, "median": true, "p50": true, "p95": true}

// timeFault returns what is wrong with a text that is written like the duration or the timestamp that it must be: more hours than a
// duration holds, none, or a day that no month has.
func timeFault(text, name string, must *part) string {
	isDuration := strings.HasPrefix(must.Title, "a duration") && !strings.Contains(text, "-")
	var err error
	switch key, _, _ := strings.Cut(name, "["); {
	case isDuration:
		length, form := time.ParseDuration(text)
		if _, err = duration(text).parse(); form == nil && length == 0 && mayBeZero[key] {
			return ""
		} else if key == "expiresIn" && form == nil && err != nil {
			return err.Error() + expiredRemedy
		}
	case strings.HasSuffix(must.Title, "timestamp") && text != startNow:
		_, err = timestamp(text).parse()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// numberMeant returns the number that a text means which isn't one in YAML, or nothing.
func numberMeant(text string, whole bool) string {
	if whole {
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return ""
		}
		return text
	}
	digits, isPercent := strings.CutSuffix(text, "%")
	number, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(digits), ",", ".", 1), 64)
	switch {
	case err != nil || !(math.Abs(number) < math.MaxFloat64):
		return ""
	case isPercent:
		number /= 100
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}

// flags are what people write for true and false.
var flags = map[string]string{"true": "true", "yes": "true", "y": "true", "on": "true", "1": "true",
	"false": "false", "no": "false", "n": "false", "off": "false", "0": "false"}

// duration is a duration in the notation of [time.ParseDuration].
type duration string

// parse returns the duration, which is longer than 0.
func (d duration) parse() (time.Duration, error) {
	parsed, err := time.ParseDuration(string(d))
	if err != nil {
		return 0, fmt.Errorf(`must be a duration of at most 292 years, such as "24h" or "90s", not %s`, phrase.Quote(string(d)))
	}
	if parsed <= 0 {
		return 0, fmt.Errorf(`must be longer than 0, such as "24h", not %s`, phrase.Quote(string(d)))
	}
	return parsed, nil
}

// or returns the value of a checked duration, or the default if it was left out.
func (d duration) or(otherwise time.Duration) time.Duration {
	if parsed, err := d.parse(); err == nil {
		return parsed
	}
	return otherwise
}

// timestamp is a moment in the notation of RFC 3339.
type timestamp string

func (t timestamp) parse() (time.Time, error) {
	parsed, err := time.Parse(time.RFC3339, string(t))
	if err != nil {
		message := "must be an RFC 3339 timestamp such as 2026-01-15T09:00:00Z, not " + phrase.Quote(string(t))
		if meant := timestampMeant(string(t)); meant != "" {
			message += ": " + meant
		}
		return time.Time{}, errors.New(message)
	}
	return parsed.UTC(), nil
}

// or returns the value of a checked timestamp, or the default if it was left out.
func (t timestamp) or(otherwise time.Time) time.Time {
	if parsed, err := time.Parse(time.RFC3339, string(t)); err == nil {
		return parsed.UTC()
	}
	return otherwise
}

// clockStart is a timestamp, or startNow.
type clockStart string

// share is a part of a whole, from 0 to 1.
type share float64

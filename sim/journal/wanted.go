package journal

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// number is a JSON number by its text, since large ones don't fit a float.
type number string

// MarshalJSONTo writes the number.
func (n number) MarshalJSONTo(e *jsontext.Encoder) error { return e.WriteValue(jsontext.Value(n)) }

// exactNumbers decodes the numbers within an any as number.
var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return json.SkipFunc
	}
	raw, err := d.ReadValue()
	*v = number(raw)
	return err
}))

func (n number) equal(other number) bool {
	if n == other {
		return true
	}
	if len(n)+len(other) > 400 || strings.ContainsAny(string(n+other), "eE") {
		return false // not worth the memory that such an exponent can take
	}
	a, okA := new(big.Rat).SetString(string(n))
	b, okB := new(big.Rat).SetString(string(other))
	return okA && okB && a.Cmp(b) == 0
}

// wanted is what a JSON value has to be.
type wanted struct {
	is       func(got any) bool // nil: nothing, or null
	redacted any                // as it may be shown
}

// newWanted reads an expected value in a place that is treated so.
func newWanted(field string, value any, t treatment) (wanted, error) {
	text, isText := value.(string)
	switch {
	case value == nil:
		return wanted{is: func(got any) bool { return got == nil }}, nil
	case isText && strings.HasPrefix(text, "~"):
		expression, err := newExpression(field, text)
		return wanted{expression, value}, err
	case t == hidden, t == named && !holdsMembers(value):
		return hiddenWanted(value), nil
	}
	switch value := value.(type) {
	case map[string]any:
		return newWantedObject(field, value, t)
	case []any:
		return newWantedArray(field, value, t)
	case number:
		return wanted{func(got any) bool { n, ok := got.(number); return ok && n.equal(value) }, value}, nil
	default: // a string or a boolean
		return wanted{func(got any) bool { return got == value }, value}, nil
	}
}

// hiddenWanted compares a value as a whole by its fingerprint.
func hiddenWanted(value any) wanted {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic("journal: a decoded JSON value doesn't marshal: " + err.Error())
	}
	secret := secretText(raw)
	if secret == "" {
		return wanted{func(got any) bool { return got == value }, value}
	}
	fingerprint := Fingerprint(secret)
	text, _ := value.(string) // which may be a fingerprint that was read in the journal
	return wanted{func(got any) bool { return got == fingerprint || text != "" && got == text }, fingerprint}
}

// holdsMembers tells whether a JSON value is an object, or an array in which one can stand.
func holdsMembers(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// newWantedObject is an object that contains the given members.
func newWantedObject(field string, object map[string]any, t treatment) (wanted, error) {
	members := map[string]wanted{}
	redacted := map[string]any{}
	for name, value := range object {
		w, err := newWanted(field+"."+name, value, memberTreatment(t, name))
		if err != nil {
			return wanted{}, err
		}
		members[name], redacted[name] = w, w.redacted
	}
	return wanted{func(got any) bool {
		object, ok := got.(map[string]any)
		for name, w := range members {
			ok = ok && w.is(object[name])
		}
		return ok
	}, redacted}, nil
}

// newWantedArray is an array of as many elements, each as given.
func newWantedArray(field string, array []any, t treatment) (wanted, error) {
	elements := make([]wanted, len(array))
	redacted := make([]any, len(array))
	for i, value := range array {
		w, err := newWanted(field+"["+strconv.Itoa(i)+"]", value, t)
		if err != nil {
			return wanted{}, err
		}
		elements[i], redacted[i] = w, w.redacted
	}
	return wanted{func(got any) bool {
		array, ok := got.([]any)
		ok = ok && len(array) == len(elements)
		for i := 0; ok && i < len(array); i++ {
			ok = elements[i].is(array[i])
		}
		return ok
	}, redacted}, nil
}

// newExpression reads a "~" expression: what it is given has to be there and, as text, to match.
func newExpression(field, text string) (func(got any) bool, error) {
	expression, err := regexp.Compile(text[1:])
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		// Its own text shows the expression, which may hold a secret.
		return nil, fmt.Errorf("%s: %s: what follows \"~\" has to be a Go regular expression (RE2)", field, wrong.Code)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: what follows \"~\" has to be a Go regular expression (RE2)", field)
	}
	return func(got any) bool {
		switch got := got.(type) {
		case nil:
			return false
		case string:
			return expression.MatchString(got)
		default:
			raw, err := json.Marshal(got, json.Deterministic(true))
			return err == nil && expression.Match(raw)
		}
	}, nil
}

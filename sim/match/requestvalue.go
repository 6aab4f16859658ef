package match

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
	"github.com/digitalbanking-sim/banksim/sim/wording"
)

// typed is the type of a value. Where a form has the value, it is a text.
type typed struct {
	contract.Type
	isText bool
}

// checkValue checks the value of a member that has one of some types.
func (r Requests) checkValue(at []string, value any, types []typed) []Mistake {
	text, isText := value.(string)
	if value == nil || isText && !isLiteral(text) {
		return nil
	}
	fitting := func(value any) []typed {
		return slices.DeleteFunc(slices.Clone(types), func(t typed) bool { return !t.takes(value) })
	}
	switch found := fitting(value); {
	case len(found) == 0: // the value itself may be a secret
		problem := fmt.Sprintf("%s is %s, not %s", strings.Join(at, "."), Kind(value), withArticle(types[0].JSON))
		isLike := func(got any) bool { return Kind(got) == Kind(value) && len(fitting(got)) == 0 }
		return []Mistake{{at, problem, isLike}}
	case isText:
		return r.checkText(at, text, found)
	default:
		members, _ := value.(map[string]any)
		return r.checkMembers(at, members, found)
	}
}

// takes reports whether a value of the type can be equal to a literal.
func (t typed) takes(literal any) bool {
	number, isNumber := literal.(json.Number)
	if isNumber && t.JSON == "integer" {
		_, ok := strictjson.Integer(number.String())
		return ok
	}
	kind := Kind(literal)
	return kind == withArticle(t.JSON) || t.isText && (kind == "a string" || kind == "an array")
}

// checkText checks a text that is the value of a member or of a parameter. A value outside of a list is a mistake if it
// is a slip of one in the list: a client may also send what the bank then refuses.
func (r Requests) checkText(at []string, text string, types []typed) []Mistake {
	var known []string
	if r.Values != nil {
		known = r.Values(at[len(at)-1])
	}
	for _, t := range types {
		known = append(known, t.Enum...)
	}
	near, isSlip := wording.Slip(text, known)
	if !isLiteral(text) || !isSlip || slices.Contains(known, text) {
		return nil
	}
	problem := strings.Join(at, ".") + " is " + wording.Quote(text) + ": did you mean " + wording.Quote(near) + "?"
	return []Mistake{{at, problem, equals(text)}}
}

// withArticle returns the name of a type of JSON with its article.
func withArticle(name string) string {
	if strings.ContainsAny(name[:1], "aio") {
		return "an " + name
	}
	return "a " + name
}

// Kind returns the type of a JSON value with its article, such as a string.
func Kind(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	}
	return "a number"
}

package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Limits of regular expressions, in parts; see expressionSize (choice). The time of a comparison grows with the product of
// the text's length and the expression's size, and nothing can interrupt it.
const (
	maxExpression  = 2_000
	maxExpressions = 20_000 // all of one set of conditions
)

// compile compiles a regular expression. Its error doesn't show the expression.
func (r reader) compile(text string) (*regexp.Regexp, error) {
	if len(text) > maxExpressions { // it takes long to parse
		return nil, fmt.Errorf("the regular expression has %d bytes, more than %d: simplify it", len(text), maxExpressions)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err == nil {
		size := expressionSize(parsed)
		if *r.size += size; size > maxExpression {
			return nil, fmt.Errorf("the regular expression has %d parts once its repetitions are written out, more than %d: simplify it", size, maxExpression)
		}
		if *r.size > maxExpressions {
			return nil, fmt.Errorf("the regular expressions up to here have %d parts once their repetitions are written out, more than %d: give fewer", *r.size, maxExpressions)
		}
	}
	expression, err := regexp.Compile(text)
	if err == nil {
		return expression, nil
	}
	reason := ""
	var wrong *syntax.Error
	if errors.As(err, &wrong) { // its own text shows the expression
		reason = wrong.Code.String() + ": "
	}
	return nil, errors.New(reason + `what follows "~" has to be a Go regular expression (RE2)`)
}

// expressionSize returns about how many instructions an expression compiles to: its characters, classes and operators, those
// within a repetition as often as it repeats.
func expressionSize(re *syntax.Regexp) int {
	size := 1
	if re.Op == syntax.OpLiteral {
		size = len(re.Rune)
	}
	for _, part := range re.Sub {
		size += expressionSize(part)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return size
}

// Package lazy makes package variables that cost nothing until they are used: a program that serves a bank starts with
// the tools for scenarios, captures and explanations in it, and uses few of them.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns a regular expression, which its first call compiles. It panics if the
// expression is wrong.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

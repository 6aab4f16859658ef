package testkit

import (
	"flag"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/explore"
)

// subtest returns the name of the subtest for a run. Package testing splits names at slashes and makes the subtests whose names
// begin as go test -run says. So to make a run of a later wave, it makes those that it follows from as well.
func subtest(r explore.Run) string { return subtestName(r.Name()) }

func subtestName(run string) string { return strings.ReplaceAll(run, "+", "/") }

// reproduction returns the command that makes a run alone, for sh, bash and zsh.
func reproduction(test, run string) string {
	command := "go test -run " + quoted(runPattern(test+"/"+subtestName(run)))
	if p := packagePath(); p != "" {
		command += " " + p
	}
	return command
}

// runPattern returns the regular expression of go test -run for exactly one test.
func runPattern(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// quoted quotes a text for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// packagePath returns the import path of the package that is tested; empty: it isn't known.
func packagePath() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	path, tests := strings.CutSuffix(info.Path, ".test")
	if !tests {
		return ""
	}
	return path
}

// parallelFlag returns what go test -parallel says; 0: nothing.
func parallelFlag() (n int) {
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.parallel" {
			n, _ = strconv.Atoi(f.Value.String()) // the flag is a number
		}
	})
	return n
}

// runFlag returns what go test -run says; empty: all tests are made.
func runFlag() string {
	if f := flag.Lookup("test.run"); f != nil {
		return f.Value.String()
	}
	return ""
}

// failuresSelected returns how many failures a run has at most that an expression of go test -run selects: if it ends with a failure,
// it means that run, and not those that follow from it. limited is false if it doesn't say.
func failuresSelected(test, pattern string) (most int, limited bool) {
	elements, alternatives := patternElements(pattern)
	below := elements - (strings.Count(test, "/") + 1) // each failure has two: the call and its name
	return below / 2, !alternatives && below > 0 && below%2 == 0
}

// patternElements returns how many elements an expression of go test -run has, and whether it has alternatives, each with elements
// of its own. Slashes and bars in brackets don't count.
func patternElements(pattern string) (elements int, alternatives bool) {
	elements = 1
	square, round := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(square-1, 0)
		case square > 0:
		case c == '(':
			round++
		case c == ')':
			round--
		case round > 0:
		case c == '/':
			elements++
		case c == '|':
			alternatives = true
		}
	}
	return elements, alternatives
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

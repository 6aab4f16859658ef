package scenario

import (
	_ "embed"
	"strconv"
	"strings"
)

// stride is the distance, in the list of all pairs, between consecutive names: a prime, so that every pair occurs.
const stride = 7919

// names returns a function that makes unique names from two lists: every pair once, in a scattered order, then every
// pair with the number 2, and so on.
func (g generator) names(first, second []string, between, beforeNumber string) func() string {
	pairs := len(first) * len(second)
	offset, made := g.random.IntN(pairs), 0
	return func() string {
		pair, round := (offset+made%pairs*stride)%pairs, made/pairs
		made++
		name := first[pair%len(first)] + between + second[pair/len(first)]
		if round > 0 {
			name += beforeNumber + strconv.Itoa(round+1)
		}
		return name
	}
}

// longestGroupName is how many characters a generated group name has at most: the longest words, and a number of up to
// four digits.
const longestGroupName = 30

// namesSource has first names, last names, and adjectives and nouns of groups, each on a line.
//
//go:embed names.txt
var namesSource string

// nameLists returns the lists in namesSource.
func nameLists() (words [4][]string) {
	for i, line := range strings.Split(strings.TrimSpace(namesSource), "\n") {
		words[i] = strings.Split(line, ", ")
	}
	return words
}

package wording

import "strings"

// DidYouMean returns the end of a message about a misspelt name: ": did you mean "near"?" or, where no known name is
// near, ": " with the list's own words and all known names. It is empty where nothing is known.
func DidYouMean(name string, known []string, list string) string {
	if near, ok := Nearest(name, known); ok {
		return ": did you mean " + Quote(near) + "?"
	}
	if len(known) == 0 {
		return ""
	}
	return ": " + list + " " + Names(known)
}

// Counting edits takes time: names of more characters, or beyond that many known ones, are not looked at.
const (
	maxComparedLength = 64
	maxComparedNames  = 1000
)

// Nearest returns the known name with the fewest edits to the name, if they are few enough for a slip. Case and
// separators don't count.
func Nearest(name string, known []string) (string, bool) {
	if len(name) > maxComparedLength {
		return "", false
	}
	folded := []rune(fold(name))
	best, fewest := "", (len(folded)+2)/3+1
	for _, candidate := range known[:min(len(known), maxComparedNames)] {
		other := fold(candidate)
		if len(candidate) > maxComparedLength || areOpposite(string(folded), other) {
			continue
		}
		if n := Edits(folded, []rune(other)); n < fewest {
			best, fewest = candidate, n
		}
	}
	return best, best != ""
}

// areOpposite reports whether one of two names denies the other: nobody who wrote one meant the other.
func areOpposite(a, b string) bool {
	for _, denial := range []string{"un", "in", "dis", "non", "not", "de"} {
		if a == denial+b || b == denial+a {
			return true
		}
	}
	return false
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(name string) string { return separators.Replace(strings.ToLower(name)) }

// Edits counts the insertions, deletions, replacements and swaps of neighbours that make b of a.
func Edits(a, b []rune) int {
	previous, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		previous, last, row = last, row, previous
		row[0] = i + 1
		for j := range b {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], previous[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

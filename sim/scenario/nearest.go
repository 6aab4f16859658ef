package scenario

import "strings"

// didYouMean returns the question that names the known name nearest to a misspelt one, or, where none is near,
// a sentence that lists them all. It is the end of a message: ": did you mean …?".
func didYouMean(name string, known []string, list string) string {
	if near, ok := nearest(name, known); ok {
		return ": did you mean " + shown(near) + "?"
	}
	if len(known) == 0 {
		return ""
	}
	return ": " + list + " " + quoted(known)
}

// Counting edits takes time: names of more characters, or beyond that many known ones, are not looked at.
const (
	maxComparedLength = 100
	maxComparedNames  = 2000
)

// nearest returns the known name with the fewest edits to the name, if they are few enough for a slip. Case and
// separators don't count.
func nearest(name string, known []string) (string, bool) {
	if len(name) > maxComparedLength {
		return "", false
	}
	folded := []rune(fold(name))
	best, fewest := "", (len(folded)+2)/3+1
	for _, candidate := range known[:min(len(known), maxComparedNames)] {
		if len(candidate) > maxComparedLength {
			continue
		}
		if n := edits(folded, []rune(fold(candidate))); n < fewest {
			best, fewest = candidate, n
		}
	}
	return best, best != ""
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(name string) string { return separators.Replace(strings.ToLower(name)) }

// edits counts the insertions, deletions, replacements and swaps of neighbours that make b of a.
func edits(a, b []rune) int {
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

package bankapi

import "strings"

// maxCompared bounds the part of an unknown path that is compared with the known ones.
const maxCompared = 200

// nearestOperation returns the operation that is nearest to a request that is none's: by its path, then by its
// method.
func nearestOperation(method, path string) *operation {
	path = strings.ToLower(path[:min(len(path), maxCompared)])
	distance := func(op *operation) int {
		d := 2 * editDistance(path, filledIn(strings.ToLower(op.path), path))
		if op.method != method {
			d++
		}
		return d
	}
	nearest := &operations[0]
	for i := range operations {
		if distance(&operations[i]) < distance(nearest) {
			nearest = &operations[i]
		}
	}
	return nearest
}

// filledIn returns an operation's path with what stands in a request's path in the place of its variables.
func filledIn(template, path string) string {
	segments, given := strings.Split(template, "/"), strings.Split(path, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") && i < len(given) {
			segments[i] = given[i]
		}
	}
	return strings.Join(segments, "/")
}

// editDistance returns how many bytes have to be put in, taken out or changed to turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

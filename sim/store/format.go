package store

import "fmt"

// format is the number of the format that this version writes and reads, in a file and in a database. Format 1 is not
// read: it was never released.
const format = 2

// refuseFormat refuses a place whose banks have another format.
func refuseFormat(place string, found int, remedy string) error {
	switch {
	case found > format:
		return fmt.Errorf("%s has format %d, and this version reads format %d: use a newer version",
			place, found, format)
	case found < format:
		return fmt.Errorf("%s has format %d, and this version reads format %d alone: "+
			"save each bank with the version that wrote it "+
			"(GET /v1/sandboxes/NAME/state?format=scenario of the control API), and %s", place, found, format, remedy)
	}
	return nil
}

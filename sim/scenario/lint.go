package scenario

import "fmt"

// Warning is something in a valid scenario that is probably not what its author meant.
type Warning struct {
	Problem
	Code string // such as id-spacing: what a comment in the file names to silence it
}

// String returns the warning as file:line:column: message [code].
func (w Warning) String() string { return fmt.Sprintf("%s [%s]", w.Problem, w.Code) }

// Warnings returns what is legal and doubtful in the files of the scenario, without those of embedded scenarios and without what
// comments silence, sorted by position.
func (s *Scenario) Warnings() ([]Warning, error) { return nil, nil }

package coverage

import (
	"fmt"
	"strings"
)

// Kind is what kind of thing a point is.
type Kind string

// The kinds.
const (
	Accepted   Kind = "accepted"   // an answer to a request that is accepted
	Refused    Kind = "refused"    // a refusal that a rule of the bank brings about; a fault can answer with it, too
	Injected   Kind = "injected"   // an error that only a fault brings about
	Connection Kind = "connection" // an answer that a fault loses or breaks
)

// Point is something that an app can meet when it calls an operation.
type Point struct {
	Operation  string `json:"operation"`
	Dialect    string `json:"dialect"` // document or public
	Kind       Kind   `json:"kind"`
	Status     int    `json:"status,omitzero"`     // of the answer
	Code       string `json:"code,omitzero"`       // in its error body
	Rule       string `json:"rule,omitzero"`       // that refuses
	Connection string `json:"connection,omitzero"` // the kind of a connection fault
	Phase      string `json:"phase,omitzero"`      // of a connection fault: before or after the change of the bank, if there is one
}

// Count is how often a point was met.
type Count struct {
	Naturally uint64 `json:"naturally"`
	Injected  uint64 `json:"injected"` // by a fault, whose error counts for every point with its status and code
}

func (c Count) met() bool { return c.Naturally > 0 || c.Injected > 0 }

// Met is a point with how often it was met.
type Met struct {
	Point
	Count
	// Possible says whether it can be met under the switches of a scenario that the suite used. What can't counts against
	// nobody.
	Possible bool `json:"possible"`
}

// byText sorts what no description lists.
func byText(a, b Met) int { return strings.Compare(fmt.Sprint(a.Point), fmt.Sprint(b.Point)) }

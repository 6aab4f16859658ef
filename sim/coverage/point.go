package coverage

import (
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// Kind is the kind of a point.
type Kind string

// The kinds.
const (
	Accepted   Kind = "accepted"   // an answer to a request that is accepted
	Refused    Kind = "refused"    // a refusal by a rule of the bank; a fault can answer the same
	Injected   Kind = "injected"   // an error that only a fault answers
	Connection Kind = "connection" // an answer that a fault loses or damages
)

// Point is one way for a call of an operation to end.
type Point struct {
	Operation  string `json:"operation"`
	Dialect    string `json:"dialect"` // document or public
	Kind       Kind   `json:"kind"`
	Status     int    `json:"status,omitzero"`     // of the answer
	Code       string `json:"code,omitzero"`       // in its error body
	Rule       string `json:"rule,omitzero"`       // that refuses
	Connection string `json:"connection,omitzero"` // the kind of a connection fault
	Phase      string `json:"phase,omitzero"`      // before or after the change, or empty if there is none
}

// IsMistake reports whether the point is a refusal of a wrong request. A correct client never meets it.
func (p Point) IsMistake() bool { return p.Kind == Refused && contract.IsMistake(sim.Code(p.Rule)) }

// IsAnswer reports whether a correct client can meet the point as an answer.
func (p Point) IsAnswer() bool { return p.Kind != Connection && !p.IsMistake() }

// Count is how often a point was met.
type Count struct {
	ByBank   uint64 `json:"byBank"`
	Injected uint64 `json:"injected"` // by a fault: an injected error counts for all points with its status and code
}

func (c Count) plus(d Count) Count { return Count{c.ByBank + d.ByBank, c.Injected + d.Injected} }

func (c Count) isCovered() bool { return c.ByBank > 0 || c.Injected > 0 }

// PointCount is a point with its count.
type PointCount struct {
	Point
	Count
	// Possible says whether the point can be met under the switches of a scenario that was used.
	Possible bool `json:"possible"`
}

func byText(a, b PointCount) int { return strings.Compare(fmt.Sprint(a.Point), fmt.Sprint(b.Point)) }

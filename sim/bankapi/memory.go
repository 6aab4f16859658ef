package bankapi

import (
	"errors"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/memory"
)

const (
	// A body of up to smallBody takes no room (choice).
	smallBody = 4 << 10

	// multipartWeight is about how much more memory reading a multipart body takes than another one.
	multipartWeight = 8

	// largeAnswer is the size above which an answer is written in pieces of this size, and needs room (choice).
	largeAnswer = 64 << 10
)

// leases are what a request holds: room for its body until it is carried out, room for its answer until that is
// written, and the call of another service until its answer is.
type leases struct {
	body, answer memory.Lease
	endForward   func() // ends the call of another service, or nil
}

func newLeases(room *memory.Room) *leases { return &leases{body: room.Lease(), answer: room.Lease()} }

// noRoomForBody refuses a request.
func noRoomForBody() error {
	return sim.Refuse(contract.Overloaded,
		"the requests under way leave no room for a body of this size: send it again later")
}

// takeAnswer takes the room for an answer, in place of the room that an earlier attempt has taken.
func (l *leases) takeAnswer(size int) error {
	l.answer.Release()
	if size > largeAnswer && l.answer.Take(int64(size)) != nil {
		return sim.Refuse(contract.Overloaded,
			"the requests under way leave no room for an answer of this size: send the request again later")
	}
	return nil
}

func isOverload(err error) bool {
	if err == nil { // as nearly always
		return false
	}
	var refusal *sim.Error
	return errors.As(err, &refusal) && refusal.Code == contract.Overloaded
}

func (l *leases) release() {
	if l.endForward != nil {
		l.endForward()
	}
	l.body.Release()
	l.answer.Release()
}

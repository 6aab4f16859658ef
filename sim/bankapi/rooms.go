package bankapi

import (
	"context"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// rooms are the shares of the byte allowances of the handler that a request has: for its body while it is read and
// decoded, and for a large answer until it is written. Clients that send or read slowly would fill the memory
// otherwise.
type rooms struct {
	handler *Handler
	length  int64 // of a large body, or 0
	weight  int64 // that decoding it takes
	body    int64 // that is taken of handler.bodies
	delayed int64 // that is taken of handler.delayed
	answer  int64 // that is taken of handler.Answers
}

// takeBodyOf takes the room for a body of a length that is going to be read. It refuses the request if there is none in
// time.
func (m *rooms) takeBodyOf(ctx context.Context, length, weight int64) error {
	if length <= smallBody {
		return nil
	}
	m.length, m.weight = length, weight
	err := m.takeBody(ctx)
	if err != nil {
		m.length = 0 // the body is not read
	}
	return err
}

// resizeBody gives back the room that a body doesn't need. The length of some bodies is known only after they are read.
func (m *rooms) resizeBody(length, weight int64) {
	if m.length == 0 || length >= m.length {
		return
	}
	if length <= smallBody {
		length, weight = 0, 0
	}
	m.handler.bodies.Release(m.body - weight)
	m.length, m.weight, m.body = length, weight, weight
}

// takeBody takes the room that decoding the body needs. The body needs none for a delay then.
func (m *rooms) takeBody(ctx context.Context) error {
	if m.length == 0 {
		return nil
	}
	m.giveBodyBack()
	ctx, cancel := context.WithTimeout(ctx, bodyWait)
	defer cancel()
	if m.handler.bodies.Acquire(ctx, m.weight) != nil {
		return sim.Refuse(contract.Overloaded,
			"too many large bodies are being read, and there was no room for this one within %s: send it again later", bodyWait)
	}
	m.body = m.weight
	return nil
}

// holdBody gives back the room for decoding the body while a fault delays the request, so that requests to other
// sandboxes don't wait for that. It refuses the request if too many large bodies are delayed.
func (m *rooms) holdBody() error {
	m.giveBodyBack()
	if m.length > 0 && !m.handler.delayed.TryAcquire(m.length) {
		return sim.Refuse(contract.Overloaded,
			"faults delay too many requests with large bodies, and there is no room for this one: send it again later")
	}
	m.delayed = m.length
	return nil
}

// giveBodyBack gives back the room that the body takes.
func (m *rooms) giveBodyBack() {
	if m.body > 0 {
		m.handler.bodies.Release(m.body)
	}
	if m.delayed > 0 {
		m.handler.delayed.Release(m.delayed)
	}
	m.body, m.delayed = 0, 0
}

// takeAnswer takes the room for a large answer, and reports whether there is any.
func (m *rooms) takeAnswer(size int64) bool {
	if !m.handler.Answers.TryAcquire(size) {
		return false
	}
	m.answer = size
	return true
}

func (m *rooms) giveAnswerBack() {
	if m.answer > 0 {
		m.handler.Answers.Release(m.answer)
	}
	m.answer = 0
}

func (m *rooms) giveBack() {
	m.giveBodyBack()
	m.giveAnswerBack()
}

package bankapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	maxBody = 1 << 20 // bytes in a request body (choice)

	// maxBodies is how many bytes the bodies have together that are being read and answered, or an eighth of the memory limit, but not
	// less than minBodies, which is room for one of any kind (choice). One of smallBody takes no share; a larger one waits for bodyWait.
	maxBodies = 64 << 20
	minBodies = maxBody * multipartWeight
	smallBody = 4 << 10
	bodyWait  = 10 * time.Second

	// multipartWeight is how much more memory reading a multipart body takes than another one, about.
	multipartWeight = 8
)

// content is a request's body. It is read before the sandbox is changed, because nothing is read under a lock; that it
// could not be read to its end is an error only when the body's turn comes.
type content struct {
	data []byte
	size int // of the whole body, of which data may be only the beginning
	err  error
}

// read reads the body of the request, if the operation has one or the path is stubbed, when there is room for it. A body whose
// length is too large is not read.
func (x *exchange) read() {
	length := x.r.ContentLength
	switch {
	case x.op != nil && x.op.Request == nil:
		return
	case length > maxBody:
		x.content = content{size: int(length), err: tooLarge()}
		return
	case length < 0: // it is not known before the end
		length = maxBody
	}
	if err := x.takeBodyRoom(length); err != nil {
		x.content = content{size: int(length), err: err}
		return
	}
	data := bytes.NewBuffer(make([]byte, 0, max(x.r.ContentLength, 0)+bytes.MinRead))
	_, err := data.ReadFrom(http.MaxBytesReader(x.w, x.r.Body, maxBody))
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded):
		err = tooLarge()
	case err != nil:
		err = sim.Refuse(contract.BodyMalformed, "the body could not be read to its end")
	}
	x.content = content{data: data.Bytes(), size: data.Len(), err: err}
}

func tooLarge() error {
	return sim.Refuse(contract.BodyTooLarge, "the body is larger than %d bytes", maxBody)
}

// takeBodyRoom takes the room that a body needs until the request is answered.
func (x *exchange) takeBodyRoom(length int64) error {
	if length <= smallBody {
		return nil
	}
	room := length
	if x.op != nil && x.op.Multipart != nil {
		room *= multipartWeight
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), bodyWait)
	defer cancel()
	if x.handler.bodies.Acquire(ctx, room) != nil {
		return sim.Refuse(contract.Overloaded,
			"too many large bodies are being read, and there was no room for this one within %s: send it again later", bodyWait)
	}
	x.bodyRoom = room
	return nil
}

// giveRoomBack gives the room back that the request took.
func (x *exchange) giveRoomBack() {
	if x.bodyRoom > 0 {
		x.handler.bodies.Release(x.bodyRoom)
	}
	if x.answerRoom > 0 {
		x.handler.Answers.Release(x.answerRoom)
	}
}

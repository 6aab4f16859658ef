package bankapi

import (
	"bytes"
	"errors"
	"net/http"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const (
	maxBody = 1 << 20 // bytes in a request body (choice)

	// maxBodies is how many bytes the bodies have together that are being read and decoded, or an eighth of the memory
	// limit, but not less than minBodies, which is room for one of any kind (choice). One of smallBody takes no share;
	// a larger one waits for bodyWait.
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

// read reads the body of the request when there is room for it, if the operation has one or the path may be stubbed. A
// body whose length is too large is not read.
func (x *exchange) read() {
	length := x.r.ContentLength
	switch {
	case x.asked != nil && x.asked.op.Request == nil, x.asked == nil && !x.mayBeStubbed():
		return
	case length > maxBody:
		x.content = content{size: int(length), err: tooLarge()}
		return
	case length < 0: // it is not known before the end
		length = maxBody
	}
	weight := int64(1)
	if x.asked != nil && x.asked.op.Multipart != nil {
		weight = multipartWeight
	}
	if err := x.rooms.takeBodyOf(x.r.Context(), length, weight*length); err != nil {
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
	x.rooms.resizeBody(int64(data.Len()), weight*int64(data.Len()))
}

func tooLarge() error {
	return sim.Refuse(contract.BodyTooLarge, "the body is larger than %d bytes", maxBody)
}

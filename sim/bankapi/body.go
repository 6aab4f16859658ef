package bankapi

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

const maxBody = 1 << 20 // bytes in a request body (choice)

// content is a request's body. It is read first, because the bank must not wait for a client while it changes. An error
// while reading matters only if the operation wants the body.
type content struct {
	data []byte
	size int // of the whole body, of which data may be only the beginning
	err  error
}

// byteOrderMark may precede JSON, and is ignored then (RFC 8259 8.1).
var byteOrderMark = []byte("\uFEFF")

// withoutMark returns the body without a byte order mark before it.
func (c content) withoutMark() []byte { return bytes.TrimPrefix(c.data, byteOrderMark) }

// read reads the body of a request if its operation has a body or a stub may answer. It takes the room for the body
// first. It doesn't read a body that says it is too large.
func (h *Handler) read(
	w http.ResponseWriter, r *http.Request, op *contract.Operation, to address, lease *lease,
) content {
	length := r.ContentLength
	switch {
	case op != nil && op.Request == nil, op == nil && !h.mayBeStubbed(r, to):
		return content{}
	case length > maxBody:
		return content{size: int(length), err: tooLarge()}
	case length < 0: // unknown before the end
		length = maxBody
	}
	weight := int64(1)
	if op != nil && op.Multipart != nil {
		weight = multipartWeight
	}
	if err := lease.takeBodyOf(r.Context(), length, weight*length); err != nil {
		return content{size: int(length), err: err}
	}
	buffer := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, 0)+bytes.MinRead))
	_, err := buffer.ReadFrom(http.MaxBytesReader(w, r.Body, maxBody))
	var exceeded *http.MaxBytesError
	switch {
	case errors.As(err, &exceeded):
		err = tooLarge()
	case err != nil:
		err = sim.Refuse(contract.BodyMalformed, "the body could not be read to its end")
	}
	lease.shrinkBody(int64(buffer.Len()), weight*int64(buffer.Len()))
	return content{data: buffer.Bytes(), size: buffer.Len(), err: err}
}

func tooLarge() error {
	return sim.Refuse(contract.BodyTooLarge, "the body is larger than %d bytes", maxBody)
}

// mayBeStubbed reports whether a rule may answer a request that is no operation's, as far as this process knows:
// another one may have added a stub to a bank that both use.
func (h *Handler) mayBeStubbed(r *http.Request, to address) bool {
	sb, err := h.Sandboxes.Find(r.Context(), to.sandbox)
	return to.refusal == nil && err == nil &&
		(h.Sandboxes.IsShared() || sb.Known().Faults.Stubs(r.Method, to.url.EscapedPath()))
}

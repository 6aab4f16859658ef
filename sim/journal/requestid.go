package journal

import "fmt"

// The headers that name a request, in lower case.
const (
	correlationID = "correlationid"
	transactionID = "transactionid"
)

// requestIDKind says which header that names a request a header is.
type requestIDKind uint8

const (
	notRequestID requestIDKind = iota
	isCorrelationID
	isTransactionID
)

// RequestIDReused is the lint for a request whose correlationid or transactionid an exchange had that the journal
// still holds.
const RequestIDReused = "request-id-reused"

// requestID is the name of a request: a value of one of the headers.
type requestID struct {
	kind  requestIDKind
	value string
}

// requestIDBytes is what remembering one costs, the value itself aside, in bytes.
const requestIDBytes = 64

// reuse says that the request's id was that of an earlier exchange.
type reuse struct {
	by uint64 // the earlier exchange; 0: not reused
	id requestID
}

func (r reuse) lint() Lint {
	header := correlationID
	if r.id.kind == isTransactionID {
		header = transactionID
	}
	return Lint{
		Code:    RequestIDReused,
		Message: fmt.Sprintf("%s %q is not unique: exchange %d had it, too", header, valid(r.id.value), r.by),
	}
}

// requestIDs remembers which exchange was the last to have a request id, for the exchanges that a journal holds.
type requestIDs map[requestID]uint64

// add notes the ids of a new entry, and in it where an earlier one had them.
func (ids requestIDs) add(e *entry) {
	for _, h := range e.headers[:e.requestHeaders] {
		if h.kind == notRequestID || h.value == "" {
			continue
		}
		id := requestID{h.kind, h.value}
		if by := ids[id]; by != 0 && by != e.number {
			e.reused[h.kind-1] = reuse{by, id}
		}
		ids[id] = e.number
	}
}

// forget drops the ids of an entry that is going.
func (ids requestIDs) forget(e *entry) {
	for _, h := range e.headers[:e.requestHeaders] {
		if id := (requestID{h.kind, h.value}); h.kind != notRequestID && ids[id] == e.number {
			delete(ids, id)
		}
	}
}

package journal

import (
	"fmt"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// requestIDHeaders are the headers that identify a request, in lower case, by their kind.
var requestIDHeaders = [...]string{
	isCorrelationID: strings.ToLower(contract.EstatementsGetDisclosures.Family.RequestID),
	isTransactionID: strings.ToLower(contract.GroupsCreate.Family.RequestID),
}

// requestIDKind says by which header a request is identified.
type requestIDKind uint8

const (
	notRequestID requestIDKind = iota
	isCorrelationID
	isTransactionID
)

// headerField is a header of a request or an answer, redacted.
type headerField struct {
	name  string // as it was spelt
	value string
	kind  requestIDKind
}

func newRequestHeader(name, value string) headerField {
	h := headerField{name: name, value: redact.RequestHeader(name, value)}
	for kind, header := range requestIDHeaders {
		if header != "" && strings.EqualFold(name, header) {
			h.kind = requestIDKind(kind)
		}
	}
	return h
}

// RequestIDReused is the lint for a request whose correlationid or transactionid is also that of an earlier exchange
// that the journal still holds.
const RequestIDReused = "request-id-reused"

// requestID identifies a request: a value of one of the headers.
type requestID struct {
	kind  requestIDKind
	value string
}

// requestIDBytes is the memory that remembering one takes besides the value itself, in bytes.
const requestIDBytes = 64

// reuse is a request id that an earlier exchange had.
type reuse struct {
	by uint64 // the earlier exchange; 0: not reused
	id requestID
}

func (r reuse) lint() Lint {
	return Lint{
		Code:    RequestIDReused,
		Message: fmt.Sprintf("%s %s is not unique: exchange %d had it, too", requestIDHeaders[r.id.kind], phrase.Quote(valid(r.id.value)), r.by),
	}
}

// requestIDs has the last exchange of each request id, of those that a journal holds.
type requestIDs map[requestID]uint64

// add remembers the ids of a new entry, and notes in the entry which of them an earlier one had.
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

// forget drops the ids of an entry that is removed.
func (ids requestIDs) forget(e *entry) {
	for _, h := range e.headers[:e.requestHeaders] {
		if id := (requestID{h.kind, h.value}); h.kind != notRequestID && ids[id] == e.number {
			delete(ids, id)
		}
	}
}

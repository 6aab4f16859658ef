package journal

import (
	"fmt"
	"hash/maphash"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
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

// kindOf returns which request id a header is.
func kindOf(name string) requestIDKind {
	for kind, header := range requestIDHeaders {
		if len(name) == len(header) && strings.EqualFold(name, header) {
			return requestIDKind(kind)
		}
	}
	return notRequestID
}

// RequestIDReused is the lint for a request whose correlationid or transactionid is also that of an earlier exchange
// that the journal still holds.
const RequestIDReused = "request-id-reused"

// requestIDBytes is the memory that remembering a request id takes, in bytes.
const requestIDBytes = 32

// reuse is a request id that an earlier exchange had.
type reuse struct {
	by    uint64 // the earlier exchange; 0: not reused
	field uint32 // the index of the header with the id
}

// reuseLint returns the lint for a request id of the entry that was reused.
func (e *entry) reuseLint(kind requestIDKind, r reuse) Lint {
	id, _ := e.texts.skip(firstHeader + 2*int(r.field) + 1).next()
	return Lint{
		Code:    RequestIDReused,
		Message: fmt.Sprintf("%s %s is not unique: exchange %d had it, too", requestIDHeaders[kind], phrase.Quote(valid(id)), r.by),
	}
}

// requestIDs has the last exchange of each request id, of those that a journal holds. An id is held as a hash under a seed that
// nobody knows: a map without pointers costs a collection of garbage nothing. Two ids of a full journal have the same hash once in
// many billion journals, and then one of them counts as reused.
type requestIDs map[uint64]uint64

var requestIDSeeds = [...]maphash.Seed{isCorrelationID: maphash.MakeSeed(), isTransactionID: maphash.MakeSeed()}

// add remembers the ids of a new entry, and notes in the entry which of them an earlier one had.
func (ids requestIDs) add(e *entry) {
	for f := e.requestFields(); f.next(); {
		kind, id := f.requestID()
		if kind == notRequestID {
			continue
		}
		if by := ids[id]; by != 0 && by != e.number {
			e.reused[kind-1] = reuse{by, e.requestHeaders - 1 - f.left}
		}
		ids[id] = e.number
	}
}

// forget drops the ids of an entry that is removed.
func (ids requestIDs) forget(e *entry) {
	for f := e.requestFields(); f.next(); {
		if kind, id := f.requestID(); kind != notRequestID && ids[id] == e.number {
			delete(ids, id)
		}
	}
}

// requestID returns which request id the header is, and the hash of the id. An empty one identifies nothing.
func (f *fields) requestID() (kind requestIDKind, hash uint64) {
	if kind = kindOf(f.name); kind == notRequestID || f.value == "" {
		return notRequestID, 0
	}
	return kind, maphash.String(requestIDSeeds[kind], f.value)
}

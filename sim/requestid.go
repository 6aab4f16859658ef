package sim

import (
	"cmp"
	"strings"
)

// maxRequestIDs is how many used request ids a world remembers. It forgets the oldest one first.
const maxRequestIDs = 100_000

// usedRequestID is a request id that a world remembers, in case the policy wants request ids to be unique.
type usedRequestID struct {
	InstitutionID string `json:"institutionId,omitzero"`
	ID            string `json:"id,omitzero"`
	Sequence      uint64 `json:"sequence,omitzero"`
}

// requestIDTable has the newest request ids of all institutions.
var requestIDTable = &tableSpec[usedRequestID]{
	name: "requestIds",
	in:   func(w *World) *table[usedRequestID] { return &tablesOf(w).requestIDs },
	key:  func(u *usedRequestID) rowKey { return rowKey{&u.InstitutionID, &u.ID} },
	before: func(a, b *usedRequestID) bool {
		return cmp.Or(cmp.Compare(a.InstitutionID, b.InstitutionID), cmp.Compare(a.ID, b.ID)) < 0
	},
	indexes:    []*index[usedRequestID]{requestIDsByAge},
	isInternal: true,
	weigh:      weigher[usedRequestID](2),
}

// requestIDsByAge has the request ids in the order of their first use.
var requestIDsByAge = &index[usedRequestID]{
	before: func(a, b *usedRequestID) bool { return a.Sequence < b.Sequence },
}

// UseRequestID marks a request id as used. It looks at the first MaxText bytes. It refuses with RequestIDReused if the
// id was used before.
func (w *World) UseRequestID(institutionID, id string) error {
	id = strings.ToValidUTF8(id[:min(len(id), MaxText)], "")
	used := &usedRequestID{InstitutionID: institutionID, ID: id}
	if tablesOf(w).requestIDs.has(used) {
		return Refuse(RequestIDReused, "the transactionId was used before")
	}
	used.Sequence = w.next()
	tablesOf(w).requestIDs.put(used)
	if byAge := tablesOf(w).requestIDs.by(requestIDsByAge); byAge.len() > maxRequestIDs {
		oldest, _ := byAge.at(0)
		tablesOf(w).requestIDs.delete(oldest)
	}
	return nil
}

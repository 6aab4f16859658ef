package sim

import (
	"cmp"
	"strings"
)

// maxRequestIDs bounds how many used request ids a world remembers: the newest ones.
const maxRequestIDs = 100_000

// usedRequestIDs remembers request ids, for a behaviour that wants them to be unique.
type usedRequestIDs struct {
	byID  table[*usedRequestID]
	byAge table[*usedRequestID]
}

type usedRequestID struct {
	InstitutionID string
	ID            string
	Sequence      uint64
}

func (u *usedRequestID) before(other *usedRequestID) bool {
	return cmp.Or(cmp.Compare(u.InstitutionID, other.InstitutionID), cmp.Compare(u.ID, other.ID)) < 0
}

func newUsedRequestIDs() usedRequestIDs {
	return usedRequestIDs{
		byID:  newTable((*usedRequestID).before, nil),
		byAge: newTable(func(a, b *usedRequestID) bool { return a.Sequence < b.Sequence }, nil),
	}
}

func (u *usedRequestIDs) fork() usedRequestIDs {
	return usedRequestIDs{byID: u.byID.fork(), byAge: u.byAge.fork()}
}

// UseRequestID marks a request id as used: its first MaxText bytes. It refuses with RequestIDReused if it was.
func (w *World) UseRequestID(institutionID, id string) error {
	id = strings.ToValidUTF8(id[:min(len(id), MaxText)], "")
	used := &usedRequestID{InstitutionID: institutionID, ID: id}
	if w.requestIDs.byID.has(used) {
		return Refuse(RequestIDReused, "the transactionId was used before")
	}
	used.Sequence = w.next()
	w.putRequestID(used)
	if w.requestIDs.byAge.len() > maxRequestIDs {
		oldest, _ := w.requestIDs.byAge.at(0)
		w.deleteRequestID(oldest)
	}
	return nil
}

func (w *World) putRequestID(u *usedRequestID) {
	w.requestIDs.byID.put(u)
	w.requestIDs.byAge.put(u)
}

func (w *World) deleteRequestID(u *usedRequestID) {
	w.requestIDs.byID.delete(u)
	w.requestIDs.byAge.delete(u)
}

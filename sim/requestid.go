package sim

import (
	"cmp"
	"strings"
	"time"
)

// maxRequestIDs is how many used request ids a world remembers. It forgets the oldest one first.
const maxRequestIDs = 100_000

// usedRequestID is a request id that a world remembers, in case the policy wants request ids to be unique.
type usedRequestID struct {
	InstitutionID string `json:"institutionId,omitzero"`
	ID            string `json:"id,omitzero"` // after a method and a path, if an answer is kept
	Sequence      uint64 `json:"sequence,omitzero"`

	Answer string    `json:"answer,omitzero"` // the body of the answer that is kept, or empty
	At     time.Time `json:"at,omitzero"`     // of the answer
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
	used := &usedRequestID{InstitutionID: institutionID, ID: cutRequestID(id)}
	if tablesOf(w).requestIDs.has(used) {
		return Refuse(RequestIDReused, "the transactionId was used before")
	}
	w.putRequestID(used, maxRequestIDs)
	return nil
}

func cutRequestID(id string) string { return strings.ToValidUTF8(id[:min(len(id), MaxText)], "") }

// putRequestID adds a used request id, and forgets the oldest one where there are too many.
func (w *World) putRequestID(used *usedRequestID, most int) {
	used.Sequence = w.next()
	tablesOf(w).requestIDs.put(used)
	if byAge := tablesOf(w).requestIDs.by(requestIDsByAge); byAge.len() > most {
		oldest, _ := byAge.at(0)
		tablesOf(w).requestIDs.delete(oldest)
	}
}

// RequestUse is the use of a request id: with a method and a path, so that the same id works for another resource.
type RequestUse struct{ InstitutionID, Target, ID string }

// How many answers a world keeps, and how long on the virtual clock (choice).
const (
	maxKeptAnswers = 1000
	answerKeptFor  = 24 * time.Hour
)

// AnswerOf returns the body of the answer that the first request of a use got, while the world keeps it.
func (w *World) AnswerOf(u RequestUse, now time.Time) (body string, ok bool) {
	used, ok := tablesOf(w).requestIDs.get(u.row())
	if !ok || !now.Before(used.At.Add(answerKeptFor)) {
		return "", false
	}
	return used.Answer, true
}

// KeepAnswer keeps the body of the answer to a request. It forgets the oldest answer where there are too many.
func (w *World) KeepAnswer(u RequestUse, body string, now time.Time) {
	used := u.row()
	tablesOf(w).requestIDs.delete(used)
	used.Answer, used.At = body, now
	w.putRequestID(used, maxKeptAnswers)
}

func (u RequestUse) row() *usedRequestID {
	return &usedRequestID{InstitutionID: u.InstitutionID, ID: u.Target + " " + cutRequestID(u.ID)}
}

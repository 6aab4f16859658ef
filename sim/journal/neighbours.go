package journal

import (
	"bytes"
	"slices"
)

// neighbours are the newest entries of a journal; those that are missing or pending are nil. What the next entry has in common with
// one of them is held once. It counts for each, so what a journal keeps doesn't depend on who shares with whom.
type neighbours [8]*entry // (choice)

// shareFrom is from how many bytes on a body is shared: a smaller one isn't worth it (choice).
const shareFrom = 512

func (j *Journal) neighbours() (n neighbours) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, e := range j.entries[max(0, len(j.entries)-len(n)):] {
		if !e.pending {
			n[i] = e
		}
	}
	return n
}

// body returns the answer's body of a neighbour, if it is equal: between two changes, reads are answered alike.
func (n *neighbours) body(own []byte) []byte {
	if len(own) < shareFrom {
		return own
	}
	for _, e := range n {
		if e != nil && bytes.Equal(e.response.text, own) {
			return e.response.text
		}
	}
	return own
}

// reason returns that of a neighbour, if it is equal: most requests to an operation are decided alike.
func (n *neighbours) reason(own reason) *reason {
	for _, e := range n {
		if e != nil && e.reason.equal(&own) {
			return e.reason
		}
	}
	kept := own
	return &kept
}

// reason is what was decided, and about what.
type reason struct {
	operation string
	dialect   string
	decision  Decision
}

func (r *reason) equal(other *reason) bool {
	a, b := &r.decision, &other.decision
	return r.operation == other.operation && r.dialect == other.dialect &&
		a.Outcome == b.Outcome && a.Rule == b.Rule && a.Row == b.Row && a.Message == b.Message && a.Basis == b.Basis &&
		slices.Equal(a.Entries, b.Entries)
}

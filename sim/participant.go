package sim

import (
	"iter"

	"github.com/tidwall/btree"
)

// MaxParticipantID is how many characters the id of a participant may have (published).
const MaxParticipantID = 32

// Participant is a member of a group, as a row of a diff: the worlds keep them with their group.
type Participant struct {
	InstitutionID string
	GroupID       string
	ID            string // a member number at the host, which a user has as hostUserId
	IsUser        bool   // whether the institution has a user with this hostUserId
}

// Row names the row.
func (p *Participant) Row() string {
	return "participants/" + p.InstitutionID + "/" + p.GroupID + "/" + p.ID
}

// noParticipants are the participants of a group that has none. Like the row of the group, participants never change: a change
// is made to a copy.
var noParticipants = btree.NewBTreeGOptions(func(a, b string) bool { return a < b }, btree.Options{NoLocks: true})

// participantsOf returns the participants that have some ids.
func participantsOf(ids []string) *btree.BTreeG[string] {
	if len(ids) == 0 {
		return noParticipants
	}
	tree := copied(noParticipants)
	for _, id := range ids {
		tree.Set(id)
	}
	return tree
}

// diffParticipants yields the participants that a group, which may be nil, has in one of two worlds only. It returns
// false if yield did.
func diffParticipants(w *World, before, after *Group, yield func(Change) bool) bool {
	group, old, now := after, noParticipants, noParticipants
	if after != nil {
		now = after.participants
	}
	if before != nil {
		group, old = before, before.participants
	}
	row := func(id string) *Participant {
		_, known := w.User(group.InstitutionID, id)
		return &Participant{group.InstitutionID, group.GroupID, id, known}
	}
	return walk(old, now, func(gone, come string, inOld, inNow bool) bool {
		switch {
		case !inNow:
			p := row(gone)
			return yield(Change{Row: p.Row(), Before: p})
		case !inOld:
			p := row(come)
			return yield(Change{Row: p.Row(), After: p})
		}
		return true
	})
}

// Participants yields the ids of the group's participants in their order. A scenario may give a group more participants
// than it names: then there are fewer than [Group.ParticipantCount].
func (g *Group) Participants() iter.Seq[string] { return g.participants.Scan }

package sim

import (
	"iter"

	"github.com/tidwall/btree"
)

// MaxParticipantID is the limit of characters in the id of a participant (published).
const MaxParticipantID = 32

// Participant is a member of a group, as a row of a diff. In a world, a group has its participants.
type Participant struct {
	InstitutionID string
	GroupID       string
	ID            string // a member number at the host; a user has it as hostUserId
	IsUser        bool   // whether the institution has a user with this hostUserId
}

func (p *Participant) Row() string {
	return "participants/" + p.InstitutionID + "/" + p.GroupID + "/" + p.ID
}

// idSet is a set of ids in their order: nil, or a *btree.BTreeG[string]. See [World.held] for why rows hide that.
type idSet interface {
	Len() int
	Scan(yield func(id string) bool)
}

// noParticipants is an empty set of participants. A set in a row never changes: a change is made to a copy.
var noParticipants = btree.NewBTreeGOptions(func(a, b string) bool { return a < b }, btree.Options{NoLocks: true})

// participantsOf returns a set of participants with these ids.
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

func treeOf(ids idSet) *btree.BTreeG[string] { return ids.(*btree.BTreeG[string]) }

// diffParticipants yields the participants that only one of two versions of a group has. A version may be nil. It
// returns false if yield did.
func diffParticipants(w *World, before, after *Group, yield func(Change) bool) bool {
	group, old, now := after, noParticipants, noParticipants
	if after != nil {
		now = treeOf(after.participants)
	}
	if before != nil {
		group, old = before, treeOf(before.participants)
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

// Participants yields the ids of the group's participants in their order. A scenario can count more participants than
// it names, so there may be fewer ids than [Group.ParticipantCount].
func (g *Group) Participants() iter.Seq[string] { return g.participants.Scan }

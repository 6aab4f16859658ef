package sim

import (
	"iter"
	"sync"
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

// participants are the participants of a group whose ids are known. Like the row of the group they never change: a change
// is made to a fork. Nil are none.
type participants struct {
	forking sync.Mutex // forking marks the table as shared; see table.fork
	ids     table[string]
	bytes   int // that they count for
}

// participantBytes is what a participant counts for, beside its id: about what its place in the set takes.
const participantBytes = 48

// participantNodes is about how many bytes of nodes a change of one participant copies at most.
const participantNodes = leafBytes + 2*branchBytes

func (p *participants) fork() *participants {
	if p == nil {
		return &participants{ids: newIndex(nil, func(a, b string) bool { return a < b })}
	}
	p.forking.Lock()
	defer p.forking.Unlock()
	return &participants{ids: p.ids.fork(nil), bytes: p.bytes}
}

// add adds a participant, and reports whether it was none before.
func (p *participants) add(id string) bool {
	if p.ids.has(id) {
		return false
	}
	p.ids.put(id)
	p.bytes += participantBytes + len(id)
	return true
}

// remove removes a participant, and reports whether it was one.
func (p *participants) remove(id string) bool {
	if !p.ids.has(id) {
		return false
	}
	p.ids.delete(id)
	p.bytes -= participantBytes + len(id)
	return true
}

func (p *participants) len() int {
	if p == nil {
		return 0
	}
	return p.ids.len()
}

// size returns how many bytes they count for.
func (p *participants) size() int {
	if p == nil {
		return 0
	}
	return p.bytes
}

func (p *participants) all() iter.Seq[string] {
	if p == nil {
		return func(func(string) bool) {}
	}
	return p.ids.all()
}

func (p *participants) same(other *participants) bool {
	switch {
	case p == other:
		return true
	case p.len() == 0 || other.len() == 0:
		return p.len() == other.len()
	}
	return p.ids.equalBy(other.ids.tree, func(a, b string) bool { return a == b })
}

// Participants yields the ids of the group's participants in their order. A scenario may give a group more participants
// than it names: then there are fewer than [Group.ParticipantCount].
func (g *Group) Participants() iter.Seq[string] { return g.participants.all() }

// HasParticipant reports whether the group, or nil, has a participant of this id.
func (g *Group) HasParticipant(id string) bool {
	return g != nil && g.participants != nil && g.participants.ids.has(id)
}

// diffParticipants yields the participants that one of two worlds has in a group, which is nil where a world doesn't have
// it. It returns false if yield did.
func (w *World) diffParticipants(yield func(Change) bool, before, after *Group) bool {
	var old, now *participants
	var of *Group
	if before != nil {
		of, old = before, before.participants
	}
	if after != nil {
		of, now = after, after.participants
	}
	row := func(id string) *Participant {
		_, known := w.User(of.InstitutionID, id)
		return &Participant{of.InstitutionID, of.GroupID, id, known}
	}
	nextOld, stopOld := iter.Pull(old.all())
	defer stopOld()
	nextNow, stopNow := iter.Pull(now.all())
	defer stopNow()
	oldID, inOld := nextOld()
	nowID, inNow := nextNow()
	for inOld || inNow {
		more := true
		switch {
		case !inNow || inOld && oldID < nowID:
			gone := row(oldID)
			more = yield(Change{Row: gone.Row(), Before: gone})
			oldID, inOld = nextOld()
		case !inOld || nowID < oldID:
			come := row(nowID)
			more = yield(Change{Row: come.Row(), After: come})
			nowID, inNow = nextNow()
		default:
			oldID, inOld = nextOld()
			nowID, inNow = nextNow()
		}
		if !more {
			return false
		}
	}
	return true
}

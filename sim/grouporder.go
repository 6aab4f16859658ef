package sim

import (
	"cmp"
	"sync"
)

// GroupProperty is a property that a group list can be sorted by.
type GroupProperty string

// The properties of a list item (interface section 2.6, group list item), and the published path of its type.
const (
	ByGroupID          GroupProperty = "groupId"
	ByGroupName        GroupProperty = "groupName"
	ByGroupType        GroupProperty = "groupType"
	ByGroupTypeName    GroupProperty = "groupType.groupTypeName"
	ByNoOfParticipants GroupProperty = "noOfParticipants"
)

// GroupProperties lists them all.
var GroupProperties = []GroupProperty{ByGroupID, ByGroupName, ByGroupType, ByGroupTypeName, ByNoOfParticipants}

// GroupOrder says how a list is sorted: its most significant key first, creation order last. A comparable
// value, so that lists that are ordered alike are found to be; the zero GroupOrder is creation order.
type GroupOrder struct {
	keys [3]groupKey
}

type groupKey struct {
	by         GroupProperty
	descending bool
}

// Then returns the order with a further, less significant key. A key that can't make a difference is dropped:
// all groups have the same groupType, and nothing comes after a groupId, which is unique.
func (o GroupOrder) Then(by GroupProperty, descending bool) GroupOrder {
	if by == ByGroupType || by == ByGroupTypeName {
		return o
	}
	for i, k := range o.keys {
		switch k.by {
		case by, ByGroupID:
			return o
		case "":
			o.keys[i] = groupKey{by, descending}
			return o
		}
	}
	return o
}

// compare orders two groups of one institution.
func (o *GroupOrder) compare(a, b *Group) int {
	for i := range o.keys {
		k := &o.keys[i]
		if k.by == "" {
			break
		}
		var c int
		switch k.by {
		case ByGroupID:
			c = cmp.Compare(a.GroupID, b.GroupID)
		case ByGroupName:
			c = cmp.Compare(a.Name, b.Name)
		case ByNoOfParticipants:
			c = cmp.Compare(a.ParticipantCount, b.ParticipantCount)
		}
		if k.descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Sequence, b.Sequence)
}

func (o *GroupOrder) less(a, b *Group) bool {
	if a.InstitutionID != b.InstitutionID {
		return a.InstitutionID < b.InstitutionID
	}
	if a.edge != b.edge {
		return a.edge < b.edge
	}
	return o.compare(a, b) < 0
}

// byName is the order that duplicate names are looked up in.
var byName = GroupOrder{}.Then(ByGroupName, false)

// groupOrders holds the active groups once for each order that was asked for. The first request for an order
// builds its table; from then on it is kept up to date. There are no more orders than GroupOrder can tell apart.
//
// A table may be added while others read, so the list has a lock; the tables themselves are written to only by
// put and delete, in a world that nobody else sees yet.
type groupOrders struct {
	log *writes // of all tables

	mu   sync.Mutex
	list []sorting // the first is in creation order
}

// sorting is the active groups in one order.
type sorting struct {
	order  GroupOrder
	groups table[*Group]
}

func newSorting(log *writes, order GroupOrder) sorting {
	return sorting{order, newIndex(log, order.less)}
}

func newGroupOrders(log *writes) *groupOrders {
	return &groupOrders{log: log, list: []sorting{newSorting(log, GroupOrder{}), newSorting(log, byName)}}
}

// table returns the active groups in an order.
func (o *groupOrders) table(order GroupOrder) *tree[*Group] {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		if o.list[i].order == order {
			return o.list[i].groups.tree
		}
	}
	s := newSorting(nil, order) // it is written to by no request
	for g := range o.list[0].groups.all() {
		s.groups.put(g)
	}
	s.groups.log = o.log
	o.list = append(o.list, s)
	return s.groups.tree
}

func (o *groupOrders) put(g *Group) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		o.list[i].groups.put(g)
	}
}

func (o *groupOrders) delete(g *Group) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.list {
		o.list[i].groups.delete(g)
	}
}

// named returns an active group by its name.
func (o *groupOrders) named(institutionID, name string) (*Group, bool) {
	g, ok := o.table(byName).first(&Group{InstitutionID: institutionID, Name: name})
	return g, ok && g.InstitutionID == institutionID && g.Name == name
}

// fork returns the same orders. Those that are asked for from then on are the world's own.
func (o *groupOrders) fork(log *writes) *groupOrders {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := make([]sorting, len(o.list))
	for i := range o.list {
		list[i] = sorting{o.list[i].order, o.list[i].groups.fork(log)}
	}
	return &groupOrders{log: log, list: list}
}

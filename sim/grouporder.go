package sim

import (
	"cmp"
	"sync"

	"github.com/tidwall/btree"
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
func (o GroupOrder) compare(a, b *Group) int {
	for _, k := range o.keys {
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

func (o GroupOrder) less(a, b *Group) bool {
	if c := cmp.Compare(a.InstitutionID, b.InstitutionID); c != 0 {
		return c < 0
	}
	if c := cmp.Compare(a.edge, b.edge); c != 0 {
		return c < 0
	}
	return o.compare(a, b) < 0
}

// byName is the order that duplicate names are looked up in.
var byName = GroupOrder{}.Then(ByGroupName, false)

// groupOrders holds the active groups once for each order that was asked for. The first request for an order
// builds its table; from then on it is kept up to date. There are no more orders than GroupOrder can tell apart.
//
// A table may be added while others read, so the map has a lock; the tables themselves are written to only by
// put and delete, in a world that nobody else sees yet.
type groupOrders struct {
	log *writes // of all tables

	mu   sync.Mutex
	rows map[GroupOrder]*btree.BTreeG[*Group] // of the tables: each fork of a world copies this map
}

func newGroupOrders(log *writes) *groupOrders {
	return &groupOrders{log: log, rows: map[GroupOrder]*btree.BTreeG[*Group]{
		{}:     newIndex(nil, GroupOrder{}.less).rows,
		byName: newIndex(nil, byName.less).rows,
	}}
}

// table returns the active groups in an order.
func (o *groupOrders) table(order GroupOrder) table[*Group] {
	o.mu.Lock()
	defer o.mu.Unlock()
	rows, ok := o.rows[order]
	if !ok {
		t := newIndex(nil, order.less) // it is written to by no request
		for g := range o.index(o.rows[GroupOrder{}]).all() {
			t.put(g)
		}
		rows = t.rows
		o.rows[order] = rows
	}
	return o.index(rows)
}

// index returns the table of some rows.
func (o *groupOrders) index(rows *btree.BTreeG[*Group]) table[*Group] {
	return table[*Group]{rows: rows, log: o.log}
}

func (o *groupOrders) put(g *Group) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, rows := range o.rows {
		o.index(rows).put(g)
	}
}

func (o *groupOrders) delete(g *Group) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, rows := range o.rows {
		o.index(rows).delete(g)
	}
}

// named returns an active group by its name.
func (o *groupOrders) named(institutionID, name string) (*Group, bool) {
	g, ok := o.table(byName).first(&Group{InstitutionID: institutionID, Name: name})
	return g, ok && g.InstitutionID == institutionID && g.Name == name
}

func (o *groupOrders) fork(log *writes) *groupOrders {
	o.mu.Lock()
	defer o.mu.Unlock()
	rows := make(map[GroupOrder]*btree.BTreeG[*Group], len(o.rows))
	for order, of := range o.rows {
		rows[order] = of.Copy()
	}
	return &groupOrders{log: log, rows: rows}
}

package sim

import (
	"cmp"
	"slices"
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
		c := 0
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
	if a.InstitutionID != b.InstitutionID {
		return a.InstitutionID < b.InstitutionID
	}
	return o.compare(a, b) < 0
}

// byName is the order that duplicate names are looked up in.
var byName = GroupOrder{}.Then(ByGroupName, false)

// ListGroups returns size active groups of an institution from a position on, and how many there are
// (interface section 4.6). In creation order, and by name, it takes O(log² n) and the size; any other order sorts all groups.
func (w *World) ListGroups(institutionID string, order GroupOrder, position, size int) (page []*Group, total int) {
	low, high := &Group{InstitutionID: institutionID}, &Group{InstitutionID: after(institutionID)}
	switch order {
	case GroupOrder{}:
		return w.groupsByAge.page(low, high, false, position, size)
	case byName:
		return w.groupsByName.page(low, high, false, position, size)
	}
	all := slices.AppendSeq(make([]*Group, 0, w.groupsByAge.len()), w.groupsByAge.between(low, high))
	slices.SortFunc(all, order.compare)
	position = min(position, len(all))
	return all[position:min(position+size, len(all))], len(all)
}

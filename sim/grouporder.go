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

// GroupPropertyNames returns their names.
func GroupPropertyNames() (names []string) {
	for _, p := range GroupProperties {
		names = append(names, string(p))
	}
	return names
}

// GroupOrder says how a list is sorted: its most significant key first, creation order last. A comparable
// value, so that lists that are ordered alike are found to be; the zero GroupOrder is creation order.
type GroupOrder struct {
	keys [3]SortKey[GroupProperty]
}

// Then returns the order with a further, less significant key. A key that can't make a difference is dropped:
// all groups have the same groupType, and nothing comes after a groupId, which is unique.
func (o GroupOrder) Then(by GroupProperty, descending bool) GroupOrder {
	if by == ByGroupType || by == ByGroupTypeName {
		return o
	}
	for i, k := range o.keys {
		switch k.By {
		case by, ByGroupID:
			return o
		case "":
			o.keys[i] = SortKey[GroupProperty]{by, descending}
			return o
		}
	}
	return o
}

// comparison compares groups of one institution.
func (o GroupOrder) comparison() func(a, b *Group) int {
	byKeys := comparison(o.keys[:], func(by GroupProperty, a, b *Group) int {
		switch by {
		case ByGroupID:
			return cmp.Compare(a.GroupID, b.GroupID)
		case ByGroupName:
			return cmp.Compare(a.Name, b.Name)
		case ByNoOfParticipants:
			return cmp.Compare(a.ParticipantCount, b.ParticipantCount)
		}
		return 0
	})
	return func(a, b *Group) int { return cmp.Or(byKeys(a, b), cmp.Compare(a.Sequence, b.Sequence)) }
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
	slices.SortFunc(all, order.comparison())
	return pageOf(all, position, size), len(all)
}

package sim

import (
	"cmp"
	"slices"
)

// The properties that a list of groups can be sorted by: members of a list item (interface section 2.6, group list
// item), and the published path of its type.
const (
	ByGroupID          = "groupId"
	ByGroupName        = "groupName"
	ByGroupType        = "groupType"
	ByGroupTypeName    = "groupType.groupTypeName"
	ByNoOfParticipants = "noOfParticipants"
)

// GroupProperties are all properties that a list of groups can be sorted by.
var GroupProperties = []string{ByGroupID, ByGroupName, ByGroupType, ByGroupTypeName, ByNoOfParticipants}

// PublishedGroupProperties are those of them that the public API description has.
var PublishedGroupProperties = []string{ByGroupID, ByGroupName, ByGroupTypeName}

// compareGroups compares groups by a key. All groups have the same type.
func compareGroups(k SortKey, a, b *Group) int {
	switch k.By {
	case ByGroupID:
		return k.compareTexts(a.GroupID, b.GroupID)
	case ByGroupName:
		return k.compareTexts(a.Name, b.Name)
	case ByNoOfParticipants:
		return cmp.Compare(a.ParticipantCount, b.ParticipantCount)
	}
	return 0
}

// ListGroups returns size active groups of an institution from a position on, and how many there are (interface section
// 4.6). Groups that the order doesn't tell apart are in creation order. Without an order, a page takes O(log² n) and
// its size. With an order, ListGroups sorts all groups.
func (w *World) ListGroups(institutionID string, order []SortKey, position, size int) (page []*Group, total int) {
	low, high := &Group{InstitutionID: institutionID}, &Group{InstitutionID: after(institutionID)}
	groups := tablesOf(w).groups.by(groupsByAge)
	isOfType := func(k SortKey) bool { return k.By == ByGroupType || k.By == ByGroupTypeName }
	order = slices.DeleteFunc(slices.Clone(order), isOfType)
	if len(order) == 0 {
		return groups.page(low, high, false, position, size)
	}
	byKeys := comparison(order, compareGroups)
	all := slices.AppendSeq(make([]*Group, 0, groups.len()), groups.between(low, high))
	slices.SortFunc(all, func(a, b *Group) int { return cmp.Or(byKeys(a, b), cmp.Compare(a.Sequence, b.Sequence)) })
	return pageOf(all, position, size), len(all)
}

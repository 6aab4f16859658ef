package sim

import (
	"iter"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// The enumeration values of a group (interface section 2.6). DELETED is published; only a scenario or the
// control API deletes a group, and a deleted one is not listed.
const (
	GroupTypeExperience = "EXPERIENCE_GROUP"
	GroupPlatformRetail = "RETAIL_BANKING"
	GroupStatusActive   = "ACTIVE"
	GroupStatusDeleted  = "DELETED"
)

// Group is an experience group (interface section 2.6).
type Group struct {
	InstitutionID string
	GroupID       string
	Sequence      uint64 // creation order

	Name             string
	Description      string
	Status           string
	LastUpdated      time.Time
	ParticipantCount int
	ExperienceID     string
	ExperienceName   string

	edge    int8 // as a key: before (-1) or after (1) all groups of the institution
	encoded atomic.Pointer[[]byte]
}

// Encoded returns the result of encode for the group, computed once: a row never changes. This is the one place where the
// domain keeps encoded bytes. Without it, a list of 20 groups takes more than twice as long, with 207 allocations instead
// of 47 (BenchmarkHandler/groups.list in bankapi).
func (g *Group) Encoded(encode func(*Group) []byte) []byte {
	if b := g.encoded.Load(); b != nil {
		return *b
	}
	b := encode(g)
	g.encoded.Store(&b)
	return b
}

// Row names the row.
func (g *Group) Row() string { return "groups/" + g.InstitutionID + "/" + g.GroupID }

func (g *Group) same(other *Group) bool {
	return g == other || g.InstitutionID == other.InstitutionID && g.GroupID == other.GroupID &&
		g.Sequence == other.Sequence && g.Name == other.Name && g.Description == other.Description &&
		g.Status == other.Status && g.LastUpdated.Equal(other.LastUpdated) &&
		g.ParticipantCount == other.ParticipantCount && g.ExperienceID == other.ExperienceID &&
		g.ExperienceName == other.ExperienceName
}

// NewGroup is what a caller gives for a group to be created.
type NewGroup struct {
	GroupID     string // honoured only where the behaviour says so
	Name        string
	Description string
	Type        *string // nil: not given
	Platform    *string // nil: not given
}

// GroupInstitution returns the institution that a group request belongs to: the caller's, else the one that the request
// names, else the first. It refuses with InstitutionUnknown.
func (w *World) GroupInstitution(caller Caller, named string) (string, error) {
	switch {
	case caller.InstitutionID != "":
		return caller.InstitutionID, nil
	case named == "":
		return w.home, nil
	}
	if _, ok := w.Institution(named); !ok {
		return "", Refuse(InstitutionUnknown, "institutionId names no institution")
	}
	return named, nil
}

// CreateGroup creates an active group (interface section 4.5). It refuses with GroupInvalid,
// GroupNameTooLong, GroupDescriptionTooLong, GroupTypeUnknown, GroupExists, GroupIDTaken or WorldFull.
func (w *World) CreateGroup(institutionID string, n NewGroup, now time.Time) (*Group, error) {
	b := w.behavior.Groups
	switch {
	case strings.TrimSpace(n.Name) == "":
		return nil, Refuse(GroupInvalid, "groupName is missing or blank")
	case utf8.RuneCountInString(n.Name) > b.NameLimit:
		return nil, Refuse(GroupNameTooLong, "groupName is longer than %d characters", b.NameLimit)
	case utf8.RuneCountInString(n.Description) > b.DescriptionLimit:
		return nil, Refuse(GroupDescriptionTooLong, "groupDescription is longer than %d characters", b.DescriptionLimit)
	case n.Type != nil && *n.Type != GroupTypeExperience:
		return nil, Refuse(GroupTypeUnknown, "groupType must be %s", GroupTypeExperience)
	case n.Platform != nil && *n.Platform != GroupPlatformRetail:
		return nil, Refuse(GroupTypeUnknown, "groupPlatform must be %s", GroupPlatformRetail)
	}
	g := &Group{
		InstitutionID: institutionID,
		Name:          n.Name,
		Description:   n.Description,
		Status:        GroupStatusActive,
		LastUpdated:   now,
	}
	if b.ClientGroupID == ClientGroupIDHonor {
		g.GroupID = n.GroupID
	}
	if err := w.addGroup(g, b.DuplicateName); err != nil {
		return nil, err
	}
	return g, w.admit(&g.Name, &g.Description)
}

// AddGroup adds a group as a scenario describes it. What it leaves empty (GroupID, Status, ExperienceID,
// ExperienceName) is assigned.
func (w *World) AddGroup(g *Group) error { return w.addGroup(g, w.behavior.Groups.DuplicateName) }

func (w *World) addGroup(g *Group, duplicates DuplicateName) error {
	drawn := false
	if g.GroupID != "" && w.groups.has(g) {
		return refuseOn(g, GroupIDTaken, "a group with groupId %q exists", g.GroupID)
	}
	if g.Status == "" {
		g.Status = GroupStatusActive
	}
	if duplicates == DuplicateNameReject && g.Status == GroupStatusActive {
		if taken, ok := w.orders.named(g.InstitutionID, g.Name); ok {
			return refuseOn(taken, GroupExists, "a group named %q exists", g.Name)
		}
	}
	for g.GroupID == "" || drawn && w.groups.has(g) { // a scenario may have written the id that is drawn
		g.GroupID, drawn = w.random.uuid(), true
	}
	if g.ExperienceID == "" {
		g.ExperienceID = w.random.uuid()
	}
	if g.ExperienceName == "" {
		g.ExperienceName = g.Name
	}
	g.Sequence = w.next()
	w.groups.put(g)
	if g.Status == GroupStatusActive {
		w.orders.put(g)
	}
	return nil
}

// Groups yields all groups of an institution, deleted ones too, by groupId.
func (w *World) Groups(institutionID string) iter.Seq[*Group] {
	return w.groups.between(&Group{InstitutionID: institutionID}, &Group{InstitutionID: after(institutionID)})
}

// ListGroups returns size active groups of an institution from a position on, and how many there are
// (interface section 4.6). It takes O(log² n) and the size, whatever the order; the first call that asks for an
// order sorts it once.
func (w *World) ListGroups(institutionID string, order GroupOrder, position, size int) (page []*Group, total int) {
	groups := w.orders.table(order)
	from, to := groups.span(
		&Group{InstitutionID: institutionID, edge: -1},
		&Group{InstitutionID: institutionID, edge: 1})
	total = to - from
	if position >= total || size <= 0 {
		return nil, total
	}
	size = min(size, total-position)
	page = make([]*Group, 0, size)
	first, _ := groups.at(from + position)
	groups.rows.Ascend(first, func(g *Group) bool {
		page = append(page, g)
		return len(page) < size
	})
	return page, total
}

package sim

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// The enumeration values of a group (interface section 2.6). DELETED is published. Only a scenario has a group with
// this status, and requests don't find it. A request that deletes a group removes it.
const (
	GroupTypeExperience = "EXPERIENCE_GROUP"
	GroupPlatformRetail = "RETAIL_BANKING"
	GroupStatusActive   = "ACTIVE"
	GroupStatusDeleted  = "DELETED"
)

// Group is an experience group (interface section 2.6).
type Group struct {
	InstitutionID string `json:"institutionId,omitzero"`
	GroupID       string `json:"groupId,omitzero"`
	Sequence      uint64 `json:"sequence,omitzero"` // creation order

	Name             string    `json:"name,omitzero"`
	Description      string    `json:"description,omitzero"`
	Status           string    `json:"status,omitzero"`
	LastUpdated      time.Time `json:"lastUpdated,omitzero"`
	ParticipantCount int       `json:"participantCount,omitzero"` // with participants that have no name here
	ExperienceID     string    `json:"experienceId,omitzero"`
	ExperienceName   string    `json:"experienceName,omitzero"`

	folded       string // the name as fold returns it
	participants idSet  // see [Group.Participants]
	encoded      atomic.Pointer[[]byte]
}

// groupTable has the groups of all institutions, also the deleted ones.
var groupTable = &tableSpec[Group]{
	name:    "groups",
	in:      func(w *World) *table[Group] { return &tablesOf(w).groups },
	key:     func(g *Group) rowKey { return rowKey{&g.InstitutionID, &g.GroupID} },
	before:  (*Group).before,
	same:    (*Group).same,
	indexes: []*index[Group]{groupsByAge, groupsByName},
	stored:  storedAs(newStoredGroup, storedGroup.group),
	diff:    diffGroups,
	addable: true,
	weigh:   weigher[Group](3),
	shares: func(g, earlier *Group) int {
		return min(g.participants.Len(), earlier.participants.Len()) * participantBytes
	},
}

// The indexes of the active groups of an institution: in creation order, and by name without regard to case.
var (
	groupsByAge  = &index[Group]{before: (*Group).beforeByAge, includes: (*Group).isActive}
	groupsByName = &index[Group]{before: (*Group).beforeByName, includes: (*Group).isActive}
)

// storedGroup is the stored form of a group.
type storedGroup struct {
	*Group
	Participants []string `json:"participants,omitzero"`
}

func newStoredGroup(g *Group) storedGroup { return storedGroup{g, slices.Collect(g.Participants())} }

func (s storedGroup) group() *Group {
	g := cmp.Or(s.Group, &Group{})
	g.folded, g.participants = FoldGroupName(g.Name), participantsOf(s.Participants)
	return g
}

// diffGroups yields the groups that differ in anything but their participants, then the participants that differ.
func diffGroups(groups *tableSpec[Group], between versions, yield func(Change) bool) bool {
	if groups.isShared(between.before, between.after) {
		return true
	}
	yieldParticipants := func(c Change) bool {
		before, _ := c.Before.(*Group)
		after, _ := c.After.(*Group)
		return diffParticipants(between.after, before, after, yield)
	}
	haveSameParticipants := func(a, b *Group) bool { return a.participants == b.participants }
	return groups.diffRows(between, (*Group).sameButParticipants, yield) &&
		groups.diffRows(between, haveSameParticipants, yieldParticipants)
}

func (g *Group) isActive() bool { return g.Status == GroupStatusActive }

// Encoded returns the result of encode for the group. It calls encode once, because a row never changes. Only here the
// domain keeps encoded bytes. Without them, a list of 20 groups takes more than twice as long, with 207 allocations
// instead of 47 (BenchmarkHandler/groups.list in bankapi).
func (g *Group) Encoded(encode func(*Group) []byte) []byte {
	if b := g.encoded.Load(); b != nil {
		return *b
	}
	b := encode(g)
	g.encoded.Store(&b)
	return b
}

func (g *Group) Row() string { return "groups/" + g.InstitutionID + "/" + g.GroupID }

func (g *Group) before(other *Group) bool {
	return cmp.Or(cmp.Compare(g.InstitutionID, other.InstitutionID), cmp.Compare(g.GroupID, other.GroupID)) < 0
}

func (g *Group) beforeByAge(other *Group) bool {
	return cmp.Or(cmp.Compare(g.InstitutionID, other.InstitutionID), cmp.Compare(g.Sequence, other.Sequence)) < 0
}

func (g *Group) beforeByName(other *Group) bool {
	return cmp.Or(cmp.Compare(g.InstitutionID, other.InstitutionID), cmp.Compare(g.folded, other.folded),
		cmp.Compare(g.Sequence, other.Sequence)) < 0
}

// FoldGroupName returns the same text for names that only differ in case and in the blanks around them.
func FoldGroupName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// sameButParticipants reports whether two groups are equal, except for their participants.
func (g *Group) sameButParticipants(other *Group) bool {
	return g == other || g.InstitutionID == other.InstitutionID && g.GroupID == other.GroupID &&
		g.Sequence == other.Sequence && g.Name == other.Name && g.Description == other.Description &&
		g.Status == other.Status && g.LastUpdated.Equal(other.LastUpdated) &&
		g.ParticipantCount == other.ParticipantCount && g.ExperienceID == other.ExperienceID &&
		g.ExperienceName == other.ExperienceName
}

func (g *Group) same(other *Group) bool {
	return g.sameButParticipants(other) && (g.participants == other.participants ||
		slices.Equal(slices.Collect(g.Participants()), slices.Collect(other.Participants())))
}

// copied returns a copy of the group to change.
func (g *Group) copied() *Group {
	return &Group{
		InstitutionID:    g.InstitutionID,
		GroupID:          g.GroupID,
		Sequence:         g.Sequence,
		Name:             g.Name,
		Description:      g.Description,
		Status:           g.Status,
		LastUpdated:      g.LastUpdated,
		ParticipantCount: g.ParticipantCount,
		ExperienceID:     g.ExperienceID,
		ExperienceName:   g.ExperienceName,
		folded:           g.folded,
		participants:     g.participants,
	}
}

// NewGroup is the content of a group, as a caller sends it.
type NewGroup struct {
	GroupID     string // only honoured if the policy says so
	Name        string
	Description string
	Type        *string // or nil if the caller leaves it out
	Platform    *string // or nil if the caller leaves it out
}

// GroupInstitution returns the institution that a group request belongs to. This is the caller's institution. Without
// one, it is the institution that the request names, or else the first one. It refuses with InstitutionUnknown.
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

// CreateGroup creates an active group (interface section 4.5). It refuses with GroupInvalid, GroupNameHasNUL,
// GroupNameTooLong, GroupDescriptionTooLong, GroupTypeUnknown, GroupExists, GroupExistsInOtherCase or GroupIDTaken.
func (w *World) CreateGroup(p *Policy, institutionID string, n NewGroup, now time.Time) (*Group, error) {
	if err := checkGroup(p, n); err != nil {
		return nil, err
	}
	switch {
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
		participants:  noParticipants,
	}
	if p.Groups.ClientGroupID == ClientGroupIDHonor {
		if utf8.RuneCountInString(n.GroupID) > MaxText {
			return nil, Refuse(GroupInvalid, "groupId is longer than %d characters", MaxText)
		}
		g.GroupID = n.GroupID
	}
	if err := w.addGroup(p, g); err != nil {
		return nil, err
	}
	return g, nil
}

// checkGroup refuses a group's name and description with GroupInvalid, GroupNameHasNUL, GroupNameTooLong or
// GroupDescriptionTooLong.
func checkGroup(p *Policy, n NewGroup) error {
	b := p.Groups
	switch {
	case strings.TrimSpace(n.Name) == "":
		return Refuse(GroupInvalid, "groupName is missing or blank")
	case strings.ContainsRune(n.Name, 0):
		return Refuse(GroupNameHasNUL, "groupName has the character NUL")
	case utf8.RuneCountInString(n.Name) > b.NameLimit:
		return Refuse(GroupNameTooLong, "groupName is longer than %d characters", b.NameLimit)
	case utf8.RuneCountInString(n.Description) > b.DescriptionLimit:
		return Refuse(GroupDescriptionTooLong, "groupDescription is longer than %d characters", b.DescriptionLimit)
	}
	return nil
}

// activeGroup returns an active group of an institution. It refuses with GroupUnknown.
func (w *World) activeGroup(institutionID, groupID string) (*Group, error) {
	g, ok := w.Group(institutionID, groupID)
	switch {
	case !ok:
		return nil, Refuse(GroupUnknown, "there is no group with groupId %q", groupID)
	case g.Status != GroupStatusActive:
		return nil, refuseOn(g, GroupUnknown, "the group with groupId %q is deleted", groupID)
	}
	return g, nil
}

// otherGroupNamed returns another active group of the institution of g with a name, as the policy compares names: if
// there are several, one with the very name.
func (w *World) otherGroupNamed(p *Policy, g *Group, name string) (found *Group, ok bool) {
	low := &Group{InstitutionID: g.InstitutionID, folded: FoldGroupName(name)}
	high := &Group{InstitutionID: g.InstitutionID, folded: after(low.folded)}
	for other := range tablesOf(w).groups.by(groupsByName).between(low, high) {
		if !other.isNamed(p, name) || other.GroupID == g.GroupID {
			continue
		}
		if found, ok = other, true; other.Name == name {
			break
		}
	}
	return found, ok
}

// HasNameInOtherCase reports whether another active group of the institution has the name of a group but for its case
// and the blanks around it.
func (w *World) HasNameInOtherCase(g *Group) bool {
	low := &Group{InstitutionID: g.InstitutionID, folded: FoldGroupName(g.Name)}
	high := &Group{InstitutionID: g.InstitutionID, folded: after(low.folded)}
	for other := range tablesOf(w).groups.by(groupsByName).between(low, high) {
		if other.Name != g.Name && other.folded == low.folded {
			return true
		}
	}
	return false
}

// refuseName refuses a name that the group has already.
func (g *Group) refuseName(name string) error {
	if g.Name != name {
		return refuseOn(g, GroupExistsInOtherCase, "a group named %q exists: the case makes no difference", g.Name)
	}
	return refuseOn(g, GroupExists, "a group named %q exists", name)
}

// isNamed reports whether a group has a name, as the policy compares names.
func (g *Group) isNamed(p *Policy, name string) bool {
	return g.Name == name || p.Groups.NameCase == NameCaseInsensitive && g.folded == FoldGroupName(name)
}

// AddGroup adds a group of a scenario, with the participants that the scenario names. ParticipantCount includes them.
// AddGroup assigns GroupID, Status, ExperienceID and ExperienceName if they are empty.
func (w *World) AddGroup(p *Policy, g *Group, participants ...string) error {
	g.participants = participantsOf(participants)
	g.ParticipantCount = max(g.ParticipantCount, g.participants.Len())
	return w.addGroup(p, g)
}

func (w *World) addGroup(p *Policy, g *Group) error {
	if g.GroupID != "" && tablesOf(w).groups.has(g) {
		return refuseOn(g, GroupIDTaken, "a group with groupId %q exists", g.GroupID)
	}
	if g.Status == "" {
		g.Status = GroupStatusActive
	}
	if p.Groups.DuplicateName == DuplicateNameReject && g.Status == GroupStatusActive {
		if taken, ok := w.otherGroupNamed(p, g, g.Name); ok {
			return taken.refuseName(g.Name)
		}
	}
	for g.GroupID == "" || tablesOf(w).groups.has(g) { // a scenario may have the id that was drawn
		g.GroupID = w.random.uuid()
	}
	if g.ExperienceID == "" {
		g.ExperienceID = w.random.uuid()
	}
	if g.ExperienceName == "" {
		g.ExperienceName = g.Name
	}
	g.Sequence, g.folded = w.next(), FoldGroupName(g.Name)
	tablesOf(w).groups.put(g)
	return nil
}

// Group returns a group of an institution, also if it is deleted.
func (w *World) Group(institutionID, groupID string) (*Group, bool) {
	return tablesOf(w).groups.get(&Group{InstitutionID: institutionID, GroupID: groupID})
}

// HasGroup reports whether an institution has an active group.
func (w *World) HasGroup(institutionID, groupID string) bool {
	_, err := w.activeGroup(institutionID, groupID)
	return err == nil
}

// Groups yields all groups of an institution by groupId, also the deleted ones.
func (w *World) Groups(institutionID string) iter.Seq[*Group] {
	return tablesOf(w).groups.between(&Group{InstitutionID: institutionID}, &Group{InstitutionID: after(institutionID)})
}

package sim

import (
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// The enumeration values of a group (interface section 2.6). DELETED is published; only a scenario has such a group, which is
// as good as none: one that a request deletes is gone.
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
	ParticipantCount int // of those that are named and of others
	ExperienceID     string
	ExperienceName   string

	participants *participants // that are named; nil: none
	counted      counted

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

func (g *Group) before(other *Group) bool {
	if g.InstitutionID != other.InstitutionID {
		return g.InstitutionID < other.InstitutionID
	}
	return g.GroupID < other.GroupID
}

func (g *Group) same(other *Group) bool {
	return g == other || g.InstitutionID == other.InstitutionID && g.GroupID == other.GroupID &&
		g.Sequence == other.Sequence && g.Name == other.Name && g.Description == other.Description &&
		g.Status == other.Status && g.LastUpdated.Equal(other.LastUpdated) &&
		g.ParticipantCount == other.ParticipantCount && g.ExperienceID == other.ExperienceID &&
		g.ExperienceName == other.ExperienceName
}

func (g *Group) equal(other *Group) bool {
	return g.same(other) && g.participants.same(other.participants)
}

// copied returns a row that is not in a world yet.
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
		participants:     g.participants,
		counted:          g.counted,
	}
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
	if err := w.checkGroup(n); err != nil {
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
	}
	if b.ClientGroupID == ClientGroupIDHonor {
		g.GroupID = n.GroupID
	}
	if err := w.addGroup(g, b.DuplicateName); err != nil {
		return nil, err
	}
	g.counted = counted{1, sizeOf(&g.Name, &g.Description)}
	return g, w.count(counted{}, g.counted)
}

// checkGroup refuses a group's name and description with GroupInvalid, GroupNameTooLong or GroupDescriptionTooLong.
func (w *World) checkGroup(n NewGroup) error {
	b := w.behavior.Groups
	switch {
	case strings.TrimSpace(n.Name) == "":
		return Refuse(GroupInvalid, "groupName is missing or blank")
	case utf8.RuneCountInString(n.Name) > b.NameLimit:
		return Refuse(GroupNameTooLong, "groupName is longer than %d characters", b.NameLimit)
	case utf8.RuneCountInString(n.Description) > b.DescriptionLimit:
		return Refuse(GroupDescriptionTooLong, "groupDescription is longer than %d characters", b.DescriptionLimit)
	}
	return nil
}

// activeGroup returns an active group of an institution. It refuses with GroupUnknown.
func (w *World) activeGroup(institutionID, groupID string) (*Group, error) {
	g, ok := w.groups.get(&Group{InstitutionID: institutionID, GroupID: groupID})
	switch {
	case !ok:
		return nil, refuseUnknown(GroupUnknown, "group", groupID)
	case g.Status != GroupStatusActive:
		return nil, refuseOn(g, GroupUnknown, "the group with groupId %q is deleted", groupID)
	}
	return g, nil
}

// UpdateGroup replaces the name and the description of an active group (published); its type and its platform never change.
// It refuses with GroupInvalid, GroupNameTooLong, GroupDescriptionTooLong, GroupUnknown, GroupExists or WorldFull.
func (w *World) UpdateGroup(institutionID, groupID string, n NewGroup, now time.Time) (*Group, error) {
	if err := w.checkGroup(n); err != nil {
		return nil, err
	}
	g, err := w.activeGroup(institutionID, groupID)
	if err != nil {
		return nil, err
	}
	if w.behavior.Groups.DuplicateName == DuplicateNameReject {
		if taken, ok := w.orders.named(institutionID, n.Name); ok && taken.GroupID != groupID {
			return nil, refuseOn(taken, GroupExists, "another group named %q exists", n.Name)
		}
	}
	changed := g.copied()
	changed.Name, changed.Description, changed.LastUpdated = n.Name, n.Description, now
	return changed, w.replaceGroup(g, changed)
}

// replaceGroup puts an active group in the place of an earlier state of it, and counts it. It refuses with WorldFull if it
// comes to count for more.
func (w *World) replaceGroup(old, g *Group) error {
	g.counted.bytes = sizeOf(&g.Name, &g.Description) + g.participants.size()
	w.groups.put(g)
	w.orders.delete(old)
	w.orders.put(g)
	return w.count(old.counted, g.counted)
}

// DeleteGroup deletes an active group with its participants and its jobs (published). It refuses with GroupUnknown or
// GroupBusy.
func (w *World) DeleteGroup(institutionID, groupID string) error {
	g, err := w.activeGroup(institutionID, groupID)
	if err != nil {
		return err
	}
	if running, ok := w.runningJob(g); ok {
		return refuseOn(running, GroupBusy, "job %s of the group is still running", running.JobID)
	}
	for _, j := range slices.Collect(w.JobsOf(g)) {
		w.jobs.delete(j)
		w.added.recount(j.counted, counted{})
	}
	w.groups.delete(g)
	w.orders.delete(g)
	w.added.recount(g.counted, counted{})
	return nil
}

// AddGroup adds a group as a scenario describes it, with the participants that it names: they are among those that
// ParticipantCount counts. What it leaves empty (GroupID, Status, ExperienceID, ExperienceName) is assigned.
func (w *World) AddGroup(g *Group, participants ...string) error {
	if len(participants) > 0 {
		g.participants = g.participants.fork()
	}
	for _, id := range participants {
		g.participants.add(id)
	}
	g.ParticipantCount = max(g.ParticipantCount, g.participants.len())
	return w.addGroup(g, w.behavior.Groups.DuplicateName)
}

func (w *World) addGroup(g *Group, duplicates DuplicateName) error {
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
	if g.GroupID == "" {
		g.GroupID = w.random.uuid()
	}
	for !w.groups.add(g) { // a scenario may have written the id that was drawn
		g.GroupID = w.random.uuid()
	}
	if g.ExperienceID == "" {
		g.ExperienceID = w.random.uuid()
	}
	if g.ExperienceName == "" {
		g.ExperienceName = g.Name
	}
	g.Sequence = w.next()
	if g.Status == GroupStatusActive {
		w.orders.put(g)
	}
	return nil
}

// Group returns a group of an institution, a deleted one too.
func (w *World) Group(institutionID, groupID string) (*Group, bool) {
	return w.groups.get(&Group{InstitutionID: institutionID, GroupID: groupID})
}

// HasGroup reports whether an institution has an active group.
func (w *World) HasGroup(institutionID, groupID string) bool {
	_, err := w.activeGroup(institutionID, groupID)
	return err == nil
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

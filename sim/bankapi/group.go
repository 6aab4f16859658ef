package bankapi

import (
	"fmt"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// groupTime is the format of groupLastUpdatedDateTime (published), for times in UTC.
const groupTime = "2006-01-02T15:04:05.000Z"

// group is the resource of section 2.6.
type group struct {
	GroupID          string           `json:"groupId"`
	GroupName        string           `json:"groupName"`
	GroupDescription *string          `json:"groupDescription,omitzero"`
	GroupType        string           `json:"groupType"`
	GroupPlatform    string           `json:"groupPlatform"`
	LastUpdated      string           `json:"groupLastUpdatedDateTime"`
	ParticipantCount int              `json:"groupParticipantCount"`
	Experience       *groupExperience `json:"groupExperience,omitzero"`
	ExperienceName   string           `json:"groupExperienceName,omitzero"`
	GroupStatus      string           `json:"groupStatus"`
}

type groupExperience struct {
	ExperienceName string `json:"experienceName"`
	ExperienceID   string `json:"experienceId"`
	GroupID        string `json:"groupId"`
	Default        bool   `json:"default"`
}

// groupBody is the body of a create or an update.
type groupBody struct {
	GroupID          *string `json:"groupId"`
	GroupName        string  `json:"groupName"`
	GroupDescription *string `json:"groupDescription"`
	GroupType        *string `json:"groupType"`
	GroupPlatform    *string `json:"groupPlatform"`
}

// groupEvidence is what the answers of all operations of the family rest on.
var groupEvidence = []condition{
	{contract.GroupsAuth, func(f facts) bool { return f.authorization() == "" }},
	{contract.GroupsTransactionIDReuse, func(f facts) bool { return f.answer.repeated }},
}

// groupContentEvidence is what the name and the description of a group rest on.
var groupContentEvidence = []condition{
	{contract.GroupsCreateDuplicateName, func(f facts) bool {
		return f.policy.Groups.DuplicateName == sim.DuplicateNameAllow
	}},
	{contract.GroupsCreateNameCase, func(f facts) bool {
		g, ok := f.answer.subject.(*sim.Group)
		return ok && f.policy.Groups.DuplicateName == sim.DuplicateNameReject && f.World.HasNameInOtherCase(g)
	}},
	{contract.GroupsCreateNameLimit, when(func(g *sim.Group) bool {
		return isLonger(g.Name, standardPolicy.Groups.NameLimit)
	})},
	{contract.GroupsCreateDescriptionLimit, when(func(g *sim.Group) bool {
		return isLonger(g.Description, standardPolicy.Groups.DescriptionLimit)
	})},
}

// inGroups has an operation on groups know its caller and the institution. Where the policy says so, a request that
// repeats a transactionId gets the first answer again.
func inGroups(op func(c *call, caller sim.Caller, institutionID string) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		caller, institutionID, err := c.groupInstitution()
		if err != nil {
			return answer{}, err
		}
		id := c.requestID()
		if id == "" || !c.op.Changes || c.remembersRequestID() ||
			c.policy.Groups.TransactionIDReuse != sim.TransactionIDReuseReplay {
			return op(c, caller, institutionID)
		}
		use := sim.RequestUse{InstitutionID: institutionID, Target: c.Method + " " + c.path(), ID: id}
		if first, ok := c.World.AnswerOf(use, c.Now); ok {
			c.lint("answer-repeated",
				"the transactionId was used before: the first answer comes again, without an effect")
			return answer{documented: c.documented, body: []byte(first), repeated: true}, nil
		}
		a, err := op(c, caller, institutionID)
		if err == nil {
			c.World.KeepAnswer(use, string(a.body), c.Now)
		}
		return a, err
	}
}

// groupInstitution authenticates the caller of a request about groups, and returns the institution that it is about. It
// refuses an id of a request that the bank remembers.
func (c *call) groupInstitution() (caller sim.Caller, institutionID string, err error) {
	if caller, err = c.optionalBearer(c.policy.Groups.Auth); err != nil {
		return caller, "", err
	}
	if err := c.requireRequestID(); err != nil {
		return caller, "", err
	}
	named := ""
	if c.takesHeader(institutionHeader) {
		named = c.header(institutionHeader)
	}
	institutionID, err = c.World.GroupInstitution(caller, named)
	if err = c.unlessWaived(err); err == nil && institutionID == "" {
		institutionID = c.World.Home()
	}
	if err == nil && c.requestID() != "" && c.remembersRequestID() {
		err = c.present.World.UseRequestID(institutionID, c.requestID())
	}
	return caller, institutionID, err
}

// createGroup is section 4.5.
func createGroup(c *call, _ sim.Caller, institutionID string) (answer, error) {
	var body groupBody
	if err := c.decodeJSON(&body); err != nil {
		return answer{}, err
	}
	if body.GroupID != nil && c.policy.Groups.ClientGroupID == sim.ClientGroupIDIgnore {
		c.lint("group-id-ignored", "groupId in the body is ignored: the server assigns it")
	}
	wanted := sim.NewGroup{
		GroupID:     orEmpty(body.GroupID),
		Name:        body.GroupName,
		Description: orEmpty(body.GroupDescription),
		Type:        body.GroupType,
		Platform:    body.GroupPlatform,
	}
	g, err := c.World.CreateGroup(c.policy, institutionID, wanted, c.Now)
	if err != nil && c.unlessWaived(err) == nil {
		wanted.Type, wanted.Platform = nil, nil
		g, err = c.World.CreateGroup(c.policy, institutionID, wanted, c.Now)
	}
	if err != nil {
		return answer{}, err
	}
	created := c.newGroup(g)
	if c.policy.Groups.Experience == sim.ExperienceEmit {
		created.Experience = &groupExperience{g.ExperienceName, g.ExperienceID, g.GroupID, false}
		created.ExperienceName = g.ExperienceName
	}
	return c.answer(created, g), nil
}

var createGroupEvidence = append([]condition{
	{contract.GroupsCreateGroupID, sentAtTop("groupId")},
	{contract.GroupsCreateTypes, anyOf("groupType", "groupPlatform")},
	{contract.GroupsCreateNoDescription, missing("groupDescription")},
	{contract.GroupsCreateExperienceValues, func(f facts) bool {
		return f.policy.Groups.Experience == sim.ExperienceEmit
	}},
}, groupContentEvidence...)

// newGroup returns a group without its experience. Where the dialect doesn't require a description, an empty one is
// left out.
func (c *call) newGroup(g *sim.Group) group {
	description := &g.Description
	if m, _ := c.documented.Body.Member("groupDescription"); *description == "" && !m.Required {
		description = nil
	}
	return group{
		GroupID:          g.GroupID,
		GroupName:        g.Name,
		GroupDescription: description,
		GroupType:        sim.GroupTypeExperience,
		GroupPlatform:    sim.GroupPlatformRetail,
		LastUpdated:      g.LastUpdated.UTC().Format(groupTime),
		ParticipantCount: g.ParticipantCount,
		GroupStatus:      g.Status,
	}
}

// updateGroup replaces the name and the description of a group (published).
func updateGroup(c *call, _ sim.Caller, institutionID string) (answer, error) {
	var body groupBody
	if err := c.decodeJSON(&body); err != nil {
		return answer{}, err
	}
	if c.has("groupId", body.GroupID) || body.GroupType != nil || body.GroupPlatform != nil {
		c.lint(
			"group-member-ignored",
			"groupId, groupType and groupPlatform in the body are ignored: an update changes none of them")
	}
	update := sim.NewGroup{Name: body.GroupName, Description: orEmpty(body.GroupDescription)}
	g, err := c.World.UpdateGroup(c.policy, institutionID, c.pathVar("groupId"), update, c.Now)
	if err != nil {
		return answer{}, err
	}
	return c.answer(c.newGroup(g), g), nil
}

var updateGroupEvidence = append([]condition{
	{contract.GroupsUpdateIgnored, anyOf("groupId", "groupType", "groupPlatform")},
	{contract.GroupsUpdateNoDescription, missing("groupDescription")},
}, groupContentEvidence...)

// groupDeleted is the answer of a deletion.
type groupDeleted struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// deleteGroup deletes a group (published).
func deleteGroup(c *call, _ sim.Caller, institutionID string) (answer, error) {
	groupID := c.pathVar("groupId")
	if err := c.World.DeleteGroup(institutionID, groupID); err != nil {
		return answer{}, err
	}
	return c.answer(groupDeleted{c.documented.Code(), fmt.Sprintf(
		"the group with groupId %s is deleted", groupID)}, nil), nil
}

// groupListItem is an element of the list (section 2.6).
type groupListItem struct {
	GroupID          string   `json:"groupId"`
	GroupName        string   `json:"groupName"`
	GroupType        string   `json:"groupType"`
	NoOfParticipants int      `json:"noOfParticipants"`
	Links            []string `json:"links"` // always empty
}

func encodeGroupListItem(g *sim.Group) []byte {
	item := groupListItem{g.GroupID, g.Name, sim.GroupTypeExperience, g.ParticipantCount, []string{}}
	return strictjson.MustEncode(item)
}

// listGroups is section 4.6.
func listGroups(c *call, _ sim.Caller, institutionID string) (answer, error) {
	p, err := c.page("a group", groupProperties(c.policy))
	if err != nil {
		return answer{}, err
	}
	if p.sortsBy(sim.ByGroupType, sim.ByNoOfParticipants) {
		c.lint(
			"sort-by-member",
			"groupType and noOfParticipants are members of the list, but not documented as properties to sort by")
	}
	rows, total := c.World.ListGroups(institutionID, p.keys, p.offset(), p.size)
	elements := make([][]byte, len(rows))
	for i, g := range rows {
		elements[i] = g.Encoded(encodeGroupListItem) // each row has its own bytes
	}
	return c.pageAnswer(p, c.link(contract.GroupsList), total, elements), nil
}

// groupProperties returns the properties that a list of groups can be sorted by under a policy.
func groupProperties(p *sim.Policy) []string {
	switch {
	case len(p.Groups.SortProperties) > 0:
		return p.Groups.SortProperties
	case p.Dialect == sim.DialectPublic:
		return sim.PublishedGroupProperties
	}
	return sim.GroupProperties
}

var listGroupsEvidence = slices.Concat([]condition{
	{contract.GroupsListSortProperties, func(f facts) bool { return len(f.policy.Groups.SortProperties) > 0 }},
	{contract.GroupsListSortMembers, when(func(p listed) bool {
		return p.sortsBy(sim.ByGroupType, sim.ByNoOfParticipants)
	})},
}, pageEvidence(contract.GroupsListSort, contract.GroupsListOrder))

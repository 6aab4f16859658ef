package bankapi

import (
	"unicode/utf8"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
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

// groupContent is what a request says of a group.
type groupContent struct {
	GroupID          *string `json:"groupId"`
	GroupName        string  `json:"groupName"`
	GroupDescription *string `json:"groupDescription"`
	GroupType        *string `json:"groupType"`
	GroupPlatform    *string `json:"groupPlatform"`
}

// createGroup is section 4.5.
func createGroup(x *exchange, request groupRequest) (reply, error) {
	var body groupContent
	if err := x.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	if body.GroupID != nil {
		if x.behavior.Groups.ClientGroupID == sim.ClientGroupIDIgnore {
			x.lint("group-id-ignored", "groupId in the body is ignored: the server assigns it")
		}
		x.restsOn(contract.GroupsCreateGroupID)
	}
	x.leaveOut("groupId", &body.GroupID)
	if body.GroupType != nil || body.GroupPlatform != nil {
		x.restsOn(contract.GroupsCreateTypes)
	}
	if body.GroupDescription == nil {
		x.restsOn(contract.GroupsCreateNoDescription)
	}
	g, err := x.at.World.CreateGroup(x.behavior, request.institutionID, sim.NewGroup{
		GroupID:     orEmpty(body.GroupID),
		Name:        body.GroupName,
		Description: orEmpty(body.GroupDescription),
		Type:        body.GroupType,
		Platform:    body.GroupPlatform,
	}, x.at.Now)
	if err != nil {
		return reply{}, err
	}
	x.restsOnContent(g)
	answer := x.newGroup(g)
	if b := x.behavior.Groups; b.Experience == sim.ExperienceEmit {
		answer.Experience = &groupExperience{g.ExperienceName, g.ExperienceID, g.GroupID, false}
		answer.ExperienceName = g.ExperienceName
		x.restsOn(contract.GroupsCreateExperienceValues)
	}
	return x.answerWith(answer), nil
}

// newGroup returns a group without its experience. Where the dialect doesn't require a description, an empty one is none.
func (x *exchange) newGroup(g *sim.Group) group {
	description := &g.Description
	if m, _ := x.answer().Body.Member("groupDescription"); *description == "" && !m.Required {
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

// restsOnContent notes the entries that let a group have a name that is taken, or longer texts than by default.
func (x *exchange) restsOnContent(g *sim.Group) {
	if x.behavior.Groups.DuplicateName == sim.DuplicateNameAllow {
		x.restsOn(contract.GroupsCreateDuplicateName)
	}
	standard := standardPolicy.Groups
	if utf8.RuneCountInString(g.Name) > standard.NameLimit {
		x.restsOn(contract.GroupsCreateNameLimit)
	}
	if utf8.RuneCountInString(g.Description) > standard.DescriptionLimit {
		x.restsOn(contract.GroupsCreateDescriptionLimit)
	}
}

// groupRequest is who sends a request about groups, and the institution that it belongs to.
type groupRequest struct {
	caller        sim.Caller
	institutionID string
}

// groupRequest reads what all operations of the family share.
func (x *exchange) groupRequest() (request groupRequest, err error) {
	if request.caller, err = x.optionalBearer(x.behavior.Groups.Auth); err != nil {
		return request, err
	}
	if request.caller.InstitutionID == "" {
		x.restsOn(contract.GroupsAuth)
	}
	if err := x.requireRequestID(); err != nil {
		return request, err
	}
	request.institutionID, err = x.at.World.GroupInstitution(request.caller, x.header("institutionId"))
	if err == nil && x.remembersRequestID() {
		err = x.at.World.UseRequestID(request.institutionID, x.requestID())
	}
	return request, err
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
	return wire.MustEncode(groupListItem{g.GroupID, g.Name, sim.GroupTypeExperience, g.ParticipantCount, []string{}})
}

// listGroups is section 4.6.
func listGroups(x *exchange, request groupRequest) (reply, error) {
	page, err := x.groupPage()
	if err != nil {
		return reply{}, err
	}
	rows, total := x.at.World.ListGroups(request.institutionID, page.keys, page.number*page.size, page.size)
	size := 2 // brackets, commas, and rows
	for _, g := range rows {
		size += len(g.Encoded(encodeGroupListItem)) + 1
	}
	return x.pageReply(page, x.url(contract.GroupsList), total, size, func(b []byte) []byte {
		b = append(b, '[')
		for i, g := range rows { // each has its own bytes
			if i > 0 {
				b = append(b, ',')
			}
			b = append(b, g.Encoded(encodeGroupListItem)...)
		}
		return append(b, ']')
	}), nil
}

package bankapi

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// updateGroup replaces the name and the description of a group.
func updateGroup(c *call) (reply, error) {
	institutionID, err := c.groupInstitution()
	if err != nil {
		return reply{}, err
	}
	var body groupContent
	if err := c.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	c.leaveOut("groupId", &body.GroupID)
	if body.GroupID != nil || body.GroupType != nil || body.GroupPlatform != nil {
		c.lint("group-member-ignored", "groupId, groupType and groupPlatform in the body are ignored: an update changes none of them")
		c.restsOn(contract.GroupsUpdateIgnored)
	}
	if body.GroupDescription == nil {
		c.restsOn(contract.GroupsUpdateNoDescription)
	}
	if c.behavior().Groups.DuplicateName == sim.DuplicateNameAllow {
		c.restsOn(contract.GroupsCreateDuplicateName)
	}
	g, err := c.World.UpdateGroup(institutionID, c.pathVar("groupId"),
		sim.NewGroup{Name: orEmpty(body.GroupName), Description: orEmpty(body.GroupDescription)}, c.Now)
	if err != nil {
		return reply{}, err
	}
	c.restsOnLengths(g)
	return c.reply(c.newGroup(g)), nil
}

// imported is the answer of an upload, and of a deletion without the members of the job.
type imported struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	JobID     string `json:"jobId,omitzero"`
	JobStatus string `json:"jobStatus,omitzero"`
}

// deleteGroup deletes a group.
func deleteGroup(c *call) (reply, error) {
	institutionID, err := c.groupInstitution()
	if err != nil {
		return reply{}, err
	}
	groupID := c.pathVar("groupId")
	if err := c.World.DeleteGroup(institutionID, groupID); err != nil {
		return reply{}, err
	}
	return c.reply(imported{Code: c.answer().Code(), Message: fmt.Sprintf("the group with groupId %s is deleted", groupID)}), nil
}

// uploadParticipants starts a job that imports a file into a group.
func uploadParticipants(c *call) (reply, error) {
	caller, institutionID, err := c.groupCaller()
	if err != nil {
		return reply{}, err
	}
	upload, err := c.upload()
	if err != nil {
		return reply{}, err
	}
	job, err := c.World.UploadParticipants(caller, institutionID, c.pathVar("groupId"), upload, c.Now)
	if err != nil {
		return reply{}, err
	}
	return c.reply(imported{
		Code:      c.answer().Code(),
		Message:   fmt.Sprintf("the import of %s into the group with groupId %s is started: job %s", job.FileName, job.GroupID, job.JobID),
		JobID:     job.JobID,
		JobStatus: job.At(c.Now).Status,
	}), nil
}

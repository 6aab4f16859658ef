package bankapi

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// updateGroup replaces the name and the description of a group.
func updateGroup(x *exchange, request groupRequest) (reply, error) {
	var body groupContent
	if err := x.decodeJSON(&body); err != nil {
		return reply{}, err
	}
	x.leaveOut("groupId", &body.GroupID)
	if body.GroupID != nil || body.GroupType != nil || body.GroupPlatform != nil {
		x.lint("group-member-ignored", "groupId, groupType and groupPlatform in the body are ignored: an update changes none of them")
		x.restsOn(contract.GroupsUpdateIgnored)
	}
	if body.GroupDescription == nil {
		x.restsOn(contract.GroupsUpdateNoDescription)
	}
	g, err := x.at.World.UpdateGroup(x.behavior, request.institutionID, x.pathVar("groupId"),
		sim.NewGroup{Name: body.GroupName, Description: orEmpty(body.GroupDescription)}, x.at.Now)
	if err != nil {
		return reply{}, err
	}
	x.restsOnContent(g)
	return x.answerWith(x.newGroup(g)), nil
}

// imported is the answer of an upload, and of a deletion without the members of the job.
type imported struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	JobID     string `json:"jobId,omitzero"`
	JobStatus string `json:"jobStatus,omitzero"`
}

func deleteGroup(x *exchange, request groupRequest) (reply, error) {
	groupID := x.pathVar("groupId")
	if err := x.at.World.DeleteGroup(request.institutionID, groupID); err != nil {
		return reply{}, err
	}
	return x.answerWith(imported{Code: x.answer().Code(), Message: fmt.Sprintf("the group with groupId %s is deleted", groupID)}), nil
}

// uploadParticipants starts a job that imports a file into a group.
func uploadParticipants(x *exchange, request groupRequest) (reply, error) {
	upload, err := x.upload()
	if err != nil {
		return reply{}, err
	}
	job, err := x.at.World.UploadParticipants(x.behavior, request.caller, request.institutionID, x.pathVar("groupId"), upload, x.at.Now)
	if err != nil {
		return reply{}, err
	}
	return x.answerWith(imported{
		Code:      x.answer().Code(),
		Message:   fmt.Sprintf("the import of %s into the group with groupId %s is started: job %s", job.FileName, job.GroupID, job.JobID),
		JobID:     job.JobID,
		JobStatus: job.At(x.at.Now).Status,
	}), nil
}

package bankapi

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// job is the state of an import job (published).
type job struct {
	JobID           string `json:"jobId"`
	GroupID         string `json:"groupId"`
	GroupName       string `json:"groupName"`
	GroupType       string `json:"groupType"`
	InputFileName   string `json:"inputFileName"`
	WorkingFileName string `json:"workingFileName"`
	Type            string `json:"type"`
	Total           int    `json:"totalRecordsCount"`
	Succeeded       int    `json:"successRecordsCount"`
	Failed          int    `json:"failedRecordsCount"`
	JobStatus       string `json:"jobStatus"`
	JobDetails      string `json:"jobDetails,omitzero"`
	JobCreatedBy    string `json:"jobCreatedBy"`
	Created         string `json:"createdDateTime"`
	LastUpdated     string `json:"lastUpdatedDateTime"`
	Links           []link `json:"links,omitzero"` // of an element of a list
}

func (c *call) newJob(row *sim.Job) job {
	j := row.At(c.Now)
	return job{
		JobID:           j.JobID,
		GroupID:         j.GroupID,
		GroupName:       c.World.GroupOf(row).Name,
		GroupType:       sim.GroupTypeExperience,
		InputFileName:   j.FileName,
		WorkingFileName: fmt.Sprintf("%s/uploads/%[1]s-%d-%s", j.InstitutionID, j.Created.UnixMilli(), j.FileName),
		Type:            j.Type,
		Total:           j.Total,
		Succeeded:       j.Succeeded,
		Failed:          j.Failed,
		JobStatus:       j.Status,
		JobDetails:      j.Details,
		JobCreatedBy:    j.CreatedBy,
		Created:         j.Created.UTC().Format(groupTime),
		LastUpdated:     j.Updated.UTC().Format(groupTime),
	}
}

// getJob reads the state of a job.
func getJob(c *call, _ sim.Caller, institutionID string) (answer, error) {
	j, err := c.World.Job(institutionID, c.pathVar("jobId"))
	if err != nil {
		return answer{}, err
	}
	return c.answer(c.newJob(j), nil), nil
}

// listJobs lists the jobs of an institution, or of a group.
func listJobs(c *call, _ sim.Caller, institutionID string) (answer, error) {
	groupID := c.query.Get("groupId")
	element, properties := "a job", []string{sim.ByInsertDateTime, sim.ByJobGroupName}
	if groupID != "" {
		element, properties = "a job of one group", properties[:1]
	}
	p, err := c.page(element, properties)
	if err != nil {
		return answer{}, err
	}
	if groupID != "" {
		p.filter = "&groupId=" + url.QueryEscape(groupID)
		p.ofUnknown = !c.World.HasGroup(institutionID, groupID)
	}
	rows, total := c.World.ListJobs(institutionID, groupID, p.keys, p.offset(), p.size)
	jobs := make([]job, len(rows))
	for i, row := range rows {
		jobs[i] = c.newJob(row)
		jobs[i].Links = []link{{"self", c.link(contract.JobsGet, "jobId", row.JobID)}}
	}
	return c.pageAnswer(p, c.link(contract.JobsList), total, encodeAll(jobs)), nil
}

var listJobsEvidence = slices.Concat(pageEvidence(contract.JobsListSort, contract.JobsListOrder), []condition{
	{contract.JobsListUnknownGroup, when(func(p listed) bool { return p.ofUnknown })},
})

// jobError is an element of the errors of a job.
type jobError struct {
	LineNbr  int    `json:"lineNbr"`
	ErrorMsg string `json:"errorMsg"`
	Links    []link `json:"links"` // always empty
}

// listJobErrors lists the errors in the file of a job.
func listJobErrors(c *call, _ sim.Caller, institutionID string) (answer, error) {
	p, err := c.page("an error", []string{sim.ByLineNbr, sim.ByErrorMsg})
	if err != nil {
		return answer{}, err
	}
	row, err := c.World.Job(institutionID, c.pathVar("jobId"))
	if err != nil {
		return answer{}, err
	}
	rows := row.At(c.Now).SortedErrors(p.keys)
	wrong := []jobError{}
	for i := p.offset(); i < len(rows) && len(wrong) < p.size; i++ {
		wrong = append(wrong, jobError{rows[i].Line, rows[i].Message, []link{}})
	}
	path := c.link(contract.JobsListErrors, "jobId", row.JobID)
	return c.pageAnswer(p, path, len(rows), encodeAll(wrong)), nil
}

var listJobErrorsEvidence = pageEvidence(contract.JobsErrorsSort, contract.JobsErrorsOrder)

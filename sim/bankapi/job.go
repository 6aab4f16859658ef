package bankapi

import (
	"fmt"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// job is an import job.
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

type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

// newJob returns a job as it is now.
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

// getJob reads a job.
func getJob(c *call) (reply, error) {
	institutionID, err := c.groupInstitution()
	if err != nil {
		return reply{}, err
	}
	j, err := c.World.Job(institutionID, c.pathVar("jobId"))
	if err != nil {
		return reply{}, err
	}
	return c.reply(c.newJob(j)), nil
}

// listJobs lists the jobs of an institution, or of a group.
func listJobs(c *call) (reply, error) {
	institutionID, err := c.groupInstitution()
	if err != nil {
		return reply{}, err
	}
	groupID := c.query.Get("groupId")
	element, properties := "a job", []string{string(sim.ByInsertDateTime), string(sim.ByJobGroupName)}
	if groupID != "" {
		element, properties = "a job of one group", properties[:1]
	}
	page, err := c.listPage(element, properties)
	if err != nil {
		return reply{}, err
	}
	var order sim.JobOrder
	for _, k := range page.sortKeys() {
		order = append(order, sim.JobKey{By: sim.JobProperty(k.property), Descending: k.descending})
	}
	c.restsOnOrder(page, contract.JobsListSort, contract.JobsListOrder)
	rows, total := c.World.ListJobs(institutionID, groupID, order, page.number*page.size, page.size)
	if groupID != "" && !c.World.HasGroup(institutionID, groupID) {
		c.restsOn(contract.JobsListUnknownGroup)
	}
	page.keep(c, "groupId")
	jobs := make([]job, len(rows))
	for i, row := range rows {
		jobs[i] = c.newJob(row)
		jobs[i].Links = []link{{"self", c.url(contract.JobsGet, "jobId", row.JobID)}}
	}
	return c.pageReply(page, c.url(contract.JobsList), jobs, total), nil
}

// jobError is an element of the errors of a job.
type jobError struct {
	LineNbr  int    `json:"lineNbr"`
	ErrorMsg string `json:"errorMsg"`
	Links    []link `json:"links"` // always empty
}

// listJobErrors lists what is wrong with the rows of a job's file.
func listJobErrors(c *call) (reply, error) {
	institutionID, err := c.groupInstitution()
	if err != nil {
		return reply{}, err
	}
	page, err := c.listPage("an error", []string{string(sim.ByLineNbr), string(sim.ByErrorMsg)})
	if err != nil {
		return reply{}, err
	}
	row, err := c.World.Job(institutionID, c.pathVar("jobId"))
	if err != nil {
		return reply{}, err
	}
	var order []sim.JobErrorKey
	for _, k := range page.sortKeys() {
		order = append(order, sim.JobErrorKey{By: sim.JobErrorProperty(k.property), Descending: k.descending})
	}
	c.restsOnOrder(page, contract.JobsErrorsSort, contract.JobsErrorsOrder)
	rows := row.At(c.Now).SortedErrors(order)
	errors := []jobError{}
	for i := page.number * page.size; i < len(rows) && len(errors) < page.size; i++ {
		errors = append(errors, jobError{rows[i].Line, rows[i].Message, []link{}})
	}
	path := c.url(contract.JobsListErrors, "jobId", row.JobID)
	return c.pageReply(page, path, errors, len(rows)), nil
}

// pageReply returns the reply with a page of a list.
func (c *call) pageReply(p page, path string, content any, total int) reply {
	b := append([]byte(`{"links":`), p.appendLinks(nil, path, total)...)
	encoded := wire.MustEncode(content)
	if total <= p.number*p.size && p.number > 0 {
		c.restsOn(contract.GroupsListPastTheEnd)
	}
	b = append(append(b, `,"content":`...), encoded...)
	b = append(b, `,"page":`...)
	return c.jsonReply(append(p.appendSummary(b, total), '}'))
}

package bankapi

import (
	"fmt"
	"net/url"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

type link struct {
	Rel  string `json:"rel"`
	Href string `json:"href"`
}

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

func (x *exchange) newJob(row *sim.Job) job {
	j := row.At(x.at.Now)
	return job{
		JobID:           j.JobID,
		GroupID:         j.GroupID,
		GroupName:       x.at.World.GroupOf(row).Name,
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

func getJob(x *exchange, request groupRequest) (reply, error) {
	j, err := x.at.World.Job(request.institutionID, x.pathVar("jobId"))
	if err != nil {
		return reply{}, err
	}
	return x.answerWith(x.newJob(j)), nil
}

// listJobs lists the jobs of an institution, or of a group.
func listJobs(x *exchange, request groupRequest) (reply, error) {
	groupID := x.query.Get("groupId")
	element, properties := "a job", []string{sim.ByInsertDateTime, sim.ByJobGroupName}
	if groupID != "" {
		element, properties = "a job of one group", properties[:1]
	}
	page, err := x.listPage(element, properties, contract.JobsListSort, contract.JobsListOrder)
	if err != nil {
		return reply{}, err
	}
	rows, total := x.at.World.ListJobs(request.institutionID, groupID, page.keys, page.number*page.size, page.size)
	if groupID != "" && !x.at.World.HasGroup(request.institutionID, groupID) {
		x.restsOn(contract.JobsListUnknownGroup)
	}
	if groupID != "" {
		page.kept = "&groupId=" + url.QueryEscape(groupID)
	}
	jobs := make([]job, len(rows))
	for i, row := range rows {
		jobs[i] = x.newJob(row)
		jobs[i].Links = []link{{"self", x.url(contract.JobsGet, "jobId", row.JobID)}}
	}
	content := wire.MustEncode(jobs)
	return x.pageReply(page, x.url(contract.JobsList), total, len(content), func(b []byte) []byte { return append(b, content...) }), nil
}

// jobError is an element of the errors of a job.
type jobError struct {
	LineNbr  int    `json:"lineNbr"`
	ErrorMsg string `json:"errorMsg"`
	Links    []link `json:"links"` // always empty
}

// listJobErrors lists what is wrong with the rows of a job's file.
func listJobErrors(x *exchange, request groupRequest) (reply, error) {
	properties := []string{sim.ByLineNbr, sim.ByErrorMsg}
	page, err := x.listPage("an error", properties, contract.JobsErrorsSort, contract.JobsErrorsOrder)
	if err != nil {
		return reply{}, err
	}
	row, err := x.at.World.Job(request.institutionID, x.pathVar("jobId"))
	if err != nil {
		return reply{}, err
	}
	rows := row.At(x.at.Now).SortedErrors(page.keys)
	errors := []jobError{}
	for i := page.number * page.size; i < len(rows) && len(errors) < page.size; i++ {
		errors = append(errors, jobError{rows[i].Line, rows[i].Message, []link{}})
	}
	path := x.url(contract.JobsListErrors, "jobId", row.JobID)
	content := wire.MustEncode(errors)
	return x.pageReply(page, path, len(rows), len(content), func(b []byte) []byte { return append(b, content...) }), nil
}

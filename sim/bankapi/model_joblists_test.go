package bankapi_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// The reference's lists of jobs and of their errors.

type jobItem struct {
	jobView
	GroupName string     `json:"groupName"`
	Links     []linkBody `json:"links"`
}

type jobErrorItem struct {
	Line    int        `json:"lineNbr"`
	Message string     `json:"errorMsg"`
	Links   []linkBody `json:"links"`
}

// jobPage is a page of a list that isn't of groups.
type jobPage[T any] struct {
	Links   []linkBody `json:"links"`
	Content []T        `json:"content"`
	Page    pageBody   `json:"page"`
}

// pageOf returns the page of all elements that a request asks for, at an address with further parameters.
func pageOf[T any](b *refBank, p pageRequest, all []T, url, kept string) jobPage[T] {
	var l listBody
	l.Page.Number, l.Page.Size = numberOr(p.page, 0, 0), numberOr(p.size, 1, b.behavior.Groups.DefaultPageSize)
	if p.size != nil && *p.size != "" {
		l.Page.Size = min(l.Page.Size, b.behavior.Groups.MaxPageSize)
	}
	l.Page.TotalElements, l.Page.TotalPages = len(all), (len(all)+l.Page.Size-1)/l.Page.Size
	l.links(url, kept, p.sorts)
	page := jobPage[T]{l.Links, []T{}, l.Page}
	for at, v := range all {
		if at/page.Page.Size == page.Page.Number {
			page.Content = append(page.Content, v)
		}
	}
	return page
}

// drawJobPage draws which page of a list of jobs or errors is asked for, and by what it is sorted.
func drawJobPage(t *rapid.T, properties ...string) pageRequest {
	p := pageRequest{page: optional(t, "page", "0", "1", "0", "x", ""), size: optional(t, "size", "1", "2", "6", "0")}
	if chance(t, 3, "sorted") {
		s := sortRequest{direction: pick(t, "direction", "", "asc", "desc", "DESC"), properties: []string{mostly(t, "property", properties, "groupDir")}}
		p.sorts = append(p.sorts, s)
	}
	return p
}

func (p pageRequest) query() (query []string) {
	if p.page != nil {
		query = append(query, "page="+*p.page)
	}
	if p.size != nil {
		query = append(query, "size="+*p.size)
	}
	for _, s := range p.sorts {
		query = append(query, "sort="+s.String())
	}
	return query
}

// sortedBy returns the property that a list is sorted by, of those that it has, and the rule that refuses another.
func (b *refBank) sortedBy(p *pageRequest, properties ...string) (property string, descending bool, wrong sim.Code) {
	if len(p.sorts) == 0 {
		return "", false, ""
	}
	s := p.sorts[0]
	if !slices.Contains(properties, s.properties[0]) {
		if b.behavior.Groups.UnknownSort == sim.UnknownSortError {
			return "", false, sim.SortPropertyUnknown
		}
		p.sorts = nil
		return "", false, ""
	}
	return s.properties[0], strings.EqualFold(s.direction, "desc"), ""
}

// jobList predicts the answer of jobs.list.
func (b *refBank) jobList(r groupRequest, op *contract.Operation, groupID, baseURL string, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	properties, kept := []string{"insertDateTime", "group.groupName"}, ""
	if groupID != "" {
		properties, kept = properties[:1], "&groupId="+groupID
	}
	property, descending, wrong := b.sortedBy(&r.page, properties...)
	if wrong != "" {
		return refused(wrong)
	}
	b.useTransactionID(institutionID, r)
	in := b.institution(institutionID)
	jobs := slices.DeleteFunc(slices.Clone(in.jobs), func(j refJob) bool { return groupID != "" && j.group != groupID })
	slices.SortStableFunc(jobs, func(x, y refJob) int { return x.created.Compare(y.created) })
	switch {
	case property == "group.groupName":
		slices.SortStableFunc(jobs, func(x, y refJob) int {
			c := cmp.Compare(in.group(x.group).Name, in.group(y.group).Name)
			if descending {
				c = -c
			}
			return c
		})
	case property == "" || descending:
		slices.Reverse(jobs)
	}
	all := []jobItem{}
	for _, j := range jobs {
		v := j.at(now)
		v.Created, v.Updated = v.Created.Truncate(time.Millisecond), v.Updated.Truncate(time.Millisecond)
		url := baseURL + strings.Replace(contract.JobsGet.In(op.Dialect).Path, "{jobId}", j.id, 1)
		all = append(all, jobItem{v, in.group(j.group).Name, []linkBody{{"self", url}}})
	}
	want := pageOf(b, r.page, all, baseURL+op.Path, kept)
	return verdict{then: func(l *learner, body string) {
		l.equal(simtest.JSON(want), simtest.JSON(decodeSome[jobPage[jobItem]](l, body)), "jobs")
	}}
}

// jobErrors predicts the answer of jobs.listErrors.
func (b *refBank) jobErrors(r groupRequest, op *contract.Operation, jobID, baseURL string, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	property, descending, wrong := b.sortedBy(&r.page, "lineNbr", "errorMsg")
	in := b.institution(institutionID)
	at := slices.IndexFunc(in.jobs, func(j refJob) bool { return j.id == jobID })
	switch {
	case wrong != "":
		return refused(wrong)
	case at < 0:
		return refused(sim.JobUnknown)
	}
	b.useTransactionID(institutionID, r)
	all := []jobErrorItem{}
	for i, row := range in.jobs[at].rows {
		switch {
		case !in.jobs[at].ended:
		case row == "":
			all = append(all, jobErrorItem{i + 2, "missing", []linkBody{}})
		case slices.Contains(in.jobs[at].rows[:i], row):
			all = append(all, jobErrorItem{i + 2, "more than once", []linkBody{}})
		}
	}
	slices.SortStableFunc(all, func(x, y jobErrorItem) int {
		c := cmp.Compare(x.Line, y.Line)
		if property == "errorMsg" {
			c = cmp.Compare(x.Message, y.Message)
		}
		if descending {
			c = -c
		}
		return c
	})
	want := pageOf(b, r.page, all, baseURL+strings.Replace(op.Path, "{jobId}", jobID, 1), "")
	return verdict{then: func(l *learner, body string) {
		got := decodeBody[jobPage[jobErrorItem]](l, body)
		for i, e := range got.Content {
			for _, message := range []string{"missing", "more than once"} {
				if strings.HasSuffix(e.Message, message) {
					got.Content[i].Message = message
				}
			}
		}
		l.equal(want, got, "errors")
	}}
}

// aJob draws the id of a job of a sandbox, the newest first, or another one.
func (m *machine) aJob(name string) string {
	ids := []string{"nope"}
	if s := m.sandboxes[name]; s != nil {
		for _, in := range s.bank.Institutions {
			for _, j := range in.jobs {
				ids = append([]string{j.id}, ids...)
			}
		}
	}
	return pick(m.t, "job", ids...)
}

func (m *machine) listJobs(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.JobsList)
	r := drawGroup(t, bearer, m.freshID(op))
	r.page = drawJobPage(t, "insertDateTime", "group.groupName")
	query, groupID := r.page.query(), ""
	if chance(t, 3, "of a group") {
		groupID = m.aGroup(name)
		query = append(query, "groupId="+groupID)
	}
	c := r.wire(op).WithBody("").Without("content-type").WithQuery(strings.Join(query, "&"))
	m.call(name, op, m.perhapsHead(c), func(s *refSandbox, baseURL string) verdict {
		return s.bank.jobList(r.in(op), op, groupID, baseURL, s.now)
	})
}

func (m *machine) listJobErrors(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.JobsListErrors)
	r, id := drawGroup(t, bearer, m.freshID(op)), m.aJob(name)
	r.page = drawJobPage(t, "lineNbr", "errorMsg")
	c := at(r.wire(op), "{jobId}", id).WithBody("").Without("content-type").WithQuery(strings.Join(r.page.query(), "&"))
	m.call(name, op, m.perhapsHead(c), func(s *refSandbox, baseURL string) verdict {
		return s.bank.jobErrors(r.in(op), op, id, baseURL, s.now)
	})
}

// freshID returns a request id that was never used, as an operation's dialect takes it.
func (m *machine) freshID(op *contract.Operation) string {
	if op.Dialect == sim.DialectPublic {
		return fmt.Sprintf("9b2f3c52-9d4e-4d26-8a39-%012d", m.steps)
	}
	return fmt.Sprint("t-", m.steps)
}

// in returns a request as it counts for an operation: the public dialect has no header institutionId.
func (r groupRequest) in(op *contract.Operation) groupRequest {
	if op.Dialect == sim.DialectPublic {
		r.institutionID = ""
	}
	return r
}

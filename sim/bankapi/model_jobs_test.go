package bankapi_test

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// refJob is an import job. Its rows are carried out by endJobs.
type refJob struct {
	id, group, kind string
	rows            []string
	by              string
	created         time.Time
	ended           bool
}

// jobView is what the state and an answer show of a job.
type jobView struct {
	ID        string    `json:"jobId"`
	Group     string    `json:"groupId"`
	Type      string    `json:"type"`
	Status    string    `json:"jobStatus"`
	By        string    `json:"jobCreatedBy"`
	Total     int       `json:"totalRecordsCount"`
	Succeeded int       `json:"successRecordsCount"`
	Failed    int       `json:"failedRecordsCount"`
	Created   time.Time `json:"createdDateTime"`
	Updated   time.Time `json:"lastUpdatedDateTime"`
}

// good returns the rows that are not in error.
func (j refJob) good() (ids []string) {
	for _, row := range j.rows {
		if row != "" && !slices.Contains(ids, row) {
			ids = append(ids, row)
		}
	}
	return ids
}

// at returns what is shown of a job at a time.
func (j refJob) at(now time.Time) jobView {
	v := jobView{ID: j.id, Group: j.group, Type: j.kind, By: j.by, Created: j.created}
	begins, ends := j.created.Add(time.Second), j.created.Add(3*time.Second)
	switch good := len(j.good()); {
	case !j.ended && now.Before(begins):
		v.Status, v.Updated = "CREATED", j.created
	case !j.ended:
		v.Status, v.Updated = "PROCESSING", begins
	default:
		v.Total, v.Succeeded, v.Failed, v.Updated = len(j.rows), good, len(j.rows)-good, ends
		v.Status = map[bool]string{true: "SUCCESSFUL", false: "PARTIAL_SUCCESS"}[v.Failed == 0]
		if good == 0 && v.Failed > 0 {
			v.Status = "FAILED"
		}
	}
	return v
}

// endJobs ends the jobs that have ended by a time, the first to end first.
func (b *refBank) endJobs(now time.Time) {
	for i := range b.Institutions {
		in := &b.Institutions[i]
		due := []int{}
		for k, j := range in.jobs {
			if !j.ended && !now.Before(j.created.Add(3*time.Second)) {
				due = append(due, k)
			}
		}
		slices.SortStableFunc(due, func(x, y int) int { return in.jobs[x].created.Compare(in.jobs[y].created) })
		for _, k := range due {
			j := &in.jobs[k]
			j.ended = true
			g := in.group(j.group)
			if j.at(now).Status == "FAILED" {
				continue
			}
			members := slices.Clone(g.Members)
			if j.kind == "REPLACE" {
				members, g.Participants = nil, 0
			}
			for _, id := range j.good() {
				at := slices.Index(members, id)
				switch {
				case j.kind == "REMOVE" && at >= 0:
					members = slices.Delete(members, at, at+1)
					g.Participants--
				case j.kind != "REMOVE" && at < 0:
					members = append(members, id)
					g.Participants++
				}
			}
			slices.Sort(members)
			g.Members = members
		}
	}
}

// group returns an active group; nil: there is none.
func (in *refInstitution) group(id string) *refGroup {
	for g := range in.Groups {
		if in.Groups[g].ID == id && in.Groups[g].Status == sim.GroupStatusActive {
			return &in.Groups[g]
		}
	}
	return nil
}

func (in *refInstitution) imports(groupID string) bool {
	return slices.ContainsFunc(in.jobs, func(j refJob) bool { return j.group == groupID && !j.ended })
}

func (in refInstitution) shownJobs(now time.Time) []jobView {
	var views []jobView
	for _, j := range in.jobs {
		views = append(views, j.at(now))
	}
	slices.SortFunc(views, func(x, y jobView) int { return strings.Compare(x.ID, y.ID) })
	return views
}

// updateGroup predicts the answer of groups.update.
func (b *refBank) updateGroup(r groupRequest, groupID string, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	is, in := b.behavior.Groups, b.institution(institutionID)
	g := in.group(groupID)
	taken := func(other refGroup) bool {
		return other.Status == sim.GroupStatusActive && other.Name == r.name && other.ID != groupID
	}
	switch {
	case r.body.fault != "":
		return refused(r.body.fault)
	case strings.TrimSpace(r.name) == "":
		return refused(sim.GroupInvalid)
	case utf8.RuneCountInString(r.name) > is.NameLimit:
		return refused(sim.GroupNameTooLong)
	case utf8.RuneCountInString(r.description) > is.DescriptionLimit:
		return refused(sim.GroupDescriptionTooLong)
	case g == nil:
		return refused(sim.GroupUnknown)
	case is.DuplicateName == sim.DuplicateNameReject && slices.ContainsFunc(in.Groups, taken):
		return refused(sim.GroupExists)
	}
	b.useTransactionID(institutionID, r)
	g.Name, g.Description, g.Updated = r.name, r.description, now
	return wants(groupBody{GroupID: groupID, GroupName: r.name, GroupDescription: r.description, GroupType: "EXPERIENCE_GROUP",
		GroupPlatform: "RETAIL_BANKING", LastUpdated: now.Format("2006-01-02T15:04:05.000Z"), GroupStatus: "ACTIVE", ParticipantCount: g.Participants})
}

// deleteGroup predicts the answer of groups.delete.
func (b *refBank) deleteGroup(r groupRequest, groupID string, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	in := b.institution(institutionID)
	switch {
	case in.group(groupID) == nil:
		return refused(sim.GroupUnknown)
	case in.imports(groupID):
		return refused(sim.GroupBusy)
	}
	b.useTransactionID(institutionID, r)
	in.Groups = slices.DeleteFunc(in.Groups, func(g refGroup) bool { return g.ID == groupID })
	in.jobs = slices.DeleteFunc(in.jobs, func(j refJob) bool { return j.group == groupID })
	return verdict{}
}

// upload predicts the answer of groups.uploadParticipants.
func (b *refBank) upload(r groupRequest, groupID string, u refJob, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	in := b.institution(institutionID)
	u.kind = strings.ToUpper(u.kind)
	switch {
	case r.body.fault != "":
		return refused(r.body.fault)
	case u.kind == "MERGE":
		return refused(sim.JobTypeUnknown)
	case in.group(groupID) == nil:
		return refused(sim.GroupUnknown)
	case in.imports(groupID):
		return refused(sim.JobRunning)
	}
	b.useTransactionID(institutionID, r)
	u.group, u.created, u.by = groupID, now, institutionID+".anonymous"
	if caller, _ := b.optionalCaller(r.credentials, false, b.behavior.Groups.Auth, now); caller.client != "" {
		u.by = institutionID + "." + caller.client
		if user := b.user(caller.institution, caller.user); user != nil {
			u.by = institutionID + "." + user.Username
			if user.Username == "" {
				u.by = institutionID + "." + user.ID
			}
		}
	}
	return verdict{then: func(l *learner, body string) {
		u.id = decodeSome[jobView](l, body).ID
		l.drew(b, "uuid", u.id)
		in.jobs = append(in.jobs, u)
	}}
}

// job predicts the answer of jobs.get.
func (b *refBank) job(r groupRequest, jobID string, now time.Time) verdict {
	institutionID, wrong := b.groupInstitution(r, now)
	if wrong != "" {
		return refused(wrong)
	}
	in := b.institution(institutionID)
	at := slices.IndexFunc(in.jobs, func(j refJob) bool { return j.id == jobID })
	if at < 0 {
		return refused(sim.JobUnknown)
	}
	b.useTransactionID(institutionID, r)
	want := in.jobs[at].at(now)
	return verdict{then: func(l *learner, body string) {
		got := decodeSome[jobView](l, body)
		l.equal(want.Created.Truncate(time.Millisecond), got.Created, "createdDateTime")
		l.equal(want.Updated.Truncate(time.Millisecond), got.Updated, "lastUpdatedDateTime")
		got.Created, got.Updated = want.Created, want.Updated
		l.equal(want, got, "job")
	}}
}

// aGroup draws the id of a group of a sandbox, the newest first, or another one.
func (m *machine) aGroup(name string) string {
	ids := []string{"nope", "g-2"}
	if s := m.sandboxes[name]; s != nil {
		for _, in := range s.bank.Institutions {
			for _, g := range in.Groups {
				ids = append(ids, g.ID)
			}
		}
	}
	slices.Reverse(ids)
	return pick(m.t, "group", ids...)
}

func at(c simtest.Call, variable, id string) simtest.Call {
	return c.At(strings.Replace(c.Path, variable, id, 1))
}

func (m *machine) updateGroup(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.GroupsUpdate)
	r, id := drawGroup(t, bearer, m.freshID(op)), m.aGroup(name)
	m.call(name, op, at(r.wire(op), "{groupId}", id), func(s *refSandbox, _ string) verdict { return s.bank.updateGroup(r.in(op), id, s.now) })
}

func (m *machine) deleteGroup(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.GroupsDelete)
	r, id := drawGroup(t, bearer, m.freshID(op)), m.aGroup(name)
	c := at(r.wire(op), "{groupId}", id).WithBody("").Without("content-type")
	m.call(name, op, c, func(s *refSandbox, _ string) verdict { return s.bank.deleteGroup(r.in(op), id, s.now) })
}

func (m *machine) uploadParticipants(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.GroupsUploadParticipants)
	r, id := drawGroup(t, bearer, m.freshID(op)), m.aGroup(name)
	u := refJob{kind: pick(t, "type", "ADD", "remove", "Replace", "ADD", "MERGE")}
	for range pick(t, "rows", 1, 2, 0, 4) {
		u.rows = append(u.rows, pick(t, "row", "1001", "1002", "nobody", ""))
	}
	r.body = wireBody{simtest.Multipart(u.kind, strings.Join(append([]string{"ParticipantId"}, u.rows...), "\r\n")+"\r\n"), simtest.MultipartType, ""}
	if chance(t, 10, "spoilt") {
		r.body = wireBody{r.body.text, "text/csv", contract.NotMultipart}
	}
	c := at(r.wire(op), "{groupId}", id)
	m.call(name, op, c, func(s *refSandbox, _ string) verdict { return s.bank.upload(r.in(op), id, u, s.now) })
}

func (m *machine) getJob(t *rapid.T) {
	name, bearer := m.somewhere()
	op := m.spoken(contract.JobsGet)
	r, id := drawGroup(t, bearer, m.freshID(op)), m.aJob(name)
	c := at(r.wire(op), "{jobId}", id).WithBody("").Without("content-type")
	m.call(name, op, m.perhapsHead(c), func(s *refSandbox, _ string) verdict { return s.bank.job(r.in(op), id, s.now) })
}

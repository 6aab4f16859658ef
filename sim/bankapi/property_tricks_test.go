package bankapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

func (p *prober) withstandsTricks() {
	id := p.trick()
	account := getDisclosures.At(strings.Replace(simtest.DisclosuresPath, "acc-1001-checking", p.escape(id), 1) + "1001")
	switch res := p.try(account); res.StatusCode {
	case http.StatusOK:
		assert.Equal(p.t, `{"institutionUserDisclosures":[]}`, res.Body, "an id that no account has: %q", id)
	default:
		assert.Contains(p.t, []int{400, 404, 431}, res.StatusCode, "%q: %s", id, res.Body)
	}
	user := p.escape(id)
	p.refused(getDisclosures.At(simtest.DisclosuresPath+user), "no user has such an id", 400, 404)
	p.refused(updateUser.At(simtest.UpdateUserPath+user), "no user has such an id", 400, 404)
	quoted := simtest.JSON(strings.ToValidUTF8(id, "?"))
	p.refused(updateAccount.WithBody(fmt.Sprintf(`{"activateEstatement":true,"accountId":%s}`, quoted)), "no account has such an id", 400)
	p.refused(issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"refresh_token","refresh_token":%s}`, quoted)), "no token has such a text",
		400)
	p.refused(issueTokens.WithBody(fmt.Sprintf(`{"grant_type":"password","username":%s,"password":"demo"}`, quoted)),
		"no user has such a name", 400, 401)
	if header := strings.TrimSpace(id); header != "1001" && !strings.ContainsFunc(header,
		func(r rune) bool { return r < ' ' || r == 0x7f }) {
		p.refused(createAlert.With("userid", header), "no user has such an id", 400)
		p.refused(createAlert.With("fiid", header), "no institution has such an id", 400)
		p.refused(getDisclosures.With("authorization", "Bearer "+header), "no token has such a text", 401)
		if header != "" {
			p.refused(listGroups.With("institutionId", header), "no institution has such an id", 400)
		}
	}
}

// importsAndDeletes imports into a new group, again and again, and deletes it.
func (p *prober) importsAndDeletes() {
	group := decoded[groupBody](p, p.accepted(p.valid(contract.GroupsCreate)))
	in := func(op *contract.Operation) simtest.Call {
		a := p.valid(op).Without("authorization")
		return a.At(strings.Replace(a.Path, simtest.RetailGroup, group.GroupID, 1))
	}
	members := map[string]bool{}
	for range 1 + p.IntN(3) {
		kind, ids := one(p.generator, "ADD", "REMOVE", "REPLACE"), map[string]bool{}
		for range p.IntN(4) {
			ids[one(p.generator, "1001", "1002", "a", "b", "c")] = true
		}
		upload := in(contract.GroupsUploadParticipants).WithBody(simtest.Multipart(kind,
			strings.Join(append([]string{"ParticipantId"}, slices.Collect(maps.Keys(ids))...), "\n")))
		started := decoded[jobBody](p, p.accepted(upload))
		p.refused(upload, "a job is running", 400)
		p.refused(in(contract.GroupsDelete), "a job is running", 400)
		p.Bank.Advance(3 * time.Second)
		ended := decoded[jobBody](p, p.accepted(getJob.At(strings.Replace(getJob.Path, simtest.RetailJob, started.JobID, 1))))
		assert.Equal(p.t, jobBody{JobID: started.JobID, JobStatus: sim.JobStatusSuccessful, Total: len(ids), Succeeded: len(ids)}, ended)
		if kind == "REPLACE" {
			clear(members)
		}
		for id := range ids {
			members[id] = true
			if kind == "REMOVE" {
				delete(members, id)
			}
		}
		assert.Equal(p.t, len(members), decoded[groupBody](p, p.accepted(in(contract.GroupsUpdate))).ParticipantCount,
			"the count follows %s of %v", kind, ids)
	}
	p.accepted(in(contract.GroupsDelete))
	p.refused(in(contract.GroupsDelete), "the group is gone", 400)
	p.refused(in(contract.GroupsUpdate), "the group is gone", 400)
	jobs := p.accepted(listJobs.WithQuery("groupId=" + group.GroupID))
	assert.Contains(p.t, jobs.Body, `"content":[]`, "its jobs are gone")
}

// decoded returns some members of an answer.
func decoded[T any](p *prober, res simtest.Answer) (some T) {
	require.NoError(p.t, json.Unmarshal([]byte(res.Body), &some), res.Body)
	return some
}

type groupBody struct {
	GroupID          string `json:"groupId"`
	ParticipantCount int    `json:"groupParticipantCount"`
}

type jobBody struct {
	JobID     string `json:"jobId"`
	JobStatus string `json:"jobStatus"`
	Total     int    `json:"totalRecordsCount"`
	Succeeded int    `json:"successRecordsCount"`
	Failed    int    `json:"failedRecordsCount"`
}

// withstandsAnything sends a valid request with several parts replaced.
func (p *prober) withstandsAnything() {
	a := p.valid(p.operation())
	for range 1 + p.IntN(4) {
		switch p.IntN(7) {
		case 0:
			a.Body = p.text(2000)
		case 1:
			other := p.valid(p.writing())
			a = a.WithBody(other.Body)
		case 2:
			a = a.With(one(p.generator, "accept", "content-type", "authorization", "institutionId", "transactionId", "correlationid",
				"fiid", "userid", "x-any"),
				one(p.generator, "", "x", "*/*", "02688", "Bearer demo-token", simtest.BasicDemo, "application/x-www-form-urlencoded",
					strings.Repeat("y", 4000)))
		case 3:
			a.Method = one(p.generator, methods...)
		case 4:
			a.Path += one(p.generator, "/", "//", "/..", "/.", "?", "&hostUserId=1001", "?sort="+p.escape(p.text(30)), "?size=-1&page=x",
				"?page=99999999999999999999", "%20")
		case 5:
			if len(a.Body) > 0 {
				at := p.IntN(len(a.Body))
				a.Body = a.Body[:at] + string(rune(p.IntN(256))) + a.Body[at+1:]
			}
		case 6:
			a.Path = strings.Replace(a.Path, one(p.generator, "v1", "v2", "v3", "groups", "oauth2"),
				one(p.generator, "v0", "v9", "V1", "%76", ""), 1)
		}
	}
	p.try(a)
	p.Sandbox.Reset(context.Background(), "") // it may have revoked the tokens that others need
}

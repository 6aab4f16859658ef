package bankapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
)

// startImport uploads participants into a group, and returns the id of the job.
func startImport(t *testing.T, b *simtest.Bank, groupID string) (jobID string) {
	t.Helper()
	res := simtest.UploadParticipants.At(participantsOf(groupID)).
		WithBody(simtest.Multipart("REPLACE", "ParticipantId\r\n1001\r\nnobody-7\r\n\r\n1002")).Send(b)
	require.Equal(t, http.StatusOK, res.StatusCode, res.Body)
	return some[struct{ JobID string }](t, res.Body).JobID
}

// some decodes some members of a JSON text.
func some[T any](t *testing.T, text string) (members T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &members))
	return members
}

func participantsOf(groupID string) string {
	return strings.Replace(contract.GroupsUploadParticipants.Path, "{groupId}", groupID, 1)
}

// importOf returns what a bank shows of a job, in an answer of the bank and in its state, and of its group.
func importOf(t *testing.T, b *simtest.Bank, jobID string) string {
	t.Helper()
	job := simtest.GetJob.At(strings.Replace(contract.JobsGet.Path, "{jobId}", jobID, 1)).Send(b)
	require.Equal(t, http.StatusOK, job.StatusCode, job.Body)
	groupID := some[struct{ GroupID string }](t, job.Body).GroupID
	state := some[struct {
		Institutions []struct{ Groups, Jobs []json.RawMessage }
	}](t, b.State())
	all := []string{job.Body}
	for _, row := range slices.Concat(state.Institutions[0].Groups, state.Institutions[0].Jobs) {
		if strings.Contains(string(row), groupID) {
			all = append(all, string(row))
		}
	}
	require.Greater(t, len(all), 2)
	return strings.Join(all, "\n")
}

// A job ends in the same way wherever its sandbox is taken back to while it runs: in forks of what the bank was before and
// after each exchange, after a reset of these, after a restore, in a bank that was saved, and however its clock moves on.
func TestJobsEndTheSameInThePast(t *testing.T) {
	t.Parallel()
	b := simtest.StartScenario(t, simtest.FrozenRetail)
	from := int(b.Journal().Last())
	jobID := startImport(t, b, simtest.RetailGroup)
	simtest.ListGroups.Send(b)
	b.Advance(time.Second)
	simtest.CreateGroup.Send(b)
	b.ControlSandbox(201, "POST /snapshots", `{"name":"running"}`)
	saved := b.ControlSandbox(200, "GET /state?format=scenario", "").Body
	simtest.ListJobs.Send(b)
	to := int(b.Journal().Last())

	running := importOf(t, b, jobID)
	assert.Contains(t, running, `"jobStatus":"PROCESSING"`)
	assert.Contains(t, running, `"groupParticipantCount":412,`)
	b.Advance(2 * time.Second)
	ended := importOf(t, b, jobID)
	assert.Contains(t, ended, `"jobStatus":"PARTIAL_SUCCESS"`)
	assert.Contains(t, ended, `"groupParticipantCount":3,`)
	b.Advance(-time.Hour)
	assert.Equal(t, ended, importOf(t, b, jobID), "what has ended stays so")

	// steps are ways of the clock from the present of a bank to the end of the job, and beyond.
	steps := [][]time.Duration{{3 * time.Second}, {-time.Hour, time.Hour, time.Second, time.Second, time.Second, 24 * time.Hour}, {3 * time.Second, -time.Hour}}
	forks := 0
	for exchange := from + 1; exchange <= to; exchange++ {
		for _, side := range []string{"before", "after"} {
			for n, moves := range steps {
				if exchange == from+1 && side == "before" {
					continue // there is no job yet
				}
				name := fmt.Sprintf("%s-%d-%d", side, exchange, n)
				b.ControlSandbox(201, "POST /fork", fmt.Sprintf(`{"name":%q,%q:"%d"}`, name, side, exchange))
				fork := b.In(name)
				start := importOf(t, fork, jobID)
				assert.NotEqual(t, ended, start)
				for range 2 { // then once more, after a reset
					for _, d := range moves {
						fork.Advance(d)
					}
					assert.Equal(t, ended, importOf(t, fork, jobID), "%s after %v", name, moves)
					fork.ControlSandbox(204, "POST /reset", "")
					assert.Equal(t, start, importOf(t, fork, jobID), "%s is reset", name)
				}
				b.Control(204, "DELETE /v1/sandboxes/"+name, "")
				forks++
			}
		}
	}
	assert.Equal(t, 3*7, forks)

	b.ControlSandbox(204, "POST /snapshots/running/restore", "")
	assert.Equal(t, running, importOf(t, b, jobID))
	b.Advance(time.Minute)
	assert.Equal(t, ended, importOf(t, b, jobID), "after the restore")

	b.Control(201, "POST /v1/sandboxes", simtest.JSON(map[string]string{"name": "saved", "scenarioYaml": saved}))
	again := b.In("saved")
	assert.Equal(t, running, importOf(t, again, jobID))
	again.Advance(time.Minute)
	assert.Equal(t, ended, importOf(t, again, jobID), "of a saved bank")
}

package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/journal"
)

// isolated is how many sandboxes get requests at once.
var isolated = map[bool]int{false: 50, true: 15}[simtest.Race]

// Fifty sandboxes, under the race detector fifteen, that get different requests about the same users, groups and tokens at the same time give the answers,
// and end in the state, that each gives on a server of its own. No request to one of them shows in another.
func TestSandboxesAreIsolated(t *testing.T) {
	t.Parallel()
	together := simtest.StartScenario(t, simtest.FrozenRetail)
	untouched := together.State()
	stories := make([]*story, isolated)
	var wg sync.WaitGroup
	for i := range stories {
		stories[i] = newStory(t, together, i)
		wg.Go(stories[i].play)
	}
	wg.Wait()

	for _, s := range stories {
		s.end()
		s.holdsNoOther()
	}
	for _, s := range simtest.Sample(stories) {
		alone := newStory(t, simtest.StartScenario(t, simtest.FrozenRetail), s.number)
		wg.Go(func() {
			alone.play()
			alone.end()
			assertSame(t, alone.lines, s.lines, s.name())
		})
	}
	wg.Wait()
	assert.Equal(t, untouched, together.State(), "the default sandbox, which got no request")
}

// story is a sequence of requests to one sandbox, with its answers.
type story struct {
	*simtest.Bank
	t      *testing.T
	number int
	lines  []string // the requests and answers, without what differs from run to run
}

// newStory returns a story in a sandbox of the server of a bank.
func newStory(t *testing.T, b *simtest.Bank, number int) *story {
	s := &story{Bank: b, t: t, number: number}
	plan := map[string]string{"name": s.name(), "scenarioYaml": s.scenario(1)}
	if s.shares() {
		delete(plan, "scenarioYaml")
	}
	s.note("create", b.Control(201, "POST /v1/sandboxes", simtest.JSON(plan)))
	s.Bank = b.In(s.name())
	return s
}

func (s *story) name() string   { return fmt.Sprintf("team-%02d", s.number) }
func (s *story) marker() string { return fmt.Sprintf("mark%02dx", s.number) }

// fleeting are the members whose values differ between two runs of the same calls: real times, and sizes that depend on
// ports.
var fleeting = []string{"createdAt", "lastReset", "takenAt", "realAt", "startedDateTime", "tookMicros", "time", "wait", "headersSize"}

// normalized returns the body of an answer of a bank without what differs from run to run.
func normalized(b *simtest.Bank, body string) string {
	body = strings.ReplaceAll(body, b.Server.ServiceURL(), "{base}")
	for _, member := range fleeting {
		mark := `"` + member + `":`
		parts := strings.Split(body, mark)
		for i, part := range parts[1:] {
			parts[1+i] = part[max(strings.IndexAny(part, ",}"), 0):]
		}
		body = strings.Join(parts, mark)
	}
	return body
}

// assertSame reports the first line in which two runs differ.
func assertSame(t *testing.T, want, got []string, what string) {
	t.Helper()
	assert.Equal(t, len(want), len(got), what)
	for at := range min(len(want), len(got)) {
		if want[at] != got[at] {
			assert.Equal(t, want[at], got[at], "%s, answer %d", what, at)
			return
		}
	}
}

// note keeps an answer, with the given headers.
func (s *story) note(what string, res simtest.Answer, headers ...string) simtest.Answer {
	line := fmt.Sprintf("%s -> %d %s", what, res.StatusCode, normalized(s.Bank, res.Body))
	for _, h := range headers {
		line += "\n" + h + ": " + strings.Join(res.Header.Values(h), ", ")
	}
	s.lines = append(s.lines, line)
	return res
}

// send sends a call to the sandbox and keeps the answer.
func (s *story) send(c simtest.Call) simtest.Answer {
	s.t.Helper()
	c = c.With("transactionId", fmt.Sprintf("%s-%d", s.marker(), len(s.lines)))
	return s.note(c.Method+" "+c.Path, c.Send(s.Bank), "Banksim-Exchange", "transactionId", "WWW-Authenticate", "Allow", "Content-Length")
}

// control sends a call of the control API for the sandbox and keeps the answer, which has a status.
func (s *story) control(status int, call, body string) simtest.Answer {
	s.t.Helper()
	return s.note(call, s.ControlSandbox(status, call, body))
}

// shares reports whether the sandbox starts from the server's scenario: with the same rows, and the same draws, as others.
func (s *story) shares() bool { return s.number%2 == 0 }

// scenario returns a scenario of the sandbox's own: retail, with users and groups that differ in other sandboxes.
func (s *story) scenario(version int) string {
	return fmt.Sprintf(`{"name": "%[1]s-%[2]d", "extends": "retail", "seed": %[3]d, "clock": {"run": false},
		"behavior": {"groups": {"createStatus": %[4]d}, "tokens": {"accessLifetime": "%[5]dm"}},
		"institutions": [{"institutionId": "02688", "users": [{"hostUserId": "1001", "username": "%[1]s"}, {"hostUserId": "1002", "active": %[6]v}],
			"groups": [{"groupName": "Shared name", "groupDescription": "%[1]s"}]}]}`,
		s.marker(), version, s.number%5, 200+s.number%2, s.number+1, s.number%2 == 0)
}

// play sends all kinds of requests to the sandbox.
func (s *story) play() {
	s.operations("first")
	s.readings()
	s.patches()

	s.control(201, "POST /snapshots", fmt.Sprintf(`{"name":"before-%s"}`, s.marker()))
	s.control(201, "POST /snapshots", `{"name":"same"}`)
	s.operations("second")
	s.control(200, "POST /clock", fmt.Sprintf(`{"advance":"%dm"}`, 10+s.number))
	s.control(200, "GET /diff?since=before-"+s.marker(), "")
	s.forked()
	s.control(204, "POST /snapshots/before-"+s.marker()+"/restore", "")

	switch s.number % 4 {
	case 0:
		s.control(204, "POST /reset", "")
	case 1:
		s.control(200, "PUT /scenario", s.scenario(2))
	case 2:
		s.control(204, "DELETE /journal", "")
	}
	s.control(422, "PUT /scenario", `{"name": "`+s.marker()+`", "institutions": 7}`)
	for range s.number % 7 {
		s.send(simtest.ListGroups)
	}
	s.operations("third")
	s.control(201, "POST /snapshots", fmt.Sprintf(`{"name":"after-%s"}`, s.marker()))
	s.control(200, "GET /diff?since=same", "")
	if s.number%5 == 0 {
		s.control(204, "POST /snapshots/same/restore", "")
	}
	s.control(200, "POST /clock", fmt.Sprintf(`{"advance":"%ds"}`, s.number))
}

// operations sends calls of all operations, wrong ones among them.
func (s *story) operations(round string) {
	activate := fmt.Sprintf(`{"activateEstatement":%v,"accountId":"acc-1001-checking"}`, s.number%4 < 2)
	username := s.marker()
	if s.shares() {
		username = "avery"
	}
	tokens := simtest.Decode[simtest.Tokens](s.t, s.send(simtest.IssueTokens.WithBody(fmt.Sprintf(`{"grant_type":"password","username":"%s","password":"demo"}`, username))))
	mine := tokens.AccessToken
	s.send(simtest.UpdateAccount.WithBody(activate).WithToken(mine).With("correlationid", s.marker()))
	s.send(simtest.UpdateUser.WithBody(activate).At(simtest.UpdateUserPath + fmt.Sprint(1001+s.number%4)))
	s.send(simtest.GetDisclosures.WithToken(mine))
	s.send(simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"Night owls %s","groupDescription":"%s"}`, round, s.marker())))
	s.send(simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"Night owls %s"}`, round))) // a name that all have, with and without the next
	s.send(simtest.CreateGroup.WithBody(fmt.Sprintf(`{"groupName":"Night owls %s"}`, round)))
	s.send(simtest.ListGroups.At(simtest.GroupsPath + "?sort=groupName,desc&size=7"))
	s.send(simtest.CreateAlert.WithBody(fmt.Sprintf(`{"alertPreferenceDetails":{"externalId":"%s","channelTypeName":"SMS"}}`, s.marker())))
	s.send(simtest.CreateAlert.WithBody(`{"alertOpted":` + s.marker()))
	if s.number%3 > 0 {
		s.send(simtest.RevokeTokens.WithBody(fmt.Sprintf(`{"refresh_token":"%s"}`, tokens.RefreshToken)))
	}
	s.send(simtest.GetDisclosures.WithToken(mine))
	if s.number%3 == 2 {
		s.send(simtest.RevokeTokens) // demo-refresh, which all have
	}
	s.send(simtest.GetDisclosures.WithToken("demo-token-2"))
	s.send(simtest.ListGroups.At("/digitalbanking/groups/v9/" + s.marker()))
}

// readings sends the calls of the control API that read.
func (s *story) readings() {
	for _, path := range []string{"", "/state", "/diff", "/clock", "/snapshots", "/scenario", "/journal", "/journal?operation=groups.*&status=400&limit=3",
		"/journal/1", "/journal.har"} {
		s.control(200, "GET "+path, "")
	}
	s.control(404, "GET /journal/100000", "")
	s.control(200, "POST /journal/verify", fmt.Sprintf(`{"operation":"groups.create","body":{"groupDescription":"%s"},"exactly":1}`, s.marker()))
	s.control(200, "POST /journal/verify", `{"operation":"alerts.createPreference","status":507}`)
	for _, event := range s.Events(s.ControlPath()+"/journal/stream", 5) {
		s.lines = append(s.lines, "stream "+normalized(s.Bank, event))
	}
}

func (s *story) patches() {
	odd, status := s.number%2 == 1, []string{"ACCEPTED", "NOT_ACCEPTED"}[s.number%2]
	s.control(200, "PATCH /institutions/05523", fmt.Sprintf(`{"multistatement":%v}`, odd))
	s.control(200, "PATCH /institutions/02688/users/1003", fmt.Sprintf(`{"active":%v,"disclosureStatus":"%s"}`, odd, status))
	s.control(200, "PATCH /institutions/02688/users/1004/accounts/acc-1004-savings", fmt.Sprintf(`{"activateEstatement":%v,"disclosureStatus":"%s"}`, odd, status))
	s.control(404, "PATCH /institutions/02688/users/"+s.marker(), `{"active":true}`)
	s.control(201, "POST /institutions/02688/tokens", fmt.Sprintf(`{"client":"demo-app","hostUserId":"1004","expiresIn":"%dm"}`, s.number+1))
}

// forked forks the sandbox, changes the fork, deletes it, and makes another one of the same name.
func (s *story) forked() {
	plan := fmt.Sprintf(`{"name":"%s-fork"}`, s.name())
	s.control(201, "POST /fork", plan)
	fork := s.In(s.name() + "-fork")
	s.note("in the fork", simtest.CreateGroup.WithBody(`{"groupName":"Of the fork of `+s.marker()+`"}`).Send(fork), "Banksim-Exchange")
	s.note("in the fork", simtest.UpdateUser.Send(fork), "Banksim-Exchange")
	s.note("of the fork", fork.ControlSandbox(200, "GET /diff", ""))
	s.note("of the fork", fork.ControlSandbox(200, "POST /clock", `{"advance":"1000h"}`))
	s.note("of the fork", fork.ControlSandbox(204, "DELETE ", ""))
	s.control(201, "POST /fork", plan)
	s.note("of the fork", fork.ControlSandbox(200, "GET /journal", ""))
}

// end notes all that the control API shows of the sandbox.
func (s *story) end() {
	for _, path := range []string{"", "/state", "/diff", "/clock", "/snapshots", "/scenario", "/journal?limit=1000", "/journal.har"} {
		s.control(200, "GET "+path, "")
	}
	exchanges := s.Journal().Page(journal.Query{}).Exchanges
	assert.NotEmpty(s.t, exchanges)
	for _, x := range exchanges {
		assert.Equal(s.t, s.name(), x.Sandbox)
	}
}

// holdsNoOther requires that no answer holds a mark of another sandbox.
func (s *story) holdsNoOther() {
	s.t.Helper()
	own := fmt.Sprintf("%02d", s.number)
	for at, line := range s.lines {
		for _, mark := range []string{"mark", "team-"} {
			for _, rest := range strings.Split(line, mark)[1:] {
				if number := rest[:min(2, len(rest))]; len(number) == 2 && number != own && strings.Trim(number, "0123456789") == "" {
					require.Fail(s.t, "a mark of another sandbox", "%s, call %d: %s%s", s.name(), at, mark, rest)
				}
			}
		}
	}
}

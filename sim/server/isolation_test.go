package server_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/digitalbanking-sim/banksim/sim/journal"
)

const isolated = 50 // sandboxes at once

// Fifty sandboxes, told different things about the same users, groups and tokens at the same time, answer and end
// just as each of them does on a server of its own; and nothing that one was told turns up in another.
func TestSandboxesDontCross(t *testing.T) {
	together := startBank(t, frozenRetail)
	untold := together.state()
	stories := make([]*story, isolated)
	var wg sync.WaitGroup
	for i := range stories {
		stories[i] = &story{bank: together, number: i}
		wg.Go(stories[i].tell)
	}
	wg.Wait()

	calls, exchanges := 0, 0
	for _, s := range stories {
		s.end()
		calls += len(s.lines)
		exchanges += s.journaled
		s.holdsNoOther(t)
		alone := &story{bank: startBank(t, frozenRetail), number: s.number}
		alone.tell()
		alone.end()
		require.Equal(t, len(alone.lines), len(s.lines), s.name())
		for at, line := range alone.lines {
			require.Equal(t, line, s.lines[at], "%s, call %d", s.name(), at)
		}
	}
	t.Logf("%d sandboxes: %d calls in all, %d exchanges in the journals at the end", isolated, calls, exchanges)
	assert.Equal(t, untold, together.state(), "the default sandbox, which nobody spoke to")
}

// story is what one sandbox is told, and what it answers.
type story struct {
	*bank
	number    int
	lines     []string // what was asked and answered, without what differs from run to run
	journaled int      // exchanges in the journal at the end
}

func (s *story) name() string   { return fmt.Sprintf("team-%02d", s.number) }
func (s *story) marker() string { return fmt.Sprintf("mark%02dx", s.number) }

var (
	anyMarker = regexp.MustCompile(`mark\d\dx|team-\d\d`)

	// fleeting is what differs between two runs of the same calls: real times, ports and sizes that depend on them.
	fleeting = regexp.MustCompile(`"(createdAt|takenAt|realAt|startedDateTime)":"[^"]*"|"(tookMicros|time|wait|headersSize)":[-0-9.e]+`)
	baseURL  = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

func normalized(body string) string {
	return baseURL.ReplaceAllString(fleeting.ReplaceAllString(body, `"$1$2":0`), "{base}")
}

// note keeps an answer. Answers on the service listener are kept with their headers.
func (s *story) note(what string, res answer, headers ...string) answer {
	line := fmt.Sprintf("%s -> %d %s", what, res.StatusCode, normalized(res.body))
	for _, h := range headers {
		line += "\n" + h + ": " + strings.Join(res.Header.Values(h), ", ")
	}
	s.lines = append(s.lines, line)
	return res
}

// serve sends a request to the sandbox's service.
func (s *story) serve(a attempt) answer {
	s.t.Helper()
	a.path = "/sandboxes/" + s.name() + a.path
	a = a.with("transactionId", fmt.Sprintf("%s-%d", s.marker(), len(s.lines)))
	return s.note(a.method+" "+a.path, a.send(s.bank), "Banksim-Exchange", "transactionId", "WWW-Authenticate", "Allow", "Content-Length")
}

// order sends a control call for the sandbox and wants a status.
func (s *story) order(status int, method, path, body string) answer {
	s.t.Helper()
	path = "/v1/sandboxes/" + s.name() + path
	res := s.note(method+" "+path, s.control(method, path, body))
	assert.Equal(s.t, status, res.StatusCode, "%s %s %s: %s", method, path, body, res.body)
	return res
}

// shares tells whether the sandbox starts from the server's scenario: the same rows, and the same draws, as others.
func (s *story) shares() bool { return s.number%2 == 0 }

// scenario is the sandbox's own: retail, with users and groups that others have differently.
func (s *story) scenario(version int) string {
	return fmt.Sprintf(`{"name": "%[1]s-%[2]d", "extends": "retail", "seed": %[3]d, "clock": {"run": false},
		"behavior": {"groups": {"createStatus": %[4]d}, "tokens": {"accessLifetime": "%[5]dm"}},
		"institutions": [{"institutionId": "02688", "users": [{"hostUserId": "1001", "username": "%[1]s"}, {"hostUserId": "1002", "active": %[6]v}],
			"groups": [{"groupName": "Shared name", "groupDescription": "%[1]s"}]}]}`,
		s.marker(), version, s.number%5, 200+s.number%2, s.number+1, s.number%2 == 0)
}

// tell tells the sandbox everything there is to tell.
func (s *story) tell() {
	plan := map[string]string{"name": s.name(), "scenarioYaml": s.scenario(1)}
	if s.shares() {
		delete(plan, "scenarioYaml")
	}
	created := s.note("create", s.control(http.MethodPost, "/v1/sandboxes", inJSON(plan)))
	if !assert.Equal(s.t, 201, created.StatusCode, created.body) {
		return
	}
	s.operations("first")
	s.readings()
	s.patches()

	s.order(201, http.MethodPost, "/snapshots", fmt.Sprintf(`{"name":"before-%s"}`, s.marker()))
	s.order(201, http.MethodPost, "/snapshots", `{"name":"same"}`)
	s.operations("second")
	s.order(200, http.MethodPost, "/clock", fmt.Sprintf(`{"advance":"%dm"}`, 10+s.number))
	s.order(200, http.MethodGet, "/diff?since=before-"+s.marker(), "")
	s.forked()
	s.order(204, http.MethodPost, "/snapshots/before-"+s.marker()+"/restore", "")

	switch s.number % 4 {
	case 0:
		s.order(204, http.MethodPost, "/reset", "")
	case 1:
		s.order(200, http.MethodPut, "/scenario", s.scenario(2))
	case 2:
		s.order(204, http.MethodDelete, "/journal", "")
	}
	s.order(422, http.MethodPut, "/scenario", `{"name": "`+s.marker()+`", "institutions": 7}`)
	for range s.number % 7 {
		s.serve(listGroups)
	}
	s.operations("third")
	s.order(201, http.MethodPost, "/snapshots", fmt.Sprintf(`{"name":"after-%s"}`, s.marker()))
	s.order(200, http.MethodGet, "/diff?since=same", "")
	if s.number%5 == 0 {
		s.order(204, http.MethodPost, "/snapshots/same/restore", "")
	}
	s.order(200, http.MethodPost, "/clock", fmt.Sprintf(`{"advance":"%ds"}`, s.number))
}

// operations sends all eight, and wrong requests among them.
func (s *story) operations(round string) {
	activate := fmt.Sprintf(`{"activateEstatement":%v,"accountId":"acc-1001-checking"}`, s.number%4 < 2)
	username := s.marker()
	if s.shares() {
		username = "avery"
	}
	tokens := decode[issued](s.t, s.serve(issueTokens.saying(fmt.Sprintf(`{"grant_type":"password","username":"%s","password":"demo"}`, username))))
	mine := "Bearer " + tokens.AccessToken
	s.serve(updateAccount.saying(activate).with("authorization", mine).with("correlationid", s.marker()))
	s.serve(updateUser.saying(activate).at(allURL + fmt.Sprint(1001+s.number%4)))
	s.serve(getDisclosures.with("authorization", mine))
	s.serve(createGroup.saying(fmt.Sprintf(`{"groupName":"Night owls %s","groupDescription":"%s"}`, round, s.marker())))
	s.serve(createGroup.saying(fmt.Sprintf(`{"groupName":"Night owls %s"}`, round))) // a name that all have, with and without the next
	s.serve(createGroup.saying(fmt.Sprintf(`{"groupName":"Night owls %s"}`, round)))
	s.serve(listGroups.at(groupsURL + "?sort=groupName,desc&size=7"))
	s.serve(createAlert.saying(fmt.Sprintf(`{"alertPreferenceDetails":{"externalId":"%s","channelTypeName":"SMS"}}`, s.marker())))
	s.serve(createAlert.saying(`{"alertOpted":` + s.marker()))
	if s.number%3 > 0 {
		s.serve(revokeToken.saying(fmt.Sprintf(`{"refresh_token":"%s"}`, tokens.RefreshToken)))
	}
	s.serve(getDisclosures.with("authorization", mine))
	if s.number%3 == 2 {
		s.serve(revokeToken) // demo-refresh, which all have
	}
	s.serve(getDisclosures.with("authorization", "Bearer demo-token-2"))
	s.serve(listGroups.at("/digitalbanking/groups/v9/" + s.marker()))
}

// readings sends the control calls that read.
func (s *story) readings() {
	for _, path := range []string{"", "/state", "/diff", "/clock", "/snapshots", "/scenario", "/journal", "/journal?operation=groups.*&status=400&limit=3",
		"/journal/1", "/journal.har"} {
		s.order(200, http.MethodGet, path, "")
	}
	s.order(404, http.MethodGet, "/journal/100000", "")
	s.order(200, http.MethodPost, "/journal/verify", fmt.Sprintf(`{"operation":"groups.create","body":{"groupDescription":"%s"},"exactly":1}`, s.marker()))
	s.order(200, http.MethodPost, "/journal/verify", `{"operation":"alerts.createPreference","status":299}`)
	for _, event := range s.events("/v1/sandboxes/"+s.name()+"/journal/stream", 5) {
		s.lines = append(s.lines, "stream "+normalized(event))
	}
}

// events reads so many events from a stream of the control API and returns their data.
func (b *bank) events(path string, count int) []string {
	b.t.Helper()
	ctx, cancel := context.WithCancel(b.t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.server.ControlURL()+path, nil)
	require.NoError(b.t, err)
	res, err := b.client.Do(r)
	require.NoError(b.t, err)
	defer func() { _ = res.Body.Close() }()
	var events []string
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 4<<20)
	for len(events) < count && lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			events = append(events, data)
		}
	}
	assert.Len(b.t, events, count, "the stream ended early: %v", lines.Err())
	return events
}

func (s *story) patches() {
	odd, status := s.number%2 == 1, []string{"ACCEPTED", "NOT_ACCEPTED"}[s.number%2]
	s.order(200, http.MethodPatch, "/institutions/05523", fmt.Sprintf(`{"multistatement":%v}`, odd))
	s.order(200, http.MethodPatch, "/institutions/02688/users/1003", fmt.Sprintf(`{"active":%v,"disclosureStatus":"%s"}`, odd, status))
	s.order(200, http.MethodPatch, "/institutions/02688/users/1004/accounts/acc-1004-savings", fmt.Sprintf(`{"activateEstatement":%v,"disclosureStatus":"%s"}`, odd, status))
	s.order(404, http.MethodPatch, "/institutions/02688/users/"+s.marker(), `{"active":true}`)
	s.order(201, http.MethodPost, "/institutions/02688/tokens", fmt.Sprintf(`{"client":"demo-app","hostUserId":"1004","expiresIn":"%dm"}`, s.number+1))
}

// forked forks the sandbox, changes the fork, and deletes it.
func (s *story) forked() {
	s.order(201, http.MethodPost, "/fork", fmt.Sprintf(`{"name":"%s-fork"}`, s.name()))
	fork := "/sandboxes/" + s.name() + "-fork"
	s.note("in the fork", createGroup.at(fork+groupsURL).saying(`{"groupName":"Of the fork of `+s.marker()+`"}`).send(s.bank), "Banksim-Exchange")
	s.note("in the fork", updateUser.at(fork+allURL+"1001").saying(`{"activateEstatement":true}`).send(s.bank), "Banksim-Exchange")
	s.note("of the fork", s.control(http.MethodGet, "/v1"+fork+"/diff", ""))
	s.note("of the fork", s.control(http.MethodPost, "/v1"+fork+"/clock", `{"advance":"1000h"}`))
	s.note("of the fork", s.control(http.MethodDelete, "/v1"+fork, ""))
	s.order(201, http.MethodPost, "/fork", fmt.Sprintf(`{"name":"%s-fork"}`, s.name()))
	s.note("of the fork", s.control(http.MethodGet, "/v1"+fork+"/journal", ""))
}

// end notes all that is to be seen of the sandbox.
func (s *story) end() {
	for _, path := range []string{"", "/state", "/diff", "/clock", "/snapshots", "/scenario", "/journal?limit=1000", "/journal.har"} {
		s.order(200, http.MethodGet, path, "")
	}
	page := decode[journal.Page](s.t, s.control(http.MethodGet, "/v1/sandboxes/"+s.name()+"/journal?limit=1000", ""))
	for _, x := range page.Exchanges {
		assert.Equal(s.t, s.name(), x.Sandbox)
	}
	s.journaled = len(page.Exchanges)
	assert.NotZero(s.t, s.journaled)
}

// holdsNoOther wants no other sandbox's marks in anything that this one has answered.
func (s *story) holdsNoOther(t *testing.T) {
	t.Helper()
	for at, line := range s.lines {
		for _, found := range anyMarker.FindAllString(line, -1) {
			require.Contains(t, []string{s.marker(), s.name()}, found, "%s, call %d: %s", s.name(), at, line)
		}
	}
}

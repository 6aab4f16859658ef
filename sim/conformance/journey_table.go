package conformance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/digitalbanking-sim/banksim/fixtures"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/strictjson"
)

// What an act creates, or is about.
const (
	groupRow = "group"
	alertRow = "preference"
	tokenRow = "access token"
	pairRow  = "access and refresh token" // also counts as an access token
)

// An act is what a step of a journey can do.
type act struct {
	op             *contract.Operation // in the document's dialect
	needs, creates string              // what it is about, and what it creates; or empty
	name           func(*drawing, *step) string
	about          string // what a report says behind the operation
	request        requestBuilder
}

// acts are all of them, by subject. A journey never uploads, never changes e-statements or disclosures, and never
// creates a code.
var acts = [][]*act{{
	{contract.GroupsCreate, "", groupRow, newName, "{name}", ofGroups},
	{contract.GroupsCreate, "", groupRow, takenName, "{name}", ofGroups},
	{contract.GroupsCreate, "", groupRow, inCapitals, "{name}", ofGroups},
	{contract.GroupsUpdate, groupRow, "", newName, "the group of {row}: {name}", ofGroups},
	{contract.GroupsUpdate, groupRow, "", takenName, "the group of {row}: {name}", ofGroups},
	{contract.GroupsDelete, groupRow, "", nil, "the group of {row}", ofGroups},
	{contract.GroupsList, "", "", nil, "the first page", withQuery("?size=2000", ofGroups)},
	{contract.GroupsList, "", "", nil, "sorted", withQuery("?size=2000&sort=groupName,desc", ofGroups)},
	{contract.GroupsList, "", "", nil, "page 2", withQuery("?page=2&size=10", ofGroups)},
}, {
	{contract.AlertsCreatePreference, "", alertRow, nil, "{alert}", ofAlerts},
	{contract.AlertsUpdatePreference, alertRow, "", nil, "the preference of {row}: {alert}", ofAlerts},
	{contract.AlertsGetPreference, alertRow, "", nil, "the preference of {row}", ofAlerts},
	{contract.AlertsDeletePreference, alertRow, "", nil, "the preference of {row}", ofAlerts},
	{contract.AlertsListPreferences, "", "", nil, "all", ofAlerts},
}, {
	{contract.TokensIssue, "", pairRow, nil, "by password", issuing(byPassword)},
	{contract.TokensIssue, "", tokenRow, nil, "by client_credentials", issuing("grant_type=client_credentials")},
	{contract.TokensIssue, pairRow, pairRow, nil, "by the refresh token of {row}",
		issuing("grant_type=refresh_token&refresh_token={refresh}")},
	{contract.UsersGetStatus, tokenRow, "", nil, "with the access token of {row}", readStatus},
	{contract.TokensRevoke, tokenRow, "", nil, "the access token of {row}", revoking("{access}", "token")},
	{contract.TokensRevoke, pairRow, "", nil, "the refresh token of {row}", revoking("{refresh}", "refresh_token")},
}}

// A step is an act with a row and values. Its number is its place in the drawn journey, from 1. Shrinking keeps the
// number.
type step struct {
	*act
	number  int
	row     int    // the number of the step that created the row, or 0 if the act needs none
	name    string // of a group
	opted   bool   // of an alert
	channel string // of an alert
}

// ofRow returns how requests name a token of the step's row. Each side puts its own token in its place.
func (s step) ofRow(text string) string {
	return strings.NewReplacer("{access}", accessOf(s.row), "{refresh}", refreshOf(s.row)).Replace(text)
}

func accessOf(number int) string { return "own-token-" + strconv.Itoa(number) }

func refreshOf(number int) string { return "own-refresh-" + strconv.Itoa(number) }

// describe returns a journey, a step a line.
func describe(journey []step) string {
	var text strings.Builder
	for i, s := range journey {
		at := slices.IndexFunc(journey, func(other step) bool { return other.number == s.row })
		about := strings.NewReplacer("{name}", strconv.Quote(s.name), "{row}", fmt.Sprintf("step %d", at+1),
			"{alert}", fmt.Sprintf("alertOpted %t by %s", s.opted, s.channel)).Replace(s.about)
		fmt.Fprintf(&text, "%d. %s: %s\n", i+1, s.op.Name, about)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// Lengths of drawn journeys in steps (choice).
const minSteps, maxSteps = 8, 24

// drawing is a journey that is being drawn.
type drawing struct {
	random *rand.Rand
	steps  []step
}

// drawJourney returns a random journey. The configuration and the number give the same one each time. Most journeys
// have one subject: they come back to the same rows more often.
func (r *replayer) drawJourney(number int) []step {
	random := rand.New(rand.NewPCG(r.cfg.Seed, uint64(number)))
	d, possible := drawing{random: random}, slices.Concat(r.journeyActs...)
	if random.IntN(4) > 0 {
		possible = r.journeyActs[random.IntN(len(r.journeyActs))]
	}
	for range minSteps + random.IntN(maxSteps-minSteps+1) {
		channel := []string{"EMAIL", "SMS"}[random.IntN(2)]
		s := step{number: len(d.steps) + 1, opted: random.IntN(2) == 0, channel: channel}
		for s.act == nil {
			d.drawAct(&s, possible[random.IntN(len(possible))])
		}
		d.steps = append(d.steps, s)
	}
	return d.steps
}

// drawAct gives a step an act, unless the journey has no row or no name yet that the act needs.
func (d *drawing) drawAct(s *step, a *act) {
	if a.needs != "" {
		rows := d.stepsCreating(a.needs)
		if len(rows) == 0 {
			return
		}
		s.row = rows[d.random.IntN(len(rows))].number
		before := d.steps[len(d.steps)-1].row
		if slices.ContainsFunc(rows, func(s step) bool { return s.number == before }) && d.random.IntN(2) == 0 {
			s.row = before // again
		}
	}
	if a.name != nil {
		if s.name = a.name(d, s); s.name == "" {
			return
		}
	}
	s.act = a
}

// stepsCreating returns the steps that create what an act needs.
func (d *drawing) stepsCreating(needed string) (all []step) {
	for _, s := range d.steps {
		if s.offers(needed) {
			all = append(all, s)
		}
	}
	return all
}

// offers reports whether an act creates what another one needs.
func (a *act) offers(needed string) bool {
	return a.creates != "" && (a.creates == needed || needed == tokenRow && a.creates == pairRow)
}

// nightOwls returns the name that a step gives to a group.
func nightOwls(number int) string { return fmt.Sprintf("Night owls %d", number) }

func newName(_ *drawing, s *step) string { return nightOwls(s.number) }

// takenName returns a name that a group of the journey has or had, or "" before the first one.
func takenName(d *drawing, _ *step) string {
	var names []string
	for _, s := range d.steps {
		if s.name != "" {
			names = append(names, s.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return names[d.random.IntN(len(names))]
}

func inCapitals(d *drawing, s *step) string { return strings.ToUpper(takenName(d, s)) }

// A requestBuilder returns the request of a step, in the document's dialect or in the one that is checked.
type requestBuilder = func(cfg Config, s step) fixtures.Request

// newRequest returns a request with a body, or without one if it is nil. An id in its path has the name that answers
// give it.
func newRequest(s step, id string, headers map[string]string, body any) fixtures.Request {
	request := fixtures.Request{Method: s.op.Method, Headers: headers}
	request.Path = variables().ReplaceAllString(s.op.Path, "{"+id+"}")
	headers["accept"], headers[s.op.Family.RequestID] = "application/json", s.requestID()
	if body != nil {
		headers["content-type"], request.JSON = "application/json", strictjson.MustEncode(body)
	}
	return request
}

func (s step) requestID() string { return "t-" + strconv.Itoa(s.number) }

func ofGroups(_ Config, s step) fixtures.Request {
	var body any
	if s.name != "" {
		body = map[string]string{"groupName": s.name, "groupDescription": fmt.Sprintf("Description %d", s.number)}
	}
	return newRequest(s, "groupId", map[string]string{}, body)
}

func withQuery(query string, of requestBuilder) requestBuilder {
	return func(cfg Config, s step) fixtures.Request {
		request := of(cfg, s)
		request.Path += query
		return request
	}
}

func ofAlerts(_ Config, s step) fixtures.Request {
	var body any
	if strings.Contains(s.about, "{alert}") {
		body = map[string]any{"alertOpted": s.opted, "alertPreferenceDetails": map[string]string{
			"alertTypeName": "LOW_BALANCE", "channelTypeName": s.channel}}
	}
	return newRequest(s, "alertPrefId", map[string]string{
		"authorization": "Bearer " + fixtures.DemoToken, "fiid": fixtures.Institution,
		"userid": fixtures.Avery.HostUserID}, body)
}

func issuing(form string) requestBuilder {
	return func(cfg Config, s step) fixtures.Request { return cfg.issue(s.requestID(), s.ofRow(form)) }
}

func revoking(token, member string) requestBuilder {
	return func(cfg Config, s step) fixtures.Request {
		return cfg.revocation(ofClient(cfg.inDialect(s.op), s.requestID()), s.ofRow(token), member)
	}
}

func readStatus(_ Config, s step) fixtures.Request {
	request := newRequest(s, "", map[string]string{"authorization": "Bearer " + accessOf(s.row)}, nil)
	request.Path = variables().ReplaceAllString(s.op.Path, fixtures.Avery.HostUserID) + "?userIdType=HOST_USER_ID"
	return request
}

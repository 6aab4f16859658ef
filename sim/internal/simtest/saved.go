package simtest

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
	"github.com/digitalbanking-sim/banksim/sim/fault"
	"github.com/digitalbanking-sim/banksim/sim/scenario"
)

// CheckSaved saves a bank as a scenario, loads that, and returns what differs: in their rows but the tokens that were issued
// meanwhile, in the behaviour, the faults and the clock, and in where their random sources stand.
func CheckSaved(b scenario.Bank) error {
	saved, err := scenario.Save(b)
	if err != nil {
		return err
	}
	loaded, err := scenario.Parse("saved.yaml", saved)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, saved)
	}
	again := loaded.Bank()
	var wrong []error
	equal := func(what string, want, got any) {
		if !reflect.DeepEqual(want, got) {
			wrong = append(wrong, fmt.Errorf("%s: saved %+v, loaded %+v", what, want, got))
		}
	}
	equal("clock", b.Now.UTC(), again.Now)
	equal("running", b.Running, again.Running)
	equal("seed", b.Seed, again.Seed)
	equal("behaviour", b.World.Behavior(), again.World.Behavior())
	equal("home", b.World.Home(), again.World.Home())
	equal("random source", b.World.RandomPosition(), again.World.RandomPosition())
	equal("last alert preference", b.World.LastAlertPrefID(), again.World.LastAlertPrefID())
	equal("used request ids", usedIDs(b.World), usedIDs(again.World))
	equal("given tokens", givenTokens(b.World), givenTokens(again.World))
	for i := range b.World.Institutions() {
		equal("groups", groupsOf(b.World, i.InstitutionID), groupsOf(again.World, i.InstitutionID))
		equal("jobs", jobsOf(b.World, i.InstitutionID), jobsOf(again.World, i.InstitutionID))
	}
	for change := range again.World.Diff(b.Now, b.World, b.Now) {
		switch row := cmp.Or(change.Before, change.After).(type) {
		case *sim.Grant, *sim.Group, *sim.Job, *sim.Participant: // their sequence numbers begin again: they are compared above
		case *sim.AlertPreference:
			equal(row.Row(), withoutSecrets(b, change.Before), withoutSecrets(b, change.After))
		default:
			equal(change.Row, change.Before, change.After)
		}
	}
	for t := range b.World.Tokens() {
		if !t.Given() && strings.Contains(string(saved), t.Text) {
			wrong = append(wrong, errors.New("a token that was issued meanwhile shows"))
		}
	}
	for n, at := range []time.Duration{0, time.Second, time.Minute, time.Hour, 30 * 24 * time.Hour} {
		equal(fmt.Sprint("faults that fire ", n), firing(b, at), firing(again, at))
	}
	if err := errors.Join(wrong...); err != nil {
		return fmt.Errorf("%w\n%s", err, saved)
	}
	return nil
}

// firing returns the names of the fault rules whose windows are open some time from now.
func firing(b scenario.Bank, later time.Duration) []string {
	names := []string{}
	for _, c := range b.Faults {
		alone := fault.Rule{Name: c.Name, When: fault.When{During: c.When.During}, Then: fault.Then{Status: 500}}
		q := fault.Query{Operation: contract.GroupsList.Name, Now: b.Now.Add(later), Since: b.Since + later}
		if len(fault.NewSet([]fault.Rule{alone}, b.Seed).Decide(&q).Fired) > 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// givenTokens describes what works of the tokens that scenarios gave.
func givenTokens(w *sim.World) map[string]string {
	all := map[string]string{}
	for t, g := range w.Tokens() {
		if !t.Given() {
			continue
		}
		refresh := ""
		if other, ok := w.Token(g.RefreshToken); ok && other.Given() {
			refresh = other.Text
		}
		all[t.Text] = fmt.Sprintf("%q", []any{g.InstitutionID, g.SharedKey, g.HostUserID, g.GrantType, refresh,
			g.Revoked || t.Revoked, t.ExpiresAt.UTC()})
	}
	return all
}

func usedIDs(w *sim.World) map[string][]string {
	all := map[string][]string{}
	_, ids := w.UsedRequestIDs()
	for institutionID, id := range ids {
		all[institutionID] = append(all[institutionID], id)
	}
	return all
}

// groupsOf describes the groups of an institution in the order of their creation.
func groupsOf(w *sim.World, institutionID string) []string {
	var all []string
	for _, g := range slices.SortedFunc(w.Groups(institutionID), func(a, b *sim.Group) int { return cmp.Compare(a.Sequence, b.Sequence) }) {
		all = append(all, fmt.Sprintf("%q", []any{g.GroupID, g.Name, g.Description, g.Status, g.LastUpdated.UTC(), g.ParticipantCount,
			g.ExperienceID, g.ExperienceName, slices.Collect(g.Participants())}))
	}
	return all
}

// jobsOf describes the jobs of an institution in the order in which callers see them, with what they have yet to do.
func jobsOf(w *sim.World, institutionID string) []string {
	var all []string
	jobs, _ := w.ListJobs(institutionID, "", nil, 0, math.MaxInt32)
	for _, j := range jobs {
		said := []any{j.JobID, j.GroupID, j.Type, j.FileName, j.CreatedBy, j.Created.UTC(), j.Status, j.Details, j.Updated.UTC(),
			j.Total, j.Succeeded, j.Failed, j.Errors}
		if j.Work != nil {
			said = append(said, j.Work.Begins.UTC(), j.Work.Ends.UTC(), j.Work.Participants)
		}
		all = append(all, fmt.Sprintf("%q", said))
	}
	return all
}

// withoutSecrets returns an alert preference without what is not kept of one that came with a request, and without what it
// counts for.
func withoutSecrets(b scenario.Bank, row any) any {
	p, _ := row.(*sim.AlertPreference)
	if p == nil {
		return nil
	}
	shown := sim.AlertPreference{
		InstitutionID: p.InstitutionID, HostUserID: p.HostUserID, AlertPrefID: p.AlertPrefID, AlertContent: p.AlertContent,
	}
	given, err := b.From.World.AlertPreference(p.InstitutionID, p.HostUserID, p.AlertPrefID)
	if err == nil && reflect.DeepEqual(given, p) {
		return shown
	}
	if shown.AdditionalInfo != nil {
		shown.AdditionalInfo = new(string)
	}
	if shown.Account != nil {
		account := *shown.Account
		account.CardNumber = nil
		shown.Account = &account
	}
	return shown
}

package simtest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
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

// CheckSaved saves a bank as a scenario, loads that, and compares the two: all rows but the tokens that were issued meanwhile,
// the orders of creation, the behaviour, the faults, the clock, and what both draw next. It returns what differs.
func CheckSaved(b scenario.Bank) error {
	saved, err := scenario.Save(b)
	if err != nil {
		return err
	}
	loaded, err := scenario.Parse("saved.yaml", saved)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, saved)
	}
	var wrong []error
	equal := func(what string, want, got any) {
		if !reflect.DeepEqual(want, got) {
			wrong = append(wrong, fmt.Errorf("%s: saved %+v, loaded %+v", what, want, got))
		}
	}
	again := loaded.Bank()
	equal("clock", b.Now.UTC(), again.Now)
	equal("running", b.Running, again.Running)
	equal("seed", b.Seed, again.Seed)
	equal("name", b.From.Name, loaded.Name)
	equal("behaviour", b.World.Behavior(), again.World.Behavior())
	equal("home", b.World.Home(), again.World.Home())
	equal("random source", b.World.RandomPosition(), again.World.RandomPosition())
	equal("used request ids", usedIDs(b.World), usedIDs(again.World))
	equal("given tokens", givenTokens(b.World), givenTokens(again.World))
	for i := range b.World.Institutions() {
		equal("groups", groupsOf(b, b.World, i.InstitutionID), groupsOf(b, again.World, i.InstitutionID))
		equal("jobs", jobsOf(b, b.World, i.InstitutionID), jobsOf(b, again.World, i.InstitutionID))
		equal("jobs in the order of a list", listedJobs(b.World, i.InstitutionID), listedJobs(again.World, i.InstitutionID))
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
		equal(fmt.Sprint("faults that fire ", n), firing(b, at, saved), firing(again, at, saved))
	}
	equal("what is drawn next", drawn(b.World, b.Now), drawn(again.World, b.Now))
	if len(wrong) > 0 {
		return fmt.Errorf("%w\n%s", errors.Join(wrong...), saved)
	}
	return nil
}

// firing returns the names of the fault rules whose windows are open some time from now, of those that were kept.
func firing(b scenario.Bank, later time.Duration, saved []byte) []string {
	names := []string{}
	for _, c := range b.Faults {
		during := c.When.During
		alone := fault.Rule{Name: c.Name, When: fault.When{During: during}, Then: fault.Then{Status: 500}}
		q := fault.Query{Operation: contract.GroupsList.Name, Now: b.Now.Add(later), Since: b.Since + later}
		if !strings.Contains(string(saved), "# "+c.Name+" was added meanwhile") && len(fault.NewSet([]fault.Rule{alone}, b.Seed).Decide(&q).Fired) > 0 {
			names = append(names, c.Name)
		}
	}
	return names
}

// drawn describes what a bank creates next.
func drawn(w *sim.World, now time.Time) string {
	w = w.Fork()
	g, err := w.CreateGroup(w.Home(), sim.NewGroup{Name: "Drawn next"}, now)
	if err != nil {
		return err.Error()
	}
	p, err := w.CreateAlertPreference(w.Home(), "", sim.AlertContent{})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(g.GroupID, g.ExperienceID, p.AlertPrefID)
}

// givenToken is what works of a token that a scenario gave.
type givenToken struct {
	InstitutionID, SharedKey, HostUserID, GrantType string
	Refresh                                         string
	Revoked                                         bool
	Expires                                         time.Time
}

func givenTokens(w *sim.World) map[string]givenToken {
	all := map[string]givenToken{}
	for t, g := range w.Tokens() {
		if !t.Given() {
			continue
		}
		of := givenToken{g.InstitutionID, g.SharedKey, g.HostUserID, g.GrantType, "", g.Revoked || t.Revoked, t.ExpiresAt}
		if other, ok := w.Token(g.RefreshToken); ok && other.Given() {
			of.Refresh = other.Text
		}
		all[t.Text] = of
	}
	return all
}

// groupsOf describes the groups of an institution in the order of their creation, with the participants that are kept.
func groupsOf(b scenario.Bank, w *sim.World, institutionID string) []string {
	groups := slices.SortedFunc(w.Groups(institutionID), func(a, b *sim.Group) int { return cmp.Compare(a.Sequence, b.Sequence) })
	var all []string
	for _, g := range groups {
		all = append(all, fmt.Sprintf("%q", []any{g.GroupID, g.Name, g.Description, g.Status, g.LastUpdated.UTC(), g.ParticipantCount, g.ExperienceID, g.ExperienceName,
			keptParticipants(b, g.InstitutionID, g.GroupID, g.Participants())}))
	}
	return all
}

// keptParticipants returns the participants of a group that a saved bank keeps: users, and those that a scenario named.
func keptParticipants(b scenario.Bank, institutionID, groupID string, ids iter.Seq[string]) []string {
	named := map[string]bool{}
	for g := range b.From.World.Groups(institutionID) {
		if g.GroupID == groupID {
			for id := range g.Participants() {
				named[id] = true
			}
		}
	}
	for j := range b.From.World.Jobs(institutionID) {
		if j.GroupID == groupID && j.Work != nil {
			for _, id := range j.Work.Participants {
				named[id] = true
			}
		}
	}
	kept := []string{}
	for id := range ids {
		if _, isUser := b.World.User(institutionID, id); isUser || named[id] {
			kept = append(kept, id)
		}
	}
	return kept
}

// jobsOf describes the jobs of an institution by id, with what they have yet to do.
func jobsOf(b scenario.Bank, w *sim.World, institutionID string) []string {
	var all []string
	for j := range w.Jobs(institutionID) {
		said := []any{j.JobID, j.GroupID, j.Type, j.FileName, j.CreatedBy, j.Created.UTC(), j.Status, j.Details, j.Updated.UTC(), j.Total, j.Succeeded, j.Failed, j.Errors}
		if j.Work != nil {
			said = append(said, j.Work.Begins.UTC(), j.Work.Ends.UTC(), keptParticipants(b, institutionID, j.GroupID, slices.Values(j.Work.Participants)))
		}
		all = append(all, fmt.Sprintf("%q", said))
	}
	return all
}

// listedJobs returns the ids of the jobs of an institution in the order in which callers see them.
func listedJobs(w *sim.World, institutionID string) []string {
	var ids []string
	jobs, _ := w.ListJobs(institutionID, "", nil, 0, math.MaxInt32)
	for _, j := range jobs {
		ids = append(ids, j.JobID)
	}
	return ids
}

func usedIDs(w *sim.World) map[string][]string {
	all := map[string][]string{}
	_, ids := w.UsedRequestIDs()
	for institutionID, id := range ids {
		all[institutionID] = append(all[institutionID], id)
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
	shown := sim.AlertPreference{InstitutionID: p.InstitutionID, HostUserID: p.HostUserID, AlertPrefID: p.AlertPrefID, AlertContent: p.AlertContent}
	if given, err := b.From.World.AlertPreference(p.InstitutionID, p.HostUserID, p.AlertPrefID); err == nil && reflect.DeepEqual(given, p) {
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

package scenario

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/contract"
)

// startNow is the clock.start of a clock that starts at the real time.
const startNow = "now"

// DefaultStart is where the clock starts if neither the scenario nor [ClockStart] says so.
var DefaultStart = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// builder adds the rows of a checked document to a world. It keeps the first error. An error is a mistake in our code,
// not in the document.
type builder struct {
	world *sim.World
	start time.Time // the clock's start
	err   error
}

// add records the result of adding a row.
func (b *builder) add(err error) {
	if b.err == nil {
		b.err = err
	}
}

// build returns the world of a checked document.
func (d Document) build(seed uint64, start time.Time, report func(done, total int)) (*sim.World, error) {
	b := &builder{world: sim.NewWorld(seed, contract.NewPolicies(behaviorOf(&d.Behavior))), start: start}
	for _, i := range d.Institutions {
		b.institution(i)
	}
	b.alertPreferences(d)
	b.generate(d, report)
	b.world.Open()
	return b.world, b.err
}

func (b *builder) institution(i institution) {
	row := sim.Institution{
		InstitutionID:    i.InstitutionID,
		Multistatement:   orDefault(i.Multistatement, true),
		AlertTypes:       i.alertTypes(),
		AlertPreferences: b.alertDefaults(i.AlertDefaults),
	}
	for _, d := range i.Disclosures {
		row.Disclosures = append(row.Disclosures, sim.CustomDisclosure(d))
	}
	b.add(b.world.AddInstitution(row))
	for _, c := range i.Clients {
		row := sim.Client{InstitutionID: i.InstitutionID, SharedKey: c.SharedKey, SecretKey: c.SecretKey,
			Scopes: c.Scopes}
		if c.AuthorizationCode != nil {
			policy := sim.CodePolicy(*c.AuthorizationCode)
			policy.AppID = cmp.Or(policy.AppID, c.SharedKey)
			row.Codes = &policy
		}
		b.add(b.world.AddClient(row))
	}
	for _, u := range i.Users {
		b.user(i.InstitutionID, u)
	}
	for _, t := range i.Tokens {
		b.token(i.InstitutionID, t)
	}
	b.groups(i)
}

func (b *builder) user(institutionID string, u user) {
	b.add(b.world.AddUser(sim.User{
		InstitutionID: institutionID,
		HostUserID:    u.HostUserID,
		Username:      u.Username,
		Password:      u.Password,
		Active:        orDefault(u.Active, true),
		Disclosures:   b.disclosures(u.Disclosures, false),
		Status:        u.status(),

		NoDestinations: u.Destinations == noDestinations,
	}))
	for _, a := range u.Accounts {
		b.add(b.world.AddAccount(sim.Account{
			InstitutionID:      institutionID,
			HostUserID:         u.HostUserID,
			AccountID:          a.AccountID,
			ActivateEstatement: a.ActivateEstatement,
			Disclosures:        b.disclosures(a.Disclosures, a.ActivateEstatement),
			UpdateFails:        a.UpdateFails,
		}))
	}
}

func (b *builder) disclosures(of []disclosure, paperWaiver bool) []sim.Disclosure {
	var rows []sim.Disclosure
	for _, d := range of {
		rows = append(rows, sim.Disclosure{
			Name:         d.Name,
			Status:       d.Status,
			StatusUpdate: d.StatusUpdate.or(b.start),
			PaperWaiver:  orDefault(d.PaperWaiver, paperWaiver),
		})
	}
	return rows
}

func (b *builder) token(institutionID string, t token) {
	lifetimes := b.world.Behavior().Tokens
	g := sim.Grant{
		InstitutionID: institutionID,
		SharedKey:     t.Client,
		HostUserID:    t.HostUserID,
		GrantType:     sim.GrantClientCredentials,
		Scopes:        strings.Join(t.Scopes, " "),
		AccessToken:   t.AccessToken,
		RefreshToken:  t.RefreshToken,
		Revoked:       t.Revoked,
		AccessRevoked: t.AccessTokenRevoked,
	}
	if t.HostUserID != "" {
		g.GrantType = sim.GrantPassword
	}
	access := t.ExpiresAt.or(b.start.Add(t.ExpiresIn.or(lifetimes.AccessLifetime)))
	refresh := t.RefreshExpiresAt.or(b.start.Add(t.RefreshExpiresIn.or(lifetimes.RefreshLifetime)))
	b.add(b.world.AddGrantUntil(g, b.start, access, refresh))
}

// alertPreferences adds the alert preferences: those with written ids first, so that the ids assigned to the others
// don't collide.
func (b *builder) alertPreferences(d Document) {
	var rows []sim.AlertPreference
	add := func(institutionID, hostUserID string, written []alertPreference) {
		for _, p := range written {
			id := orDefault(p.Details, alertDetails{}).AlertPrefID
			rows = append(
				rows,
				sim.AlertPreference{InstitutionID: institutionID, HostUserID: hostUserID, AlertPrefID: id,
					AlertContent: p.content()},
			)
		}
	}
	for _, i := range d.Institutions {
		for _, u := range i.Users {
			add(i.InstitutionID, u.HostUserID, u.AlertPreferences)
		}
		add(i.InstitutionID, "", i.AlertPreferences)
	}
	for _, withID := range []bool{true, false} {
		for _, row := range rows {
			if (row.AlertPrefID != 0) == withID {
				b.world.AddAlertPreference(row)
			}
		}
	}
}

func (p alertPreference) content() sim.AlertContent {
	content := sim.AlertContent{
		AdditionalInfo:     additionalInfo(p.AdditionalInfo),
		AlertOpted:         p.AlertOpted,
		Account:            (*sim.AlertAccount)(p.Account),
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if d := p.Details; d != nil {
		content.Details = &sim.AlertDetails{
			AlertTypeName:         d.AlertTypeName,
			ChannelTypeName:       d.ChannelTypeName,
			ExternalID:            d.ExternalID,
			InstitutionCustomerID: d.InstitutionCustomerID,
			InstitutionID:         d.InstitutionID,
		}
	}
	return content
}

// additionalInfo returns additionalInfo as JSON, or nil if it was left out.
func additionalInfo(written map[string]any) *string {
	if written == nil {
		return nil
	}
	encoded, _ := json.Marshal(written)
	text := string(encoded)
	return &text
}

// groups adds the groups of an institution, then their jobs.
func (b *builder) groups(i institution) {
	var jobs []*sim.Job
	for _, g := range i.Groups {
		row := b.group(i.InstitutionID, g)
		for _, j := range g.Jobs {
			jobs = append(jobs, b.job(row, j))
		}
	}
	for _, j := range jobs {
		b.add(b.world.AddJob(j))
	}
}

func (b *builder) group(institutionID string, g group) *sim.Group {
	row := &sim.Group{
		InstitutionID:    institutionID,
		GroupID:          g.GroupID,
		ExperienceID:     g.ExperienceID,
		ExperienceName:   g.ExperienceName,
		Name:             g.Name,
		Description:      g.Description,
		Status:           g.Status,
		LastUpdated:      g.LastUpdated.or(b.start),
		ParticipantCount: orDefault(g.ParticipantCount, 0),
	}
	b.add(b.world.AddGroup(b.world.Policies().Document, row, g.Participants...))
	return row
}

// job returns the row of a job.
func (b *builder) job(g *sim.Group, j job) *sim.Job {
	created := j.Created.or(b.start)
	ended := created
	var work *sim.JobWork
	if j.EndsAt != "" {
		ended = j.EndsAt.or(created)
		work = &sim.JobWork{
			Begins:       j.ProcessedAt.or(created),
			Ends:         ended,
			Participants: slices.Sorted(slices.Values(j.Imports)),
		}
	}
	row := &sim.Job{
		InstitutionID: g.InstitutionID,
		JobID:         j.JobID,
		GroupID:       g.GroupID,
		Type:          cmp.Or(j.Type, sim.JobAdd),
		FileName:      cmp.Or(j.FileName, "participants.csv"),
		CreatedBy:     cmp.Or(j.CreatedBy, g.InstitutionID+".anonymous"),
		Created:       created,
		Status:        cmp.Or(j.Status, sim.JobStatusSuccessful),
		Details:       j.Details,
		Updated:       j.LastUpdated.or(ended),
		Total:         j.Total,
		Succeeded:     j.Succeeded,
		Failed:        j.Failed,
		Work:          work,
	}
	for _, e := range j.Errors {
		row.Errors = append(row.Errors, sim.JobError(e))
	}
	slices.SortStableFunc(row.Errors, func(a, b sim.JobError) int { return cmp.Compare(a.Line, b.Line) })
	return row
}

// alertTypes returns the institution's alert types: those that are only named come first.
func (i institution) alertTypes() []sim.AlertType {
	var all []sim.AlertType
	for _, name := range i.AlertTypes {
		all = append(all, sim.NewAlertType(name))
	}
	for _, w := range i.AlertTypeRows {
		t := sim.NewAlertType(w.Name)
		t.ID, t.Status, t.Reason = w.ID, cmp.Or(w.Status, t.Status), w.Reason
		if w.Channels != nil {
			t.Channels = w.Channels
		}
		all = append(all, t)
	}
	return all
}

func (b *builder) alertDefaults(written []alertDefault) []sim.AlertDefault {
	var all []sim.AlertDefault
	for _, w := range written {
		all = append(all, sim.AlertDefault{ID: w.ID, AlertTypeName: w.TypeName, ChannelTypeName: w.ChannelName,
			AlertOpted: orDefault(w.AlertOpted, true), AdditionalInfo: additionalInfo(w.AdditionalInfo)})
	}
	return all
}

// status returns the status of a user, or nil if the scenario gives nothing of it.
func (u user) status() *sim.UserStatus {
	s := orDefault(u.Status, sim.UserStatus{})
	s.InstitutionUserID, s.CustomerID, s.ParentHostUserID = u.InstitutionUser, u.CustomerID, u.Parent
	row := reflect.ValueOf(&s).Elem()
	for i := range row.NumField() {
		if t, isTime := row.Field(i).Interface().(*time.Time); isTime && t != nil {
			utc := t.UTC() // as all times of a world
			row.Field(i).Set(reflect.ValueOf(&utc))
		}
	}
	return omitDefault(s, sim.UserStatus{})
}

// behaviorOf returns the default behaviour with the switches that a checked behavior block sets.
func behaviorOf(block *yaml.Node) sim.Behavior {
	b := sim.DefaultBehavior()
	for _, s := range contract.Switches() {
		if n := setting(block, s); n != nil {
			_ = s.Set(&b, n.Decode) // the schema has its values
		}
	}
	return b
}

// setting returns the value that a behavior block gives a switch, or nil.
func setting(block *yaml.Node, s *contract.Switch) *yaml.Node {
	for _, key := range strings.Split(s.Key, ".") {
		block = valueOf(block, key)
	}
	return block
}

package scenario

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The defaults of seed and clock.start.
const defaultSeed = 1

var defaultStart = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// settler adds the rows of a checked document to a world. An error would be a mistake in our code, not in the document:
// the settler keeps the first one.
type settler struct {
	world *sim.World
	start time.Time // the clock's start
	err   error
}

// add records the result of adding a row.
func (s *settler) add(err error) {
	if s.err == nil {
		s.err = err
	}
}

// build returns the world of a checked document.
func (d document) build(seed uint64, start time.Time) (*sim.World, error) {
	s := &settler{world: sim.NewWorld(seed, behaviorOf(&d.Behavior)), start: start}
	for _, i := range d.Institutions {
		s.institution(i)
	}
	s.alertPreferences(d, true)
	s.alertPreferences(d, false)
	s.world.SkipAlertPrefIDs(d.AlertPrefID)
	s.generate(d, seed)
	if d.Random != "" && !s.world.MoveRandom(d.Random) && s.err == nil {
		s.err = errors.New("random is no position of a random source")
	}
	return s.world, s.err
}

func (s *settler) institution(i institution) {
	s.add(s.world.AddInstitution(sim.Institution{
		InstitutionID:    i.InstitutionID,
		Multistatement:   orDefault(i.Multistatement, true),
		AlertTypes:       i.alertTypes(),
		AlertPreferences: s.alertDefaults(i.AlertDefaults),
	}))
	for _, c := range i.Clients {
		s.add(s.world.AddClient(sim.Client{InstitutionID: i.InstitutionID, SharedKey: c.SharedKey, SecretKey: c.SecretKey}))
	}
	for _, u := range i.Users {
		s.user(i.InstitutionID, u)
	}
	for _, t := range i.Tokens {
		s.token(i.InstitutionID, t)
	}
	s.groups(i)
	for _, id := range i.TransactionIDs {
		s.add(s.world.UseRequestID(i.InstitutionID, id))
	}
}

func (s *settler) user(institutionID string, u user) {
	s.add(s.world.AddUser(sim.User{
		InstitutionID: institutionID,
		HostUserID:    u.HostUserID,
		Username:      u.Username,
		Password:      u.Password,
		Active:        orDefault(u.Active, true),
		Disclosures:   s.disclosures(u.Disclosures, false),
		Status:        u.status(),
	}))
	for _, a := range u.Accounts {
		s.add(s.world.AddAccount(sim.Account{
			InstitutionID:      institutionID,
			HostUserID:         u.HostUserID,
			AccountID:          a.AccountID,
			ActivateEstatement: a.ActivateEstatement,
			Disclosures:        s.disclosures(a.Disclosures, a.ActivateEstatement),
			UpdateFails:        a.UpdateFails,
		}))
	}
}

func (s *settler) disclosures(of []disclosure, paperWaiver bool) []sim.Disclosure {
	var rows []sim.Disclosure
	for _, d := range of {
		rows = append(rows, sim.Disclosure{
			Name:         d.Name,
			Status:       d.Status,
			StatusUpdate: d.StatusUpdate.or(s.start),
			PaperWaiver:  orDefault(d.PaperWaiver, paperWaiver),
		})
	}
	return rows
}

func (s *settler) token(institutionID string, t token) {
	lifetimes := s.world.Behavior().Tokens
	g := sim.Grant{
		InstitutionID: institutionID,
		SharedKey:     t.Client,
		HostUserID:    t.HostUserID,
		GrantType:     sim.GrantClientCredentials,
		AccessToken:   t.AccessToken,
		RefreshToken:  t.RefreshToken,
		Revoked:       t.Revoked,
		AccessRevoked: t.AccessTokenRevoked,
	}
	if t.HostUserID != "" {
		g.GrantType = sim.GrantPassword
	}
	access := t.ExpiresAt.or(s.start.Add(t.ExpiresIn.or(lifetimes.AccessLifetime)))
	refresh := t.RefreshExpiresAt.or(s.start.Add(t.RefreshExpiresIn.or(lifetimes.RefreshLifetime)))
	s.add(s.world.AddGrantUntil(g, s.start, access, refresh))
}

// alertPreferences adds the alert preferences with written ids, or those without. Those with ids are added first, so
// that the ids assigned to the others don't collide.
func (s *settler) alertPreferences(d document, withID bool) {
	for _, i := range d.Institutions {
		for _, u := range i.Users {
			s.alertPreferencesOf(i.InstitutionID, u.HostUserID, u.AlertPreferences, withID)
		}
		s.alertPreferencesOf(i.InstitutionID, "", i.AlertPreferences, withID)
	}
}

func (s *settler) alertPreferencesOf(institutionID, hostUserID string, preferences []alertPreference, withID bool) {
	for _, p := range preferences {
		if (p.id() != 0) != withID {
			continue
		}
		content, err := p.content()
		s.add(err)
		s.world.AddAlertPreference(sim.AlertPreference{
			InstitutionID: institutionID,
			HostUserID:    hostUserID,
			AlertPrefID:   p.id(),
			AlertContent:  content,
		})
	}
}

// id returns the written alertPrefId, or 0.
func (p alertPreference) id() int64 {
	if p.Details == nil {
		return 0
	}
	return p.Details.AlertPrefID
}

func (p alertPreference) content() (sim.AlertContent, error) {
	content := sim.AlertContent{
		AlertOpted:         p.AlertOpted,
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	var err error
	if content.AdditionalInfo, err = additionalInfo(p.AdditionalInfo); err != nil {
		return content, err
	}
	if a := p.Account; a != nil {
		content.Account = &sim.AlertAccount{AccountExternalID: a.AccountExternalID, AccountID: a.AccountID, CardNumber: a.CardNumber}
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
	return content, nil
}

// additionalInfo returns the JSON of what is written; nil: nothing is.
func additionalInfo(written map[string]any) (*string, error) {
	if written == nil {
		return nil, nil
	}
	encoded, err := json.Marshal(written)
	if err != nil {
		return nil, err
	}
	text := string(encoded)
	return &text, nil
}

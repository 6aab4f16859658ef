package controlapi

import (
	"cmp"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/digitalbanking-sim/banksim/sim"
	"github.com/digitalbanking-sim/banksim/sim/api"
	"github.com/digitalbanking-sim/banksim/sim/phrase"
	"github.com/digitalbanking-sim/banksim/sim/redact"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

func newInstitutionRow(i *sim.Institution) api.Institution {
	row := api.Institution{InstitutionID: i.InstitutionID, Multistatement: i.Multistatement, AlertTypes: i.AlertTypeNames()}
	for _, t := range i.AlertTypes {
		row.InstitutionAlertTypes = append(row.InstitutionAlertTypes, api.AlertType(t))
	}
	for _, d := range i.Disclosures {
		row.InstitutionDisclosures = append(row.InstitutionDisclosures, api.CustomDisclosure(d))
	}
	for _, d := range i.AlertPreferences {
		row.InstitutionAlertPreferences = append(row.InstitutionAlertPreferences, api.AlertDefault{
			ID: d.ID, TypeName: d.AlertTypeName, ChannelName: d.ChannelTypeName, AlertOpted: d.AlertOpted,
			AdditionalInfo: shownInfo(d.AdditionalInfo),
		})
	}
	return row
}

func newUserState(w *sim.World, u *sim.User) api.User {
	user := newUserRow(u)
	user.Accounts = list(w.Accounts(u.InstitutionID, u.HostUserID), newAccountState)
	user.AlertPreferences = list(w.AlertPreferences(u.InstitutionID, u.HostUserID), newAlertPreference)
	return user
}

func newUserRow(u *sim.User) api.User {
	return api.User{
		HostUserID: u.HostUserID, Username: u.Username, Active: u.Active, Disclosures: newDisclosureStates(u.Disclosures),
		InstitutionUserID: u.InstitutionUserID(), Status: (*api.UserStatus)(u.Status),
	}
}

func newAccountState(a *sim.Account) api.Account {
	return api.Account{
		AccountID: a.AccountID, ActivateEstatement: a.ActivateEstatement,
		Disclosures: newDisclosureStates(a.Disclosures), UpdateFails: a.UpdateFails,
	}
}

func newDisclosureStates(ds []sim.Disclosure) []api.Disclosure {
	return list(slices.Values(ds), func(d sim.Disclosure) api.Disclosure { return api.Disclosure(d) })
}

func newGrantState(w *sim.World, g *sim.Grant) api.Token {
	gs := newGrantRow(g)
	if access, ok := w.Token(cmp.Or(g.AccessToken, g.Code)); ok {
		gs.ExpiresAt = access.ExpiresAt
	}
	if refresh, ok := w.Token(g.RefreshToken); ok {
		gs.RefreshExpiresAt = &refresh.ExpiresAt
	}
	return gs
}

func newGrantRow(g *sim.Grant) api.Token {
	return api.Token{
		Code:          redact.Fingerprint(g.Code),
		AccessToken:   redact.Fingerprint(g.AccessToken),
		RefreshToken:  redact.Fingerprint(g.RefreshToken),
		Client:        g.SharedKey,
		HostUserID:    g.HostUserID,
		GrantType:     g.GrantType,
		Revoked:       g.Revoked,
		AccessRevoked: g.AccessRevoked,
	}
}

func newGroupRow(g *sim.Group) api.Group {
	return api.Group{
		GroupID: g.GroupID, GroupName: g.Name, GroupDescription: g.Description, LastUpdated: g.LastUpdated,
		ParticipantCount: g.ParticipantCount, ExperienceName: g.ExperienceName, GroupStatus: g.Status,
	}
}

// shownInfo returns what is shown of an object with members of the caller's own choosing; nil: there is none.
func shownInfo(object *string) json.RawMessage {
	if object == nil {
		return nil
	}
	return redact.RequestBody([]byte(*object), "")
}

func newJobState(j sim.Job) api.Job {
	return api.Job{
		JobID: j.JobID, GroupID: j.GroupID, Type: j.Type, FileName: j.FileName, JobStatus: j.Status, Details: j.Details,
		CreatedBy: j.CreatedBy,
		Total:     j.Total, Succeeded: j.Succeeded, Failed: j.Failed, Created: j.Created, Updated: j.Updated,
		Errors: list(slices.Values(j.Errors), func(e sim.JobError) api.JobError { return api.JobError(e) }),
	}
}

func newAlertPreference(p *sim.AlertPreference) api.AlertPreference {
	state := api.AlertPreference{
		AdditionalInfo:     shownInfo(p.AdditionalInfo),
		AlertOpted:         p.AlertOpted,
		Details:            api.AlertDetails{AlertPrefID: p.AlertPrefID},
		AllowCallback:      p.AllowCallback,
		DefaultPreferences: p.DefaultPreferences,
	}
	if a := p.Account; a != nil {
		state.Account = &api.AlertAccount{AccountExternalID: a.AccountExternalID, AccountID: a.AccountID}
	}
	if d := p.Details; d != nil {
		state.Details = api.AlertDetails{
			AlertPrefID: p.AlertPrefID, AlertTypeName: d.AlertTypeName, ChannelTypeName: d.ChannelTypeName, ExternalID: d.ExternalID,
		}
	}
	return state
}

// maxRows is the largest limit of rows of a kind (choice).
const maxRows = 1000

// part says which rows of a world are asked for. A large bank has a hundred thousand users and a state of many megabytes;
// who looks at it, such as the console, asks for a part.
type part struct {
	institution, user string // empty: all
	text              string // in lower case; empty: any
	limit             int    // of each kind of rows in an institution; negative: none
}

// newPart reads ?institution=&user=&text=&limit=. It refuses a user without an institution (400), and rows that don't exist
// (404).
func newPart(query url.Values, w *sim.World) (part, error) {
	p := part{query.Get("institution"), query.Get("user"), strings.ToLower(query.Get("text")), number(query, "limit", -1)}
	if p.user != "" && p.institution == "" {
		return part{}, refuse(http.StatusBadRequest,
			"user needs institution: the same hostUserId may be that of users of several institutions")
	}
	if _, ok := w.Institution(p.institution); !ok && p.institution != "" {
		return part{}, refuse(http.StatusNotFound, "there is no institution %s", phrase.Quote(p.institution))
	}
	if _, ok := w.User(p.institution, p.user); !ok && p.user != "" {
		return part{}, refuse(http.StatusNotFound, "institution %s has no user %s", phrase.Quote(p.institution), phrase.Quote(p.user))
	}
	return p, nil
}

// institutions yields the institutions that are asked for.
func (p part) institutions(w *sim.World) iter.Seq[*sim.Institution] {
	if i, ok := w.Institution(p.institution); ok {
		return slices.Values([]*sim.Institution{i})
	}
	return w.Institutions()
}

// hasUser returns what reports whether a user is asked for.
func (p part) hasUser(w *sim.World) func(*sim.User) bool {
	return func(u *sim.User) bool {
		if p.user != "" {
			return u.HostUserID == p.user
		}
		for a := range w.Accounts(u.InstitutionID, u.HostUserID) {
			if p.has(a.AccountID) {
				return true
			}
		}
		return p.has(u.HostUserID, u.Username)
	}
}

// has reports whether one of the texts has the text that is asked for, in any case.
func (p part) has(texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), p.text) })
}

// rowWriter writes rows of an institution.
type rowWriter struct {
	wire.Stream
	limit  int            // of each kind; negative: none
	counts map[string]int // of each kind, how many match
}

// writeRows writes a member with the rows that match, all for nil, up to the limit.
func writeRows[T any](w rowWriter, name string, all iter.Seq[T], matches func(T) bool, write func(T)) {
	w.Text(`,"` + name + `":`)
	count := 0
	wire.Array(w.Stream, func(yield func(T) bool) {
		for row := range all {
			if matches != nil && !matches(row) {
				continue
			}
			if count++; (w.limit < 0 || count <= w.limit) && !yield(row) {
				return
			}
		}
	}, write)
	w.counts[name] = count
}

package bankapi_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/redact"
)

// The state and the diffs of the control API, as far as the reference knows them.

type stateBody struct {
	Institutions []institutionView `json:"institutions,omitempty"`
}

type institutionView struct {
	ID             string      `json:"institutionId"`
	Multistatement bool        `json:"multistatement"`
	AlertTypes     []string    `json:"alertTypes,omitempty"`
	Clients        []string    `json:"clients,omitempty"`
	Users          []userView  `json:"users,omitempty"`
	Tokens         []grantView `json:"tokens,omitempty"`
	Groups         []refGroup  `json:"groups,omitempty"`
	Jobs           []jobView   `json:"jobs,omitempty"`
	Alerts         []alertView `json:"alertPreferences,omitempty"`
}

type userView struct {
	ID          string          `json:"hostUserId"`
	Username    string          `json:"username"`
	Active      bool            `json:"active"`
	Disclosures []refDisclosure `json:"disclosures,omitempty"`
	Accounts    []refAccount    `json:"accounts,omitempty"`
	Alerts      []alertView     `json:"alertPreferences,omitempty"`
}

type grantView struct {
	AccessToken    string     `json:"accessToken"`
	Expires        time.Time  `json:"expiresAt"`
	RefreshToken   string     `json:"refreshToken"`
	RefreshExpires *time.Time `json:"refreshExpiresAt"`
	Client         string     `json:"client"`
	User           string     `json:"hostUserId"`
	GrantType      string     `json:"grantType"`
	Revoked        bool       `json:"revoked"`
	AccessRevoked  bool       `json:"accessTokenRevoked"`
}

type alertView struct {
	Opted   *bool `json:"alertOpted"`
	Details struct {
		ID      int64   `json:"alertPrefId"`
		Type    *string `json:"alertTypeName"`
		Channel *string `json:"channelTypeName"`
	} `json:"alertPreferenceDetails"`
	Account       *alertAccountBody `json:"alertPreferenceAccountDetails"`
	AllowCallback *bool             `json:"allowCallback"`
}

// state returns what the control API should show of a bank at a time.
func (b *refBank) state(now time.Time) stateBody {
	var s stateBody
	for _, in := range b.Institutions {
		view := institutionView{ID: in.ID, Multistatement: in.Multistatement, AlertTypes: in.AlertTypes,
			Groups: slices.Clone(in.Groups), Jobs: in.shownJobs(now), Alerts: in.alertsOf(""), Tokens: b.grantViews(in.ID)}
		for _, c := range in.Clients {
			view.Clients = append(view.Clients, c.SharedKey)
		}
		for _, u := range in.Users {
			view.Users = append(view.Users, userView{u.ID, u.Username, u.Active, u.Disclosures, u.Accounts, in.alertsOf(u.ID)})
		}
		slices.Sort(view.Clients)
		slices.SortFunc(view.Users, func(x, y userView) int { return cmp.Compare(x.ID, y.ID) })
		slices.SortFunc(view.Groups, func(x, y refGroup) int { return cmp.Compare(x.ID, y.ID) })
		s.Institutions = append(s.Institutions, view)
	}
	slices.SortFunc(s.Institutions, func(x, y institutionView) int { return cmp.Compare(x.ID, y.ID) })
	return s
}

func (in refInstitution) alertsOf(user string) []alertView {
	var views []alertView
	for _, a := range in.alerts {
		if a.user == user {
			v := alertView{Opted: a.content.Opted, Account: a.content.Account, AllowCallback: a.content.AllowCallback}
			v.Details.ID, v.Details.Type, v.Details.Channel = a.id, a.content.Details.Type, a.content.Details.Channel
			views = append(views, v)
		}
	}
	return views
}

// grantViews returns the grants of an institution by client, user and age.
func (b *refBank) grantViews(institutionID string) []grantView {
	var views []grantView
	for _, g := range b.grants {
		if g.institution != institutionID {
			continue
		}
		access := g.newest(false)
		v := grantView{AccessToken: redact.Fingerprint(access.text), Expires: access.expires, Client: g.client, User: g.user,
			GrantType: g.grantType, Revoked: g.revoked, AccessRevoked: access.revoked}
		if refresh := g.newest(true); refresh.text != "" {
			v.RefreshToken, v.RefreshExpires = redact.Fingerprint(refresh.text), &refresh.expires
		}
		views = append(views, v)
	}
	slices.SortStableFunc(views, func(x, y grantView) int {
		return cmp.Or(cmp.Compare(x.Client, y.Client), cmp.Compare(x.User, y.User))
	})
	return views
}

// differing returns the rows that a diff between two banks should name, those of tokens aside, sorted.
func (m refMoment) differing(before refMoment) []string {
	old, now := before.bank.rows(before.now), m.bank.rows(m.now)
	var names []string
	for name, row := range now {
		if old[name] != row {
			names = append(names, name)
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// rows returns the rows of a bank as text, by their names in a diff.
func (b *refBank) rows(now time.Time) map[string]string {
	rows := map[string]string{}
	for _, in := range b.Institutions {
		rows["institutions/"+in.ID] = simtest.JSON([]any{in.Multistatement, in.AlertTypes})
		for _, c := range in.Clients {
			rows["clients/"+in.ID+"/"+c.SharedKey] = c.SecretKey
		}
		for _, u := range in.Users {
			rows["users/"+in.ID+"/"+u.ID] = simtest.JSON([]any{u.Username, u.Password, u.Active, u.Disclosures})
			for _, a := range u.Accounts {
				rows["accounts/"+in.ID+"/"+u.ID+"/"+a.ID] = simtest.JSON(a)
			}
		}
		for _, g := range in.Groups {
			for _, id := range g.Members {
				rows["participants/"+in.ID+"/"+g.ID+"/"+id] = id
			}
			g.Members = nil
			rows["groups/"+in.ID+"/"+g.ID] = simtest.JSON(g) + g.experience
		}
		for _, j := range in.jobs {
			rows["jobs/"+in.ID+"/"+j.id] = simtest.JSON(j.at(now))
		}
		for _, a := range in.alerts {
			rows["alertPreferences/"+in.ID+"/"+a.user+"/"+simtest.JSON(a.id)] = simtest.JSON(a.content)
		}
	}
	return rows
}

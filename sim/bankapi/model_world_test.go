package bankapi_test

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/digitalbanking-sim/banksim/sim"
)

// The reference that the simulator is compared with: banks in plain slices, searched from end to end and copied
// whole. It predicts the rule that decides a request, and shares with the simulator the names of rules and the
// switches of a behaviour, but no rows and no code. Its members have the names of scenario files, so that one text starts
// both.

// refBank is a bank at one moment.
type refBank struct {
	Institutions []refInstitution `json:"institutions,omitempty"` // a request that names none belongs to the first

	behavior *sim.Behavior      // never changed
	grants   []refGrant         // oldest first
	alertID  int64              // the highest given so far
	used     map[[2]string]bool // institutionId and transactionId, where they have to be unique
	draws    string             // the seed and all draws so far: equal histories draw equal values
}

type refInstitution struct {
	ID             string         `json:"institutionId"`
	Multistatement bool           `json:"multistatement"`
	AlertTypes     []string       `json:"alertTypes,omitempty"`
	Clients        []refClient    `json:"clients,omitempty"`
	Users          []refUser      `json:"users,omitempty"`
	Tokens         []refSeedToken `json:"tokens,omitempty"`
	Groups         []refGroup     `json:"groups,omitempty"` // oldest first

	alerts []refAlert // oldest first, of all users and of none
	jobs   []refJob   // oldest first
}

type refClient struct {
	SharedKey string `json:"sharedKey"`
	SecretKey string `json:"secretKey"`
}

type refUser struct {
	ID          string          `json:"hostUserId"`
	Username    string          `json:"username"`
	Password    string          `json:"password"`
	Active      bool            `json:"active"`
	Disclosures []refDisclosure `json:"disclosures,omitempty"`
	Accounts    []refAccount    `json:"accounts,omitempty"` // by id
}

type refAccount struct {
	ID          string          `json:"accountId"`
	Activate    bool            `json:"activateEstatement"`
	Disclosures []refDisclosure `json:"disclosures,omitempty"`
	UpdateFails bool            `json:"updateFails"`
}

type refDisclosure struct {
	Name        string    `json:"institutionDisclosureName"`
	Status      string    `json:"institutionDisclosureStatus"`
	Updated     time.Time `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver bool      `json:"paperWaiver"`
}

type refSeedToken struct {
	Access  string `json:"accessToken"`
	Client  string `json:"client"`
	User    string `json:"hostUserId"`
	Refresh string `json:"refreshToken"`
}

type refGroup struct {
	ID           string    `json:"groupId"`
	Name         string    `json:"groupName"`
	Description  string    `json:"groupDescription"`
	Status       string    `json:"groupStatus"`
	Participants int       `json:"groupParticipantCount"`
	Updated      time.Time `json:"groupLastUpdatedDateTime"`
	Members      []string  `json:"participants,omitempty"` // sorted, never changed

	experience string // the id of its experience, or where that was drawn
}

type refAlert struct {
	id      int64
	user    string // empty: of none
	content alertBody
}

type refGrant struct {
	institution, client, user string
	grantType                 string
	revoked                   bool
	tokens                    []refToken // oldest first
}

type refToken struct {
	text    string
	refresh bool
	used    bool // a refresh token that was exchanged for others
	revoked bool // alone, without its grant
	expires time.Time
}

// refStart is the moment in which every reference scenario starts.
var refStart = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// newRefBank returns the bank that a scenario describes. What is drawn from the scenario's own seed depends on the
// scenario, too: its rows were drawn before.
func newRefBank(sc refScenario) refBank {
	var b refBank
	if err := json.Unmarshal(sc.Source, &b); err != nil {
		panic(err)
	}
	b.behavior = sc.World.Behavior()
	b.draws = "scenario " + sc.Name
	b.used = map[[2]string]bool{}
	for _, i := range b.Institutions {
		for g := range i.Groups {
			i.Groups[g].experience = "of " + sc.Name
		}
		for _, t := range i.Tokens {
			g := refGrant{institution: i.ID, client: t.Client, user: t.User, grantType: "client_credentials"}
			if t.User != "" {
				g.grantType = "password"
			}
			g.tokens = append(g.tokens, refToken{text: t.Access, expires: refStart.Add(b.behavior.Tokens.AccessLifetime)})
			if t.Refresh != "" {
				g.tokens = append(g.tokens, refToken{text: t.Refresh, refresh: true, expires: refStart.Add(b.behavior.Tokens.RefreshLifetime)})
			}
			b.grants = append(b.grants, g)
		}
	}
	return b
}

// copy returns a bank that shares nothing with this one.
func (b refBank) copy() refBank {
	b.Institutions = slices.Clone(b.Institutions)
	for i := range b.Institutions {
		in := &b.Institutions[i]
		in.Groups, in.alerts, in.Users, in.jobs = slices.Clone(in.Groups), slices.Clone(in.alerts), slices.Clone(in.Users), slices.Clone(in.jobs)
		for u := range in.Users {
			user := &in.Users[u]
			user.Disclosures, user.Accounts = slices.Clone(user.Disclosures), slices.Clone(user.Accounts)
			for a := range user.Accounts {
				user.Accounts[a].Disclosures = slices.Clone(user.Accounts[a].Disclosures)
			}
		}
	}
	b.grants = slices.Clone(b.grants)
	for g := range b.grants {
		b.grants[g].tokens = slices.Clone(b.grants[g].tokens)
	}
	b.used = maps.Clone(b.used)
	return b
}

func (b *refBank) institution(id string) *refInstitution {
	for i := range b.Institutions {
		if b.Institutions[i].ID == id {
			return &b.Institutions[i]
		}
	}
	return nil
}

func (b *refBank) user(institutionID, id string) *refUser {
	if in := b.institution(institutionID); in != nil {
		for u := range in.Users {
			if in.Users[u].ID == id {
				return &in.Users[u]
			}
		}
	}
	return nil
}

// userNamed returns the user of an institution with a username.
func (b *refBank) userNamed(institutionID, name string) *refUser {
	if in := b.institution(institutionID); in != nil {
		for u := range in.Users {
			if in.Users[u].Username == name {
				return &in.Users[u]
			}
		}
	}
	return nil
}

func (u *refUser) account(id string) *refAccount {
	for a := range u.Accounts {
		if u.Accounts[a].ID == id {
			return &u.Accounts[a]
		}
	}
	return nil
}

// hasClient reports whether an institution, or with an empty id any institution, has a client with these keys.
func (b *refBank) hasClient(institutionID, shared, secret string) bool {
	for _, in := range b.Institutions {
		if (institutionID == "" || institutionID == in.ID) && slices.Contains(in.Clients, refClient{shared, secret}) {
			return true
		}
	}
	return false
}

// token finds a token that was not exchanged for others.
func (b *refBank) token(text string) (*refGrant, *refToken) {
	for g := range b.grants {
		for t := range b.grants[g].tokens {
			if token := &b.grants[g].tokens[t]; token.text == text && !token.used {
				return &b.grants[g], token
			}
		}
	}
	return nil, nil
}

// newest returns a grant's newest access or refresh token.
func (g *refGrant) newest(refresh bool) refToken {
	for _, t := range slices.Backward(g.tokens) {
		if t.refresh == refresh {
			return t
		}
	}
	return refToken{}
}

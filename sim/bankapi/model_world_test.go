package bankapi_test

import (
	"maps"
	"slices"
	"time"

	"encoding/json"
)

// The reference that the simulator is compared with: banks in plain slices, searched from end to end and copied
// whole. It is written from docs/contract.md and shares nothing with the simulator's domain. Its members bear the
// names of scenario files, so that one text starts both.

// refBank is a bank at one moment.
type refBank struct {
	Behavior     refBehavior      `json:"behavior"`
	Institutions []refInstitution `json:"institutions,omitempty"` // the first is where a request belongs that names none

	grants  []refGrant         // oldest first
	alertID int64              // the highest given so far
	used    map[[2]string]bool // institutionId and transactionId, where they have to be unique
	draws   string             // from which seed, and what was drawn from it: equal histories draw equal values
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
	expires time.Time
}

// refBehavior holds the switches, by their names in scenarios.
type refBehavior struct {
	Tokens struct {
		AccessLifetime  refDuration `json:"accessLifetime"`
		RefreshLifetime refDuration `json:"refreshLifetime"`
		RevokeResponse  string      `json:"revokeResponse"`
		UnknownToken    string      `json:"unknownToken"`
	} `json:"tokens"`
	Estatements struct {
		BearerFailureStatus int    `json:"bearerFailureStatus"`
		CorrelationID       string `json:"correlationId"`
		UpdateAccountStatus int    `json:"updateAccountStatus"`
	} `json:"estatements"`
	Groups struct {
		Auth               string `json:"auth"`
		CreateStatus       int    `json:"createStatus"`
		NameLimit          int    `json:"nameLimit"`
		DescriptionLimit   int    `json:"descriptionLimit"`
		ClientGroupID      string `json:"clientGroupId"`
		DuplicateName      string `json:"duplicateName"`
		TransactionIDReuse string `json:"transactionIdReuse"`
		DefaultPageSize    int    `json:"defaultPageSize"`
		MaxPageSize        int    `json:"maxPageSize"`
		UnknownSort        string `json:"unknownSort"`
	} `json:"groups"`
	Alerts struct {
		CreateStatus      int      `json:"createStatus"`
		Auth              string   `json:"auth"`
		Headers           string   `json:"headers"`
		RequiredFields    []string `json:"requiredFields,omitempty"`
		KnownChannelsOnly bool     `json:"knownChannelsOnly"`
	} `json:"alerts"`
}

type refDuration time.Duration

func (d *refDuration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = refDuration(parsed)
	return err
}

// documentedDefaults are the first alternatives of docs/contract.md.
const documentedDefaults = `{
	"tokens": {"accessLifetime": "24h", "refreshLifetime": "4320h", "revokeResponse": "token", "unknownToken": "ok"},
	"estatements": {"bearerFailureStatus": 401, "correlationId": "required", "updateAccountStatus": 200},
	"groups": {"auth": "optional", "createStatus": 200, "nameLimit": 50, "descriptionLimit": 450, "clientGroupId": "ignore",
		"duplicateName": "reject", "transactionIdReuse": "allow", "defaultPageSize": 20, "maxPageSize": 2000, "unknownSort": "error"},
	"alerts": {"createStatus": 201, "auth": "required", "headers": "required", "knownChannelsOnly": true}}`

// refStart is the moment in which every reference scenario starts.
var refStart = time.Date(2026, 1, 15, 9, 0, 0, 0, time.UTC)

// newRefBank returns the bank that a scenario describes. What is drawn from the scenario's own seed depends on the
// scenario, too: its rows were drawn before.
func newRefBank(sc refScenario) refBank {
	var b refBank
	for _, text := range []string{`{"behavior":` + documentedDefaults + `}`, sc.source} {
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			panic(err)
		}
	}
	b.draws = "scenario " + sc.name
	b.used = map[[2]string]bool{}
	for _, i := range b.Institutions {
		for g := range i.Groups {
			i.Groups[g].experience = "of " + sc.name
		}
		for _, t := range i.Tokens {
			g := refGrant{institution: i.ID, client: t.Client, user: t.User, grantType: "client_credentials"}
			if t.User != "" {
				g.grantType = "password"
			}
			g.tokens = append(g.tokens, refToken{text: t.Access, expires: refStart.Add(time.Duration(b.Behavior.Tokens.AccessLifetime))})
			if t.Refresh != "" {
				g.tokens = append(g.tokens, refToken{text: t.Refresh, refresh: true, expires: refStart.Add(time.Duration(b.Behavior.Tokens.RefreshLifetime))})
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
		in.Groups, in.alerts, in.Users = slices.Clone(in.Groups), slices.Clone(in.alerts), slices.Clone(in.Users)
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

func (u *refUser) account(id string) *refAccount {
	for a := range u.Accounts {
		if u.Accounts[a].ID == id {
			return &u.Accounts[a]
		}
	}
	return nil
}

// hasClient tells whether an institution, or with an empty id any institution, has a client with these keys.
func (b *refBank) hasClient(institutionID, shared, secret string) bool {
	for _, in := range b.Institutions {
		if (institutionID == "" || institutionID == in.ID) && slices.Contains(in.Clients, refClient{shared, secret}) {
			return true
		}
	}
	return false
}

// token finds a token that may still mean something: not one that was exchanged for others.
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

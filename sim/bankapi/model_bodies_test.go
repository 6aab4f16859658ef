package bankapi_test

import (
	"reflect"
	"strings"

	"pgregory.net/rapid"

	"github.com/digitalbanking-sim/banksim/sim/internal/simtest"
	"github.com/digitalbanking-sim/banksim/sim/wire"
)

// Answers of the simulator, as the reference compares them, and what it learns from them.

type disclosuresBody struct {
	List []disclosureBody `json:"institutionUserDisclosures"`
}

type partialBody struct {
	Updated []string `json:"updatedAccounts"`
	Failed  []string `json:"failedAccounts"`
}

type disclosureBody struct {
	InstitutionID string `json:"institutionId"`
	Status        string `json:"institutionDisclosureStatus"`
	Updated       string `json:"institutionUserDisclosureStatusUpdateDateTime"`
	PaperWaiver   bool   `json:"paperWaiver"`
	AccountID     string `json:"accountId"`
	Name          string `json:"institutionDisclosureName"`
}

type groupBody struct {
	GroupID          string `json:"groupId"`
	GroupName        string `json:"groupName"`
	GroupDescription string `json:"groupDescription"`
	GroupType        string `json:"groupType"`
	GroupPlatform    string `json:"groupPlatform"`
	LastUpdated      string `json:"groupLastUpdatedDateTime"`
	ParticipantCount int    `json:"groupParticipantCount"`
	Experience       struct {
		ExperienceName string `json:"experienceName"`
		ExperienceID   string `json:"experienceId"`
		GroupID        string `json:"groupId"`
		Default        bool   `json:"default"`
	} `json:"groupExperience"`
	ExperienceName string `json:"groupExperienceName"`
	GroupStatus    string `json:"groupStatus"`
}

// alertBody is an alert preference, as it is sent and as it is answered.
type alertBody struct {
	Info          *map[string]string `json:"additionalInfo,omitzero"`
	Opted         *bool              `json:"alertOpted,omitzero"`
	Account       *alertAccountBody  `json:"alertPreferenceAccountDetails,omitzero"`
	Details       *alertDetailsBody  `json:"alertPreferenceDetails,omitzero"`
	AllowCallback *bool              `json:"allowCallback,omitzero"`
}

type alertAccountBody struct {
	AccountID *string `json:"accountId,omitzero"`
}

type alertDetailsBody struct {
	ID          *int64  `json:"alertPrefId,omitzero"`
	Type        *string `json:"alertTypeName,omitzero"`
	Channel     *string `json:"channelTypeName,omitzero"`
	Customer    *string `json:"institutionCustomerId,omitzero"`
	Institution *string `json:"institutionId,omitzero"`
}

// stored returns the preference as the bank keeps it and answers with.
func (a alertBody) stored(id int64, institutionID, user string) alertBody {
	details := alertDetailsBody{ID: &id, Institution: &institutionID}
	if a.Details != nil {
		details.Type, details.Channel = a.Details.Type, a.Details.Channel
	}
	if user != "" {
		details.Customer = &user
	}
	if a.Details != nil && a.Details.Institution != nil && *a.Details.Institution != "" {
		details.Institution = a.Details.Institution
	}
	if a.Details != nil && a.Details.Customer != nil && *a.Details.Customer != "" {
		details.Customer = a.Details.Customer
	}
	a.Details = &details
	return a
}

// learner compares the simulator's answers with the reference's and keeps the values that the simulator has drawn. The
// reference can't predict them, but the same draws from the same seed must give the same values, in any sandbox and
// whatever came in between.
type learner struct {
	t     *rapid.T
	where string // the call that is being compared
	drawn map[string]string
}

func (l *learner) equal(want, got any, what string) {
	l.t.Helper()
	if !reflect.DeepEqual(want, got) {
		l.t.Fatalf("%s: %s\nwant %s\n got %s", l.where, what, simtest.JSON(want), simtest.JSON(got))
	}
}

// drew records that a bank has drawn a value of a kind.
func (l *learner) drew(b *refBank, kind, value string) {
	l.t.Helper()
	b.draws += ", " + kind
	before, ok := l.drawn[b.draws]
	if !ok {
		l.drawn[b.draws] = value
		return
	}
	l.equal(before, value, "drawn as before, from "+b.draws)
}

// constant records a value that the simulator makes from what it belongs to: it never changes, and differs from all others.
func (l *learner) constant(of, value string) {
	l.t.Helper()
	for _, pair := range [][2]string{{of, value}, {"value " + value, of}} {
		if before, ok := l.drawn[pair[0]]; ok {
			l.equal(before, pair[1], pair[0])
		}
		l.drawn[pair[0]] = pair[1]
	}
}

// freshToken fails unless a token is new to the bank.
func (l *learner) freshToken(b *refBank, text string, length int) {
	l.t.Helper()
	if grant, _ := b.token(text); grant != nil || len(text) != length {
		l.t.Fatalf("%s: %q is no new token", l.where, text)
	}
}

func decodeBody[T any](l *learner, body string) T {
	l.t.Helper()
	var v T
	if err := wire.DecodeKnown([]byte(body), &v); err != nil {
		l.t.Fatalf("%s: %v in %s", l.where, err, body)
	}
	return v
}

// decodeSome decodes a body and skips members that T does not have.
func decodeSome[T any](l *learner, body string) T {
	l.t.Helper()
	var v T
	if err := wire.Decode([]byte(body), &v); err != nil {
		l.t.Fatalf("%s: %v in %s", l.where, err, body)
	}
	return v
}

func wantEmptyBody(l *learner, body string) {
	l.t.Helper()
	if strings.TrimSpace(body) != "" {
		l.t.Fatalf("%s: the body should be empty: %s", l.where, body)
	}
}

package sim

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of texts (choice): a row has none with more characters than MaxText, but for additionalInfo, whose limit is in bytes.
const (
	MaxText           = 1000
	MaxAdditionalInfo = 8 << 10
)

// AlertChannels are the known values of channelTypeName (published).
var AlertChannels = []string{"EMAIL", "SMS", "PUSH", "WEB"}

// AlertPreference is a user's alert preference (interface section 2.7). Members that its creator left out are
// nil, and stay so.
type AlertPreference struct {
	InstitutionID string `json:"institutionId,omitzero"` // from the header fiid
	// HostUserID is from the header userid. It is empty where headers are optional and the request had none.
	HostUserID  string `json:"hostUserId,omitzero"`
	AlertPrefID int64  `json:"alertPrefId,omitzero"` // assigned, unique, > 0

	AlertContent
}

// alertTable has the alert preferences of all users.
var alertTable = &tableSpec[AlertPreference]{
	name:    "alertPreferences",
	in:      func(w *World) *table[AlertPreference] { return &w.alerts },
	key:     func(p *AlertPreference) rowKey { return rowKey{&p.InstitutionID, &p.HostUserID, &p.AlertPrefID} },
	before:  (*AlertPreference).before,
	same:    sameRow[AlertPreference],
	addable: true,
}

// Row names the row.
func (p *AlertPreference) Row() string {
	return fmt.Sprintf("alertPreferences/%s/%s/%d", p.InstitutionID, p.HostUserID, p.AlertPrefID)
}

func (p *AlertPreference) before(other *AlertPreference) bool {
	return cmp.Or(cmp.Compare(p.InstitutionID, other.InstitutionID), cmp.Compare(p.HostUserID, other.HostUserID),
		cmp.Compare(p.AlertPrefID, other.AlertPrefID)) < 0
}

// AlertContent is what the creator of an alert preference gives. It has no effect in the bank.
type AlertContent struct {
	AdditionalInfo     *string       `json:"additionalInfo,omitzero"` // the text of a JSON object
	AlertOpted         *bool         `json:"alertOpted,omitzero"`
	Account            *AlertAccount `json:"account,omitzero"`
	Details            *AlertDetails `json:"details,omitzero"`
	AllowCallback      *bool         `json:"allowCallback,omitzero"`
	DefaultPreferences *bool         `json:"defaultPreferences,omitzero"`
}

// AlertAccount is the member alertPreferenceAccountDetails.
type AlertAccount struct {
	AccountExternalID *string `json:"accountExternalId,omitzero"`
	AccountID         *string `json:"accountId,omitzero"`
	CardNumber        *string `json:"cardNumber,omitzero"`
}

// AlertDetails is the member alertPreferenceDetails, less its ids of the institution and the customer, which
// are the preference's, and its alertPrefId, which is assigned.
type AlertDetails struct {
	AlertTypeName   *string `json:"alertTypeName,omitzero"`
	ChannelTypeName *string `json:"channelTypeName,omitzero"`
	ExternalID      *string `json:"externalId,omitzero"`
	// InstitutionCustomerID and InstitutionID are as sent: see [AlertPreference.Contradicts].
	InstitutionCustomerID *string `json:"institutionCustomerId,omitzero"`
	InstitutionID         *string `json:"institutionId,omitzero"`
}

// alertText is a text of an alert preference, nil if it isn't given, and the path of its member.
type alertText struct {
	member string
	text   *string
}

// parts returns the objects of the content, without members where they aren't given.
func (c AlertContent) parts() (account AlertAccount, details AlertDetails) {
	if c.Account != nil {
		account = *c.Account
	}
	if c.Details != nil {
		details = *c.Details
	}
	return account, details
}

// texts returns the texts of the content besides additionalInfo.
func (c AlertContent) texts() [8]alertText {
	account, details := c.parts()
	return [...]alertText{
		{"alertPreferenceAccountDetails.accountExternalId", account.AccountExternalID},
		{"alertPreferenceAccountDetails.accountId", account.AccountID},
		{"alertPreferenceAccountDetails.cardNumber", account.CardNumber},
		{"alertPreferenceDetails.alertTypeName", details.AlertTypeName},
		{"alertPreferenceDetails.channelTypeName", details.ChannelTypeName},
		{"alertPreferenceDetails.externalId", details.ExternalID},
		{"alertPreferenceDetails.institutionCustomerId", details.InstitutionCustomerID},
		{"alertPreferenceDetails.institutionId", details.InstitutionID},
	}
}

// given reports for each body member whether the content has it.
func (c AlertContent) given() map[string]bool {
	given := map[string]bool{
		"additionalInfo":                c.AdditionalInfo != nil,
		"alertOpted":                    c.AlertOpted != nil,
		"alertPreferenceAccountDetails": c.Account != nil,
		"alertPreferenceDetails":        c.Details != nil,
		"allowCallback":                 c.AllowCallback != nil,
		"defaultPreferences":            c.DefaultPreferences != nil,
	}
	for _, t := range c.texts() {
		given[t.member] = t.text != nil
	}
	return given
}

// AlertFields returns the names that [AlertBehavior.RequiredFields] may hold, sorted.
func AlertFields() []string { return slices.Sorted(maps.Keys(AlertContent{}.given())) }

// AlertScope returns the institution and the user that an alert request belongs to: the ones named in its
// headers, which must not contradict the caller's. One that is left out (where the behaviour allows it) is the
// caller's; a request that names no institution at all belongs to the first. It refuses with
// InstitutionUnknown or UserUnknown.
func (w *World) AlertScope(caller Caller, fiid, userid string) (institutionID, hostUserID string, err error) {
	institutionID = cmp.Or(fiid, caller.InstitutionID, w.home)
	_, known := w.Institution(institutionID)
	if !known || caller.InstitutionID != "" && caller.InstitutionID != institutionID {
		return "", "", Refuse(InstitutionUnknown, "fiid names no institution that the caller may speak for")
	}
	if userid == "" {
		return institutionID, caller.HostUserID, nil
	}
	_, known = w.User(institutionID, userid)
	if !known || caller.HostUserID != "" && caller.HostUserID != userid {
		return "", "", Refuse(UserUnknown, "userid names no user of institution %s that the caller may speak for", institutionID)
	}
	return institutionID, userid, nil
}

// CreateAlertPreference stores an alert preference (interface section 4.7). It refuses with AlertFieldMissing, TextTooLong,
// AlertOtherInstitution, AlertOtherCustomer, AlertChannelUnknown, AlertTypeUnknown or WorldFull.
func (w *World) CreateAlertPreference(
	p *Policy, institutionID, hostUserID string, content AlertContent,
) (*AlertPreference, error) {
	created := AlertPreference{InstitutionID: institutionID, HostUserID: hostUserID, AlertContent: content}
	if err := w.checkAlert(p, created); err != nil {
		return nil, err
	}
	return w.AddAlertPreference(created), w.checkRows(p)
}

// checkAlert checks what a caller wants to store.
func (w *World) checkAlert(p *Policy, wanted AlertPreference) error {
	if required := p.Alerts.RequiredFields; len(required) > 0 {
		given := wanted.given()
		for _, field := range required {
			if !given[field] {
				return Refuse(AlertFieldMissing, "%s is missing", field)
			}
		}
	}
	for _, t := range wanted.texts() {
		if t.text != nil && utf8.RuneCountInString(*t.text) > MaxText {
			return Refuse(TextTooLong, "%s is longer than %d characters", t.member, MaxText)
		}
	}
	if wanted.AdditionalInfo != nil && len(*wanted.AdditionalInfo) > MaxAdditionalInfo {
		return Refuse(TextTooLong, "additionalInfo is longer than %d bytes", MaxAdditionalInfo)
	}
	return w.checkAlertDetails(p, wanted)
}

// checkAlertDetails checks the details of an alert preference that a caller wants to store.
func (w *World) checkAlertDetails(p *Policy, wanted AlertPreference) error {
	d := wanted.Details
	if d == nil {
		return nil
	}
	institution, _ := w.Institution(wanted.InstitutionID)
	otherInstitution, otherCustomer := wanted.Contradicts()
	refused := p.Alerts.Contradiction == ContradictionReject
	switch {
	case refused && otherInstitution:
		return Refuse(AlertOtherInstitution, "institutionId in the body contradicts the institution of the request")
	case refused && otherCustomer:
		return Refuse(AlertOtherCustomer, "institutionCustomerId in the body contradicts the user of the request")
	case d.ChannelTypeName != nil && p.Alerts.KnownChannelsOnly && !slices.Contains(AlertChannels, *d.ChannelTypeName):
		return Refuse(AlertChannelUnknown, "channelTypeName must be one of %s", strings.Join(AlertChannels, ", "))
	}
	return institution.checkAlertType(*d)
}

// Contradicts reports whether the details, as they were sent, name another institution or another customer than those whose
// preference it is. An empty one contradicts nothing.
func (p *AlertPreference) Contradicts() (institution, customer bool) {
	if p.Details == nil {
		return false, false
	}
	differs := func(said *string, is string) bool { return said != nil && *said != "" && is != "" && *said != is }
	return differs(p.Details.InstitutionID, p.InstitutionID), differs(p.Details.InstitutionCustomerID, p.HostUserID)
}

// normal returns the content without details that say nothing: a scenario that states the id must have some.
func (c AlertContent) normal() AlertContent {
	if c.Details != nil && *c.Details == (AlertDetails{}) {
		c.Details = nil
	}
	return c
}

// AddAlertPreference stores an alert preference, assigning its id where it has none.
func (w *World) AddAlertPreference(p AlertPreference) *AlertPreference {
	if p.AlertPrefID == 0 {
		p.AlertPrefID = w.alertID + 1
	}
	p.AlertContent = p.normal()
	w.alertID = max(w.alertID, p.AlertPrefID)
	w.alerts.put(&p)
	return &p
}

// AlertPreferences yields the alert preferences of a user of an institution, by id.
func (w *World) AlertPreferences(institutionID, hostUserID string) iter.Seq[*AlertPreference] {
	return w.alerts.between(
		&AlertPreference{InstitutionID: institutionID, HostUserID: hostUserID},
		&AlertPreference{InstitutionID: institutionID, HostUserID: after(hostUserID)})
}
